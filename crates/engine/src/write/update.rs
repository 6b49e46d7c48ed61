//! Changing a resource: at its version or at another, all of it or a part.

use super::create::Checking;
use super::mask::FieldMask;
use super::metadata::MetaEdit;
use super::moving::{MovingBody, move_record};
use super::steps::{arrives, fenced};
use super::undeclared::{Undeclared, check_declared};
use crate::allow::version_facts;
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::content;
use crate::engine::{ATTEMPTS, Engine};
use crate::error::EngineError;
use crate::header::State;
use crate::keys::{self, TypeKey};
use crate::migrations::is_migration;
use crate::pairs::Putting;
use crate::read::{Found, Target, sees};
use crate::resource::Changed;
use crate::secure::{Opened, Sealed};
use crate::stored::Stored;
use crate::types::state::TypeState;
use crate::visible_versions::{VisibleVersions, WantedView};
use bytes::Bytes;
use coeval_access::{Action, Level};
use coeval_core::convert::{Reason, Record};
use coeval_core::decide::{
    self, Change, Control, Force, Refusal, Revision as Said, Skew, StoreAt,
    Wanted as WantedVersion, Writing,
};
use coeval_core::phases;
use coeval_core::types::{Skew as TypeSkew, Visibility};
use coeval_core::version::{StoredVersion, Version, WriteVersion};
use coeval_storage::{Action as Act, AtomicWrite, Condition, Key, Revision, Step, StorageError};
use serde_json::Value;
use std::collections::BTreeSet;

/// A change of a resource.
#[derive(Clone, Debug)]
pub struct Update {
    /// The revision that was read.
    pub revision: Option<Revision>,
    /// Whether one must be given.
    pub needs_revision: bool,
    /// The version of the content, with its mark if it has one.
    pub at: WriteVersion,
    /// At which version it is to be stored.
    pub store_at: StoreAt,
    /// The content; nothing: it stays.
    pub content: Option<Value>,
    /// Only these fields of it.
    pub mask: Option<FieldMask>,
    /// Metadata.
    pub meta: MetaEdit,
    /// Whether the caller insists.
    pub force: bool,
    /// What happens to content that does not fit.
    pub checking: Checking,
    /// What becomes of fields that the version does not declare.
    pub undeclared: Undeclared,
}

impl Update {
    /// Of the whole content, at a version.
    #[must_use]
    pub fn new(at: Version, content: Value) -> Self {
        Self {
            revision: None,
            needs_revision: false,
            at: WriteVersion::plain(at),
            store_at: StoreAt::Unsaid,
            content: Some(content),
            mask: None,
            meta: MetaEdit::default(),
            force: false,
            checking: Checking::Strict,
            undeclared: Undeclared::Warn,
        }
    }

    /// The same, on condition of a revision.
    #[must_use]
    pub fn on(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }
}

/// What a body does to what is stored.
pub(super) struct Edited {
    /// Nothing: the content stays.
    pub(super) record: Option<Record>,
    replaced: Option<Bytes>,
    kept: Vec<String>,
    dropped: Vec<String>,
    overrode: Option<Refusal>,
    warnings: Vec<String>,
}

impl Edited {
    fn nothing(stored: &Stored) -> Self {
        Self {
            record: None,
            replaced: stored.replaced.clone(),
            kept: Vec::new(),
            dropped: Vec::new(),
            overrode: None,
            warnings: Vec::new(),
        }
    }

    /// The version that is stored afterwards.
    pub(super) fn version(&self, stored: &Stored) -> Version {
        let moved = self.record.as_ref().map(|record| record.version);
        moved.unwrap_or(stored.header.version)
    }
}

/// An update, ready to be written.
pub(crate) struct PlannedUpdate {
    /// What tells whether it happened.
    pub(crate) head: Key,
    pub(crate) write: AtomicWrite,
    /// As it is stored afterwards, but for its revision.
    pub(crate) after: Stored,
    /// With its secure values, if the content changes.
    whole: Option<Record>,
    pub(super) kept: Vec<String>,
    pub(super) dropped: Vec<String>,
    overrode: Option<Refusal>,
    pub(super) warnings: Vec<String>,
}

impl Engine {
    /// Changes a resource.
    ///
    /// # Errors
    /// A conflict says which revision it has by now and where it differs.
    pub async fn update(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        update: &Update,
    ) -> Result<Changed, EngineError> {
        if update.needs_revision && update.revision.is_none() && update.mask.is_none() {
            return Err(EngineError::RevisionNeeded);
        }
        if is_migration(of) {
            return self.update_migration(caller, target, update).await;
        }
        crate::kinds::not_own(of)?;
        for _ in 0..ATTEMPTS {
            let found = self.find(caller, of, target, Action::Modify).await?;
            match self.attempt(caller, found, update, Vec::new()).await {
                Err(EngineError::Storage(error)) if is_race(&error) => {}
                Err(EngineError::TypeEditing { id }) => {
                    let state = self.types.get(of).await?;
                    self.wait_for_edit(&state, id.version).await?;
                }
                other => return other,
            }
        }
        Err(EngineError::Contended { attempts: ATTEMPTS })
    }

    /// One attempt; `more` joins its atomic write.
    pub(crate) async fn attempt(
        &self,
        caller: &Caller,
        found: Found,
        update: &Update,
        more: Vec<Step>,
    ) -> Result<Changed, EngineError> {
        let mut planned = self.plan_update(caller, &found, update).await?;
        join(&mut planned.write.steps, more)?;
        self.finish_update(caller, &found, update, planned).await
    }

    /// What an update writes, and all its refusals.
    pub(crate) async fn plan_update(
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
            write: self.moving(found, update, version)?,
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

    /// Writes a planned update, and shows what came of it.
    pub(crate) async fn finish_update(
        &self,
        caller: &Caller,
        found: &Found,
        update: &Update,
        planned: PlannedUpdate,
    ) -> Result<Changed, EngineError> {
        let (state, level) = (&*found.fetched.state, found.level);
        let PlannedUpdate {
            mut after, whole, ..
        } = planned;
        let since = std::time::Instant::now();
        let written = self.commit(&planned.head, planned.write).await?;
        self.pulse.beat(since.elapsed());
        after.revision = written.revision;
        let wanted = match &whole {
            Some(_) => WantedView::of_all(WantedVersion::Exactly(update.at.version())),
            None => caller.wanted_view(state),
        };
        // What was written can be shown at the version that it was written at; if not even that
        // works, at the stored one.
        let token = written.token;
        let shown = match &whole {
            None => {
                let stored = after.clone();
                self.resource_of(state, stored, &wanted, level, token).await
            }
            opened => {
                let stored = after.clone();
                self.resource(state, stored, &wanted, level, token, opened.as_ref())
            }
        };
        let resource = match shown {
            Ok(resource) => resource,
            Err(_) => {
                let wanted = WantedView::of_all(WantedVersion::Stored);
                self.resource(state, after, &wanted, level, token, whole.as_ref())?
            }
        };
        Ok(Changed {
            resource,
            kept: planned.kept,
            dropped: planned.dropped,
            overrode: planned.overrode,
            warnings: planned.warnings,
            created: false,
            task: None,
        })
    }

    /// What the body does to the content; without one only the version changes.
    fn edit(
        &self,
        visible: &VisibleVersions,
        found: &Found,
        opened: &Opened,
        update: &Update,
        body: Option<&Value>,
    ) -> Result<Edited, EngineError> {
        let Found {
            fetched,
            stored,
            level,
        } = found;
        let (state, level) = (&*fetched.state, *level);
        let record = opened.record.clone();
        let version = stored.header.version;
        let unchanged = |record| Edited {
            record: Some(record),
            ..Edited::nothing(stored)
        };
        let at = update.at.version();
        let definition = state.version(version);
        let restricted = definition.and_then(|one| one.restricted_view.as_ref());
        let records = match &fetched.pair {
            None => decide::Stored::Alone(StoredVersion(version)),
            Some(pair) => pair.stored(state, version),
        };
        let stored_at = match records {
            decide::Stored::Alone(stored) => [stored.0, stored.0],
            decide::Stored::Pair(pair) => [pair.old().0, pair.new_record().0],
        };
        let decided = decide::decide_write(&Writing {
            stored: Some(records),
            body: update.at,
            known: &visible.known_with(state, &stored_at),
            store_at: match update.store_at {
                // Nothing is stored at a closed major any more.
                StoreAt::Set if state.open_version(at)? != at => StoreAt::Unchanged,
                // Nor at a version that some server does not know yet.
                _ if state.within_open(at) != at => StoreAt::Unchanged,
                store_at => store_at,
            },
            revision: match (update.revision, &update.mask) {
                (Some(_), _) | (None, Some(_)) => Said::Current,
                (None, None) => Said::NotGiven,
            },
            skew: match definition.map(|one| one.skew) {
                Some(TypeSkew::Strict) => Skew::Strict,
                Some(TypeSkew::Merge) | None => Skew::Merge,
            },
            control: match level {
                Level::FullControl => Control::Full,
                Level::ReadOnly | Level::ReadWrite => Control::Write,
            },
            force: if update.force { Force::Yes } else { Force::No },
            restricted_below: restricted.map(|restricted| restricted.below),
            barrier: barrier(state, visible, version, at),
        })?;
        let sees = sees(level);
        let overrode = decided.overrode;
        let Some(body) = body else {
            let moved = move_record(state, record, decided.change.stored_at().version(), None)?;
            return Ok(Edited {
                kept: moved.kept,
                overrode,
                ..unchanged(moved.record)
            });
        };
        let body = match &update.mask {
            None => body.clone(),
            Some(mask) => {
                let wanted = WantedView::of_all(WantedVersion::Exactly(at));
                let opened = Some(&opened.record);
                let (_, shown, _) = self.show(state, stored, &wanted, sees, opened)?;
                let view = serde_json::from_slice(&shown.content).unwrap_or_default();
                mask.apply(view, body)?
            }
        };
        content::check_since(state, visible, at, &body, Some(&record.content))?;
        let warning = check_declared(state, at, &body, update.undeclared)?;
        let warnings: Vec<String> = warning.into_iter().collect();
        // What was accepted before, or is judged when it is resolved, may have any field.
        let judged = update.undeclared != Undeclared::Accept && is_strict(stored, update);
        match decided.change {
            // There is a resource, so this is never said.
            Change::Create { at } | Change::Replace { at } => {
                let at = at.version();
                let replaced = Some(content::whole(stored, opened.sealed.as_ref()));
                let record = state.versions.create_for(at, body, sees)?;
                Ok(Edited {
                    replaced,
                    overrode,
                    warnings,
                    ..unchanged(record)
                })
            }
            Change::Edit { written_at, .. } => {
                let at = written_at.version();
                if judged && at == version {
                    let before = Some(&record.content);
                    state.versions.check_expressed(at, &body, before)?;
                }
                let put = content::put(state, record, at, body, sees)?;
                // What the body's version does not have can't be missing in it: an item that it adds
                // gets the defaults of the stored version.
                let elsewhere = at != version;
                let record = if elsewhere && is_strict(stored, update) {
                    state.versions.with_defaults(put.record)?
                } else {
                    put.record
                };
                Ok(Edited {
                    kept: put.kept,
                    dropped: put.dropped,
                    overrode,
                    warnings,
                    ..unchanged(record)
                })
            }
            Change::Move { to, .. } => {
                let to = to.version();
                // A body that was read at the version it moves from has that version's fields.
                let read_before = update.store_at == StoreAt::Set && update.mask.is_none();
                if judged && !read_before {
                    let before = state.versions.moved(record.clone(), to)?.content;
                    state.versions.check_expressed(to, &body, Some(&before))?;
                }
                let body = MovingBody {
                    content: body,
                    sees,
                    read_before,
                };
                let moved = move_record(state, record, to, Some(body))?;
                Ok(Edited {
                    kept: moved.kept,
                    dropped: moved.dropped,
                    overrode,
                    warnings,
                    ..unchanged(moved.record)
                })
            }
        }
    }

    /// What a write is to a migration: an update, or a move of the resource to the new major for
    /// itself. No other change of major goes together with one.
    fn moving(
        &self,
        found: &Found,
        update: &Update,
        to: Version,
    ) -> Result<phases::Write, EngineError> {
        let from = found.stored.header.version;
        let Some(part) = found.fetched.state.part()? else {
            return Ok(phases::Write::Update(phases::At::Old));
        };
        let migration = part.migration;
        if from.major == to.major {
            let new_body = update.content.is_some() && update.at.version().major == migration.to;
            let at = match new_body {
                true => phases::At::New,
                false => phases::At::Old,
            };
            return Ok(phases::Write::Update(at));
        }
        if (from.major, to.major) == (migration.from, migration.to) {
            return Ok(phases::Write::Move);
        }
        if part.concerns(from.major) || part.concerns(to.major) {
            return Err(phases::Refusal::Running {
                from: migration.from,
                to: migration.to,
            }
            .into());
        }
        Ok(phases::Write::Update(phases::At::Old))
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
            self.allow(caller, state, stored, Action::ChangeVersion(facts))
                .await?;
        }
        if edited.overrode.is_some() {
            self.allow(caller, state, stored, Action::Force).await?;
        }
        let owner = update.meta.owner.as_ref();
        if owner.is_some_and(|owner| *owner != stored.header.owner) {
            self.allow(caller, state, stored, Action::ChangeOwner)
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
        level: Level,
    ) -> Vec<String> {
        let Some(body) = &update.content else {
            return Vec::new();
        };
        let wanted = WantedView {
            wanted: WantedVersion::Exactly(update.at.version()),
            visible: visible.clone(),
        };
        let sees: Visibility = sees(level);
        let Ok((_, shown, _)) = self.show(state, stored, &wanted, sees, None) else {
            return Vec::new();
        };
        match serde_json::from_slice(&shown.content) {
            Ok(view) => content::differing(&view, body),
            Err(_) => Vec::new(),
        }
    }
}

/// The first version on the way up that nothing automatic passes: it changes what a field means, or
/// names a restricted view (docs/decisions/0003-bodies-of-a-higher-version.md).
///
/// A hidden one is told as the next on the way that the caller sees.
pub(crate) fn barrier(
    state: &TypeState,
    visible: &VisibleVersions,
    stored: Version,
    body: Version,
) -> Option<Version> {
    let ancestry = |version| {
        std::iter::successors(Some(version), |one| state.versions.parent(*one)).collect::<Vec<_>>()
    };
    if body <= stored {
        return None;
    }
    let passed = ancestry(stored);
    let stops = |version: &Version| {
        let definition = state.on_path(*version);
        definition
            .is_some_and(|one| !one.meaning_changed.is_empty() || one.restricted_view.is_some())
    };
    let way = ancestry(body).into_iter();
    let way: Vec<_> = way
        .take_while(|version| !passed.contains(version))
        .collect();
    let stop = way.iter().rposition(stops)?;
    let mut seen = way.iter().take(stop + 1).rev();
    let seen = seen.find(|version| visible.has(**version));
    Some(seen.copied().unwrap_or(body))
}

/// Whether the update puts a body of a higher version onto what is stored.
fn is_above(stored: &Stored, update: &Update) -> bool {
    update.content.is_some() && update.at.version() > stored.header.version
}

/// A refusal that an upgrade of the resource would do away with says how to do it.
fn upgrade_first(
    state: &TypeState,
    stored: &Stored,
    update: &Update,
    refusal: EngineError,
) -> EngineError {
    let ends = match &refusal {
        EngineError::Version(refusal) => matches!(
            refusal,
            Refusal::Strict { .. } | Refusal::MajorHigher { .. } | Refusal::MeaningBetween { .. }
        ),
        EngineError::Conversion(refusal) => matches!(refusal.reason, Reason::Value(_)),
        EngineError::Content(_) => true,
        _ => false,
    };
    if !ends || !is_above(stored, update) || update.store_at == StoreAt::Set {
        return refusal;
    }
    EngineError::UpgradeFirst {
        refusal: Box::new(refusal),
        of: state.key.clone(),
        name: stored.header.name.clone(),
        to: update.at.version(),
    }
}

/// Whether the content must fit.
fn is_strict(stored: &Stored, update: &Update) -> bool {
    update.checking == Checking::Strict || stored.header.state == State::Resolved
}

/// A body that is put onto another version is held to the schema of its own version too: the stored
/// version's says nothing of what is kept, and its sender could not read back what does not fit.
fn fits_at_its_version(
    state: &TypeState,
    stored: &Stored,
    update: &Update,
    edited: &Edited,
) -> Result<(), EngineError> {
    let at = update.at.version();
    let carried = edited.record.as_ref().filter(|record| record.version != at);
    let (true, Some(record)) = (update.content.is_some(), carried) else {
        return Ok(());
    };
    let proven = state.versions.is_covered(record) && state.proofs.is_proven(record.version, at);
    if proven && record.version > at {
        return Ok(());
    }
    // Acknowledged, it must be readable at its own version, whether or not it is checked.
    let view = state.versions.view(record.clone(), at)?;
    if is_strict(stored, update) && !proven {
        state.versions.check_view(&view.content, at)?;
    }
    Ok(())
}

/// Versions whose kept data no longer fits together after a write: what was kept for them is not
/// lost, and can't be shown there until somebody changes it.
fn unfit_elsewhere(
    state: &TypeState,
    visible: &VisibleVersions,
    record: &Record,
    written_at: Version,
) -> Vec<String> {
    let entries = record.kept.entries().into_iter();
    let versions: BTreeSet<Version> = entries.map(|entry| entry.version).collect();
    let others = versions.into_iter().filter(|version| {
        let shown_anyway = *version == record.version || *version == written_at;
        !shown_anyway && visible.has(*version) && state.version(*version).is_some()
    });
    let warn = |version: Version| {
        let fits = match state.versions.view(record.clone(), version) {
            Ok(view) => state.versions.check_view(&view.content, version).err()?,
            Err(refusal) => return Some(format!("it can't be shown at {version} now: {refusal}")),
        };
        let first = fits.violations().first()?;
        Some(format!("it does not fit version {version} now: {first}"))
    };
    others.filter_map(warn).collect()
}

/// Adds steps to a write. One that only looks at a key makes way for one that writes it: the
/// migration of migrations is moved by a write to one of them.
///
/// # Errors
/// If the two saw different revisions: that is a race, and both can't hold.
pub(crate) fn join(steps: &mut Vec<Step>, more: Vec<Step>) -> Result<(), StorageError> {
    for step in more {
        if let Condition::RevisionIs(wanted) = step.condition {
            let looked = steps.iter().position(|other| {
                let looks = matches!(other.condition, Condition::RevisionIs(_));
                other.key == step.key && other.action == Act::Nop && looks
            });
            if let Some(place) = looked {
                let looked = steps.swap_remove(place);
                if looked.condition != step.condition {
                    let (key, current) = (looked.key, wanted);
                    return Err(StorageError::Conflict { key, current });
                }
            }
        }
        steps.push(step);
    }
    Ok(())
}

/// Somebody else was faster, which another look settles.
pub(crate) fn is_race(error: &StorageError) -> bool {
    matches!(
        error,
        StorageError::Conflict { .. }
            | StorageError::AlreadyExists { .. }
            | StorageError::NotFound { .. }
    )
}
