//! Why a watch can't begin, or ends.

use coeval_codes::{Code, Coded};
use coeval_storage::Token;

/// A watch that can't begin there, or can't go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WatchError {
    /// The history is kept for a time, and this is before it.
    #[error("the events after sequence {from} are no longer kept; the oldest are after {floor}")]
    Compacted {
        /// Where the watch was to begin.
        from: u64,
        /// Where it could.
        floor: u64,
    },
    /// The token was given by another history, or by nobody.
    #[error("the sequence {from} is of another history than the store's, which is at {head}")]
    OtherHistory {
        /// Where the watch was to begin.
        from: u64,
        /// Where the store is.
        head: u64,
    },
    /// Nobody knows what the watcher has of what it may see now.
    #[error("what you may see has changed {when}")]
    RightsChanged {
        /// In a few words.
        when: &'static str,
    },
    /// Neither memory nor the log has what comes next.
    #[error("the watcher was too slow: what came after {delivered} is no longer kept")]
    FellBehind {
        /// All up to here was delivered.
        delivered: Token,
    },
}

impl Coded for WatchError {
    fn code(&self) -> Code {
        match self {
            Self::Compacted { .. } => coeval_codes::WATCH_COMPACTED,
            Self::OtherHistory { .. } => coeval_codes::WATCH_OTHER_HISTORY,
            Self::RightsChanged { .. } => coeval_codes::WATCH_RIGHTS_CHANGED,
            Self::FellBehind { .. } => coeval_codes::WATCH_FELL_BEHIND,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::Compacted { .. } | Self::RightsChanged { .. } => {
                "List again, and watch from the list's sequence."
            }
            Self::OtherHistory { .. } => {
                "The store was restored or is another one: forget what you have, list again, and \
                 watch from the list's sequence."
            }
            Self::FellBehind { .. } => {
                "List again, and watch from the list's sequence; read faster, or watch less."
            }
        };
        text.to_owned()
    }
}
