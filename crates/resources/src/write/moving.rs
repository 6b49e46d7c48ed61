//! Moving a resource to another version: what an update that changes the version and a mass
//! migration have in common.

use crate::content;
use crate::read::Found;
use crate::write::request::Update;
use coeval_catalog::types::state::TypeState;
use coeval_core::convert::ContentRecord;
use coeval_core::phases;
use coeval_core::types::Visibility;
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use serde_json::Value;

/// A record at another version than it was stored at.
#[derive(Debug)]
pub struct Moved {
    pub record: ContentRecord,
    /// Pointers to what the version can't hold and is kept beside it.
    pub kept: Vec<String>,
    /// Pointers to what went with items that the body deleted.
    pub dropped: Vec<String>,
}

/// A body that comes with a move.
#[derive(Debug)]
pub struct MovingBody {
    pub content: Value,
    pub sees: Visibility,
    /// Whether it was read at the stored version, as clients do that name another version to store it
    /// at; otherwise it is an edit of a view at its own version.
    pub read_before: bool,
}

/// Converts a record to a version, puts the body onto it if there is one, and fills in what the
/// version's schema demands and has a default for.
pub fn move_record(
    state: &TypeState,
    record: ContentRecord,
    to: Version,
    body: Option<MovingBody>,
) -> Result<Moved, EngineError> {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    let mut record = match body {
        None => state.versions.moved(record, to)?,
        Some(body) => {
            let MovingBody { content, sees, .. } = body;
            let put = if body.read_before {
                state.versions.put_moved(record, to, content, sees)?
            } else {
                let record = state.versions.moved(record, to)?;
                content::put(state, record, to, content, sees)?
            };
            (kept, dropped) = (put.kept, put.dropped);
            put.record
        }
    };
    // After the body, so that a default never takes the place of what it says.
    if let Some(definition) = state.version(to) {
        record.content = definition.schema.fill_defaults(record.content)?.content;
    }
    kept.extend(record.kept.entries().into_iter().map(|entry| entry.path));
    kept.sort();
    kept.dedup();
    Ok(Moved {
        record,
        kept,
        dropped,
    })
}

/// What a write is to a migration: an update, or a move of the resource to the new major for
/// itself. No other change of major goes together with one.
pub(crate) fn part_in_migration(
    found: &Found,
    update: &Update,
    to: Version,
) -> Result<phases::PhaseWrite, EngineError> {
    let from = found.stored.header.version;
    let Some(part) = found.fetched.state.part()? else {
        return Ok(phases::PhaseWrite::Update(phases::WriteMajor::Old));
    };
    let migration = part.migration;
    if from.major == to.major {
        // A body of the new major that could not be read back as it was written is refused in every
        // phase that writes both records; one of the old major is not (docs/phases.md).
        let new_body = update.content.is_some() && update.at.version().major == migration.to;
        let at = if new_body {
            phases::WriteMajor::New
        } else {
            phases::WriteMajor::Old
        };
        return Ok(phases::PhaseWrite::Update(at));
    }
    if (from.major, to.major) == (migration.from, migration.to) {
        return Ok(phases::PhaseWrite::Move);
    }
    if part.concerns(from.major) || part.concerns(to.major) {
        return Err(phases::PhaseRefusal::Running {
            from: migration.from,
            to: migration.to,
        }
        .into());
    }
    Ok(phases::PhaseWrite::Update(phases::WriteMajor::Old))
}
