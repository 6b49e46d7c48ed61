//! What is wrong with a request, or with what it met.

use crate::caller::{CallerError, CallerRefusal};
use crate::negotiation::HeaderError;
use coeval_codes::Coded;
use coeval_core::types::BodyError;
use coeval_core::version::VersionError;
use coeval_engine::EngineError;
use coeval_filter::FilterError;
use coeval_filter::fiql::FiqlError;

/// Every refusal of the standard methods.
#[derive(Clone, Debug, thiserror::Error, Coded)]
pub enum MethodError {
    /// The engine refuses.
    #[error(transparent)]
    #[code(transparent)]
    Engine(#[from] EngineError),
    /// A header or metadata entry can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Header(#[from] HeaderError),
    /// The gate lets nobody in.
    #[error(transparent)]
    #[code(transparent)]
    Caller(#[from] CallerRefusal),
    /// A filter can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Fiql(#[from] FiqlError),
    /// An order can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Filter(#[from] FilterError),
    /// A content can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Body(#[from] BodyError),
    /// A version can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Version(#[from] VersionError),
    /// Something is missing or does not belong.
    #[error("{reason}")]
    #[code(REQUEST_INVALID, advice = "Correct the request and send it again.")]
    Invalid {
        /// What.
        reason: String,
    },
    /// What is to be made is there, and is no resource.
    #[error("{what} exists already")]
    #[code(
        DEFINITION_EXISTS,
        advice = "Change the one that is there, or define another version."
    )]
    Exists {
        /// What.
        what: String,
    },
    /// No type has the kind.
    #[error("there is no kind {kind:?}")]
    #[code(
        KIND_UNKNOWN,
        advice = "Use the nss of a type that you can see, or vendor:nss; register the type if it is to be."
    )]
    KindUnknown {
        /// As it was said.
        kind: String,
    },
    /// Several types have it.
    #[error("{kind} is the kind of several types: {}", types.join(", "))]
    #[code(KIND_AMBIGUOUS, advice = "Say vendor:nss.")]
    KindAmbiguous {
        /// As it was said.
        kind: String,
        /// Which.
        types: Vec<String>,
    },
}

impl MethodError {
    /// Something is missing or does not belong.
    pub fn invalid(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Invalid { reason }
    }
}

impl From<CallerError> for MethodError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::Engine(error) => Self::Engine(error),
            CallerError::Header(error) => Self::Header(error),
            CallerError::Refused(refusal) => Self::Caller(refusal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_access::{AccessLevel, AclError, DenialReason, DeniedAccess};
    use coeval_codes::GrpcCode;
    use coeval_core::{decide, phases};
    use coeval_engine::TypeKey;
    use coeval_storage::StorageError;
    use std::time::Duration;

    fn told(error: impl Into<EngineError>) -> (GrpcCode, u16) {
        let statuses = MethodError::from(error.into()).error_kind().statuses();
        (statuses.grpc, statuses.webapi)
    }

    #[test]
    fn a_release_that_is_too_old_is_not_the_callers_fault() {
        let version = |major| coeval_core::version::Version::new(major, 0, 0);
        let error = MethodError::from(EngineError::ReleaseTooOld {
            of: TypeKey::new("coeval", "user"),
            open: version(2),
            known: version(1),
        });
        let statuses = error.error_kind().statuses();
        assert_eq!(
            (statuses.grpc, statuses.webapi),
            (GrpcCode::Unavailable, 503)
        );
        assert_eq!(error.details().retry_after, Some(Duration::from_secs(1)));
    }

    #[test]
    fn what_a_caller_may_not_see_is_not_found_and_what_it_may_not_do_is_denied() {
        let denied = |hidden| DeniedAccess {
            reason: DenialReason::ProviderOnly,
            hidden,
        };
        assert_eq!(told(denied(true)), (GrpcCode::NotFound, 404));
        assert_eq!(told(denied(false)), (GrpcCode::PermissionDenied, 403));
    }

    #[test]
    fn a_code_that_two_layers_share_is_answered_by_what_it_means_there() {
        let key = coeval_storage::Key::new("a/b").map(|key| StorageError::NotFound { key });
        assert_eq!(key.map(told).ok(), Some((GrpcCode::Internal, 500)));
        let stands = (GrpcCode::FailedPrecondition, 409);
        assert_eq!(told(phases::PhaseRefusal::Missing), stands);
        assert_eq!(told(phases::PhaseRefusal::Exists), stands);
        assert_eq!(told(decide::VersionRefusal::Stale), stands);
        let above = AclError::AboveOwn {
            grant: AccessLevel::FullControl,
            own: AccessLevel::ReadOnly,
        };
        assert_eq!(told(above), (GrpcCode::InvalidArgument, 400));
    }
}
