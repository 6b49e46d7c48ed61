//! What can go wrong in storage: each with a stable code and what to do next.

use crate::damage::RecordDamage;
use crate::key::Key;
use crate::revision::{Revision, Token};
use coeval_codes::Coded;
use std::fmt;

/// Every refusal and failure of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum StorageError {
    /// Not a key.
    #[error("the key is not valid: {reason}")]
    #[code(KEY_INVALID, advice = "Correct the key.")]
    InvalidKey {
        /// Why.
        reason: String,
    },
    /// Over a limit.
    #[error("{size} {what}, {limit} at most")]
    #[code(
        TOO_LARGE,
        advice = "Make it smaller, or split it into several writes."
    )]
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
    #[code(
        WRITE_INVALID,
        advice = "Correct the write: each key once, and at least one action."
    )]
    InvalidWrite {
        /// Why.
        reason: String,
    },
    /// A live record was needed.
    #[error("{key} does not exist")]
    #[code(NOT_FOUND, advice = "Create it first, or use a put.")]
    NotFound {
        /// Where.
        key: Key,
    },
    /// No live record was wanted.
    #[error("{key} exists already")]
    #[code(ALREADY_EXISTS, advice = "Update it instead, or choose another key.")]
    AlreadyExists {
        /// Where.
        key: Key,
        /// What is there.
        current: Revision,
    },
    /// Another revision was expected.
    #[error("{key} has another revision by now: {current}")]
    #[code(
        CONFLICT,
        advice = "Read it again, apply the change to what is there now, and write with its revision."
    )]
    Conflict {
        /// Where.
        key: Key,
        /// The one it has.
        current: Revision,
    },
    /// The sequence is of another history, beyond the head, or compacted.
    #[error("the events after this sequence are not in the store's history")]
    #[code(
        COMPACTED,
        advice = "Read everything again and watch from that read's sequence."
    )]
    Compacted,
    /// A live watcher was slower than the events.
    #[error("the watcher fell behind")]
    #[code(
        FELL_BEHIND,
        advice = "Watch again from the sequence in this error: nothing is missed."
    )]
    FellBehind {
        /// Watch from here to miss nothing.
        resume: Token,
    },
    /// The request was sent and no answer came.
    #[error("nobody knows whether the write happened: {reason}")]
    #[code(
        UNKNOWN_OUTCOME,
        advice = "Read it back: if it has the revision in this error, the write happened."
    )]
    UnknownOutcome {
        /// The revision that its fresh puts carry, if it happened.
        revision: Revision,
        /// What was seen.
        reason: String,
    },
    /// Nothing happened.
    #[error("the store can't be reached: {reason}")]
    #[code(
        UNAVAILABLE,
        advice = "Nothing was written. Check that the store runs and can be reached, then try again."
    )]
    Unavailable {
        /// What was seen.
        reason: String,
    },
    /// No space: nothing was written.
    #[error("the store has no space left: {reason}")]
    #[code(
        FULL,
        advice = "Nothing was written. Free space (`coeval store compact` helps), then try again."
    )]
    Full {
        /// What was seen.
        reason: String,
    },
    /// Bytes that are no record.
    #[error("the record {key} is damaged: {damage}")]
    #[code(
        DAMAGED,
        advice = "Everything else can still be read. Write the record again, or restore it from a backup."
    )]
    Damaged {
        /// Where.
        key: Key,
        /// How.
        damage: RecordDamage,
    },
    /// One process owns an embedded store.
    #[error("another process owns the store {store}{}", owner(.by))]
    #[code(IN_USE, advice = "Stop the other process, or use its API.")]
    InUse {
        /// Which.
        store: String,
        /// Its process id, if it is known.
        by: Option<u32>,
    },
    /// Fenced until the restore is finished.
    #[error("the store is being restored, or a restore was cut short")]
    #[code(
        RESTORING,
        advice = "Wait until the restore has ended; if it was cut short, run it again with --replace."
    )]
    Restoring,
    /// `close` was called.
    #[error("the store was closed")]
    #[code(CLOSED, advice = "The server is stopping; ask another one.")]
    Closed,
    /// Written by a newer release.
    #[error("the store has level {found}, this release reads up to {known}")]
    #[code(
        LEVEL_UNKNOWN,
        advice = "Use the release that wrote it, or a newer one."
    )]
    UnknownLevel {
        /// What is there.
        found: u32,
        /// What is known here.
        known: u32,
    },
    /// Opened for looking only.
    #[error("the store was opened read-only")]
    #[code(READ_ONLY, advice = "Open the store for writing.")]
    ReadOnly,
    /// Not an address of a store.
    #[error("the store's address is not valid: {reason}")]
    #[code(
        URL_INVALID,
        advice = "Use sqlite:PATH, postgres://user@host/database or etcd://host:port,host:port."
    )]
    InvalidUrl {
        /// Why.
        reason: String,
    },
    /// Too much at once: nothing was written.
    #[error("the store is too busy: {reason}")]
    #[code(BUSY, advice = "Nothing was written. Try again a little later.")]
    Busy {
        /// With what.
        reason: String,
    },
    /// Expiry can't be decided.
    #[error("this server's clock is {off} ms off the other servers' clocks")]
    #[code(
        CLOCK_OFF,
        advice = "Set this server's clock (NTP); it is not ready until then."
    )]
    ClockOff {
        /// How far.
        off: i64,
    },
    /// Anything else; nothing was written.
    #[error("the store failed: {reason}")]
    #[code(
        FAILED,
        advice = "Nothing was written. See the server's log for the cause."
    )]
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
