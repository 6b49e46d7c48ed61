//! Bringing the ACLs of type versions in line with the bundles.
//!
//! Which organizations a type is published to is said by bundles; that its versions are visible
//! there, by their ACLs. A change of the first may concern more versions than fit into one atomic
//! write. So it leaves a note: these organizations, these types. Whoever left it settles it at
//! once; if that is cut short, whoever opens the engine or publishes next does. Settling looks at
//! the bundles that there are then, and each of its writes is conditioned on these, so it can be
//! repeated, and done by several at a time.

use crate::caches::directory::Directory;
use crate::resources::Resources;
use coeval_access::{Acl, Rights, publish};
use coeval_catalog::allow::type_name;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::definition::{Definition, Meta};
use coeval_catalog::types::state::{TypeState, with_phase};
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::records::draw_id;
use coeval_storage::{
    AtomicWrite, Key, ReadRange, RecordContent, RecordPut, Revision, WriteAction, WriteCondition,
    WriteStep,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is to be brought in line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unsettled {
    /// All of them, if nothing is said.
    orgs: Option<Vec<String>>,
    types: BTreeSet<String>,
}

/// A note in the store; nothing if there is nothing to settle.
pub(crate) type Left = Option<(Key, Unsettled)>;

/// The most versions of one atomic write, and the most bytes of them.
const AT_ONCE: usize = 24;
const BYTES_AT_ONCE: usize = 900 * 1024;

impl Unsettled {
    /// The types of these rights in these organizations.
    pub(crate) fn of<'a>(
        orgs: Option<Vec<String>>,
        rights: impl IntoIterator<Item = &'a Rights>,
    ) -> Self {
        let types = rights.into_iter().flat_map(publish::types_to_grant);
        Self {
            orgs,
            types: types.map(|of| of.to_string()).collect(),
        }
    }

    /// The step that leaves the note.
    pub(crate) fn steps(self) -> Result<(Vec<WriteStep>, Left), EngineError> {
        if self.types.is_empty() || self.orgs.as_ref().is_some_and(Vec::is_empty) {
            return Ok((Vec::new(), None));
        }
        let key = keys::unsettled(draw_id()?)?;
        let body = coeval_records::encode::encode("a note", &self)?;
        let step = WriteStep {
            key: key.clone(),
            condition: WriteCondition::NotExists,
            action: WriteAction::Put(RecordPut::of(body)),
        };
        Ok((vec![step], Some((key, self))))
    }
}

impl Resources {
    /// Settles what the caller itself left, and then what others did.
    pub(crate) async fn settle_own(&self, left: Left) -> Result<(), EngineError> {
        let settled = match &left {
            None => Ok(()),
            Some((key, note)) => self.settle(key, note).await,
        };
        // What fails there is logged, so another's note does not fail this call.
        if settled.is_ok() && left.is_some() {
            self.settle_others().await;
        }
        settled
    }

    /// Settles what somebody left and did not finish. What can't be settled stays for the next.
    pub async fn settle_others(&self) {
        let notes = match self.unsettled().await {
            Ok(notes) => notes,
            Err(error) => {
                tracing::error!(%error, "notes of published bundles can't be read");
                return;
            }
        };
        for (key, note) in notes {
            if let Err(error) = self.settle(&key, &note).await {
                tracing::error!(%key, %error, "a publication could not be finished");
            }
        }
    }

    async fn unsettled(&self) -> Result<Vec<(Key, Unsettled)>, EngineError> {
        let mut range = ReadRange::of(keys::all_unsettled()?);
        let mut notes = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let record = entry.stored.record();
                let note = record.and_then(|one| serde_json::from_slice(&one.content.body).ok());
                match note {
                    Some(note) => notes.push((entry.key.clone(), note)),
                    None => tracing::error!(key = %entry.key, "a note can't be read"),
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(notes),
            }
        }
    }

    async fn settle(&self, key: &Key, note: &Unsettled) -> Result<(), EngineError> {
        let orgs = match &note.orgs {
            Some(orgs) => orgs.clone(),
            None => {
                let (_, all) = self.all_of(OwnKind::Org).await?;
                let ids = all.iter().map(|stored| OwnKind::Org.urn(stored.id));
                // The provider's own rights come from roles alone; nothing is published to it.
                ids.filter(|id| id != coeval_catalog::allow::SYSTEM_ORG)
                    .collect()
            }
        };
        for of in note.types.iter().filter_map(|of| TypeKey::parse(of)) {
            self.settle_type(&of, &orgs).await?;
        }
        self.store
            .atomic_write(AtomicWrite::new().delete(key))
            .await?;
        Ok(())
    }

    /// Brings all versions of a type in line, as many at once as fit.
    async fn settle_type(&self, of: &TypeKey, orgs: &[String]) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            // Read anew for each write: what is published by now counts, not what the note was left
            // for.
            let directory = self.directory().await?;
            let state = match self.types.load(of).await {
                // Nothing of it is left to be seen.
                Err(EngineError::TypeUnknown { .. }) => return Ok(()),
                other => other?,
            };
            let Some(write) = self.settling(&directory, &state, orgs)? else {
                return Ok(());
            };
            // Only races count: each write brings the end nearer.
            if unless_raced(self.commit(&state.phase_key, write).await)?.is_none() {
                attempts.begin()?;
            }
        }
    }

    /// The next atomic write, if any is needed.
    fn settling(
        &self,
        directory: &Directory,
        state: &TypeState,
        orgs: &[String],
    ) -> Result<Option<AtomicWrite>, EngineError> {
        let name = type_name(&state.key)?;
        let bringing: Vec<_> = directory
            .bundles
            .iter()
            .map(|(_, bundle)| bundle)
            .filter(|bundle| !bundle.rights.of_type(name).is_empty())
            .collect();
        let is_published = |org: &str| bringing.iter().any(|bundle| bundle.published.includes(org));
        let mut steps = Vec::new();
        let mut bytes = 0;
        for definition in state.definitions.values() {
            let mut acl = definition.meta.acl.clone();
            if !align(&mut acl, orgs, is_published) {
                continue;
            }
            let (step, size) = put_acl(state, definition, acl)?;
            // At least one step, however large: else a version beyond the limit would never be
            // settled.
            if !steps.is_empty() && (bytes + size > BYTES_AT_ONCE || steps.len() >= AT_ONCE) {
                break;
            }
            bytes += size;
            steps.push(step);
        }
        if steps.is_empty() {
            return Ok(None);
        }
        let identity = coeval_catalog::identity::seen::identity_key()?;
        // On condition of the bundles: a publication that was taken back is not granted by a slow
        // settler.
        let mut write = AtomicWrite::new().when(&identity, directory.seen.condition());
        write = with_phase(write, state, state.phase_revision)?;
        write.steps.extend(steps);
        Ok(Some(write))
    }
}

/// Grants to those that it is published to, takes from the others. Returns whether it changed.
fn align(acl: &mut Acl, orgs: &[String], is_published: impl Fn(&str) -> bool) -> bool {
    let mut changed = false;
    for org in orgs {
        changed |= if is_published(org) {
            publish::publish(acl, org)
        } else {
            publish::unpublish(acl, org)
        };
    }
    changed
}

fn put_acl(
    state: &TypeState,
    definition: &Definition,
    acl: Acl,
) -> Result<(WriteStep, usize), EngineError> {
    let meta = Meta {
        acl,
        ..definition.meta.clone()
    };
    let content: RecordContent = Definition::encode(&meta, &definition.file)?;
    let size = content.stored_size();
    let revision: Revision = definition.revision;
    let step = WriteStep {
        key: keys::type_version(&state.key, definition.version)?,
        condition: WriteCondition::RevisionIs(revision),
        action: WriteAction::Put(RecordPut::of(content)),
    };
    Ok((step, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_access::{AccessLevel, AclMember};

    #[test]
    fn aligning_grants_and_takes_what_bundles_say_and_nothing_else_and_ends() {
        let org = |id: &str| AclMember::Org(id.to_owned());
        let mut acl = Acl::of_creator("p");
        for id in ["a", "b", "c"] {
            publish::publish(&mut acl, id);
        }
        let orgs = ["b", "c", "d"].map(str::to_owned);
        let published = |id: &str| id == "c" || id == "d";
        assert!(align(&mut acl, &orgs, published));
        let levels = ["a", "b", "c", "d"].map(|id| acl.level_of(&org(id)));
        let granted = Some(publish::PUBLISHED_LEVEL);
        assert_eq!(levels, [granted, None, granted, granted]);
        let creator = acl.level_of(&AclMember::User("p".to_owned()));
        assert_eq!(creator, Some(AccessLevel::FullControl));
        assert!(!align(&mut acl, &orgs, published), "again is no change");
    }

    #[test]
    fn a_note_is_left_only_if_there_is_something_to_settle() {
        let rights = Rights::from_names(["acme:app: View"]);
        let general = Rights::from_names(["User: View"]);
        let some = || Some(vec!["o".to_owned()]);
        let left = |orgs, rights: &Rights| {
            let (steps, left) = Unsettled::of(orgs, [rights]).steps().unwrap();
            assert_eq!(steps.len(), usize::from(left.is_some()));
            left.is_some()
        };
        assert!(left(some(), &rights));
        assert!(left(None, &rights));
        assert!(!left(some(), &general));
        assert!(!left(Some(Vec::new()), &rights));
    }
}
