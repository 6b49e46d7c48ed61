//! Why keys are not read, and why something sealed does not open. No message has key bytes or plaintext.

use coeval_codes::{Code, Coded};

/// A keyring that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// Nothing but blank lines and comments.
    #[error("the keyring has no key")]
    Empty,
    /// Not `id:key`, or an id with other characters.
    #[error("line {line} of the keyring is not an id and a key with a colon between them")]
    Line {
        /// Counted from 1.
        line: usize,
    },
    /// Not base64.
    #[error("the key on line {line} of the keyring is not base64")]
    NotBase64 {
        /// Counted from 1.
        line: usize,
    },
    /// Of another length.
    #[error("the key on line {line} of the keyring has {bytes} bytes, not 32")]
    Length {
        /// Counted from 1.
        line: usize,
        /// How many there are.
        bytes: usize,
    },
    /// An id that is there already.
    #[error("line {line} of the keyring has an id that a line before it has")]
    Twice {
        /// Counted from 1.
        line: usize,
    },
    /// More than any keyring has.
    #[error("the keyring has more than {limit} bytes")]
    TooLarge {
        /// The most.
        limit: usize,
    },
    /// No key can be made.
    #[error("the system gives no random bytes")]
    NoRandom,
}

impl Coded for KeyringError {
    fn code(&self) -> Code {
        match self {
            Self::NoRandom => coeval_codes::RANDOM_UNAVAILABLE,
            _ => coeval_codes::KEYRING_INVALID,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NoRandom => "Look at the system that the server runs on.".into(),
            Self::Twice { .. } => "Give each key an id of its own; never use an id again.".into(),
            _ => "Write one key on a line, `id:` and the base64 of 32 random bytes; the first is used for sealing.".into(),
        }
    }
}

/// Something that is not sealed or not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Too short, or of another format.
    #[error("the bytes are nothing that was sealed")]
    Malformed,
    /// Sealed with a key that was taken away.
    #[error("it was sealed with a key that is not in the keyring")]
    KeyUnknown,
    /// Changed, or moved from another place.
    #[error("it was altered, or sealed for another place")]
    NotAuthentic,
    /// Nothing can be sealed.
    #[error("the system gives no random bytes")]
    NoRandom,
}

impl Coded for SealError {
    fn code(&self) -> Code {
        match self {
            Self::Malformed => coeval_codes::SEALED_MALFORMED,
            Self::KeyUnknown => coeval_codes::SEALED_KEY_UNKNOWN,
            Self::NotAuthentic => coeval_codes::SEALED_NOT_AUTHENTIC,
            Self::NoRandom => coeval_codes::RANDOM_UNAVAILABLE,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Malformed => {
                "Look whether the record was written by another program, or cut.".into()
            }
            Self::KeyUnknown => {
                "Put the key that was removed back into the keyring, after the current one.".into()
            }
            Self::NotAuthentic => {
                "Restore the record from a backup: what is there now is not what was written."
                    .into()
            }
            Self::NoRandom => "Look at the system that the server runs on.".into(),
        }
    }
}
