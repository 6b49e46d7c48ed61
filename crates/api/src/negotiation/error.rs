//! A header that can't be read.

use coeval_codes::{Code, Coded};

/// Which, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header {name} is not valid: {reason}")]
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

impl Coded for HeaderError {
    fn code(&self) -> Code {
        coeval_codes::HEADER_INVALID
    }

    fn advice(&self) -> String {
        "Correct the header, or leave it out.".to_owned()
    }
}
