//! Why a file is not applied.

use coeval_client::ClientError;
use coeval_codes::{Code, Coded};
use coeval_core::convert::Refusal;
use coeval_core::types::ContentError;

/// Why one resource is not as its file says.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    /// Somebody else's changes would be overridden.
    #[error("{name}: somebody else has changed what the file declares: {}", paths.join(", "))]
    Drift {
        /// `app/web`.
        name: String,
        /// Where.
        paths: Vec<String>,
    },
    /// The file was made from another revision.
    #[error("{name} has revision {present} by now, and the file is of {said}")]
    OldRevision {
        /// `app/web`.
        name: String,
        /// What the file says.
        said: String,
        /// What there is.
        present: String,
    },
    /// What is shown is a stand-in.
    #[error("{name} can't be changed at {version}: {reason}")]
    Restricted {
        /// `app/web`.
        name: String,
        /// The version of the file.
        version: String,
        /// The type's words.
        reason: String,
    },
    /// Found without asking the server to store it.
    #[error("{name} would be refused: {error}")]
    Unfit {
        /// `app/web`.
        name: String,
        /// What does not fit.
        error: ContentError,
    },
    /// Found without asking the server: it sets fields that only other versions have.
    #[error("{name} would be refused: {error}")]
    Unexpressed {
        /// `app/web`.
        name: String,
        /// Which.
        error: Refusal,
    },
    /// Found without asking the server: no version has these fields, and strictness is asked for.
    #[error("{name} would be refused: no version of {kind} declares {}", fields.join(", "))]
    Undeclared {
        /// `app/web`.
        name: String,
        /// Its kind.
        kind: String,
        /// Pointers to some of them.
        fields: Vec<String>,
    },
    /// Nobody says which version the content of a new one has.
    #[error("{name} is not there yet, and its file says no version")]
    NoVersion {
        /// `app/web`.
        name: String,
    },
    /// It is there, and should not be.
    #[error("{name} exists already")]
    Exists {
        /// `app/web`.
        name: String,
    },
    /// The server's refusal, or none could be reached.
    #[error("{name}: {error}")]
    Client {
        /// `app/web`.
        name: String,
        /// Why.
        error: ClientError,
    },
}

impl ApplyError {
    /// Whether the content is refused, whoever writes it.
    pub(crate) const fn is_misfit(&self) -> bool {
        matches!(
            self,
            Self::Unfit { .. } | Self::Unexpressed { .. } | Self::Undeclared { .. }
        )
    }
}

impl Coded for ApplyError {
    fn code(&self) -> Code {
        match self {
            Self::Drift { .. } => coeval_codes::APPLY_DRIFT,
            Self::OldRevision { .. } => coeval_codes::FILE_REVISION_OLD,
            Self::Restricted { .. } => coeval_codes::RESTRICTED_VIEW,
            Self::Unfit { error, .. } => error.code(),
            Self::Unexpressed { error, .. } => error.code(),
            Self::Undeclared { .. } => coeval_codes::FIELD_UNDECLARED,
            Self::NoVersion { .. } => coeval_codes::RESOURCE_FILE_INVALID,
            Self::Exists { .. } => coeval_codes::RESOURCE_EXISTS,
            Self::Client { error, .. } => error.code(),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Drift { .. } => {
                "Take their values into the file, or override them with `coeval apply --force`."
                    .to_owned()
            }
            Self::OldRevision { .. } => "Take what has changed into the file and remove \
                `metadata.revision`, or override it with `coeval apply --force`."
                .to_owned(),
            Self::Restricted { .. } => "Write the file at a newer version.".to_owned(),
            Self::Unfit { error, .. } => error.advice(),
            Self::Unexpressed { error, .. } => error.advice(),
            Self::Undeclared { kind, .. } => format!(
                "Correct the names (`coeval explain {kind}` shows them), or leave `--strict` out."
            ),
            Self::NoVersion { .. } => {
                "Write `version` into the file, or say it with --version.".to_owned()
            }
            Self::Exists { .. } => "Change it with `coeval apply`.".to_owned(),
            Self::Client { error, .. } => error.advice(),
        }
    }
}
