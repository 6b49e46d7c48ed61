//! Changing what is noted beside a type version's definition: who may see it, and its behaviors.
//! This is allowed while it has resources, for it changes no content.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::types::definition::{Definition, Meta};
use crate::types::state::{TypeState, with_phase};
use coeval_access::{Acl, Grant, TypeAction};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, RecordPut, WriteAction, WriteCondition};
use std::sync::Arc;

/// What is done, and what the audit says of it.
#[derive(Debug)]
pub(crate) struct NoteChange {
    pub action: TypeAction,
    pub what: What,
    pub note: Option<String>,
}

impl Catalog {
    /// Changes the notes in one atomic write; the type as it was then.
    pub(crate) async fn change_notes(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        told: &NoteChange,
        change: impl Fn(&TypeState, &mut Meta) -> Result<(), EngineError>,
    ) -> Result<Arc<TypeState>, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.load(of).await?;
            // In each attempt: the change that won the race may have been one of the ACL.
            self.allow_type(caller, &state, version, told.action)?;
            let Some(definition) = state.definitions.get(&version) else {
                let of = of.clone();
                return Err(EngineError::TypeVersionUnknown { of, version });
            };
            let mut meta = definition.meta.clone();
            change(&state, &mut meta)?;
            let content = Definition::encode(&meta, &definition.file)?;
            let key = keys::type_version(of, version)?;
            // With the phase record: no edit, and no move of a migration, comes in between.
            let own = WriteCondition::RevisionIs(definition.revision);
            let write =
                AtomicWrite::new().step(&key, own, WriteAction::Put(RecordPut::of(content)));
            let mut write = with_phase(write, &state, state.phase_revision)?;
            let mut deed = Deed::of_type(told.what, &definition.id(of));
            deed.note.clone_from(&told.note);
            write.steps.push(self.audit_step(caller, &deed)?);
            if unless_raced(self.commit(&key, write).await)?.is_some() {
                return Ok(state);
            }
        }
    }

    /// Sets the ACL of a type version.
    ///
    /// # Errors
    /// If the caller may not.
    pub async fn set_type_acl(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        change: impl Fn(&mut Acl) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let told = NoteChange {
            action: TypeAction::ChangeAcl,
            what: What::ChangeTypeAcl,
            note: None,
        };
        self.change_notes(caller, of, version, &told, |_, meta| change(&mut meta.acl))
            .await?;
        Ok(())
    }

    /// Who is granted what on a type version.
    ///
    /// # Errors
    /// If the caller may not know.
    pub async fn type_acl(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<Vec<Grant>, EngineError> {
        let state = self.types.current(of).await?;
        self.allow_type(caller, &state, version, TypeAction::ReadAcl)?;
        let definition = state.definitions.get(&version);
        let definition = definition.ok_or_else(|| EngineError::TypeVersionUnknown {
            of: of.clone(),
            version,
        })?;
        Ok(definition.meta.acl.grants().to_vec())
    }
}
