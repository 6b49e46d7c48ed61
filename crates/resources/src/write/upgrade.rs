//! Storing a resource at another version, by itself: the step that no save takes.

use crate::read::{Found, Target};
use crate::resource::Changed;
use crate::resources::Resources;
use crate::write::barrier::barrier;
use crate::write::request::{Update, Updated};
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::{StoreAt, VersionRefusal, WantedVersion};
use coeval_core::version::{KnownVersion, Version};
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_storage::Revision;
use serde_json::Value;

/// A change of the version that a resource is stored at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Upgrade {
    /// The version; default: the newest that the caller can see.
    pub to: Option<Version>,
    /// The revision that was read, if that matters.
    pub revision: Option<Revision>,
    /// Only finds out what would happen.
    pub dry_run: bool,
}

impl Resources {
    /// Stores a resource at another version. It is converted, what the version demands and has a
    /// default for is filled in, and what it can't hold is kept.
    ///
    /// # Errors
    /// If the caller has no full control, or the content has no counterpart there. A version that
    /// changes what a field means has to be named.
    pub async fn upgrade(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        upgrade: &Upgrade,
    ) -> Result<Updated, EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        let found = self
            .find(caller, of, target, ResourceAction::Modify)
            .await?;
        let to = self.upgraded_to(caller, &found, upgrade)?;
        let update = Update {
            revision: upgrade.revision,
            store_at: StoreAt::Set,
            content: None,
            ..Update::new(to, Value::Null)
        };
        let stored = found.stored.header.version;
        let stale = upgrade
            .revision
            .is_some_and(|said| said != found.stored.revision);
        // So that a call can be repeated. A stale revision is refused by the update, which says
        // why.
        if to == stored && !stale {
            return self.shown_at(found, to, (Vec::new(), Vec::new())).await;
        }
        if upgrade.dry_run {
            let planned = self.plan_update(caller, &found, &update).await?;
            let lists = (planned.kept, planned.dropped);
            return self.shown_at(found, to, lists).await;
        }
        // The one that was looked at, whatever has its name by then.
        let target = Target::Id(found.stored.id);
        self.update(caller, of, &target, &update).await
    }

    fn upgraded_to(
        &self,
        caller: &Caller,
        found: &Found,
        upgrade: &Upgrade,
    ) -> Result<Version, EngineError> {
        let state: &TypeState = &found.fetched.state;
        // A version that is named is the decision that a barrier waits for; the newest by default
        // is not.
        if let Some(to) = upgrade.to {
            return Ok(to);
        }
        let stored = found.stored.header.version;
        let visible = caller.visible_versions(state);
        let newest = visible.known(state).newest_in(stored..);
        let to = newest.map_or(stored, KnownVersion::version);
        let to = state.within_open(to);
        match barrier(state, &visible, stored, to) {
            None => Ok(to),
            Some(at) => Err(EngineError::UpgradeFirst {
                refusal: Box::new(VersionRefusal::MeaningBetween { body: to, at }.into()),
                of: state.key.clone(),
                name: found.stored.header.name.clone(),
                to,
            }),
        }
    }

    /// An answer without a write.
    async fn shown_at(
        &self,
        found: Found,
        at: Version,
        (kept, dropped): (Vec<String>, Vec<String>),
    ) -> Result<Updated, EngineError> {
        let (state, stored) = (&*found.fetched.state, found.stored);
        let (wanted, token) = (WantedVersion::Exactly(at), found.fetched.token);
        let wanted = WantedView::of_all(wanted);
        let resource = self
            .resource_of(state, stored, &wanted, found.level, token)
            .await?;
        let changed = Changed {
            resource,
            kept,
            dropped,
            overrode: None,
            warnings: Vec::new(),
            created: false,
            task: None,
        };
        Ok(Updated::Done(Box::new(changed), None))
    }
}
