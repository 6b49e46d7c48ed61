//! Why keys are not read, and why something sealed does not open. No message has key bytes or plaintext.

use coeval_codes::Coded;

/// A keyring that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code(
    advice = "Write one key on a line, `id:` and the base64 of 32 random bytes; the first is used for sealing."
)]
pub enum KeyringError {
    /// Nothing but blank lines and comments.
    #[error("the keyring has no key")]
    #[code(KEYRING_INVALID)]
    Empty,
    /// Not `id:key`, or an id with other characters.
    #[error("line {line} of the keyring is not an id and a key with a colon between them")]
    #[code(KEYRING_INVALID)]
    Line {
        /// Counted from 1.
        line: usize,
    },
    /// Not base64.
    #[error("the key on line {line} of the keyring is not base64")]
    #[code(KEYRING_INVALID)]
    NotBase64 {
        /// Counted from 1.
        line: usize,
    },
    /// Of another length.
    #[error("the key on line {line} of the keyring has {bytes} bytes, not 32")]
    #[code(KEYRING_INVALID)]
    Length {
        /// Counted from 1.
        line: usize,
        /// How many there are.
        bytes: usize,
    },
    /// An id that is there already.
    #[error("line {line} of the keyring has an id that a line before it has")]
    #[code(
        KEYRING_INVALID,
        advice = "Give each key an id of its own; never use an id again."
    )]
    Twice {
        /// Counted from 1.
        line: usize,
    },
    /// More than any keyring has.
    #[error("the keyring has more than {limit} bytes")]
    #[code(KEYRING_INVALID)]
    TooLarge {
        /// The most.
        limit: usize,
    },
    /// No key can be made.
    #[error("the system gives no random bytes")]
    #[code(
        RANDOM_UNAVAILABLE,
        advice = "Look at the system that the server runs on."
    )]
    NoRandom,
}

/// Something that is not sealed or not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum SealError {
    /// Too short, or of another format.
    #[error("the bytes are nothing that was sealed")]
    #[code(
        SEALED_MALFORMED,
        advice = "Look whether the record was written by another program, or cut."
    )]
    Malformed,
    /// Sealed with a key that was taken away.
    #[error("it was sealed with a key that is not in the keyring")]
    #[code(
        SEALED_KEY_UNKNOWN,
        advice = "Put the key that was removed back into the keyring, after the current one."
    )]
    KeyUnknown,
    /// Changed, or moved from another place.
    #[error("it was altered, or sealed for another place")]
    #[code(
        SEALED_NOT_AUTHENTIC,
        advice = "Restore the record from a backup: what is there now is not what was written."
    )]
    NotAuthentic,
    /// Nothing can be sealed.
    #[error("the system gives no random bytes")]
    #[code(
        RANDOM_UNAVAILABLE,
        advice = "Look at the system that the server runs on."
    )]
    NoRandom,
}
