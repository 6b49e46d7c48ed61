//! Why contexts or credentials can't be used.

use coeval_codes::{Code, Coded};
use jiff::Timestamp;
use std::path::PathBuf;

/// Why contexts or credentials can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// Nobody said which server is meant.
    #[error("no server is known")]
    NoServer,
    /// There are contexts, and none is in use.
    #[error("no context is in use{}", listed(.known))]
    Unused {
        /// What there is.
        known: Vec<String>,
    },
    /// There is no context of that name.
    #[error("there is no context `{name}`{}", listed(.known))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A server and a context that is of another one.
    #[error("the context `{context}` is of {of}, not of {server}")]
    Contradiction {
        /// The context.
        context: String,
        /// Its server.
        of: String,
        /// The other one.
        server: String,
    },
    /// Somebody else could take the tokens.
    #[error("{} can be read by others (its mode is {mode:04o})", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file that says nothing that can be understood.
    #[error("{} can't be used: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is nowhere to keep anything.
    #[error("there is no config folder: {reason}")]
    NoFolder {
        /// Why.
        reason: String,
    },
    /// The session has ended.
    #[error("the session of the context `{context}` ended at {at}")]
    Over {
        /// The context.
        context: String,
        /// When.
        at: Timestamp,
    },
    /// Nobody has logged in.
    #[error("nobody is logged in with the context `{context}`")]
    LoggedOut {
        /// The context.
        context: String,
    },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; there is {}", names.join(", ")),
    }
}

impl Coded for ContextError {
    fn code(&self) -> Code {
        match self {
            Self::NoServer
            | Self::Unused { .. }
            | Self::Unknown { .. }
            | Self::Contradiction { .. } => coeval_codes::CONTEXT_UNKNOWN,
            Self::Exposed { .. } => coeval_codes::CREDENTIALS_EXPOSED,
            Self::File { .. } | Self::NoFolder { .. } => coeval_codes::CONTEXT_FILE_INVALID,
            Self::Over { .. } | Self::LoggedOut { .. } => coeval_codes::LOGIN_NEEDED,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NoServer => "Log in with `coeval login URL`, or give one with --server.".into(),
            Self::Unused { .. } => {
                "Use one with `coeval login --use NAME`, or once with --context.".into()
            }
            Self::Unknown { .. } => {
                "`coeval login --list` shows the contexts; `coeval login URL` makes one.".into()
            }
            Self::Contradiction { .. } => "Give --server or --context, not both.".into(),
            Self::Exposed { path, .. } => format!(
                "Take the right away with `chmod 600 {}`, and log in anew with `coeval login`: the tokens may have been read.",
                path.display()
            ),
            Self::File { .. } => "Mend the file, or move it away and log in anew.".into(),
            Self::NoFolder { .. } => "Set COEVAL_CONFIG_DIR to a folder of yours.".into(),
            Self::Over { context, .. } | Self::LoggedOut { context } => {
                format!("Log in with `coeval login --context {context}`.")
            }
        }
    }
}
