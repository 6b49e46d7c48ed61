//! Why not: the kind, the stable code, what happened, and what to do next.

use crate::unanswered::Unanswered;
use crate::unsent;
use coeval_codes::Coded;
use coeval_proto::errors::v1::ErrorDetail;
use prost::Message as _;
use std::fmt;
use std::time::Duration;
use tonic::{Code, ConnectError, Status};

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
    /// The server's history is another than the one that was seen, or ends before it: its store was
    /// restored. What was seen is forgotten, and said so once; the next call goes on with what is there.
    Restored,
    /// The address is none.
    Address,
    /// What was answered can't be read, or the server failed.
    Internal,
}

/// What is known of a request that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// No server got it.
    Nowhere,
    /// A server said why not: it did nothing.
    Refused,
    /// Nobody knows: the answer was lost.
    Perhaps,
}

/// Why a call did not do what was asked.
///
/// ```
/// use coeval_client::{ClientError, Kind};
/// use std::time::Duration;
/// use tonic::{Code, Status};
/// use tonic_types::{ErrorDetails, StatusExt};
///
/// let wait = ErrorDetails::with_retry_info(Some(Duration::from_secs(3)));
/// let status = Status::with_error_details(Code::ResourceExhausted, "too many requests", wait);
/// let error = ClientError::from(status);
/// assert_eq!(error.kind(), Kind::Exhausted);
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(3)), "not before that");
/// ```
#[derive(Clone, PartialEq)]
pub struct ClientError {
    kind: Kind,
    reached: Reached,
    retry_after: Option<Duration>,
    message: String,
    advice: String,
    detail: Box<ErrorDetail>,
}

impl ClientError {
    /// One of the library's own.
    pub fn new(kind: Kind, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            kind,
            reached: Reached::Refused,
            retry_after: None,
            message: message.into(),
            advice: advice.into(),
            detail: Box::default(),
        }
    }

    /// Nobody knows whether a write happened, and why that is so.
    pub(crate) fn unknown(why: &Self, found: &str) -> Self {
        let message = format!("the answer to a write was lost ({why}), and {found}");
        let advice = "Read the resource and see whether the change is there before you repeat it.";
        Self {
            reached: Reached::Perhaps,
            ..Self::new(Kind::UnknownOutcome, message, advice)
        }
    }

    /// Why a write by one of the stubs failed, which are never sent again. Where a server may have got
    /// it and none answered, that is [`Kind::UnknownOutcome`].
    ///
    /// ```
    /// use coeval_client::{ClientError, Kind};
    /// use tonic::Status;
    ///
    /// // A proxy on the way lost the answer.
    /// let lost = Status::unavailable("upstream reset");
    /// assert_eq!(ClientError::from(lost.clone()).kind(), Kind::Unavailable);
    /// assert_eq!(ClientError::of_write(lost).kind(), Kind::UnknownOutcome);
    /// ```
    #[must_use]
    pub fn of_write(status: Status) -> Self {
        let error = Self::from(status);
        match error.reached {
            Reached::Perhaps if error.detail.code.is_empty() => {
                Self::unknown(&error, "whether it was done can't be told")
            }
            _ => error,
        }
    }

    /// The time that a call may take is over before it was answered.
    pub(crate) fn late(after: Duration) -> Self {
        let message = format!("no answer came within {} ms", after.as_millis());
        Self {
            reached: Reached::Perhaps,
            ..Self::new(Kind::TimedOut, message, advice(Kind::TimedOut))
        }
    }

    /// No connection was made.
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        Self {
            reached: Reached::Nowhere,
            ..Self::new(Kind::Unavailable, "refused", "")
        }
    }

    /// Whether a server did what was asked.
    pub(crate) const fn reached(&self) -> Reached {
        self.reached
    }

    /// Whether the same may go well in a while.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self.kind,
            Kind::Unavailable | Kind::TimedOut | Kind::UnknownOutcome
        ) || (self.kind == Kind::Exhausted && self.retry_after.is_some())
    }

    /// Whether the server says this code.
    pub(crate) fn says(&self, code: coeval_codes::Code) -> bool {
        !self.detail.code.is_empty() && self.detail.code == code.to_string()
    }

    /// When the server wants to be asked again.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// What kind it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The stable code as the server said it, such as `COEVAL-6004`; that of the library, if no server
    /// said one.
    ///
    /// ```
    /// use coeval_client::{ClientError, Kind};
    ///
    /// let own = ClientError::new(Kind::Address, "no address", "Give one.");
    /// assert_eq!(own.said_code(), coeval_codes::ADDRESS_INVALID.to_string());
    /// ```
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
            Kind::Restored => coeval_codes::STORE_RESTORED,
            Kind::Address => coeval_codes::ADDRESS_INVALID,
            Kind::Conflict => coeval_codes::RESOURCE_CONFLICT,
            _ => coeval_codes::ANSWER_UNREADABLE,
        }
    }

    fn advice(&self) -> String {
        match self.kind {
            Kind::Restored => "Read again what was kept in memory; this client goes on with the history that is there.".to_owned(),
            _ => self.advice.clone(),
        }
    }
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        let (detail, retry_after) = details(&status);
        let kind = kind_of(&status, detail.as_ref());
        let reached = reached(&status, kind, detail.is_some());
        match detail {
            Some(detail) => Self {
                kind,
                reached,
                retry_after,
                message: detail.message.clone(),
                advice: detail.advice.clone(),
                detail: Box::new(detail),
            },
            None => Self {
                reached,
                retry_after,
                ..Self::new(kind, reason(&status), advice(kind))
            },
        }
    }
}

/// A connection that was not made carried nothing, nor did one that the server had given up. What a server of ours refuses it has not done,
/// unless it says that it does not know, or broke off.
fn reached(status: &Status, kind: Kind, is_ours: bool) -> Reached {
    let mut cause = std::error::Error::source(status);
    if cause.is_some_and(unsent::was_unsent) {
        return Reached::Nowhere;
    }
    while let Some(error) = cause {
        if error.is::<ConnectError>() {
            return Reached::Nowhere;
        }
        cause = error.source();
    }
    match kind {
        Kind::UnknownOutcome | Kind::TimedOut | Kind::Internal => Reached::Perhaps,
        _ if is_ours => Reached::Refused,
        Kind::Unavailable => Reached::Perhaps,
        _ => Reached::Refused,
    }
}

/// Without a word of Coeval's: something between here and the server, or no server at all.
fn reason(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    let mut address = None;
    while let Some(error) = cause {
        if let Some(call) = error.downcast_ref::<Unanswered>() {
            address = Some(call.to_string());
            cause = error.source();
            continue;
        }
        // Where no connection was made, the deepest cause says all; the others say that it is one.
        if let Some(address) = &address
            && error.is::<ConnectError>()
        {
            return format!("{address}: {}", deepest(error));
        }
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut deepest = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    deepest.to_string()
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

/// What Coeval says, and when to come again.
fn details(status: &Status) -> (Option<ErrorDetail>, Option<Duration>) {
    let Ok(said) = tonic_types::pb::Status::decode(status.details()) else {
        return (None, None);
    };
    let of = |name: &str| {
        let mut all = said.details.iter();
        let found = all.find(|any| any.type_url.rsplit('/').next() == Some(name));
        found.map(|any| any.value.as_slice())
    };
    let detail = of("coeval.errors.v1.ErrorDetail");
    let detail = detail.and_then(|bytes| ErrorDetail::decode(bytes).ok());
    let retry = of("google.rpc.RetryInfo");
    let retry = retry.and_then(|bytes| tonic_types::pb::RetryInfo::decode(bytes).ok());
    let retry = retry.and_then(|retry| Duration::try_from(retry.retry_delay?).ok());
    (detail, retry)
}

/// A connection that broke, which the transport tells in many ways.
fn is_broken(status: &Status) -> bool {
    let tells = [
        "h2 protocol error",
        "transport error",
        "EOF",
        "Missing response message",
    ];
    std::error::Error::source(status).is_some()
        || tells.iter().any(|text| status.message().contains(text))
}

fn kind_of(status: &Status, detail: Option<&ErrorDetail>) -> Kind {
    match status.code() {
        Code::Unknown | Code::Internal if detail.is_none() && is_broken(status) => {
            Kind::Unavailable
        }
        // The transport's, about a message that is too large.
        Code::OutOfRange if detail.is_none() => Kind::Internal,
        code => kind(code, detail),
    }
}

fn kind(code: Code, detail: Option<&ErrorDetail>) -> Kind {
    let said = detail.map_or("", |detail| detail.code.as_str());
    if said == coeval_codes::UNKNOWN_OUTCOME.to_string() {
        return Kind::UnknownOutcome;
    }
    // Watches have codes of their own for where they begin: this is about what was seen.
    if said == coeval_codes::COMPACTED.to_string() {
        return Kind::Restored;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("around")]
    struct Around(#[source] ConnectError);

    fn not_connected() -> Status {
        let cause = ConnectError(Box::new(std::io::Error::other("refused")));
        Status::from_error(Box::new(Around(cause)))
    }

    fn said(code: Code, ours: coeval_codes::Code) -> Status {
        let detail = ErrorDetail {
            code: ours.to_string(),
            ..ErrorDetail::default()
        };
        let status = tonic_types::pb::Status {
            details: vec![prost_types::Any {
                type_url: "type.googleapis.com/coeval.errors.v1.ErrorDetail".into(),
                value: detail.encode_to_vec(),
            }],
            ..Default::default()
        };
        Status::with_details(code, "", status.encode_to_vec().into())
    }

    #[test]
    fn a_write_that_is_not_sent_again_is_unknown_where_it_may_have_been_received() {
        for (status, kind) in [
            (not_connected(), Kind::Unavailable),
            (Status::unknown("transport error"), Kind::UnknownOutcome),
            (Status::unavailable("upstream"), Kind::UnknownOutcome),
            (
                said(Code::Unavailable, coeval_codes::UNAVAILABLE),
                Kind::Unavailable,
            ),
            (
                said(Code::Aborted, coeval_codes::RESOURCE_CONFLICT),
                Kind::Conflict,
            ),
        ] {
            let error = ClientError::of_write(status);
            assert_eq!(error.kind(), kind, "{error:?}");
        }
    }

    #[test]
    fn what_is_known_of_a_request_that_failed() {
        use coeval_codes::{
            COMPACTED, DEADLINE_PASSED, REQUESTS_TOO_MANY, RESOURCE_CONFLICT, UNKNOWN_OUTCOME,
        };
        let broken = |text: &str| Status::unknown(text);
        for (status, kind, reached) in [
            (not_connected(), Kind::Unavailable, Reached::Nowhere),
            (
                broken("transport error"),
                Kind::Unavailable,
                Reached::Perhaps,
            ),
            (
                Status::internal("Unexpected EOF decoding stream."),
                Kind::Unavailable,
                Reached::Perhaps,
            ),
            (
                Status::unavailable("upstream"),
                Kind::Unavailable,
                Reached::Perhaps,
            ),
            (
                Status::out_of_range("too large"),
                Kind::Internal,
                Reached::Perhaps,
            ),
            (
                said(Code::Unavailable, coeval_codes::UNAVAILABLE),
                Kind::Unavailable,
                Reached::Refused,
            ),
            (
                said(Code::Unavailable, UNKNOWN_OUTCOME),
                Kind::UnknownOutcome,
                Reached::Perhaps,
            ),
            (
                said(Code::DeadlineExceeded, DEADLINE_PASSED),
                Kind::TimedOut,
                Reached::Perhaps,
            ),
            (
                said(Code::ResourceExhausted, REQUESTS_TOO_MANY),
                Kind::Exhausted,
                Reached::Refused,
            ),
            (
                said(Code::Aborted, RESOURCE_CONFLICT),
                Kind::Conflict,
                Reached::Refused,
            ),
            (
                said(Code::OutOfRange, COMPACTED),
                Kind::Restored,
                Reached::Refused,
            ),
        ] {
            let error = ClientError::from(status);
            assert_eq!(
                (error.kind(), error.reached()),
                (kind, reached),
                "{error:?}"
            );
        }
    }
}
