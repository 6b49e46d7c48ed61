//! The spans of migrations: a root for the framework, a child for each migration and for each batch.
//!
//! A move of a phase is one trace, and the work on a part of a run another: a span ends when all of
//! its children have, so none of them may go on for days. Looks that find nothing to do are for those
//! who debug.

use crate::migrations::moves::Move;
use crate::migrations::shard::{self, Counts};
use crate::migrations::work::Held;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{BackgroundWork, Migration, PhaseRecord};
use coeval_records::keys::TypeKey;
use tracing::{Span, debug_span, field, info_span};

/// One look at so many types; none, and there is nothing to show.
pub(crate) fn look(types: usize) -> Span {
    match types {
        0 => Span::none(),
        types => debug_span!(parent: None, "migrations", types),
    }
}

/// One migration, within a look.
pub(crate) fn looked_at(state: &TypeState, migration: Migration) -> Span {
    let Migration { from, to, .. } = migration;
    debug_span!("migration", "type" = %state.key, from, to, code = field::Empty)
}

/// A move that the rules allow, while it is written. Whoever asked for it is linked.
pub(crate) fn moving(
    of: &TypeKey,
    migration: Migration,
    (what, next): (Move, &PhaseRecord),
) -> Span {
    let Migration { from, to, .. } = migration;
    let root = info_span!(parent: None, "migrations", types = 1);
    let above = info_span!(parent: &root, "migration", "type" = %of, from, to);
    let live = next.migration.map(|migration| migration.live);
    let span = info_span!(
        parent: &above,
        "move",
        "type" = %of,
        what = what.name(),
        low = live.map(|live| live.low.name()),
        high = live.map(|live| live.high.name()),
        written = field::Empty,
    );
    span.follows_from(Span::current());
    span
}

/// One migration, while this server works on a part of a run.
pub(crate) fn part(state: &TypeState, work: BackgroundWork, held: &Held) -> Span {
    let part = state.part().ok().flatten();
    let majors = part.map(|part| (part.migration.from, part.migration.to));
    let root = info_span!(parent: None, "migrations", types = 1);
    info_span!(
        parent: &root,
        "migration",
        "type" = %state.key,
        from = majors.map(|(from, _)| from),
        to = majors.map(|(_, to)| to),
        phase = part.map(|part| part.phase.name()),
        work = shard::name(work),
        part = held.shard,
        parts = held.kept.parts,
        visited = field::Empty,
        copied = field::Empty,
        stale = field::Empty,
        removed = field::Empty,
        failed = field::Empty,
        code = field::Empty,
    )
}

/// One batch of a part.
pub(crate) fn batch(of: &TypeKey, work: BackgroundWork, held: &Held) -> Span {
    info_span!(
        "batch",
        "type" = %of,
        work = shard::name(work),
        part = held.shard,
        visited = field::Empty,
        copied = field::Empty,
        stale = field::Empty,
        removed = field::Empty,
        failed = field::Empty,
    )
}

/// What was done within a span.
pub(crate) fn record(span: &Span, counts: Counts) {
    span.record("visited", counts.visited)
        .record("copied", counts.copied)
        .record("stale", counts.stale)
        .record("removed", counts.removed)
        .record("failed", counts.failed);
}
