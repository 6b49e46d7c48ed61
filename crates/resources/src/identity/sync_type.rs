//! Giving one type version the grants of the organizations that its type is published to: what a
//! version lacks that was defined after, and below, the newest one.

use crate::resources::Resources;
use coeval_access::{TypeAction, publish};
use coeval_catalog::allow::{SYSTEM_ORG, type_name};
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::seen::identity_key;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::definition::{Definition, Meta};
use coeval_catalog::types::state::with_phase;
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, RecordPut, WriteAction, WriteCondition};

impl Resources {
    /// Grants a type version to every organization that its type is published to, and takes
    /// nothing from anybody. Says how many were granted something.
    ///
    /// # Errors
    /// If there is no such version, or the caller may not.
    pub async fn sync_type_acl(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<usize, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let directory = self.directory().await?;
            let state = self.types.load(of).await?;
            self.allow_type(caller, &state, version, TypeAction::ChangeAcl)?;
            let Some(definition) = state.definitions.get(&version) else {
                let of = of.clone();
                return Err(EngineError::TypeVersionUnknown { of, version });
            };
            let name = type_name(of)?;
            let bundles = directory.bundles.iter().map(|(_, bundle)| bundle);
            let bringing: Vec<_> = bundles
                .filter(|bundle| !bundle.rights.of_type(name).is_empty())
                .collect();
            // Read after the bundles: an organization that is created in between rewrites the
            // identity record, and the write below loses.
            let (_, orgs) = self.all_of(OwnKind::Org).await?;
            let orgs = orgs.iter().map(|stored| OwnKind::Org.urn(stored.id));
            let published = orgs.filter(|org| {
                org != SYSTEM_ORG && bringing.iter().any(|one| one.published.includes(org))
            });
            let mut acl = definition.meta.acl.clone();
            let granted = published
                .filter(|org| publish::publish(&mut acl, org))
                .count();
            // Nothing to write: a publication or another call has done it.
            if granted == 0 {
                return Ok(0);
            }
            let meta = Meta {
                acl,
                ..definition.meta.clone()
            };
            let put = RecordPut::of(Definition::encode(&meta, &definition.file)?);
            let key = keys::type_version(of, version)?;
            let write = AtomicWrite::new()
                // As settling does: nobody is granted what was unpublished meanwhile.
                .when(&identity_key()?, directory.seen.condition())
                .step(
                    &key,
                    WriteCondition::RevisionIs(definition.revision),
                    WriteAction::Put(put),
                );
            let mut write = with_phase(write, &state, state.phase_revision)?;
            let mut deed = Deed::of_type(What::ChangeTypeAcl, &definition.id(of));
            deed.note = Some(format!("granted to {granted} organizations as published"));
            write.steps.push(self.audit_step(caller, &deed)?);
            if unless_raced(self.commit(&key, write).await)?.is_some() {
                return Ok(granted);
            }
        }
    }
}
