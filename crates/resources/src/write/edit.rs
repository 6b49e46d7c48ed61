//! What a body does to the content of a resource: put onto the stored version, moved to another, or
//! in its place.

use crate::content;
use crate::read::{Found, skew};
use crate::resource::sees;
use crate::resources::Resources;
use crate::secure::Opened;
use crate::write::barrier::barrier;
use crate::write::fitting::is_strict;
use crate::write::moving::{MovingBody, move_record};
use crate::write::request::Update;
use crate::write::undeclared::{Undeclared, check_declared};
use bytes::Bytes;
use coeval_access::AccessLevel;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{VisibleVersions, WantedView};
use coeval_core::convert::ContentRecord;
use coeval_core::decide::{
    self, CallerControl, ContentChange, Force, RevisionCheck, StoreAt, VersionRefusal,
    VersionedWrite, WantedVersion,
};
use coeval_core::version::{StoredVersion, Version};
use coeval_records::error::EngineError;
use coeval_records::stored::Stored;
use serde_json::Value;

/// What a body does to what is stored.
#[derive(Debug)]
pub struct Edited {
    /// Nothing: the content stays.
    pub record: Option<ContentRecord>,
    pub replaced: Option<Bytes>,
    pub kept: Vec<String>,
    pub dropped: Vec<String>,
    pub overrode: Option<VersionRefusal>,
    pub warnings: Vec<String>,
}

impl Edited {
    pub fn nothing(stored: &Stored) -> Self {
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
    pub fn version(&self, stored: &Stored) -> Version {
        let moved = self.record.as_ref().map(|record| record.version);
        moved.unwrap_or(stored.header.version)
    }
}

impl Resources {
    /// What the body does to the content; without one only the version changes.
    pub fn edit(
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
            None => decide::StoredVersions::Alone(StoredVersion(version)),
            Some(pair) => pair.stored(state, version),
        };
        let stored_at = match records {
            decide::StoredVersions::Alone(stored) => [stored.0, stored.0],
            decide::StoredVersions::Pair(pair) => [pair.old().0, pair.new_record().0],
        };
        let decided = decide::decide_write(&VersionedWrite {
            stored: Some(records),
            body: update.at,
            // Both stored versions count as known even if they are hidden from the caller: access
            // to one of the pair is access to the resource (docs/phases.md).
            known: &visible.known_with(state, &stored_at),
            store_at: match update.store_at {
                // Nothing is stored at a closed major any more.
                StoreAt::Set if state.open_version(at)? != at => StoreAt::Unchanged,
                // Nor at a version that some server does not know yet.
                _ if state.within_open(at) != at => StoreAt::Unchanged,
                store_at => store_at,
            },
            // A revision was compared before this. A mask needs none: the fields that it does not
            // name come from what was just read, and the write is conditioned on that.
            revision: match (update.revision, &update.mask) {
                (Some(_), _) | (None, Some(_)) => RevisionCheck::Current,
                (None, None) => RevisionCheck::NotGiven,
            },
            skew: skew(definition),
            control: match level {
                AccessLevel::FullControl => CallerControl::Full,
                AccessLevel::ReadOnly | AccessLevel::ReadWrite => CallerControl::Write,
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
                // The mask names fields of the body's version, so it is applied to the view at that
                // one.
                let wanted = WantedView::of_all(WantedVersion::Exactly(at));
                let opened = Some(&opened.record);
                let shown = self.show(state, stored, &wanted, sees, opened)?.shown;
                let view = serde_json::from_slice(&shown.content).unwrap_or_default();
                mask.apply(view, body)?
            }
        };
        content::check_since(state, visible, at, &body, Some(&record.content))?;
        let warning = check_declared(state, at, &body, update.undeclared)?;
        let warnings: Vec<String> = warning.into_iter().collect();
        // What was accepted before, or is judged when it is resolved, may have any field.
        let judged = update.undeclared != Undeclared::Accept && is_strict(stored, update);
        let change = match decided.change {
            // A save must not be refused because it would have moved the resource: decision 0008.
            // Asked before the edit, so that new values are judged as ever.
            ContentChange::Move { from, to }
                if update.store_at == StoreAt::Unsaid
                    && is_strict(stored, update)
                    && !is_storable(state, &record, to.version())? =>
            {
                ContentChange::Edit {
                    written_at: to,
                    stored_at: from,
                }
            }
            change => change,
        };
        match change {
            // There is a resource, so this is never said.
            ContentChange::Create { at } | ContentChange::Replace { at } => {
                let at = at.version();
                // A version that is not known here can't be merged with. By force all of it is
                // replaced, and kept whole, so that it can be brought back.
                let replaced = Some(content::whole(stored, opened.sealed.as_ref())?);
                let record = state.versions.create_for(at, body, sees)?;
                Ok(Edited {
                    replaced,
                    overrode,
                    warnings,
                    ..unchanged(record)
                })
            }
            ContentChange::Edit { written_at, .. } => {
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
            ContentChange::Move { to, .. } => {
                let to = to.version();
                // A body that was read at the version it moves from has that version's fields.
                let read_before = update.store_at == StoreAt::Set && update.mask.is_none();
                if judged && !read_before {
                    // Fields of other versions are refused in the body alone: what the move itself
                    // brings along is no fault of the caller.
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
}

/// Whether a resource could be stored at a version as it is. Readers of an `x-extensible-enum` are shown
/// values that its version does not store; a save that returns them must not be refused because it
/// would have moved the resource there.
fn is_storable(
    state: &TypeState,
    record: &ContentRecord,
    at: Version,
) -> Result<bool, EngineError> {
    let moved = move_record(state, record.clone(), at, None)?.record;
    let definition = state.version(at);
    Ok(definition.is_none_or(|one| one.schema.validate(&moved.content).is_ok()))
}
