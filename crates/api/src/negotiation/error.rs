//! A header that can't be read.

use coeval_codes::Coded;

/// Which, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("the header {name} is not valid: {reason}")]
#[code(HEADER_INVALID, advice = "Correct the header, or leave it out.")]
pub struct HeaderError {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: String,
}

impl HeaderError {
    pub(crate) fn new(name: &'static str, reason: impl Into<String>) -> Self {
        Self {
            name,
            reason: reason.into(),
        }
    }
}
