//! Why contexts or credentials can't be used.

use coeval_codes::Coded;
use jiff::Timestamp;
use std::path::PathBuf;

/// Why contexts or credentials can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum ContextError {
    /// Nobody said which server is meant.
    #[error("no server is known")]
    #[code(
        CONTEXT_UNKNOWN,
        advice = "Log in with `coeval login URL`, or give one with --server."
    )]
    NoServer,
    /// There are contexts, and none is in use.
    #[error("no context is in use{}", listed(.known))]
    #[code(
        CONTEXT_UNKNOWN,
        advice = "Use one with `coeval login --use NAME`, or once with --context."
    )]
    Unused {
        /// What there is.
        known: Vec<String>,
    },
    /// There is no context of that name.
    #[error("there is no context `{name}`{}", listed(.known))]
    #[code(
        CONTEXT_UNKNOWN,
        advice = "`coeval login --list` shows the contexts; `coeval login URL` makes one."
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A server and a context that is of another one.
    #[error("the context `{context}` is of {of}, not of {server}")]
    #[code(CONTEXT_UNKNOWN, advice = "Give --server or --context, not both.")]
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
    #[code(
        CREDENTIALS_EXPOSED,
        advice = format!("Take the right away with `chmod 600 {}`, and log in anew with `coeval login`: the tokens may have been read.", path.display())
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file that says nothing that can be understood.
    #[error("{} can't be used: {reason}", path.display())]
    #[code(
        CONTEXT_FILE_INVALID,
        advice = "Mend the file, or move it away and log in anew."
    )]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is nowhere to keep anything.
    #[error("there is no config folder: {reason}")]
    #[code(
        CONTEXT_FILE_INVALID,
        advice = "Set COEVAL_CONFIG_DIR to a folder of yours."
    )]
    NoFolder {
        /// Why.
        reason: String,
    },
    /// The session has ended.
    #[error("the session of the context `{context}` ended at {at}")]
    #[code(
        LOGIN_NEEDED,
        advice = "Log in with `coeval login --context {context}`."
    )]
    Over {
        /// The context.
        context: String,
        /// When.
        at: Timestamp,
    },
    /// Nobody has logged in.
    #[error("nobody is logged in with the context `{context}`")]
    #[code(
        LOGIN_NEEDED,
        advice = "Log in with `coeval login --context {context}`."
    )]
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
