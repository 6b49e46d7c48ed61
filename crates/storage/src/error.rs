//! What can go wrong in storage: each with a stable code and what to do next.

use crate::damage::RecordDamage;
use crate::key::Key;
use crate::revision::{Revision, Token};
use coeval_codes::{Code, Coded};
use std::fmt;

/// Every refusal and failure of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// Not a key.
    #[error("the key is not valid: {reason}")]
    InvalidKey {
        /// Why.
        reason: String,
    },
    /// Over a limit.
    #[error("{size} {what}, {limit} at most")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much there is.
        size: usize,
        /// How much there may be.
        limit: usize,
    },
    /// An atomic write that means nothing.
    #[error("the write is not well formed: {reason}")]
    InvalidWrite {
        /// Why.
        reason: String,
    },
    /// A live record was needed.
    #[error("{key} does not exist")]
    NotFound {
        /// Where.
        key: Key,
    },
    /// No live record was wanted.
    #[error("{key} exists already")]
    AlreadyExists {
        /// Where.
        key: Key,
        /// What is there.
        current: Revision,
    },
    /// Another revision was expected.
    #[error("{key} has another revision by now: {current}")]
    Conflict {
        /// Where.
        key: Key,
        /// The one it has.
        current: Revision,
    },
    /// The sequence is of another history, beyond the head, or compacted.
    #[error("the events after this sequence are not in the store's history")]
    Compacted,
    /// A live watcher was slower than the events.
    #[error("the watcher fell behind")]
    FellBehind {
        /// Watch from here to miss nothing.
        resume: Token,
    },
    /// The request was sent and no answer came.
    #[error("nobody knows whether the write happened: {reason}")]
    UnknownOutcome {
        /// The revision that its fresh puts carry, if it happened.
        revision: Revision,
        /// What was seen.
        reason: String,
    },
    /// Nothing happened.
    #[error("the store can't be reached: {reason}")]
    Unavailable {
        /// What was seen.
        reason: String,
    },
    /// No space: nothing was written.
    #[error("the store has no space left: {reason}")]
    Full {
        /// What was seen.
        reason: String,
    },
    /// Bytes that are no record.
    #[error("the record {key} is damaged: {damage}")]
    Damaged {
        /// Where.
        key: Key,
        /// How.
        damage: RecordDamage,
    },
    /// One process owns an embedded store.
    #[error("another process owns the store {store}{}", owner(.by))]
    InUse {
        /// Which.
        store: String,
        /// Its process id, if it is known.
        by: Option<u32>,
    },
    /// Fenced until the restore is finished.
    #[error("the store is being restored, or a restore was cut short")]
    Restoring,
    /// `close` was called.
    #[error("the store was closed")]
    Closed,
    /// Written by a newer release.
    #[error("the store has level {found}, this release reads up to {known}")]
    UnknownLevel {
        /// What is there.
        found: u32,
        /// What is known here.
        known: u32,
    },
    /// Opened for looking only.
    #[error("the store was opened read-only")]
    ReadOnly,
    /// Not an address of a store.
    #[error("the store's address is not valid: {reason}")]
    InvalidUrl {
        /// Why.
        reason: String,
    },
    /// Too much at once: nothing was written.
    #[error("the store is too busy: {reason}")]
    Busy {
        /// With what.
        reason: String,
    },
    /// Expiry can't be decided.
    #[error("this server's clock is {off} ms off the other servers' clocks")]
    ClockOff {
        /// How far.
        off: i64,
    },
    /// Anything else; nothing was written.
    #[error("the store failed: {reason}")]
    Failed {
        /// What was seen.
        reason: String,
    },
}

fn owner(by: &Option<u32>) -> String {
    by.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

impl StorageError {
    /// A failure without a name of its own.
    pub fn failed(reason: impl fmt::Display) -> Self {
        Self::Failed {
            reason: reason.to_string(),
        }
    }

    /// A store that can't be reached.
    pub fn unavailable(reason: impl fmt::Display) -> Self {
        Self::Unavailable {
            reason: reason.to_string(),
        }
    }

    /// A write that means nothing.
    pub fn invalid_write(reason: impl Into<String>) -> Self {
        Self::InvalidWrite {
            reason: reason.into(),
        }
    }

    /// Whether the store answered: what it says is about the request, not about the store.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::InvalidKey { .. }
                | Self::TooLarge { .. }
                | Self::InvalidWrite { .. }
                | Self::NotFound { .. }
                | Self::AlreadyExists { .. }
                | Self::Conflict { .. }
                | Self::Compacted
                | Self::ReadOnly
                | Self::InvalidUrl { .. }
        )
    }

    /// A short name of the kind, for metrics.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidKey { .. } => "invalid_key",
            Self::TooLarge { .. } => "too_large",
            Self::InvalidWrite { .. } => "invalid_write",
            Self::NotFound { .. } => "not_found",
            Self::AlreadyExists { .. } => "already_exists",
            Self::Conflict { .. } => "conflict",
            Self::Compacted => "compacted",
            Self::FellBehind { .. } => "fell_behind",
            Self::UnknownOutcome { .. } => "unknown_outcome",
            Self::Unavailable { .. } => "unavailable",
            Self::Full { .. } => "full",
            Self::Damaged { .. } => "damaged",
            Self::InUse { .. } => "in_use",
            Self::Restoring => "restoring",
            Self::Closed => "closed",
            Self::UnknownLevel { .. } => "unknown_level",
            Self::ReadOnly => "read_only",
            Self::InvalidUrl { .. } => "invalid_url",
            Self::Busy { .. } => "busy",
            Self::ClockOff { .. } => "clock_off",
            Self::Failed { .. } => "failed",
        }
    }
}

impl Coded for StorageError {
    fn code(&self) -> Code {
        match self {
            Self::InvalidKey { .. } => coeval_codes::KEY_INVALID,
            Self::TooLarge { .. } => coeval_codes::TOO_LARGE,
            Self::InvalidWrite { .. } => coeval_codes::WRITE_INVALID,
            Self::NotFound { .. } => coeval_codes::NOT_FOUND,
            Self::AlreadyExists { .. } => coeval_codes::ALREADY_EXISTS,
            Self::Conflict { .. } => coeval_codes::CONFLICT,
            Self::Compacted => coeval_codes::COMPACTED,
            Self::FellBehind { .. } => coeval_codes::FELL_BEHIND,
            Self::UnknownOutcome { .. } => coeval_codes::UNKNOWN_OUTCOME,
            Self::Unavailable { .. } => coeval_codes::UNAVAILABLE,
            Self::Full { .. } => coeval_codes::FULL,
            Self::Damaged { .. } => coeval_codes::DAMAGED,
            Self::InUse { .. } => coeval_codes::IN_USE,
            Self::Restoring => coeval_codes::RESTORING,
            Self::Closed => coeval_codes::CLOSED,
            Self::UnknownLevel { .. } => coeval_codes::LEVEL_UNKNOWN,
            Self::ReadOnly => coeval_codes::READ_ONLY,
            Self::InvalidUrl { .. } => coeval_codes::URL_INVALID,
            Self::Busy { .. } => coeval_codes::BUSY,
            Self::ClockOff { .. } => coeval_codes::CLOCK_OFF,
            Self::Failed { .. } => coeval_codes::FAILED,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::InvalidKey { .. } => "Correct the key.",
            Self::TooLarge { .. } => "Make it smaller, or split it into several writes.",
            Self::InvalidWrite { .. } => "Correct the write: each key once, and at least one action.",
            Self::NotFound { .. } => "Create it first, or use a put.",
            Self::AlreadyExists { .. } => "Update it instead, or choose another key.",
            Self::Conflict { .. } => "Read it again, apply the change to what is there now, and write with its revision.",
            Self::Compacted => "Read everything again and watch from that read's sequence.",
            Self::FellBehind { .. } => "Watch again from the sequence in this error: nothing is missed.",
            Self::UnknownOutcome { .. } => "Read it back: if it has the revision in this error, the write happened.",
            Self::Unavailable { .. } => "Nothing was written. Check that the store runs and can be reached, then try again.",
            Self::Full { .. } => "Nothing was written. Free space (`coeval store compact` helps), then try again.",
            Self::Damaged { .. } => "Everything else can still be read. Write the record again, or restore it from a backup.",
            Self::InUse { .. } => "Stop the other process, or use its API.",
            Self::Restoring => "Wait until the restore has ended; if it was cut short, run it again with --replace.",
            Self::Closed => "The server is stopping; ask another one.",
            Self::UnknownLevel { .. } => "Use the release that wrote it, or a newer one.",
            Self::ReadOnly => "Open the store for writing.",
            Self::InvalidUrl { .. } => "Use sqlite:PATH, postgres://user@host/database or etcd://host:port,host:port.",
            Self::Busy { .. } => "Nothing was written. Try again a little later.",
            Self::ClockOff { .. } => "Set this server's clock (NTP); it is not ready until then.",
            Self::Failed { .. } => "Nothing was written. See the server's log for the cause.",
        }
        .to_owned()
    }
}
