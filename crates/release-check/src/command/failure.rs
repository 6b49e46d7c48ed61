//! Why a command failed, and what to do.

use coeval_release_check::{ReadError, RuleViolation};
use std::fmt;

/// What goes to stderr.
#[derive(Debug)]
pub(crate) struct CommandFailure(String);

impl CommandFailure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Grouped by rule, as they are sorted.
    pub(crate) fn of_violations(violations: &[RuleViolation]) -> Self {
        let count = violations.len();
        let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
        let these = if count == 1 {
            "1 thing breaks"
        } else {
            &format!("{count} things break")
        };
        Self(format!(
            "{}\n\n{these} clients of kept releases.",
            texts.join("\n\n")
        ))
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ReadError> for CommandFailure {
    fn from(error: ReadError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for CommandFailure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}
