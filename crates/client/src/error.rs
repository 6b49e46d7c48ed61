//! Why not: the kind, the stable code, what happened, and what to do next.

use crate::unanswered::UnansweredCall;
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
pub enum ClientErrorKind {
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
pub(crate) enum RequestReach {
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
/// use coeval_client::{ClientError, ClientErrorKind};
/// use std::time::Duration;
/// use tonic::{Code, Status};
/// use tonic_types::{ErrorDetails, StatusExt};
///
/// let wait = ErrorDetails::with_retry_info(Some(Duration::from_secs(3)));
/// let status = Status::with_error_details(Code::ResourceExhausted, "too many requests", wait);
/// let error = ClientError::from(status);
/// assert_eq!(error.kind(), ClientErrorKind::Exhausted);
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(3)), "not before that");
/// ```
#[derive(Clone, PartialEq)]
pub struct ClientError {
    kind: ClientErrorKind,
    reached: RequestReach,
    retry_after: Option<Duration>,
    message: String,
    advice: String,
    detail: Box<ErrorDetail>,
}

impl ClientError {
    /// One of the library's own.
    pub fn new(
        kind: ClientErrorKind,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            reached: RequestReach::Refused,
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
            reached: RequestReach::Perhaps,
            ..Self::new(ClientErrorKind::UnknownOutcome, message, advice)
        }
    }

    /// Why a write by one of the stubs failed, which are never sent again. Where a server may have got
    /// it and none answered, that is [`ClientErrorKind::UnknownOutcome`].
    ///
    /// ```
    /// use coeval_client::{ClientError, ClientErrorKind};
    /// use tonic::Status;
    ///
    /// // A proxy on the way lost the answer.
    /// let lost = Status::unavailable("upstream reset");
    /// assert_eq!(ClientError::from(lost.clone()).kind(), ClientErrorKind::Unavailable);
    /// assert_eq!(ClientError::of_write(lost).kind(), ClientErrorKind::UnknownOutcome);
    /// ```
    #[must_use]
    pub fn of_write(status: Status) -> Self {
        let error = Self::from(status);
        // Coeval's own refusal says whether it was done; only without one nobody knows.
        match error.reached {
            RequestReach::Perhaps if error.detail.code.is_empty() => {
                Self::unknown(&error, "whether it was done can't be told")
            }
            _ => error,
        }
    }

    /// The time that a call may take is over before it was answered.
    pub(crate) fn timed_out(after: Duration) -> Self {
        let message = format!("no answer came within {} ms", after.as_millis());
        Self {
            reached: RequestReach::Perhaps,
            ..Self::new(
                ClientErrorKind::TimedOut,
                message,
                advice(ClientErrorKind::TimedOut),
            )
        }
    }

    /// No connection was made.
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        Self {
            reached: RequestReach::Nowhere,
            ..Self::new(ClientErrorKind::Unavailable, "refused", "")
        }
    }

    /// Whether a server did what was asked.
    pub(crate) const fn reached(&self) -> RequestReach {
        self.reached
    }

    /// Whether the same may go well in a while.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            ClientErrorKind::Unavailable
                | ClientErrorKind::TimedOut
                | ClientErrorKind::UnknownOutcome
        ) || (self.kind == ClientErrorKind::Exhausted && self.retry_after.is_some())
    }

    /// Whether the server says this code.
    pub(crate) fn has_code(&self, code: coeval_codes::Code) -> bool {
        !self.detail.code.is_empty() && self.detail.code == code.to_string()
    }

    /// When the server wants to be asked again.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// What kind it is.
    #[must_use]
    pub const fn kind(&self) -> ClientErrorKind {
        self.kind
    }

    /// The stable code as the server said it, such as `COEVAL-6004`; that of the library, if no server
    /// said one.
    ///
    /// ```
    /// use coeval_client::{ClientError, ClientErrorKind};
    ///
    /// let own = ClientError::new(ClientErrorKind::Address, "no address", "Give one.");
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
        // Also a code that this release does not know yet: its number is passed on, and it is no
        // code of the library's.
        if !said.is_empty() {
            let mut known = coeval_codes::ALL.iter();
            let known = known.find(|code| code.to_string() == said);
            return known.copied().unwrap_or(coeval_codes::CODE_NEWER);
        }
        match self.kind {
            ClientErrorKind::Invalid => coeval_codes::REQUEST_INVALID,
            ClientErrorKind::Unavailable => coeval_codes::SERVER_UNREACHABLE,
            ClientErrorKind::TimedOut => coeval_codes::DEADLINE_PASSED,
            ClientErrorKind::Unimplemented => coeval_codes::RELEASE_TOO_OLD,
            ClientErrorKind::UnknownOutcome => coeval_codes::UNKNOWN_OUTCOME,
            ClientErrorKind::Restored => coeval_codes::STORE_RESTORED,
            ClientErrorKind::Address => coeval_codes::ADDRESS_INVALID,
            ClientErrorKind::Conflict => coeval_codes::RESOURCE_CONFLICT,
            _ => coeval_codes::ANSWER_UNREADABLE,
        }
    }

    fn advice(&self) -> String {
        // The server's advice is about its own history, which this client has left.
        match self.kind {
            ClientErrorKind::Restored => "Read again what was kept in memory; this client goes on with the history that is there.".to_owned(),
            _ => self.advice.clone(),
        }
    }
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        // The details of a refusal are in the status; a plain status comes from a proxy, or from
        // the transport.
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
fn reached(status: &Status, kind: ClientErrorKind, is_ours: bool) -> RequestReach {
    // Whatever the kind: what was never begun can't have been done.
    let mut cause = std::error::Error::source(status);
    if cause.is_some_and(unsent::was_unsent) {
        return RequestReach::Nowhere;
    }
    while let Some(error) = cause {
        if error.is::<ConnectError>() {
            return RequestReach::Nowhere;
        }
        cause = error.source();
    }
    match kind {
        ClientErrorKind::UnknownOutcome | ClientErrorKind::TimedOut | ClientErrorKind::Internal => {
            RequestReach::Perhaps
        }
        // A server of ours that refuses has done nothing; only the kinds above say that it does not
        // know.
        _ if is_ours => RequestReach::Refused,
        // Somebody between, who may have passed the request on before it broke.
        ClientErrorKind::Unavailable => RequestReach::Perhaps,
        _ => RequestReach::Refused,
    }
}

/// Without a word of Coeval's: something between here and the server, or no server at all.
fn reason(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    let mut address = None;
    while let Some(error) = cause {
        // Our own wrapper names the address. It is kept for the beginning of the sentence.
        if let Some(call) = error.downcast_ref::<UnansweredCall>() {
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
        // Each layer repeats the text of the one below; once is enough.
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

const fn advice(kind: ClientErrorKind) -> &'static str {
    match kind {
        ClientErrorKind::Unavailable => {
            "Check the address and that a server is running there; then try again."
        }
        ClientErrorKind::TimedOut => {
            "Read whether it happened, then try again or give it more time."
        }
        ClientErrorKind::Unimplemented => "Use a server of a newer release.",
        _ => "Check that the address is that of a Coeval server.",
    }
}

/// What Coeval says, and when to come again.
fn details(status: &Status) -> (Option<ErrorDetail>, Option<Duration>) {
    let Ok(said) = tonic_types::pb::Status::decode(status.details()) else {
        return (None, None);
    };
    // Any type URL with this last part: proxies may have rewritten the rest.
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
    // Without a cause it is a status that a server sent, whatever its text.
    std::error::Error::source(status).is_some()
        || tells.iter().any(|text| status.message().contains(text))
}

fn kind_of(status: &Status, detail: Option<&ErrorDetail>) -> ClientErrorKind {
    match status.code() {
        Code::Unknown | Code::Internal if detail.is_none() && is_broken(status) => {
            ClientErrorKind::Unavailable
        }
        // The transport's, about a message that is too large.
        // Of a watch the same code from a server, with details, means that its place is gone.
        Code::OutOfRange if detail.is_none() => ClientErrorKind::Internal,
        code => kind(code, detail),
    }
}

fn kind(code: Code, detail: Option<&ErrorDetail>) -> ClientErrorKind {
    let said = detail.map_or("", |detail| detail.code.as_str());
    if said == coeval_codes::UNKNOWN_OUTCOME.to_string() {
        return ClientErrorKind::UnknownOutcome;
    }
    // Watches have codes of their own for where they begin: this is about what was seen.
    // A read that carries a sequence which the server's history does not have.
    if said == coeval_codes::COMPACTED.to_string() {
        return ClientErrorKind::Restored;
    }
    match code {
        Code::InvalidArgument => ClientErrorKind::Invalid,
        Code::Unauthenticated => ClientErrorKind::Unauthenticated,
        Code::PermissionDenied => ClientErrorKind::Denied,
        Code::NotFound => ClientErrorKind::NotFound,
        Code::AlreadyExists => ClientErrorKind::Exists,
        Code::Aborted => ClientErrorKind::Conflict,
        Code::FailedPrecondition => ClientErrorKind::State,
        Code::OutOfRange => ClientErrorKind::Expired,
        Code::ResourceExhausted => ClientErrorKind::Exhausted,
        // A cancellation comes from the transport when a connection breaks: nobody here cancels
        // calls.
        Code::Unavailable | Code::Cancelled => ClientErrorKind::Unavailable,
        Code::DeadlineExceeded => ClientErrorKind::TimedOut,
        Code::Unimplemented => ClientErrorKind::Unimplemented,
        Code::Ok | Code::Unknown | Code::Internal | Code::DataLoss => ClientErrorKind::Internal,
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
            (not_connected(), ClientErrorKind::Unavailable),
            (
                Status::unknown("transport error"),
                ClientErrorKind::UnknownOutcome,
            ),
            (
                Status::unavailable("upstream"),
                ClientErrorKind::UnknownOutcome,
            ),
            (
                said(Code::Unavailable, coeval_codes::UNAVAILABLE),
                ClientErrorKind::Unavailable,
            ),
            (
                said(Code::Aborted, coeval_codes::RESOURCE_CONFLICT),
                ClientErrorKind::Conflict,
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
            (
                not_connected(),
                ClientErrorKind::Unavailable,
                RequestReach::Nowhere,
            ),
            (
                broken("transport error"),
                ClientErrorKind::Unavailable,
                RequestReach::Perhaps,
            ),
            (
                Status::internal("Unexpected EOF decoding stream."),
                ClientErrorKind::Unavailable,
                RequestReach::Perhaps,
            ),
            (
                Status::unavailable("upstream"),
                ClientErrorKind::Unavailable,
                RequestReach::Perhaps,
            ),
            (
                Status::out_of_range("too large"),
                ClientErrorKind::Internal,
                RequestReach::Perhaps,
            ),
            (
                said(Code::Unavailable, coeval_codes::UNAVAILABLE),
                ClientErrorKind::Unavailable,
                RequestReach::Refused,
            ),
            (
                said(Code::Unavailable, UNKNOWN_OUTCOME),
                ClientErrorKind::UnknownOutcome,
                RequestReach::Perhaps,
            ),
            (
                said(Code::DeadlineExceeded, DEADLINE_PASSED),
                ClientErrorKind::TimedOut,
                RequestReach::Perhaps,
            ),
            (
                said(Code::ResourceExhausted, REQUESTS_TOO_MANY),
                ClientErrorKind::Exhausted,
                RequestReach::Refused,
            ),
            (
                said(Code::Aborted, RESOURCE_CONFLICT),
                ClientErrorKind::Conflict,
                RequestReach::Refused,
            ),
            (
                said(Code::OutOfRange, COMPACTED),
                ClientErrorKind::Restored,
                RequestReach::Refused,
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
