//! What an update writes, and all its refusals: nothing is written here.

use crate::content;
use crate::pairs::object::Putting;
use crate::read::{Found, ResourceView};
use crate::resource::sees;
use crate::resources::Resources;
use crate::secure::Sealed;
use crate::write::barrier::upgrade_first;
use crate::write::edit::Edited;
use crate::write::fitting::{fits_at_its_version, unfit_elsewhere};
use crate::write::moving::part_in_migration;
use crate::write::request::Update;
use crate::write::steps::{arrives, fenced};
use coeval_access::{AccessLevel, ResourceAction};
use coeval_catalog::allow::version_facts;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{VisibleVersions, WantedView};
use coeval_core::convert::ContentRecord;
use coeval_core::decide::{StoreAt, VersionRefusal, WantedVersion};
use coeval_core::types::Visibility;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::{AtomicWrite, Key};

/// An update, ready to be written.
#[derive(Debug)]
pub struct PlannedUpdate {
    /// What tells whether it happened.
    pub head: Key,
    pub write: AtomicWrite,
    /// As it is stored afterwards, but for its revision.
    pub after: Stored,
    /// With its secure values, if the content changes.
    pub whole: Option<ContentRecord>,
    pub kept: Vec<String>,
    pub dropped: Vec<String>,
    pub overrode: Option<VersionRefusal>,
    pub warnings: Vec<String>,
}

impl Resources {
    /// What an update writes, and all its refusals.
    pub async fn plan_update(
        &self,
        caller: &Caller,
        found: &Found,
        update: &Update,
    ) -> Result<PlannedUpdate, EngineError> {
        let Found {
            fetched,
            stored,
            level,
        } = found;
        let (state, level) = (&*fetched.state, *level);
        let visible = caller.visible_versions(state);
        let stale = update.revision.is_some_and(|said| said != stored.revision);
        // The write is conditioned on what was read just now, so the caller's revision is compared
        // here. The store could not say either where the two differ.
        if stale {
            let paths = self.differing(&visible, state, stored, update, level);
            return Err(EngineError::Conflict {
                current: stored.revision,
                paths,
            });
        }
        let moves = update.store_at == StoreAt::Set && update.at.version() != stored.header.version;
        let mut edited = match &update.content {
            None if !moves => {
                // What can't be shown afterwards is refused before it is written.
                let wanted = caller.wanted_view(state);
                self.show(state, stored, &wanted, sees(level), None)?;
                Edited::nothing(stored)
            }
            body => {
                let opened = self.open_record(state, stored).await?;
                self.edit(&visible, found, &opened, update, body.as_ref())
                    .map_err(|refusal| upgrade_first(state, stored, update, refusal))
                    .map_err(|refusal| visible.refusal(state, refusal))?
            }
        };
        fits_at_its_version(state, stored, update, &edited)?;
        if stored.header.state == State::Resolved
            && let Some(record) = &edited.record
        {
            let unfit = unfit_elsewhere(state, &visible, record, update.at.version());
            edited.warnings.extend(unfit);
        }
        self.allow_edit(caller, state, stored, update, &edited)
            .await?;
        let mut header = self
            .edited_header(caller, state, stored, update, &edited)
            .map_err(|refusal| upgrade_first(state, stored, update, refusal))?;
        let expires = update.meta.expires.unwrap_or(stored.expires);
        let renamed = header.name != stored.header.name;
        let mut steps = Vec::new();
        if renamed {
            let unique = update.meta.unique;
            steps = self.rename(state, stored, &header, unique).await?;
        }
        if header.state != State::PreCreated {
            steps.extend(self.end_of_creation(&mut header).await?);
        }
        let version = header.version;
        let whole = edited.record.clone();
        let sealed = match edited.record {
            // The content stays as it is, byte for byte, also at a version that is not known here.
            None => Sealed::unchanged(stored, header),
            Some(record) => self.seal_record(state, stored.id, header, record, edited.replaced)?,
        };
        let mut write = fenced(state);
        // Where it is stored already nobody can be editing the version: it has a resource.
        if version != stored.header.version {
            write = arrives(write, state, version)?;
        }
        let putting = Putting {
            state,
            id: stored.id,
            before: Some((fetched, stored)),
            after: &sealed,
            whole: whole.as_ref(),
            expires,
            write: part_in_migration(found, update, version)?,
            said: None,
        };
        let mut write = self.put_object(write, &putting).await?;
        write.steps.extend(steps);
        let now = &sealed.store.header;
        let mut deed =
            Deed::of_resource(What::Update, &state.key, stored.id, now).after(&stored.header, now);
        deed.version = Some(update.at.version().to_string());
        deed.before = Some(stored.revision.to_string());
        deed.note = edited.overrode.map(|refusal| format!("forced: {refusal}"));
        write.steps.push(self.audit_step(caller, &deed)?);
        // Under its major after the write: a move leaves nothing at the old key.
        let head = keys::record(&state.key, version.major, stored.id)?;
        let expiry_moved = expires != stored.expires;
        if expiry_moved {
            let mut moving = self.expiry_steps(state, stored.id, expires).await?;
            // What is written anyway has the new expiry already.
            moving.retain(|step| write.steps.iter().all(|other| other.key != step.key));
            write.steps.extend(moving);
        }
        Ok(PlannedUpdate {
            head,
            write,
            after: sealed.stored(stored.id, expires),
            whole,
            kept: visible.only_visible(state, edited.kept),
            dropped: visible.only_visible(state, edited.dropped),
            overrode: edited.overrode,
            warnings: edited.warnings,
        })
    }

    /// What an edit does beyond writing content may need more.
    async fn allow_edit(
        &self,
        caller: &Caller,
        state: &TypeState,
        stored: &Stored,
        update: &Update,
        edited: &Edited,
    ) -> Result<(), EngineError> {
        let to = edited.version(stored);
        if to != stored.header.version {
            let facts = version_facts(state, to, &caller.subject);
            self.allow(caller, state, stored, ResourceAction::ChangeVersion(facts))
                .await?;
        }
        if edited.overrode.is_some() {
            self.allow(caller, state, stored, ResourceAction::Force)
                .await?;
        }
        let owner = update.meta.owner.as_ref();
        if owner.is_some_and(|owner| *owner != stored.header.owner) {
            self.allow(caller, state, stored, ResourceAction::ChangeOwner)
                .await?;
        }
        Ok(())
    }

    /// Where a stale body differs from what is stored, in the caller's version.
    fn differing(
        &self,
        visible: &VisibleVersions,
        state: &TypeState,
        stored: &Stored,
        update: &Update,
        level: AccessLevel,
    ) -> Vec<String> {
        let Some(body) = &update.content else {
            return Vec::new();
        };
        let wanted = WantedView {
            wanted: WantedVersion::Exactly(update.at.version()),
            visible: visible.clone(),
        };
        let sees: Visibility = sees(level);
        let Ok(ResourceView { shown, .. }) = self.show(state, stored, &wanted, sees, None) else {
            return Vec::new();
        };
        match serde_json::from_slice(&shown.content) {
            Ok(view) => content::differing(&view, body),
            Err(_) => Vec::new(),
        }
    }
}
