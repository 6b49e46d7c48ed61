//! What stops a body of a higher version on its way down to what is stored, and the upgrade that
//! would let it pass.

use crate::write::request::Update;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::VisibleVersions;
use coeval_core::convert::ConversionObstacle;
use coeval_core::decide::{StoreAt, VersionRefusal};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::stored::Stored;

/// The first version on the way up that nothing automatic passes: it changes what a field means, or
/// names a restricted view (docs/decisions/0003-bodies-of-a-higher-version.md).
///
/// A hidden one is told as the next on the way that the caller sees.
pub fn barrier(
    state: &TypeState,
    visible: &VisibleVersions,
    stored: Version,
    body: Version,
) -> Option<Version> {
    let ancestry = |version| {
        std::iter::successors(Some(version), |one| state.versions.parent(*one)).collect::<Vec<_>>()
    };
    // The way down has guards of its own, restricted views and `since` (decision 0003).
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
    // The way runs from the body's version back: the last one that stops is met first on the way
    // up.
    let stop = way.iter().rposition(stops)?;
    let mut seen = way.iter().take(stop + 1).rev();
    let seen = seen.find(|version| visible.has(**version));
    Some(seen.copied().unwrap_or(body))
}

/// Whether the update puts a body of a higher version onto what is stored.
fn is_above(stored: &Stored, update: &Update) -> bool {
    update.content.is_some() && update.at.version() > stored.header.version
}

/// What a body breaks of its own version: that is told in the terms of that version, which are its
/// sender's, and no upgrade does away with it.
///
/// A body with a mask is a part, and one of a type with restricted fields may lack what its sender
/// can't see: of those nothing can be said before they are whole.
fn own_misfit(state: &TypeState, stored: &Stored, update: &Update) -> Option<EngineError> {
    let at = update.at.version();
    let body = update.content.as_ref()?;
    let definition = state.version(at)?;
    let is_whole = update.mask.is_none() && definition.schema.restricted_paths().is_empty();
    if at == stored.header.version || !is_whole {
        return None;
    }
    let misfit = state.versions.check_view(body, at).err()?;
    Some(misfit.into())
}

/// A refusal that an upgrade of the resource would do away with says how to do it.
pub(crate) fn upgrade_first(
    state: &TypeState,
    stored: &Stored,
    update: &Update,
    refusal: EngineError,
) -> EngineError {
    let of_content = match &refusal {
        EngineError::Conversion(refusal) => matches!(refusal.reason, ConversionObstacle::Value(_)),
        EngineError::Content(_) => true,
        _ => false,
    };
    if of_content && let Some(own) = own_misfit(state, stored, update) {
        return own;
    }
    let ends = match &refusal {
        EngineError::Version(refusal) => matches!(
            refusal,
            VersionRefusal::Strict { .. }
                | VersionRefusal::MajorHigher { .. }
                | VersionRefusal::MeaningBetween { .. }
        ),
        EngineError::Conversion(refusal) => matches!(refusal.reason, ConversionObstacle::Value(_)),
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
