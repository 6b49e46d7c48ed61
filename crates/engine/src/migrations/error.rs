//! What can go wrong with a migration, beside what its phases refuse.

use coeval_codes::{Code, Coded};
use coeval_core::phases::UnknownPhase;

/// Every refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MigrationError {
    /// No such migration.
    #[error("there is no migration {what}")]
    Unknown {
        /// Which.
        what: String,
    },
    /// What is declared can't be.
    #[error("the migration can't be declared so: {what}")]
    Invalid {
        /// Why.
        what: String,
    },
    /// No such phase.
    #[error(transparent)]
    Phase(#[from] UnknownPhase),
    /// It is over.
    #[error("the migration {name} has ended: {how}")]
    Ended {
        /// Which.
        name: String,
        /// How.
        how: &'static str,
    },
    /// It is on its way back.
    #[error("the migration {name} is being undone")]
    Undoing {
        /// Which.
        name: String,
    },
}

impl Coded for MigrationError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => coeval_codes::MIGRATION_UNKNOWN,
            Self::Invalid { .. } => coeval_codes::MIGRATION_INVALID,
            Self::Phase(unknown) => unknown.code(),
            Self::Ended { .. } => coeval_codes::MIGRATION_ENDED,
            Self::Undoing { .. } => coeval_codes::MIGRATION_UNDOING,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Unknown { .. } => "List the migrations that there are, or start one.",
            Self::Invalid { .. } => "Correct it and declare it again.",
            Self::Phase(unknown) => return unknown.advice(),
            Self::Ended { .. } => "Start another one, if there is something to move.",
            Self::Undoing { .. } => "Wait until it has ended, and start it again.",
        }
        .to_owned()
    }
}
