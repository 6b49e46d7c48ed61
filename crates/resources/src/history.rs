//! Earlier revisions of a resource.

use crate::quarantined::Quarantined;
use crate::read::{Found, Target};
use crate::resource::{Resource, sees};
use crate::resources::Resources;
use crate::write::request::{Checking, Update};
use crate::write::undeclared::Undeclared;
use coeval_access::ResourceAction;
use coeval_catalog::allow::version_facts;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::{StoreAt, WantedVersion};
use coeval_core::version::{Uuid, WriteVersion};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::{ReadRange, Revision, StoredValue as Kept};

/// The revisions of a resource that are kept, newest first.
#[derive(Clone, Debug)]
pub struct History {
    /// The present one is the first.
    pub revisions: Vec<Resource>,
    /// Those that can't be shown at the wanted version.
    pub quarantined: Vec<Quarantined>,
}

impl Resources {
    /// What a resource was before, as far as it is kept, at the version that the caller wants.
    ///
    /// # Errors
    /// If the caller may not see the resource.
    pub async fn history(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<History, EngineError> {
        let found = self.find(caller, of, target, ResourceAction::Read).await?;
        let Found {
            fetched,
            stored,
            level,
        } = found;
        let state = &*fetched.state;
        let wanted = caller.wanted_view(state);
        let mut history = History {
            revisions: Vec::new(),
            quarantined: Vec::new(),
        };
        let mut all = vec![Ok(stored.clone())];
        // Access is judged by what the resource is now, and each revision also by the version that
        // it was stored at.
        let earlier = self.earlier(&stored).await?.into_iter();
        all.extend(earlier.filter(|one| in_reach(caller, state, one)));
        for one in all {
            let shown = one.and_then(|one| {
                let name = one.revision.to_string();
                self.resource(state, one, &wanted, level, fetched.token, None)
                    .map_err(|error| Quarantined::of(name, &error))
            });
            match shown {
                Ok(resource) => history.revisions.push(resource),
                Err(quarantined) => history.quarantined.push(quarantined),
            }
        }
        Ok(history)
    }

    /// The update that writes an earlier revision again: its content at its version, on condition that
    /// the present one is still that which was read. What restricted fields hold stays for those who
    /// can't see them.
    ///
    /// # Errors
    /// If that revision is not kept, or the caller may not change the resource.
    pub async fn plan_restore(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        revision: Revision,
        present: Option<Revision>,
    ) -> Result<(Uuid, Update), EngineError> {
        let found = self
            .find(caller, of, target, ResourceAction::Modify)
            .await?;
        let state = &*found.fetched.state;
        let earlier = self.earlier(&found.stored).await?;
        let then = earlier
            .into_iter()
            .filter(|one| in_reach(caller, state, one))
            .flatten()
            .find(|one| one.revision == revision);
        let Some(then) = then else {
            return Err(EngineError::NotFound {
                what: format!("revision {revision} among those that are kept"),
            });
        };
        let at = then.header.version;
        let wanted = WantedView::of_all(WantedVersion::Exactly(at));
        let shown = self
            .show(state, &then, &wanted, sees(found.level), None)?
            .shown;
        let content = serde_json::from_slice(&shown.content).unwrap_or_default();
        let moves = at != found.stored.header.version;
        let update = Update {
            revision: Some(present.unwrap_or(found.stored.revision)),
            at: WriteVersion::plain(at),
            store_at: if moves { StoreAt::Set } else { StoreAt::Unsaid },
            // Held to the schema only if the resource is resolved: before that its content need
            // never have fitted.
            checking: Checking::Later,
            undeclared: Undeclared::Accept,
            ..Update::new(at, content)
        };
        Ok((found.stored.id, update))
    }

    /// Newest first; what can't be read is told.
    async fn earlier(
        &self,
        stored: &Stored,
    ) -> Result<Vec<Result<Stored, Quarantined>>, EngineError> {
        let mut range = ReadRange::of(keys::histories(stored.id)?).descending();
        let mut all = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                all.push(match &entry.stored {
                    Kept::Record(record) => Stored::decode(stored.id, record)
                        .map_err(|error| Quarantined::of(entry.key.to_string(), &error)),
                    Kept::Damaged { damage, .. } => Err(Quarantined {
                        id: entry.key.to_string(),
                        code: coeval_codes::DAMAGED,
                        reason: damage.to_string(),
                    }),
                });
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(all),
            }
        }
    }
}

/// Whether an earlier revision was stored at a version that exists for the caller.
fn in_reach(caller: &Caller, state: &TypeState, one: &Result<Stored, Quarantined>) -> bool {
    let facts = |version| version_facts(state, version, &caller.subject);
    match one {
        Ok(stored) => {
            let visible = caller.visible_versions(state);
            !visible.hides() || facts(stored.header.version).level.is_some()
        }
        Err(_) => true,
    }
}
