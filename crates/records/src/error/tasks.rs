//! What can go wrong with tasks.

use crate::task_status::Status;
use coeval_codes::Coded;
use coeval_core::version::{Uuid, Version};

/// Why resources can't be moved to a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFlaw {
    /// They are there.
    Same,
    /// The type is in migration.
    InPhases,
    /// The type was moved away from that major.
    Closed,
}

impl std::fmt::Display for TargetFlaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Same => "it is the same version",
            Self::InPhases => "the type is being moved to another major, in phases",
            Self::Closed => "the major is closed",
        })
    }
}

impl TargetFlaw {
    const fn advice(self) -> &'static str {
        match self {
            Self::Same => "Choose another version.",
            Self::InPhases => {
                "`coeval upgrade KIND NAME` moves single resources; for many wait until the migration has ended (`coeval migrate status`)."
            }
            Self::Closed => "Choose a version of the major that the type was moved to.",
        }
    }
}

/// Refusals that concern tasks and the jobs behind them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum TaskError {
    /// There is no such task, or the caller may not know that there is.
    #[error("there is no task {id}")]
    #[code(
        TASK_UNKNOWN,
        advice = "Check the id; a task is removed seven days after its end, and others' tasks need the right `Task: View`."
    )]
    Unknown {
        /// Which.
        id: Uuid,
    },
    /// It can't be canceled any more.
    #[error("the task {id} has ended already: {status}")]
    #[code(TASK_ENDED, advice = "Nothing is left to cancel; read its result.")]
    Ended {
        /// Which.
        id: Uuid,
        /// How.
        status: Status,
    },
    /// The job broke off by a fault of its own.
    #[error("the job broke off: {reason}")]
    #[code(
        TASK_ABORTED,
        advice = "What it had done stays done; start it again, and report the fault."
    )]
    Aborted {
        /// What was seen.
        reason: String,
    },
    /// The stored task is no task.
    #[error("the record of the task {id} can't be read: {reason}")]
    #[code(TASK_UNREADABLE, advice = "Look at it with `coeval store quarantine`.")]
    Unreadable {
        /// Which.
        id: Uuid,
        /// Why.
        reason: String,
    },
    /// A job wants to keep too much.
    #[error("the {what} of a task has {size} bytes, {limit} at most")]
    #[code(TASK_TOO_LARGE, advice = "Start it for fewer resources.")]
    TooLarge {
        /// The input, the checkpoint or the result.
        what: &'static str,
        /// Its size.
        size: usize,
        /// What it may have.
        limit: usize,
    },
    /// Resources can't be migrated there.
    #[error("resources can't be migrated{} to {to}: {reason}", from.map_or_else(String::new, |from| format!(" from {from}")))]
    #[code(MIGRATION_TARGET_REFUSED, advice = reason.advice())]
    TargetRefused {
        /// Where they are, if all are at one version.
        from: Option<Version>,
        /// Where they were to go.
        to: Version,
        /// Why not.
        reason: TargetFlaw,
    },
    /// A meaning changes on the way, and the caller did not say that this is known.
    #[error("version {version} changes what fields mean: {fields}")]
    #[code(
        MIGRATION_MEANING_CHANGED,
        advice = "Look at the resources; if their content is right at the new meaning too, name {version} in the request."
    )]
    MeaningChanged {
        /// Which.
        version: Version,
        /// Pointers.
        fields: String,
    },
    /// A resource changed whenever it was to be migrated.
    #[error(
        "somebody else wrote it each time it was to be migrated to {to}; it is as they left it"
    )]
    #[code(MIGRATION_LEFT_BEHIND, advice = "Start the migration again.")]
    LeftBehind {
        /// Where it was to go.
        to: Version,
    },
}
