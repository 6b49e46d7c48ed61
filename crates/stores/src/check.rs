//! Verifies every record and the order of events.

use crate::{ProgressFn, StoresError};
use coeval_storage::{KeyChange, KeySpan, ReadRange, Store, StoredValue};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use std::path::Path;

/// Findings that are listed one by one; more are only counted.
const LISTED: usize = 100;

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct CheckSummary {
    /// Records looked at.
    pub records: u64,
    /// Events looked at.
    pub events: u64,
    /// How many things are wrong.
    pub wrong: u64,
    /// The first hundred of them, a sentence each.
    pub findings: Vec<String>,
}

impl CheckSummary {
    /// Notes one thing that is wrong.
    pub fn wrong(&mut self, finding: String) {
        self.wrong += 1;
        if self.findings.len() < LISTED {
            self.findings.push(finding);
        }
    }
}

/// Looks at everything in `store`; also while it is written to.
///
/// # Errors
/// What the store says; what is wrong with records is in the summary.
pub async fn check(
    store: &dyn Store,
    progress: ProgressFn<'_>,
) -> Result<CheckSummary, StoresError> {
    let mut summary = CheckSummary::default();
    records(store, &mut summary, progress).await?;
    events(store, &mut summary, progress).await?;
    Ok(summary)
}

async fn records(
    store: &dyn Store,
    summary: &mut CheckSummary,
    progress: ProgressFn<'_>,
) -> Result<(), StoresError> {
    let mut range = ReadRange::of(KeySpan::everything());
    loop {
        // Each page is a snapshot of its own: a check runs beside writers, and needs no single one.
        let (_, page) = store.range(range.clone()).await?;
        for entry in &page.entries {
            summary.records += 1;
            if let StoredValue::Damaged { damage, .. } = &entry.stored {
                summary.wrong(format!("the record {} is damaged: {damage}", entry.key));
            }
        }
        progress(summary.records, 0);
        match range.following(&page) {
            Some(next) => range = next,
            None => return Ok(()),
        }
    }
}

async fn events(
    store: &dyn Store,
    summary: &mut CheckSummary,
    progress: ProgressFn<'_>,
) -> Result<(), StoresError> {
    let mut after = 0;
    let mut last = 0;
    loop {
        let page = match store.events(after).await {
            Ok(page) => page,
            Err(error) => {
                // Nothing behind a damaged group can be read, so this is all there is to say.
                summary.wrong(format!("the events after sequence {after}: {error}"));
                return Ok(());
            }
        };
        for group in &page.groups {
            summary.events += group.events.len() as u64;
            // Sequences only grow; an equal or smaller one means that two histories were mixed.
            if group.sequence <= last {
                summary.wrong(format!("sequence {} follows {last}", group.sequence));
            }
            last = group.sequence;
            for event in &group.events {
                if let KeyChange::Put(StoredValue::Damaged { damage, .. }) = &event.change {
                    let (sequence, key) = (group.sequence, &event.key);
                    summary.wrong(format!(
                        "the event of {key} at sequence {sequence} is damaged: {damage}"
                    ));
                }
            }
        }
        progress(summary.records + summary.events, 0);
        if page.complete_to >= page.bounds.head {
            return Ok(());
        }
        // Otherwise a log that stands still would be read for ever.
        if page.complete_to <= after {
            summary.wrong(format!("the event log does not go on after {after}"));
            return Ok(());
        }
        after = page.complete_to;
    }
}

/// SQLite's own look at the file of an embedded store: broken pages, indexes that miss rows.
///
/// # Errors
/// If the file can't be opened as a store.
pub async fn check_file(path: &Path) -> Result<Vec<String>, StoresError> {
    let store = SqliteStore::open_read_only(SqliteOptions::at(path)).await?;
    let found = store.check_file().await;
    store.close().await;
    Ok(found?)
}
