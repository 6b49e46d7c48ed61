//! How a command that did not succeed ends: what happened, the code, what to do next.

use coeval_codes::{Code, Coded};
use std::io::Write as _;
use std::process::ExitCode;

/// Refused or failed.
const FAILED: u8 = 1;
/// Wrong usage.
const USAGE: u8 = 2;
/// Somebody else was faster.
const CONFLICT: u8 = 3;
/// Nobody knows.
const UNDECIDED: u8 = 4;

/// The end of a command that did not do its work.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: Option<Code>,
    advice: String,
    exit: u8,
    /// Nobody is to be told.
    silent: bool,
}

impl Failure {
    /// The flags, the environment or the config file make no sense.
    pub fn config(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: Some(coeval_codes::CONFIG_INVALID),
            advice: advice.into(),
            exit: USAGE,
            silent: false,
        }
    }

    /// Wrong usage that is no matter of configuration.
    pub fn usage(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            advice: advice.into(),
            exit: USAGE,
            silent: false,
        }
    }

    /// The work was done, and its answer is no.
    pub fn refused(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            advice: advice.into(),
            exit: FAILED,
            silent: false,
        }
    }

    /// What the system refused to the process itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            advice: "Check the limits of this process (memory, threads, files).".to_owned(),
            exit: FAILED,
            silent: false,
        }
    }

    /// The work was refused for a reason with a code of its own.
    pub fn coded(code: Code, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: Some(code),
            advice: advice.into(),
            exit: exit_code(code),
            silent: false,
        }
    }

    /// Whoever reads stdout has seen enough. The work ends there, and nobody is told.
    pub const fn reader_gone() -> Self {
        Self {
            message: String::new(),
            code: None,
            advice: String::new(),
            exit: 0,
            silent: true,
        }
    }

    /// The code that it has.
    #[must_use]
    pub const fn code(&self) -> Option<Code> {
        self.code
    }

    /// The same, with something better to do next.
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// The same; if the server knows nobody who asks, with the command that changes it.
    #[must_use]
    pub(crate) fn with_login_advice(self) -> Self {
        match self.code {
            // The server can't know how this program logs in, so its advice is replaced.
            Some(coeval_codes::TOKEN_INVALID | coeval_codes::CREDENTIALS_MISSING) => {
                let advice = match crate::context::variable(crate::context::TOKEN) {
                    Some(_) => {
                        "The token in COEVAL_TOKEN does not hold; make one with `coeval token create`, or unset it."
                    }
                    None => "Log in with `coeval login`.",
                };
                self.with_advice(advice)
            }
            _ => self,
        }
    }

    /// The same, with something to know first.
    pub(crate) fn after(mut self, sentence: &str) -> Self {
        self.advice = format!("{sentence} {}", self.advice);
        self
    }

    /// The same, with something better to say.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same as wrong usage, for a command whose answer is its exit code.
    pub const fn into_usage(mut self) -> Self {
        self.exit = USAGE;
        self
    }

    /// The code to exit with.
    pub(crate) const fn exit(&self) -> u8 {
        self.exit
    }

    /// Prints it; the code to exit with.
    pub fn report(&self) -> ExitCode {
        if self.silent {
            return ExitCode::from(self.exit);
        }
        // Nothing is left to do when stderr is closed.
        let _ = std::io::stderr().write_all(self.to_string().as_bytes());
        ExitCode::from(self.exit)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        if let Some(code) = self.code {
            writeln!(f, "code:  {code} (`coeval errors {code}` explains it)")?;
        }
        writeln!(f, "next:  {}", self.advice)
    }
}

impl<E: Coded> From<E> for Failure {
    fn from(error: E) -> Self {
        // The code decides: the same error ends every command in the same way.
        let code = error.code();
        Self {
            message: error.to_string(),
            code: Some(code),
            advice: error.advice(),
            exit: exit_code(code),
            silent: false,
        }
    }
}

fn exit_code(code: Code) -> u8 {
    match code {
        coeval_codes::CONFIG_INVALID
        | coeval_codes::URL_INVALID
        | coeval_codes::CONTEXT_UNKNOWN
        | coeval_codes::CONTEXT_FILE_INVALID
        | coeval_codes::CREDENTIALS_EXPOSED => USAGE,
        coeval_codes::CONFLICT
        | coeval_codes::RESOURCE_CONFLICT
        | coeval_codes::APPLY_DRIFT
        | coeval_codes::FILE_REVISION_OLD => CONFLICT,
        coeval_codes::UNKNOWN_OUTCOME | coeval_codes::DEADLINE_PASSED => UNDECIDED,
        _ => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::StorageError;

    #[test]
    fn a_failure_says_what_happened_its_code_and_what_to_do() {
        let failure = Failure::from(StorageError::Closed);
        let lines: Vec<_> = failure.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], "error: the store was closed");
        assert_eq!(
            lines[1],
            "code:  COEVAL-4015 (`coeval errors COEVAL-4015` explains it)"
        );
        assert_eq!(lines[2], "next:  The server is stopping; ask another one.");
        assert_eq!(failure.exit, FAILED);
    }

    #[test]
    fn exit_codes_tell_usage_conflict_and_undecided_apart() {
        assert_eq!(exit_code(coeval_codes::URL_INVALID), 2);
        assert_eq!(exit_code(coeval_codes::CONFLICT), 3);
        assert_eq!(exit_code(coeval_codes::UNKNOWN_OUTCOME), 4);
        assert_eq!(exit_code(coeval_codes::IN_USE), 1);
    }
}
