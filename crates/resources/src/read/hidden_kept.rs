//! Kept data of higher versions, which a view hides.
//!
//! A body of a higher version is put onto the stored one; what that can't hold is kept in the
//! record and given back to whoever reads at the higher version. A reader at the stored version
//! sees less than what is there, and is told so: the view is marked, and [`Resources::left_out`]
//! lists the places.
//!
//! Most resources are stored at the newest version or keep nothing: for them this costs two
//! comparisons. Hidden type versions don't exist for the caller, so what is kept for them is not
//! told either.

use crate::read::{Found, Target};
use crate::resource::{Resource, sees};
use crate::resources::Resources;
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{VisibleVersions, WantedView};
use coeval_core::convert::{ContentRecord, KeptPlace, KeptValues};
use coeval_core::decide::WantedVersion;
use coeval_core::types::Visibility;
use coeval_core::version::{KnownVersion, Version};
use coeval_records::attempts::is_race;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_records::stored::Stored;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Whether anything is kept for versions above the stored one, at which it is shown; `opened`: the
/// record with its secure values, without which nothing that is kept beside them can be told.
pub(crate) fn is_any(
    state: &TypeState,
    stored: &Stored,
    opened: Option<&ContentRecord>,
    visible: &VisibleVersions,
    at: Version,
    class: Visibility,
) -> Result<bool, EngineError> {
    let newest = visible.known(state).newest();
    let above = newest
        .map(KnownVersion::version)
        .is_some_and(|one| one > at);
    // An unknown stored version says nothing about what is kept for which.
    if !above || state.version(at).is_none() {
        return Ok(false);
    }
    let kept = match opened {
        Some(opened) => Cow::Borrowed(&opened.kept),
        None if stored.kept.is_none() => return Ok(false),
        None => Cow::Owned(stored.kept_beside()?),
    };
    Ok(!places(state, visible, &kept, at, class)?.is_empty())
}

/// Whether any of these places may be told to a caller with these visible versions.
pub(crate) fn tells_any(
    state: &TypeState,
    visible: &VisibleVersions,
    hidden: &[KeptPlace],
) -> bool {
    hidden.iter().any(|place| may_tell(state, visible, place))
}

fn may_tell(state: &TypeState, visible: &VisibleVersions, place: &KeptPlace) -> bool {
    visible.has(place.version) && !visible.tells(state, &place.path)
}

/// What is kept beside a document of a version for higher ones.
fn places(
    state: &TypeState,
    visible: &VisibleVersions,
    kept: &KeptValues,
    at: Version,
    class: Visibility,
) -> Result<Vec<KeptPlace>, EngineError> {
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let mut places = state.versions.kept_above(at, kept, class)?;
    places.retain(|place| may_tell(state, visible, place));
    Ok(places)
}

impl Resources {
    /// Pointers to what a view does not show of a resource, in the view's terms: what its version
    /// can't express of the stored content, and what is kept for higher versions.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn left_out(
        &self,
        caller: &Caller,
        shown: &Resource,
    ) -> Result<Vec<String>, EngineError> {
        let whole = shown.version.version == shown.header.version && !shown.hides_kept;
        if whole || shown.restricted.is_some() {
            return Ok(Vec::new());
        }
        match self.left_out_of(caller, &shown.of, shown).await {
            Err(EngineError::Storage(error)) if !is_race(&error) => {
                Err(EngineError::Storage(error))
            }
            // Changed meanwhile, or not known here: nothing can be told of this revision.
            Err(_) => Ok(Vec::new()),
            found => found,
        }
    }

    async fn left_out_of(
        &self,
        caller: &Caller,
        of: &TypeKey,
        shown: &Resource,
    ) -> Result<Vec<String>, EngineError> {
        let target = Target::Id(shown.id);
        let Found {
            fetched,
            stored,
            level,
        } = self.find(caller, of, &target, ResourceAction::Read).await?;
        // What is told belongs to the view that the caller has in hand, not to a newer one.
        if stored.revision != shown.revision {
            return Ok(Vec::new());
        }
        let (state, at) = (&*fetched.state, shown.version.version);
        let visible = caller.visible_versions(state);
        let wanted = WantedView {
            wanted: WantedVersion::Exactly(at),
            visible: visible.clone(),
        };
        let opened = self.opened_for(state, &stored, &wanted, level).await?;
        let record = match opened {
            Some(record) => record,
            None => stored.core_record()?,
        };
        // Two questions: what the version can't express of the content, and what was kept before
        // that.
        let bare = ContentRecord::new(record.version, record.content.clone());
        let by_version = state.versions.view_for(bare, at, sees(level))?.kept;
        let beside = state.versions.view(record, at)?.kept;
        let by_version = by_version.entries().into_iter();
        let beside = places(state, &visible, &beside, at, sees(level))?;
        let paths = by_version
            .filter(|entry| !entry.refines)
            .map(|entry| entry.path);
        let kept = beside.into_iter().filter(|place| !place.refines);
        let all: BTreeSet<String> = paths.chain(kept.map(|place| place.path)).collect();
        Ok(visible.only_visible(state, all.into_iter().collect()))
    }
}
