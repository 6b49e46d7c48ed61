//! What is wrong with a call before any method sees it, or around all of them.

use coeval_codes::{Code, Coded, ErrorKind};

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("a message is larger than the {limit} bytes that this server takes")]
    MessageTooLarge { limit: u64 },
    #[error("a message can't be read: {reason}")]
    MessageUnreadable { reason: String },
    #[error(
        "this server, of release {release}, does not know the field {} of the request of {method}",
        fields.join(", ")
    )]
    FieldUnknown {
        method: String,
        fields: Vec<String>,
        release: &'static str,
    },
    #[error("{reason}")]
    CompressionUnknown { reason: String },
    #[error("a message is marked as compressed, and no grpc-encoding says how")]
    CompressionUnsaid,
    #[error("the time that the caller gave was over")]
    DeadlinePassed,
    #[error("grpc-timeout is {text:?}: it is up to eight digits and one of H, M, S, m, u, n")]
    TimeoutInvalid { text: String },
    #[error("the content type is not application/grpc")]
    ContentType,
    #[error("there is no file {path:?} here, or not for this caller")]
    FileUnknown { path: String },
    #[error("{reason}")]
    OtherPackage { reason: String },
    #[error("this server has no service {name:?}")]
    ServiceUnknown { name: String },
    #[error("the call failed")]
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

impl Coded for CallError {
    fn code(&self) -> Code {
        match self {
            Self::MessageTooLarge { .. } => coeval_codes::MESSAGE_TOO_LARGE,
            Self::MessageUnreadable { .. } => coeval_codes::MESSAGE_UNREADABLE,
            Self::FieldUnknown { .. } => coeval_codes::FIELD_UNKNOWN,
            Self::CompressionUnknown { .. } | Self::CompressionUnsaid => {
                coeval_codes::COMPRESSION_UNKNOWN
            }
            Self::DeadlinePassed => coeval_codes::DEADLINE_PASSED,
            Self::TimeoutInvalid { .. } => coeval_codes::HEADER_INVALID,
            Self::ContentType => coeval_codes::CONTENT_TYPE_UNKNOWN,
            Self::FileUnknown { .. } => coeval_codes::PROTO_FILE_UNKNOWN,
            Self::OtherPackage { .. } => coeval_codes::PACKAGE_VERSION_OTHER,
            Self::ServiceUnknown { .. } => coeval_codes::ROUTE_UNKNOWN,
            Self::Failed { .. } => coeval_codes::CALL_FAILED,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::MessageTooLarge { .. } => "Send less at once, or raise the server's --max-body.",
            Self::MessageUnreadable { .. } => "Generate the client from this server's files.",
            Self::FieldUnknown { .. } => {
                "Use a server of a newer release, leave the field out, or name it in coeval-ignorable if the request means the same without it."
            }
            Self::CompressionUnknown { .. } | Self::CompressionUnsaid => {
                "Send messages that are not compressed."
            }
            Self::DeadlinePassed => {
                "Read before you repeat a write; give more time, or ask for less."
            }
            Self::TimeoutInvalid { .. } => "Correct the metadata grpc-timeout, or leave it out.",
            Self::ContentType => "Use a gRPC client, or one of the REST APIs.",
            Self::FileUnknown { .. } => "GET /protos lists the files that you may have.",
            Self::OtherPackage { .. } => {
                "Leave version and kind out, use the package of that major, or the generic service."
            }
            Self::ServiceUnknown { .. } => "Ask for one that reflection lists, or for none.",
            Self::Failed { .. } => "Read before you repeat a write, then try again.",
        };
        text.to_owned()
    }
}

/// How gRPC calls a kind of error.
pub(crate) fn grpc_code(kind: ErrorKind) -> tonic::Code {
    tonic::Code::from(kind.statuses().grpc.number())
}
