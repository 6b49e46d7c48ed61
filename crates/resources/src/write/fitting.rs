//! Whether what a write leaves fits the versions that it is shown at.

use crate::write::edit::Edited;
use crate::write::request::{Checking, Update};
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::VisibleVersions;
use coeval_core::convert::ContentRecord;
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_records::stored::Stored;
use std::collections::BTreeSet;

/// Whether the content must fit.
pub(crate) fn is_strict(stored: &Stored, update: &Update) -> bool {
    update.checking == Checking::Strict || stored.header.state == State::Resolved
}

/// A body that is put onto another version is held to the schema of its own version too: the stored
/// version's says nothing of what is kept, and its sender could not read back what does not fit.
pub(crate) fn fits_at_its_version(
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
    // Each write would pay for a conversion that only confirms what was proven for all documents.
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
pub(crate) fn unfit_elsewhere(
    state: &TypeState,
    visible: &VisibleVersions,
    record: &ContentRecord,
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
