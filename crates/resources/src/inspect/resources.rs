//! Resources that can't be shown, and those that an index does not find.

use crate::inspect::{Inspection, Problem, ProblemKind, all};
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::state::TypeState;
use coeval_codes::{Code, Coded};
use coeval_core::phases::PairStanding;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::{
    Key, ReadRange, ReadRequest, RecordContent, RecordPut, StoredEntry, StoredValue as Kept,
    WriteAction, WriteCondition, WriteStep,
};
use std::sync::Arc;

/// Keys that are read at once.
const AT_ONCE: usize = 90;

impl Inspection<'_> {
    /// Records of types that are not there: nobody can reach them.
    pub(crate) async fn strangers(&mut self, known: &[TypeKey]) -> Result<(), EngineError> {
        let mut span = keys::all_records()?;
        loop {
            // One key at a time: the types that are known are passed over whole, and hold nearly
            // everything.
            let range = ReadRange::of(span.clone()).keys_only().limit(1);
            let (_, page) = self.resources.store.range(range).await?;
            let Some(entry) = page.entries.first() else {
                return Ok(());
            };
            let of = keys::type_of_record(&entry.key);
            if let Some(of) = of.as_ref().filter(|of| known.contains(of)) {
                // On to the next type.
                span.start = keys::records(of)?.end;
                continue;
            }
            let id = keys::read_record(&entry.key).map(|(_, _, id)| id);
            self.ids.extend(id);
            self.tell(&Problem {
                kind: ProblemKind::Resource,
                of,
                id,
                key: entry.key.to_string(),
                code: coeval_codes::TYPE_UNKNOWN,
                reason: "there is no such type".to_owned(),
                repairable: false,
                repaired: false,
            });
            self.advance(1, 0);
            span = span.after(&entry.key);
        }
    }

    pub(super) async fn resources(&mut self, state: &Arc<TypeState>) -> Result<(), EngineError> {
        let mut range = all(keys::records(&state.key)?);
        while range.is_some() {
            let entries = self.pages(&mut range).await?;
            let mut expected: Vec<(Key, Uuid)> = Vec::new();
            for entry in &entries {
                let id = keys::read_record(&entry.key).map(|(_, _, id)| id);
                self.ids.extend(id);
                match readable(state, entry) {
                    Ok(stored) => {
                        let keys = stored.header.index_keys(&state.key, stored.id)?;
                        expected.extend(keys.into_iter().map(|key| (key, stored.id)));
                    }
                    Err((code, reason)) => self.tell(&Problem {
                        kind: ProblemKind::Resource,
                        of: Some(state.key.clone()),
                        id,
                        key: entry.key.to_string(),
                        code,
                        reason,
                        repairable: false,
                        repaired: false,
                    }),
                }
            }
            for some in expected.chunks(AT_ONCE) {
                let keys = some.iter().map(|(key, _)| key.clone());
                let snapshot = self.resources.store.read(ReadRequest::keys(keys)).await?;
                for ((key, id), found) in some.iter().zip(snapshot.keys) {
                    if found.is_none() {
                        self.missing(state, key, *id).await?;
                    }
                }
            }
            self.advance(entries.len() as u64, 0);
        }
        Ok(())
    }

    async fn missing(
        &mut self,
        state: &Arc<TypeState>,
        key: &Key,
        id: Uuid,
    ) -> Result<(), EngineError> {
        let now = self
            .look_again(state, id, std::slice::from_ref(key))
            .await?;
        if now.others.iter().any(Option::is_some) {
            return Ok(());
        }
        let Some((own, stored)) = now.with_entry(&state.key, key)? else {
            return Ok(());
        };
        // What a server that knows nothing of a mirror leaves behind is found by nobody.
        if left_behind(state, &now, stored) {
            return Ok(());
        }
        let steps = vec![
            WriteStep {
                key: own.clone(),
                // The entry has values of this revision: after another write it would be an orphan.
                condition: WriteCondition::RevisionIs(stored.revision),
                action: WriteAction::Nop,
            },
            WriteStep {
                key: key.clone(),
                condition: WriteCondition::NotExists,
                action: WriteAction::Put(RecordPut {
                    indexed: false,
                    expires: stored.expires,
                    ..RecordPut::of(RecordContent::default())
                }),
            },
        ];
        let repaired = self.mend(steps).await?;
        self.tell(&Problem {
            kind: ProblemKind::IndexMissing,
            of: Some(state.key.clone()),
            id: Some(id),
            key: key.to_string(),
            code: coeval_codes::INDEX_WRONG,
            reason: "an index does not find the resource".to_owned(),
            repairable: true,
            repaired,
        });
        Ok(())
    }
}

/// Whether a record is not the one that counts for its resource, in a migration.
fn left_behind(state: &TypeState, now: &crate::inspect::Now, stored: &Stored) -> bool {
    let Ok(Some(part)) = state.part() else {
        return false;
    };
    let major = stored.header.version.major;
    if !part.concerns(major) {
        return false;
    }
    let mut pair = Pair::absent(*part);
    for (_, stored) in &now.records {
        match stored.clone() {
            Some(one) if one.header.version.major == part.migration.from => pair.old = Some(one),
            Some(one) if one.header.version.major == part.migration.to => pair.new = Some(one),
            _ => {}
        }
    }
    let truth = pair.truth().map(|truth| truth.header.version.major);
    // A fresh mirror has its entries. One that is left behind may lack some, and nobody searches
    // it.
    pair.standing() != PairStanding::Fresh && truth != Some(major)
}

/// The resource, if it can be shown to somebody.
fn readable(state: &TypeState, entry: &StoredEntry) -> Result<Stored, (Code, String)> {
    let told = |error: EngineError| (error.code(), error.to_string());
    let Some((_, major, id)) = keys::read_record(&entry.key) else {
        let reason = "its key names no resource".to_owned();
        return Err((coeval_codes::RESOURCE_UNREADABLE, reason));
    };
    let record = match &entry.stored {
        Kept::Record(record) => record,
        Kept::Damaged { damage, .. } => return Err((coeval_codes::DAMAGED, damage.to_string())),
    };
    let stored = Stored::decode(id, record).map_err(told)?;
    let version = stored.header.version;
    if version.major != major {
        let reason = format!("it is of version {version}, and stored among those of v{major}");
        return Err((coeval_codes::RESOURCE_UNREADABLE, reason));
    }
    if !state.definitions.contains_key(&version) {
        let of = state.key.clone();
        return Err(told(EngineError::TypeVersionUnknown { of, version }));
    }
    stored.core_record().map_err(told)?;
    Ok(stored)
}
