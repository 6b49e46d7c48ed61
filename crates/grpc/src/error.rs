//! What is wrong with a call before any method sees it, or around all of them.

use coeval_codes::{Coded, ErrorKind};

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub(crate) enum CallError {
    #[error("a message is larger than the {limit} bytes that this server takes")]
    #[code(
        MESSAGE_TOO_LARGE,
        advice = "Send less at once, or raise the server's --max-body."
    )]
    MessageTooLarge { limit: u64 },
    #[error("a message can't be read: {reason}")]
    #[code(
        MESSAGE_UNREADABLE,
        advice = "Generate the client from this server's files."
    )]
    MessageUnreadable { reason: String },
    #[error(
        "this server, of release {release}, does not know the field {} of the request of {method}",
        fields.join(", ")
    )]
    #[code(
        FIELD_UNKNOWN,
        advice = "Use a server of a newer release, leave the field out, or name it in coeval-ignorable if the request means the same without it."
    )]
    FieldUnknown {
        method: String,
        fields: Vec<String>,
        release: &'static str,
    },
    #[error("{reason}")]
    #[code(COMPRESSION_UNKNOWN, advice = "Send messages that are not compressed.")]
    CompressionUnknown { reason: String },
    #[error("a message is marked as compressed, and no grpc-encoding says how")]
    #[code(COMPRESSION_UNKNOWN, advice = "Send messages that are not compressed.")]
    CompressionUnsaid,
    #[error("the time that the caller gave was over")]
    #[code(
        DEADLINE_PASSED,
        advice = "Read before you repeat a write; give more time, or ask for less."
    )]
    DeadlinePassed,
    #[error("grpc-timeout is {text:?}: it is up to eight digits and one of H, M, S, m, u, n")]
    #[code(
        HEADER_INVALID,
        advice = "Correct the metadata grpc-timeout, or leave it out."
    )]
    TimeoutInvalid { text: String },
    #[error("the content type is not application/grpc")]
    #[code(
        CONTENT_TYPE_UNKNOWN,
        advice = "Use a gRPC client, or one of the REST APIs."
    )]
    ContentType,
    #[error("there is no file {path:?} here, or not for this caller")]
    #[code(
        PROTO_FILE_UNKNOWN,
        advice = "GET /protos lists the files that you may have."
    )]
    FileUnknown { path: String },
    #[error("{reason}")]
    #[code(
        PACKAGE_VERSION_OTHER,
        advice = "Leave version and kind out, use the package of that major, or the generic service."
    )]
    OtherPackage { reason: String },
    #[error("this server has no service {name:?}")]
    #[code(
        ROUTE_UNKNOWN,
        advice = "Ask for one that reflection lists, or for none."
    )]
    ServiceUnknown { name: String },
    #[error("the call failed")]
    #[code(
        CALL_FAILED,
        advice = "Read before you repeat a write, then try again."
    )]
    Failed { code: tonic::Code },
}

impl CallError {
    /// As gRPC calls it.
    pub(crate) fn grpc(&self) -> tonic::Code {
        match self {
            Self::MessageTooLarge { .. }
            | Self::MessageUnreadable { .. }
            | Self::FieldUnknown { .. }
            | Self::TimeoutInvalid { .. }
            | Self::ContentType
            | Self::OtherPackage { .. }
            | Self::CompressionUnknown { .. }
            | Self::DeadlinePassed
            | Self::FileUnknown { .. } => grpc_code(self.error_kind()),
            // gRPC's own rule.
            Self::CompressionUnsaid => tonic::Code::Internal,
            // Asked of the reflection service, which is there.
            Self::ServiceUnknown { .. } => tonic::Code::NotFound,
            Self::Failed { code } => *code,
        }
    }
}

/// How gRPC calls a kind of error.
pub(crate) fn grpc_code(kind: ErrorKind) -> tonic::Code {
    tonic::Code::from(kind.statuses().grpc.number())
}
