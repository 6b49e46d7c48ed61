//! Why a message is refused. Nothing has changed then.

use coeval_codes::Coded;
use coeval_typed::LensError;

/// What is wrong with a message or a mask; places are JSON pointers into the content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub(crate) enum TypedError {
    /// It would lose something.
    #[error(transparent)]
    #[code(transparent)]
    Lens(#[from] LensError),
    /// NaN or an infinity.
    #[error("{at} is {number}, and JSON has no such number")]
    #[code(TYPED_NUMBER, advice = "Send a number, or leave the field out.")]
    Number {
        /// Where.
        at: String,
        /// What.
        number: String,
    },
    /// A `google.protobuf.Value` without a kind.
    #[error("the value at {at} is of no kind: not even null")]
    #[code(
        TYPED_VALUE_EMPTY,
        advice = "Set one of its kinds; null_value for null. To have no value, leave the field out."
    )]
    ValueEmpty {
        /// Where.
        at: String,
    },
    /// What `extra` is not for.
    #[error("extra has {name:?} at {at}, which is no field that belongs there")]
    #[code(
        TYPED_EXTRA_UNKNOWN,
        advice = "Set the field that has this name in the package, or use the generic service (coeval.resources.v1)."
    )]
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
    #[code(
        TYPED_FIELD_UNKNOWN,
        advice = "Use a server that knows the version that has this field, or a client made from this server's package."
    )]
    FieldUnknown {
        /// Which message.
        message: String,
        /// Its number.
        number: u32,
    },
    /// A path of a mask.
    #[error("the field mask names {path:?}, which is no field of {message}")]
    #[code(
        TYPED_MASK_UNKNOWN,
        advice = "Name fields as the package's .proto file does, with dots: spec.image_name."
    )]
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
    #[code(
        TYPED_TOO_DEEP,
        advice = "Write it through the generic service (coeval.resources.v1)."
    )]
    TooDeep {
        /// Where.
        at: String,
    },
    /// The package can't be made.
    #[error("the package can't be made: {0}")]
    // The type was registered: that it has no package is nothing that the caller did.
    #[code(
        TYPE_REFUSED,
        kind = Internal,
        advice = "Use the generic service (coeval.resources.v1)."
    )]
    Package(String),
}
