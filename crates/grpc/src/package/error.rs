//! Why a message is refused. Nothing has changed then.

use coeval_codes::{Code, Coded, ErrorKind};
use coeval_typed::LensError;

/// What is wrong with a message or a mask; places are JSON pointers into the content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TypedError {
    /// It would lose something.
    #[error(transparent)]
    Lens(#[from] LensError),
    /// NaN or an infinity.
    #[error("{at} is {number}, and JSON has no such number")]
    Number {
        /// Where.
        at: String,
        /// What.
        number: String,
    },
    /// A `google.protobuf.Value` without a kind.
    #[error("the value at {at} is of no kind: not even null")]
    ValueEmpty {
        /// Where.
        at: String,
    },
    /// What `extra` is not for.
    #[error("extra has {name:?} at {at}, which is no field that belongs there")]
    ExtraUnknown {
        /// In which object.
        at: String,
        /// The name.
        name: String,
    },
    /// A number that the package does not describe.
    #[error(
        "the message {message} has a field {number} that this server's package does not describe"
    )]
    FieldUnknown {
        /// Which message.
        message: String,
        /// Its number.
        number: u32,
    },
    /// A path of a mask.
    #[error("the field mask names {path:?}, which is no field of {message}")]
    MaskUnknown {
        /// What it says.
        path: String,
        /// Where it was looked for.
        message: String,
    },
    /// Levels that could not be read back.
    #[error(
        "the value at {at} has more than {} levels",
        coeval_typed::limits::VALUE_DEPTH
    )]
    TooDeep {
        /// Where.
        at: String,
    },
    /// The package can't be made.
    #[error("the package can't be made: {0}")]
    Package(String),
}

impl Coded for TypedError {
    fn code(&self) -> Code {
        match self {
            Self::Lens(error) => error.code(),
            Self::Number { .. } => coeval_codes::TYPED_NUMBER,
            Self::ValueEmpty { .. } => coeval_codes::TYPED_VALUE_EMPTY,
            Self::ExtraUnknown { .. } => coeval_codes::TYPED_EXTRA_UNKNOWN,
            Self::FieldUnknown { .. } => coeval_codes::TYPED_FIELD_UNKNOWN,
            Self::MaskUnknown { .. } => coeval_codes::TYPED_MASK_UNKNOWN,
            Self::TooDeep { .. } => coeval_codes::TYPED_TOO_DEEP,
            Self::Package(_) => coeval_codes::TYPE_REFUSED,
        }
    }

    fn error_kind(&self) -> ErrorKind {
        match self {
            // The type was registered: that it has no package is nothing that the caller did.
            Self::Package(_) => ErrorKind::Internal,
            other => other.code().kind(),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Lens(error) => error.advice(),
            Self::Number { .. } => "Send a number, or leave the field out.".to_owned(),
            Self::ValueEmpty { .. } => {
                "Set one of its kinds; null_value for null. To have no value, leave the field out."
                    .to_owned()
            }
            Self::ExtraUnknown { .. } => {
                "Set the field that has this name in the package, or use the generic service \
                 (coeval.resources.v1)."
                    .to_owned()
            }
            Self::FieldUnknown { .. } => {
                "Use a server that knows the version that has this field, or a client made from \
                 this server's package."
                    .to_owned()
            }
            Self::MaskUnknown { .. } => {
                "Name fields as the package's .proto file does, with dots: spec.image_name."
                    .to_owned()
            }
            Self::TooDeep { .. } => {
                "Write it through the generic service (coeval.resources.v1).".to_owned()
            }
            Self::Package(_) => "Use the generic service (coeval.resources.v1).".to_owned(),
        }
    }
}
