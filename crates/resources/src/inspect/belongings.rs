//! ACLs, secrets, entries and histories of resources that are not there.

use crate::inspect::{Inspection, Problem, ProblemKind, all};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::{StoredEntry, WriteAction, WriteCondition, WriteStep};

impl Inspection<'_> {
    /// Only after all types: a resource is not found by its id alone.
    pub(super) async fn belongings(&mut self) -> Result<(), EngineError> {
        for span in keys::belongings()? {
            let mut range = all(span);
            while range.is_some() {
                let entries = self.pages(&mut range).await?;
                for entry in &entries {
                    let id = keys::id_of_belonging(&entry.key);
                    if !id.is_some_and(|id| self.ids.contains(&id)) {
                        self.belonging(entry).await?;
                    }
                }
                self.advance(0, entries.len() as u64);
            }
        }
        Ok(())
    }

    async fn belonging(&mut self, entry: &StoredEntry) -> Result<(), EngineError> {
        let id = keys::id_of_belonging(&entry.key);
        // It may be of a resource that was made after the look at its type.
        for of in self.resources.types.names().await? {
            let state = self.resources.types.get(&of).await?;
            if let Some(id) = id
                && self.look_again(&state, id, &[]).await?.exists()
            {
                return Ok(());
            }
        }
        let Some(revision) = entry.stored.revision() else {
            return Ok(());
        };
        // As it was read: what is written meanwhile belongs to a resource that is there.
        let step = WriteStep {
            key: entry.key.clone(),
            condition: WriteCondition::RevisionIs(revision),
            action: WriteAction::Delete,
        };
        let repaired = self.mend(vec![step]).await?;
        self.tell(&Problem {
            kind: ProblemKind::Orphan,
            of: None,
            id,
            key: entry.key.to_string(),
            code: coeval_codes::BELONGING_ORPHANED,
            reason: "it belongs to a resource that is not there".to_owned(),
            repairable: true,
            repaired,
        });
        Ok(())
    }
}
