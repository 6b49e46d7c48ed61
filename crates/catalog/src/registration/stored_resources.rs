//! What a new version means for the resources that are there.

use crate::catalog::Catalog;
use crate::registration::register::blocking;
use crate::types::state::TypeState;
use coeval_codes::Coded;
use coeval_core::convert::{ContentRecord, LawsChecked, Versions};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::finding::Finding;
use coeval_records::header::State;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::{ReadRange, StoredValue as Kept};
use std::sync::Arc;

/// How many failing resources are told by name.
const TOLD: usize = 5;

impl Catalog {
    /// Tries the laws of a new version on every stored resource, a page at a time. A resource that
    /// can't be converted is a finding: it would have to be mended before it can be moved.
    pub(crate) async fn stored_findings(
        &self,
        state: &TypeState,
        versions: &Arc<Versions>,
        at: Version,
    ) -> Result<Vec<Finding>, EngineError> {
        let mut range = ReadRange::of(keys::records(&state.key)?);
        let (mut tried, mut failed, mut missed) = (0_u64, 0_u64, 0_u64);
        let mut missing: Option<Finding> = None;
        let mut findings: Vec<Finding> = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            let mut records: Vec<StoredContent> = Vec::new();
            for entry in &page.entries {
                // What can't be read is found by the check of the store, not here.
                let id = keys::read_record(&entry.key).map(|(_, _, id)| id);
                if let (Some(id), Kept::Record(record)) = (id, &entry.stored)
                    && let Ok(stored) = Stored::decode(id, record)
                    && let Ok(record) = stored.core_record()
                {
                    // What is not resolved need not fit, and of content with secrets not all is
                    // here.
                    let header = &stored.header;
                    records.push(StoredContent {
                        id: id.to_string(),
                        record,
                        judged: header.state == State::Resolved && !header.has_secrets(),
                    });
                }
            }
            tried += records.len() as u64;
            let versions = Arc::clone(versions);
            let (found, not_shown) = blocking(move || {
                let found = laws(&versions, at, &records);
                (found, unfit(&versions, at, &records))
            })
            .await?;
            failed += found.len() as u64;
            missed += not_shown.len() as u64;
            missing = missing.or_else(|| not_shown.into_iter().next());
            // Some are told one by one; the counts are of all of them.
            let room = TOLD.saturating_sub(findings.len());
            findings.extend(found.into_iter().take(room));
            match last {
                Some(last) if page.more => range = range.after(&last),
                _ => break,
            }
        }
        if let Some(first) = findings.first_mut() {
            first.message = format!("{failed} of {tried} stored resources: {}", first.message);
        }
        if let Some(mut first) = missing {
            first.message = format!(
                "{missed} of {tried} stored resources can't be shown at {at}: {}",
                first.message
            );
            findings.push(first);
        }
        Ok(findings)
    }
}

/// What is stored of a resource.
struct StoredContent {
    id: String,
    record: ContentRecord,
    /// Whether its content has to fit, and all of it is here.
    judged: bool,
}

/// Resources that readers of a version are not shown, because they don't fit it.
fn unfit(versions: &Versions, at: Version, stored: &[StoredContent]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for one in stored.iter().filter(|one| one.judged) {
        let record = one.record.clone();
        if record.version != at
            && let Ok(view) = versions.view(record, at)
            && let Err(error) = versions.check_view(&view.content, at)
        {
            findings.push(Finding {
                rule: coeval_codes::VIEW_UNFIT.to_string(),
                against: Some(one.record.version.to_string()),
                path: String::new(),
                message: format!("resource {}: {error}", one.id),
                refuses: false,
                witness: None,
            });
        }
    }
    findings
}

fn laws(versions: &Versions, at: Version, records: &[StoredContent]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for StoredContent { id, record, .. } in records {
        let mut checked = LawsChecked::default();
        // The resource as it is shown at the new version, saved unchanged.
        let broken = versions.check_record(record, at, |view| Some(view.clone()), &mut checked);
        if let Err(broken) = broken {
            findings.push(Finding {
                rule: broken.code().to_string(),
                against: Some(record.version.to_string()),
                path: String::new(),
                message: format!("resource {id}: {broken}"),
                refuses: true,
                witness: Some(broken.document.clone()),
            });
        }
    }
    findings
}
