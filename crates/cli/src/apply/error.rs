//! Why a file is not applied.

use coeval_client::ClientError;
use coeval_codes::Coded;
use coeval_core::convert::ConversionRefusal;
use coeval_core::types::ContentError;

/// Why one resource is not as its file says.
#[derive(Debug, thiserror::Error, Coded)]
pub(crate) enum ApplyError {
    /// Somebody else's changes would be overridden.
    #[error("{name}: somebody else has changed what the file declares: {}", paths.join(", "))]
    #[code(
        APPLY_DRIFT,
        advice = "Take their values into the file, or override them with `coeval apply --force`."
    )]
    Drift {
        /// `app/web`.
        name: String,
        /// Where.
        paths: Vec<String>,
    },
    /// The file was made from another revision.
    #[error("{name} has revision {present} by now, and the file is of {said}")]
    #[code(
        FILE_REVISION_OLD,
        advice = "Take what has changed into the file and remove `metadata.revision`, or override it with `coeval apply --force`."
    )]
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
    #[code(RESTRICTED_VIEW, advice = "Write the file at a newer version.")]
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
    #[code(from = error)]
    Unfit {
        /// `app/web`.
        name: String,
        /// What does not fit.
        error: ContentError,
    },
    /// Found without asking the server: it sets fields that only other versions have.
    #[error("{name} would be refused: {error}")]
    #[code(from = error)]
    Unexpressed {
        /// `app/web`.
        name: String,
        /// Which.
        error: ConversionRefusal,
    },
    /// Found without asking the server: no version has these fields, and strictness is asked for.
    #[error("{name} would be refused: no version of {kind} declares {}", fields.join(", "))]
    #[code(
        FIELD_UNDECLARED,
        advice = "Correct the names (`coeval explain {kind}` shows them), or leave `--strict` out."
    )]
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
    #[code(
        RESOURCE_FILE_INVALID,
        advice = "Write `version` into the file, or say it with --version."
    )]
    NoVersion {
        /// `app/web`.
        name: String,
    },
    /// It is there, and should not be.
    #[error("{name} exists already")]
    #[code(RESOURCE_EXISTS, advice = "Change it with `coeval apply`.")]
    Exists {
        /// `app/web`.
        name: String,
    },
    /// The server's refusal, or none could be reached.
    #[error("{name}: {error}")]
    #[code(from = error)]
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
