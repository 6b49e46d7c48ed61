//! Why a watch can't begin, or ends.

use coeval_codes::Coded;
use coeval_storage::Token;

/// A watch that can't begin there, or can't go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Coded)]
pub enum WatchError {
    /// The history is kept for a time, and this is before it.
    #[error("the events after sequence {from} are no longer kept; the oldest are after {floor}")]
    #[code(
        WATCH_COMPACTED,
        advice = "List again, and watch from the list's sequence."
    )]
    Compacted {
        /// Where the watch was to begin.
        from: u64,
        /// Where it could.
        floor: u64,
    },
    /// The token was given by another history, or by nobody.
    #[error("the sequence {from} is of another history than the store's, which is at {head}")]
    #[code(
        WATCH_OTHER_HISTORY,
        advice = "The store was restored or is another one: forget what you have, list again, and watch from the list's sequence."
    )]
    OtherHistory {
        /// Where the watch was to begin.
        from: u64,
        /// Where the store is.
        head: u64,
    },
    /// Nobody knows what the watcher has of what it may see now.
    #[error("what you may see has changed {when}")]
    #[code(
        WATCH_RIGHTS_CHANGED,
        advice = "List again, and watch from the list's sequence."
    )]
    RightsChanged {
        /// In a few words.
        when: &'static str,
    },
    /// Neither memory nor the log has what comes next.
    #[error("the watcher was too slow: what came after {delivered} is no longer kept")]
    #[code(
        WATCH_FELL_BEHIND,
        advice = "List again, and watch from the list's sequence; read faster, or watch less."
    )]
    FellBehind {
        /// All up to here was delivered.
        delivered: Token,
    },
}
