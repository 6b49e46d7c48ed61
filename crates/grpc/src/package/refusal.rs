//! Refusals of typed calls: those of the methods, of messages, and of calls.

use super::error::TypedError;
use crate::error::{CallError, grpc_code};
use crate::status;
use coeval_api::methods::MethodError;
use coeval_codes::Coded;
use coeval_engine::EngineError;
use tonic::Status;

/// Why a typed call is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TypedRefusal {
    /// By the methods or the engine.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The message can't be what it is meant for.
    #[error(transparent)]
    Typed(#[from] TypedError),
    /// The call is not one of this package.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl From<EngineError> for TypedRefusal {
    fn from(error: EngineError) -> Self {
        Self::Method(error.into())
    }
}

impl TypedRefusal {
    /// Something is missing or does not belong.
    pub(crate) fn invalid(reason: &str) -> Self {
        MethodError::invalid(reason).into()
    }

    /// Whether somebody else was faster.
    pub(crate) const fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::Method(MethodError::Engine(EngineError::Conflict { .. }))
        )
    }
}

impl From<TypedRefusal> for Status {
    fn from(refused: TypedRefusal) -> Self {
        match refused {
            TypedRefusal::Method(error) => status::of(error),
            TypedRefusal::Call(error) => status::refused(&error),
            TypedRefusal::Typed(error) => {
                // The caller is told only that it was not the caller's fault; why is for the operator.
                if let TypedError::Package(reason) = &error {
                    tracing::error!(reason, "a package can't be made");
                }
                status::coded(grpc_code(error.error_kind()), &error)
            }
        }
    }
}
