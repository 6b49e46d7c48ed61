//! Why a move, a write or a server is refused, and what to do about it.

use super::{Epoch, LivePhases, Phase, UnknownPhase};
use coeval_codes::{Code, Coded, ErrorKind};

/// Something that can't be done in this phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseRefusal {
    /// The server works at a phase that is over, or not yet there.
    #[error("this server is at {phase}; servers may work at {}", live_phrase(*live))]
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
    EpochPassed {
        /// When it was planned.
        planned: Epoch,
        /// What holds now.
        now: Epoch,
    },
    /// There is nothing to move.
    #[error("the type is not being migrated")]
    NoMigration,
    /// One at a time.
    #[error("the type is being migrated from major {from} to {to} already")]
    Running {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
    },
    /// Backwards, nowhere, or from or to a closed major.
    #[error("a type can't be migrated from major {from} to {to}")]
    WrongMajors {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
    },
    /// A server works at the phase that is to be closed.
    #[error("not every server is at {phase}: waiting for {}", behind.join(", "))]
    ServersBehind {
        /// Where all should be.
        phase: Phase,
        /// Who is not.
        behind: Vec<String>,
    },
    /// Some have no counterpart in the other major.
    #[error("{failed} resources can't be converted")]
    Failed {
        /// How many.
        failed: u64,
    },
    /// The new range lacks some.
    #[error("the backfill has not visited every resource")]
    BackfillNotDone,
    /// The old range lacks what was written at cutover.
    #[error("what was written at cutover has not been copied back")]
    CopyBackNotDone,
    /// It can only go on.
    #[error("there is no way back from {phase}")]
    NoWayBack {
        /// Where it is.
        phase: Phase,
    },
    /// There is no next.
    #[error("the migration is at its last phase")]
    Last,
    /// It can't be finished yet.
    #[error("servers may work at {}; it ends after the last phase", live_phrase(*live))]
    NotLast {
        /// Where it is.
        live: LivePhases,
    },
    /// Cleanup has not visited every resource.
    #[error("{left} resources are left at the old major, or marked as part of the migration")]
    OldLeft {
        /// How many.
        left: u64,
    },
    /// It can't end where it began yet.
    #[error("servers may work at {}; it is given up before the first phase", live_phrase(*live))]
    NotFirst {
        /// Where it is.
        live: LivePhases,
    },
    /// Mirrors that nobody reads have not all been removed.
    #[error("{left} mirrors are left at the new major")]
    MirrorsLeft {
        /// How many.
        left: u64,
    },
    /// Somebody must say it.
    #[error("{phase} is not entered automatically")]
    ByName {
        /// Which.
        phase: Phase,
    },
    /// Somebody must say it.
    #[error("the new major changes what a field means, and is not entered automatically")]
    MeaningChanged,
    /// More than one step away.
    #[error("{phase} can't be reached from {}", live_phrase(*live))]
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
    Unfit,
    /// It would not be readable as it was written.
    #[error("the content can't be converted back to the major that it is written at")]
    NotReadBack,
    /// There is one.
    #[error("the resource exists already")]
    Exists,
    /// There is none.
    #[error("the resource does not exist")]
    Missing,
}

fn live_phrase(live: LivePhases) -> String {
    if live.low == live.high {
        live.low.to_string()
    } else {
        format!("{} and {}", live.low, live.high)
    }
}

impl Coded for PhaseRefusal {
    fn code(&self) -> Code {
        match self {
            Self::NotLive { .. } | Self::MajorNotLoaded { .. } => coeval_codes::PHASE_NOT_LIVE,
            Self::EpochPassed { .. } => coeval_codes::EPOCH_PASSED,
            Self::NoMigration => coeval_codes::MIGRATION_NONE,
            Self::Running { .. } => coeval_codes::MIGRATION_RUNNING,
            Self::WrongMajors { .. } => coeval_codes::MIGRATION_MAJORS,
            Self::ServersBehind { .. } => coeval_codes::SERVERS_BEHIND,
            Self::Failed { .. } => coeval_codes::RESOURCES_FAILED,
            Self::BackfillNotDone => coeval_codes::BACKFILL_NOT_DONE,
            Self::CopyBackNotDone => coeval_codes::COPY_BACK_NOT_DONE,
            Self::NoWayBack { .. } => coeval_codes::PHASE_NO_WAY_BACK,
            Self::Last | Self::NotLast { .. } => coeval_codes::PHASE_LAST,
            Self::OldLeft { .. } => coeval_codes::OLD_RECORDS_LEFT,
            Self::NotFirst { .. } => coeval_codes::PHASE_NOT_FIRST,
            Self::MirrorsLeft { .. } => coeval_codes::MIRRORS_LEFT,
            Self::ByName { .. } | Self::MeaningChanged => coeval_codes::PHASE_NOT_AUTOMATIC,
            Self::OutOfReach { .. } => coeval_codes::PHASE_OUT_OF_REACH,
            Self::Unfit | Self::NotReadBack => coeval_codes::MIRROR_UNFIT,
            Self::Exists => coeval_codes::ALREADY_EXISTS,
            Self::Missing => coeval_codes::NOT_FOUND,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NotLive { live, .. } => format!("Move this server to {}.", live_phrase(*live)),
            Self::MajorNotLoaded { to, .. } => {
                format!("Upgrade this server, or use one that knows major {to}.")
            }
            Self::EpochPassed { .. } => "Read it again and repeat the request.".to_owned(),
            Self::NoMigration => "Begin a migration first.".to_owned(),
            Self::Running { .. } => "Finish it, or undo it, before the next one.".to_owned(),
            Self::WrongMajors { .. } => {
                "Migrate from an open major to a higher one that was never left.".to_owned()
            }
            Self::ServersBehind { .. } => {
                "Upgrade or stop these servers, or fence them: they then refuse the type."
                    .to_owned()
            }
            Self::Failed { .. } => {
                "List them, and change or delete each one so that it can be converted.".to_owned()
            }
            Self::BackfillNotDone => "Wait until the backfill has ended.".to_owned(),
            Self::CopyBackNotDone => "Wait until the copy back has ended.".to_owned(),
            Self::NoWayBack { .. } => "Go on, or restore a backup.".to_owned(),
            Self::Last => "Finish the migration.".to_owned(),
            Self::NotLast { .. } => "Advance to cleanup first.".to_owned(),
            Self::OldLeft { .. } => "Wait for cleanup, and for those that expire.".to_owned(),
            Self::NotFirst { .. } => "Go back to old first.".to_owned(),
            Self::MirrorsLeft { .. } => "Wait until they are removed.".to_owned(),
            Self::ByName { phase } => format!("Ask for {phase} by name."),
            Self::MeaningChanged => "Advance by hand, once the users agree.".to_owned(),
            Self::OutOfReach { held_by, live, .. } if held_by.is_empty() => {
                format!(
                    "Ask for {}, or for the phase beside it.",
                    live_phrase(*live)
                )
            }
            Self::OutOfReach { held_by, .. } => {
                format!("Move these servers first: {}.", held_by.join(", "))
            }
            Self::Unfit => {
                "Change the content so that it fits both majors, or wait for cutover.".to_owned()
            }
            Self::NotReadBack => {
                "Change the content so that it fits both majors, or upgrade the resource first."
                    .to_owned()
            }
            Self::Exists => "Choose another name, or update the existing one.".to_owned(),
            Self::Missing => "Look at the id, or create it.".to_owned(),
        }
    }

    /// All of them are about the state that something has; two have codes of the store, where a
    /// condition that nobody expected to fail is a fault of the server.
    fn error_kind(&self) -> ErrorKind {
        ErrorKind::FailedPrecondition
    }
}

impl Coded for UnknownPhase {
    fn code(&self) -> Code {
        coeval_codes::PHASE_UNKNOWN
    }

    fn advice(&self) -> String {
        "Use one of these names.".to_owned()
    }
}
