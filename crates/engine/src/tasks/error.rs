//! What can go wrong with tasks.

use super::task::Status;
use coeval_codes::{Code, Coded};
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// There is no such task, or the caller may not know that there is.
    #[error("there is no task {id}")]
    Unknown {
        /// Which.
        id: Uuid,
    },
    /// It can't be canceled any more.
    #[error("the task {id} has ended already: {status}")]
    Ended {
        /// Which.
        id: Uuid,
        /// How.
        status: Status,
    },
    /// The job broke off by a fault of its own.
    #[error("the job broke off: {reason}")]
    Aborted {
        /// What was seen.
        reason: String,
    },
    /// The stored task is no task.
    #[error("the record of the task {id} can't be read: {reason}")]
    Unreadable {
        /// Which.
        id: Uuid,
        /// Why.
        reason: String,
    },
    /// A job wants to keep too much.
    #[error("the {what} of a task has {size} bytes, {limit} at most")]
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
    LeftBehind {
        /// Where it was to go.
        to: Version,
    },
}

impl Coded for TaskError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => coeval_codes::TASK_UNKNOWN,
            Self::Ended { .. } => coeval_codes::TASK_ENDED,
            Self::Aborted { .. } => coeval_codes::TASK_ABORTED,
            Self::Unreadable { .. } => coeval_codes::TASK_UNREADABLE,
            Self::TooLarge { .. } => coeval_codes::TASK_TOO_LARGE,
            Self::TargetRefused { .. } => coeval_codes::MIGRATION_TARGET_REFUSED,
            Self::MeaningChanged { .. } => coeval_codes::MIGRATION_MEANING_CHANGED,
            Self::LeftBehind { .. } => coeval_codes::MIGRATION_LEFT_BEHIND,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::Unknown { .. } => {
                "Check the id; a task is removed seven days after its end, and others' tasks need the right `Task: View`."
            }
            Self::Ended { .. } => "Nothing is left to cancel; read its result.",
            Self::Aborted { .. } => {
                "What it had done stays done; start it again, and report the fault."
            }
            Self::Unreadable { .. } => "Look at it with `coeval store quarantine`.",
            Self::TooLarge { .. } => "Start it for fewer resources.",
            Self::TargetRefused { reason, .. } => reason.advice(),
            Self::MeaningChanged { version, .. } => {
                return format!(
                    "Look at the resources; if their content is right at the new meaning too, name {version} in the request."
                );
            }
            Self::LeftBehind { .. } => "Start the migration again.",
        };
        text.to_owned()
    }
}
