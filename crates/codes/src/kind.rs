//! The one classification of errors: what kind an error is, and how each API answers the kind.
//!
//! Every line of the table of codes names a kind, and [`ErrorKind::statuses`] names every kind: the
//! compiler lets neither be forgotten. `tests/golden/statuses.txt` has the outcome for every code.
//! Why it is here and not in the APIs: `docs/decisions/0011-one-classification-of-errors.md`.

use std::time::Duration;

/// The kinds of errors; two are different kinds if some API answers them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The request is wrong whatever the state of the server.
    InvalidArgument,
    /// Nobody is known to send it.
    Unauthenticated,
    /// Somebody who may not.
    PermissionDenied,
    /// Somebody who may, but not with this option; to RDE clients the request is wrong then.
    OptionDenied,
    /// There is none that the caller may see; RDE clients are told that they may not.
    NotFound,
    /// A part that something does not have; to RDE clients the request is wrong then.
    PartNotFound,
    /// There is one already.
    AlreadyExists,
    /// A concurrent change: read again. RDE clients retry on exactly 412.
    Aborted,
    /// The state of something forbids it.
    FailedPrecondition,
    /// The write must name the revision that it changes.
    PreconditionMissing,
    /// A point in the history that is not there.
    OutOfRange,
    /// Too often.
    ResourceExhausted,
    /// Too much for one listing; to RDE clients the request is wrong then.
    ListingTooLarge,
    /// A body or an answer that is too large.
    TooLarge,
    /// Headers that are too large.
    HeadersTooLarge,
    /// Not here and now: another server, or this one later, may well answer.
    Unavailable,
    /// Something did not arrive or end in time.
    TimedOut,
    /// What is stored can't be read.
    DataLoss,
    /// A fault of the server.
    Internal,
    /// There is nothing at the path.
    RouteUnknown,
    /// There is something, which does not answer the method.
    MethodUnknown,
    /// The API version is not served.
    NotAcceptable,
    /// An encoding that the server does not read.
    Unsupported,
    /// No API answers with it: a finding of a check, or an error of a command or of a server's
    /// start. One that gets out all the same is a fault of the server.
    NotServed,
}

/// The codes of gRPC that are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum GrpcCode {
    /// `INVALID_ARGUMENT`
    InvalidArgument = 3,
    /// `DEADLINE_EXCEEDED`
    DeadlineExceeded = 4,
    /// `NOT_FOUND`
    NotFound = 5,
    /// `ALREADY_EXISTS`
    AlreadyExists = 6,
    /// `PERMISSION_DENIED`
    PermissionDenied = 7,
    /// `RESOURCE_EXHAUSTED`
    ResourceExhausted = 8,
    /// `FAILED_PRECONDITION`
    FailedPrecondition = 9,
    /// `ABORTED`
    Aborted = 10,
    /// `OUT_OF_RANGE`
    OutOfRange = 11,
    /// `UNIMPLEMENTED`
    Unimplemented = 12,
    /// `INTERNAL`
    Internal = 13,
    /// `UNAVAILABLE`
    Unavailable = 14,
    /// `DATA_LOSS`
    DataLoss = 15,
    /// `UNAUTHENTICATED`
    Unauthenticated = 16,
}

impl GrpcCode {
    /// As it is on the wire.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }
}

/// How the three APIs answer a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiStatuses {
    /// gRPC's code.
    pub grpc: GrpcCode,
    /// The HTTP status of the console's API.
    pub webapi: u16,
    /// The HTTP status of the RDE API.
    pub cloudapi: u16,
}

const fn statuses(grpc: GrpcCode, webapi: u16, cloudapi: u16) -> ApiStatuses {
    ApiStatuses {
        grpc,
        webapi,
        cloudapi,
    }
}

impl ErrorKind {
    /// How each API answers it.
    ///
    /// ```
    /// use coeval_codes::{GrpcCode, RESTORING};
    ///
    /// let statuses = RESTORING.kind().statuses();
    /// assert_eq!(statuses.grpc, GrpcCode::Unavailable);
    /// assert_eq!((statuses.webapi, statuses.cloudapi), (503, 503));
    /// ```
    #[must_use]
    pub const fn statuses(self) -> ApiStatuses {
        match self {
            Self::InvalidArgument => statuses(GrpcCode::InvalidArgument, 400, 400),
            Self::Unauthenticated => statuses(GrpcCode::Unauthenticated, 401, 401),
            Self::PermissionDenied => statuses(GrpcCode::PermissionDenied, 403, 403),
            Self::OptionDenied => statuses(GrpcCode::PermissionDenied, 403, 400),
            Self::NotFound => statuses(GrpcCode::NotFound, 404, 403),
            Self::PartNotFound => statuses(GrpcCode::NotFound, 404, 400),
            Self::AlreadyExists => statuses(GrpcCode::AlreadyExists, 409, 400),
            Self::Aborted => statuses(GrpcCode::Aborted, 409, 412),
            Self::FailedPrecondition => statuses(GrpcCode::FailedPrecondition, 409, 400),
            Self::PreconditionMissing => statuses(GrpcCode::FailedPrecondition, 428, 428),
            Self::OutOfRange => statuses(GrpcCode::OutOfRange, 410, 400),
            Self::ResourceExhausted => statuses(GrpcCode::ResourceExhausted, 429, 429),
            Self::ListingTooLarge => statuses(GrpcCode::ResourceExhausted, 429, 400),
            Self::TooLarge => statuses(GrpcCode::ResourceExhausted, 413, 413),
            Self::HeadersTooLarge => statuses(GrpcCode::ResourceExhausted, 431, 431),
            Self::Unavailable => statuses(GrpcCode::Unavailable, 503, 503),
            Self::TimedOut => statuses(GrpcCode::DeadlineExceeded, 408, 408),
            Self::DataLoss => statuses(GrpcCode::DataLoss, 500, 500),
            Self::Internal | Self::NotServed => statuses(GrpcCode::Internal, 500, 500),
            Self::RouteUnknown => statuses(GrpcCode::Unimplemented, 404, 404),
            Self::MethodUnknown => statuses(GrpcCode::Unimplemented, 405, 405),
            Self::NotAcceptable => statuses(GrpcCode::Unimplemented, 406, 406),
            Self::Unsupported => statuses(GrpcCode::Unimplemented, 415, 415),
        }
    }

    /// Whether the fault is the server's: then the caller is not told what happened inside.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::DataLoss | Self::Internal | Self::NotServed)
    }

    /// When to come again, unless the error knows better.
    #[must_use]
    pub const fn retry_after(self) -> Option<Duration> {
        // Waiting does not mend the other kinds, or their errors know for how long.
        if matches!(self, Self::Unavailable) {
            return Some(Duration::from_secs(1));
        }
        None
    }
}
