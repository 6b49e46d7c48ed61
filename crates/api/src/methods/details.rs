//! What programs are told of an error beside its status, code, message and advice.

use crate::caller::CallerRefusal;
use crate::methods::error::MethodError;
use coeval_codes::Coded;
use coeval_engine::identity::IdentityError;
use coeval_engine::{EngineError, WatchError};
use coeval_storage::StorageError;
use std::time::Duration;

/// What programs are told beside code, message and advice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The revision that the resource has by now.
    pub current_revision: Option<String>,
    /// Where it differs, as JSON pointers.
    pub differing_paths: Vec<String>,
    /// Where a content does not fit: pointer and reason.
    pub violations: Vec<(String, String)>,
    /// The ids that a name fits.
    pub ids: Vec<String>,
    /// What was found about a type version, each as JSON.
    pub findings: Vec<serde_json::Value>,
    /// From where a watch goes on.
    pub sequence: Option<String>,
    /// When to come again.
    pub retry_after: Option<Duration>,
}

impl MethodError {
    /// What programs are told.
    #[must_use]
    pub fn details(&self) -> ErrorDetails {
        let mut details = ErrorDetails::default();
        if let Self::Engine(error) = self
            && let Some(error) = error.content()
        {
            let violations = error.violations().iter();
            details.violations = violations
                .map(|one| (one.pointer.to_string(), one.sentence.to_string()))
                .collect();
        }
        match self {
            Self::Caller(CallerRefusal::TooManyRequests { retry_after }) => {
                details.retry_after = Some(*retry_after);
            }
            Self::Engine(EngineError::Conflict { current, paths }) => {
                details.current_revision = Some(current.to_string());
                details.differing_paths.clone_from(paths);
            }
            Self::Engine(EngineError::Incompatible { findings, .. }) => {
                let findings = findings
                    .iter()
                    .filter_map(|one| serde_json::to_value(one).ok());
                details.findings = findings.collect();
            }
            Self::Engine(EngineError::NameAmbiguous { ids, .. }) => {
                details.ids.clone_from(ids);
            }
            Self::Engine(EngineError::Storage(StorageError::FellBehind { resume })) => {
                details.sequence = Some(resume.to_string());
            }
            Self::Engine(EngineError::Watch(WatchError::FellBehind { delivered })) => {
                details.sequence = Some(delivered.to_string());
            }
            Self::Engine(EngineError::Identity(IdentityError::LoginBlocked { retry_after_ms })) => {
                details.retry_after = Some(Duration::from_millis(*retry_after_ms));
            }
            // Without a time of its own it has that of its kind, if any.
            _ => details.retry_after = self.error_kind().retry_after(),
        }
        details
    }
}
