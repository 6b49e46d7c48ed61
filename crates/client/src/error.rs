//! Why not: the kind, the stable code, what happened, and what to do next.

use coeval_codes::Coded;
use coeval_proto::errors::v1::ErrorDetail;
use prost::Message as _;
use std::fmt;
use tonic::{Code, Status};

/// What kind of refusal or failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The request is wrong, whatever the state.
    Invalid,
    /// Nobody is known to send it, or the credentials don't hold any more.
    Unauthenticated,
    /// Somebody who may not.
    Denied,
    /// There is none that the caller may see.
    NotFound,
    /// One has the name.
    Exists,
    /// It has another revision by now.
    Conflict,
    /// A state that forbids it.
    State,
    /// The point to watch from is not in the history any more, or the rights have changed: list again.
    Expired,
    /// Too many requests, or too large.
    Exhausted,
    /// The server can't be reached, or can't reach its store.
    Unavailable,
    /// The time was over. A write may have happened.
    TimedOut,
    /// The server has no such method; [`ClientError::release`] is its release.
    Unimplemented,
    /// The write may have happened or not.
    UnknownOutcome,
    /// What was answered can't be read, or the server failed.
    Internal,
}

/// Why a call did not do what was asked.
#[derive(Clone, PartialEq)]
pub struct ClientError {
    kind: Kind,
    message: String,
    advice: String,
    detail: Box<ErrorDetail>,
}

impl ClientError {
    /// One of the library's own.
    pub fn new(kind: Kind, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            advice: advice.into(),
            detail: Box::default(),
        }
    }

    /// What kind it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The stable code as the server said it, such as `COEVAL-6004`; that of the library, if no server
    /// said one.
    #[must_use]
    pub fn said_code(&self) -> String {
        match self.detail.code.as_str() {
            "" => self.code().to_string(),
            said => said.to_owned(),
        }
    }

    /// What happened.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The release of the server that refused; empty if no server did.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.detail.release
    }

    /// All that the server says: the current revision, differing paths, violations, findings.
    #[must_use]
    pub const fn detail(&self) -> &ErrorDetail {
        &self.detail
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {}: {self}", self.kind, self.said_code())
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ClientError {}

impl Coded for ClientError {
    fn code(&self) -> coeval_codes::Code {
        let said = self.detail.code.as_str();
        if !said.is_empty() {
            let mut known = coeval_codes::ALL.iter();
            let known = known.find(|code| code.to_string() == said);
            return known.copied().unwrap_or(coeval_codes::CODE_NEWER);
        }
        match self.kind {
            Kind::Invalid => coeval_codes::REQUEST_INVALID,
            Kind::Unavailable => coeval_codes::SERVER_UNREACHABLE,
            Kind::TimedOut => coeval_codes::DEADLINE_PASSED,
            Kind::Unimplemented => coeval_codes::RELEASE_TOO_OLD,
            Kind::UnknownOutcome => coeval_codes::UNKNOWN_OUTCOME,
            _ => coeval_codes::ANSWER_UNREADABLE,
        }
    }

    fn advice(&self) -> String {
        self.advice.clone()
    }
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        let detail = detail(&status);
        let kind = kind(status.code(), detail.as_ref());
        match detail {
            Some(detail) => Self {
                kind,
                message: detail.message.clone(),
                advice: detail.advice.clone(),
                detail: Box::new(detail),
            },
            None => Self::new(kind, reason(&status), advice(kind)),
        }
    }
}

/// Without a word of Coeval's: something between here and the server, or no server at all.
fn reason(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

const fn advice(kind: Kind) -> &'static str {
    match kind {
        Kind::Unavailable => {
            "Check the address and that a server is running there; then try again."
        }
        Kind::TimedOut => "Read whether it happened, then try again or give it more time.",
        Kind::Unimplemented => "Use a server of a newer release.",
        _ => "Check that the address is that of a Coeval server.",
    }
}

fn detail(status: &Status) -> Option<ErrorDetail> {
    let details = tonic_types::pb::Status::decode(status.details()).ok()?;
    let ours = "type.googleapis.com/coeval.errors.v1.ErrorDetail";
    let any = details
        .details
        .into_iter()
        .find(|any| any.type_url == ours)?;
    ErrorDetail::decode(any.value.as_slice()).ok()
}

fn kind(code: Code, detail: Option<&ErrorDetail>) -> Kind {
    let said = detail.map_or("", |detail| detail.code.as_str());
    if said == coeval_codes::UNKNOWN_OUTCOME.to_string() {
        return Kind::UnknownOutcome;
    }
    match code {
        Code::InvalidArgument => Kind::Invalid,
        Code::Unauthenticated => Kind::Unauthenticated,
        Code::PermissionDenied => Kind::Denied,
        Code::NotFound => Kind::NotFound,
        Code::AlreadyExists => Kind::Exists,
        Code::Aborted => Kind::Conflict,
        Code::FailedPrecondition => Kind::State,
        Code::OutOfRange => Kind::Expired,
        Code::ResourceExhausted => Kind::Exhausted,
        Code::Unavailable | Code::Cancelled => Kind::Unavailable,
        Code::DeadlineExceeded => Kind::TimedOut,
        Code::Unimplemented => Kind::Unimplemented,
        Code::Ok | Code::Unknown | Code::Internal | Code::DataLoss => Kind::Internal,
    }
}
