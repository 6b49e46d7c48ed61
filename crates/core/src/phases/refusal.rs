//! Why a move, a write or a server is refused, and what to do about it.

use super::{Epoch, LivePhases, Phase};
use coeval_codes::Coded;

/// Something that can't be done in this phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
// All of them are about the state that something has; two have codes of the store, where a
// condition that nobody expected to fail is a fault of the server.
#[code(kind = FailedPrecondition)]
pub enum PhaseRefusal {
    /// The server works at a phase that is over, or not yet there.
    #[error("this server is at {phase}; servers may work at {}", live_phrase(*live))]
    #[code(PHASE_NOT_LIVE, advice = format!("Move this server to {}.", live_phrase(*live)))]
    NotLive {
        /// Where it is.
        phase: Phase,
        /// Where it may be.
        live: LivePhases,
    },
    /// The server knows only the old major.
    #[error(
        "this server can't load major {to}; servers work at {}, so it {} the type",
        live_phrase(*live),
        if *reads { "only reads" } else { "can't serve" }
    )]
    #[code(
        PHASE_NOT_LIVE,
        advice = "Upgrade this server, or use one that knows major {to}."
    )]
    MajorNotLoaded {
        /// The major that it can't load.
        to: u32,
        /// Where servers work.
        live: LivePhases,
        /// Whether it reads on.
        reads: bool,
    },
    /// The phase changed between the plan and the write.
    #[error("the phase changed while this was under way")]
    #[code(EPOCH_PASSED, advice = "Read it again and repeat the request.")]
    EpochPassed {
        /// When it was planned.
        planned: Epoch,
        /// What holds now.
        now: Epoch,
    },
    /// There is nothing to move.
    #[error("the type is not being migrated")]
    #[code(MIGRATION_NONE, advice = "Begin a migration first.")]
    NoMigration,
    /// One at a time.
    #[error("the type is being migrated from major {from} to {to} already")]
    #[code(
        MIGRATION_RUNNING,
        advice = "Finish it, or undo it, before the next one."
    )]
    Running {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
    },
    /// Backwards, nowhere, or from or to a closed major.
    #[error("a type can't be migrated from major {from} to {to}")]
    #[code(
        MIGRATION_MAJORS,
        advice = "Migrate from an open major to a higher one that was never left."
    )]
    WrongMajors {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
    },
    /// A server works at the phase that is to be closed.
    #[error("not every server is at {phase}: waiting for {}", behind.join(", "))]
    #[code(
        SERVERS_BEHIND,
        advice = "Upgrade or stop these servers, or fence them: they then refuse the type."
    )]
    ServersBehind {
        /// Where all should be.
        phase: Phase,
        /// Who is not.
        behind: Vec<String>,
    },
    /// Some have no counterpart in the other major.
    #[error("{failed} resources can't be converted")]
    #[code(
        RESOURCES_FAILED,
        advice = "List them, and change or delete each one so that it can be converted."
    )]
    Failed {
        /// How many.
        failed: u64,
    },
    /// The new range lacks some.
    #[error("the backfill has not visited every resource")]
    #[code(BACKFILL_NOT_DONE, advice = "Wait until the backfill has ended.")]
    BackfillNotDone,
    /// The old range lacks what was written at cutover.
    #[error("what was written at cutover has not been copied back")]
    #[code(COPY_BACK_NOT_DONE, advice = "Wait until the copy back has ended.")]
    CopyBackNotDone,
    /// It can only go on.
    #[error("there is no way back from {phase}")]
    #[code(PHASE_NO_WAY_BACK, advice = "Go on, or restore a backup.")]
    NoWayBack {
        /// Where it is.
        phase: Phase,
    },
    /// There is no next.
    #[error("the migration is at its last phase")]
    #[code(PHASE_LAST, advice = "Finish the migration.")]
    Last,
    /// It can't be finished yet.
    #[error("servers may work at {}; it ends after the last phase", live_phrase(*live))]
    #[code(PHASE_LAST, advice = "Advance to cleanup first.")]
    NotLast {
        /// Where it is.
        live: LivePhases,
    },
    /// Cleanup has not visited every resource.
    #[error("{left} resources are left at the old major, or marked as part of the migration")]
    #[code(
        OLD_RECORDS_LEFT,
        advice = "Wait for cleanup, and for those that expire."
    )]
    OldLeft {
        /// How many.
        left: u64,
    },
    /// It can't end where it began yet.
    #[error("servers may work at {}; it is given up before the first phase", live_phrase(*live))]
    #[code(PHASE_NOT_FIRST, advice = "Go back to old first.")]
    NotFirst {
        /// Where it is.
        live: LivePhases,
    },
    /// Mirrors that nobody reads have not all been removed.
    #[error("{left} mirrors are left at the new major")]
    #[code(MIRRORS_LEFT, advice = "Wait until they are removed.")]
    MirrorsLeft {
        /// How many.
        left: u64,
    },
    /// Somebody must say it.
    #[error("{phase} is not entered automatically")]
    #[code(PHASE_NOT_AUTOMATIC, advice = "Ask for {phase} by name.")]
    ByName {
        /// Which.
        phase: Phase,
    },
    /// Somebody must say it.
    #[error("the new major changes what a field means, and is not entered automatically")]
    #[code(PHASE_NOT_AUTOMATIC, advice = "Advance by hand, once the users agree.")]
    MeaningChanged,
    /// More than one step away.
    #[error("{phase} can't be reached from {}", live_phrase(*live))]
    #[code(
        PHASE_OUT_OF_REACH,
        advice = out_of_reach_advice(held_by, *live)
    )]
    OutOfReach {
        /// What was asked for.
        phase: Phase,
        /// Where servers may be.
        live: LivePhases,
        /// Who must move first.
        held_by: Vec<String>,
    },
    /// It would close the way back.
    #[error("the content can't be converted to the other major, and the phase must be leavable")]
    #[code(
        MIRROR_UNFIT,
        advice = "Change the content so that it fits both majors, or wait for cutover."
    )]
    Unfit,
    /// It would not be readable as it was written.
    #[error("the content can't be converted back to the major that it is written at")]
    #[code(
        MIRROR_UNFIT,
        advice = "Change the content so that it fits both majors, or upgrade the resource first."
    )]
    NotReadBack,
    /// There is one.
    #[error("the resource exists already")]
    #[code(
        ALREADY_EXISTS,
        advice = "Choose another name, or update the existing one."
    )]
    Exists,
    /// There is none.
    #[error("the resource does not exist")]
    #[code(NOT_FOUND, advice = "Look at the id, or create it.")]
    Missing,
}

fn out_of_reach_advice(held_by: &[String], live: LivePhases) -> String {
    if held_by.is_empty() {
        return format!("Ask for {}, or for the phase beside it.", live_phrase(live));
    }
    format!("Move these servers first: {}.", held_by.join(", "))
}

fn live_phrase(live: LivePhases) -> String {
    if live.low == live.high {
        live.low.to_string()
    } else {
        format!("{} and {}", live.low, live.high)
    }
}
