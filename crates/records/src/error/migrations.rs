//! What can go wrong with a migration, beside what its phases refuse.

use crate::keys::TypeKey;
use coeval_access::AccessLevel;
use coeval_codes::{Coded, shell_word};
use coeval_core::phases::UnknownPhase;
use coeval_core::version::Version;

/// Every refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum MigrationError {
    /// No such migration.
    #[error("there is no migration {what}")]
    #[code(
        MIGRATION_UNKNOWN,
        advice = "List the migrations that there are, or start one."
    )]
    Unknown {
        /// Which.
        what: String,
    },
    /// What is declared can't be.
    #[error("the migration can't be declared so: {what}")]
    #[code(MIGRATION_INVALID, advice = "Correct it and declare it again.")]
    Invalid {
        /// Why.
        what: String,
    },
    /// No such phase.
    #[error(transparent)]
    #[code(transparent)]
    Phase(#[from] UnknownPhase),
    /// It is over.
    #[error("the migration {name} has ended: {how}")]
    #[code(
        MIGRATION_ENDED,
        advice = "Start another one, if there is something to move."
    )]
    Ended {
        /// Which.
        name: String,
        /// How.
        how: &'static str,
    },
    /// It is on its way back.
    #[error("the migration {name} is being undone")]
    #[code(
        MIGRATION_UNDOING,
        advice = "Wait until it has ended, and start it again."
    )]
    Undoing {
        /// Which.
        name: String,
    },
    /// Cutover waits for them, unless they are named.
    #[error(transparent)]
    #[code(MIGRATION_WITHOUT_ACCESS, advice = _0.advice())]
    WithoutAccess(#[from] Box<WithoutAccess>),
}

/// Members who would lose access with a migration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} see {of} at major {from} and not at {to}, the version that its resources get{}",
    names.join(", "),
    if *more == 0 { String::new() } else { format!(", and {more} more") }
)]
pub struct WithoutAccess {
    pub of: TypeKey,
    pub from: u32,
    /// The version that resources get.
    pub to: Version,
    /// What the first of them has at the old major.
    pub level: AccessLevel,
    /// Some of them, as commands take them.
    pub names: Vec<String>,
    /// How many there are beside.
    pub more: usize,
}

impl WithoutAccess {
    fn advice(&self) -> String {
        let Self { of, to, .. } = self;
        let names: Vec<String> = self.names.iter().map(|name| shell_word(name)).collect();
        let first = names.first().map_or("", String::as_str);
        let without = names.iter().map(|name| format!(" --without-access {name}"));
        format!(
            "Grant each of them the new version: `coeval type grant {of}:{to} {first} {}`. Or go on without them: `coeval migrate advance {of} --to cutover{}`. `coeval migrate plan {of}` lists all.",
            level_word(self.level),
            without.collect::<String>(),
        )
    }
}

/// A level as commands take it.
const fn level_word(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::ReadOnly => "read-only",
        AccessLevel::ReadWrite => "read-write",
        AccessLevel::FullControl => "full-control",
    }
}
