//! What kind of refusal an error is, in the words that gRPC and HTTP share, and what programs are
//! told beside it.

use crate::error::MethodError;
use coeval_core::decide;
use coeval_core::types::BodyError;
use coeval_engine::entries::EntryError;
use coeval_engine::identity::IdentityError;
use coeval_engine::lifecycle::BehaviorError;
use coeval_engine::migrations::MigrationError;
use coeval_engine::tasks::TaskError;
use coeval_engine::{EngineError, ListError, WatchError};
use coeval_storage::StorageError;
use std::time::Duration;

/// The kinds of refusals; each has one status in gRPC and one in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The request is wrong whatever the state of the server.
    InvalidArgument,
    /// Nobody is known to send it.
    Unauthenticated,
    /// Somebody who may not.
    PermissionDenied,
    /// There is none that the caller may see.
    NotFound,
    /// There is one already.
    AlreadyExists,
    /// Somebody else was faster: read again.
    Aborted,
    /// The state of something forbids it.
    FailedPrecondition,
    /// A point in the history that is not there.
    OutOfRange,
    /// Too much of something.
    ResourceExhausted,
    /// A body or an answer that is too large.
    TooLarge,
    /// Try again later.
    Unavailable,
    /// What is stored can't be read.
    DataLoss,
    /// A fault of the server.
    Internal,
}

impl Class {
    /// The status of HTTP.
    #[must_use]
    pub const fn http(self) -> u16 {
        match self {
            Self::InvalidArgument => 400,
            Self::Unauthenticated => 401,
            Self::PermissionDenied => 403,
            Self::NotFound => 404,
            Self::AlreadyExists | Self::Aborted | Self::FailedPrecondition => 409,
            Self::OutOfRange => 410,
            Self::TooLarge => 413,
            Self::ResourceExhausted => 429,
            Self::DataLoss | Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }

    /// Whether the fault is the server's: then the caller is not told what happened inside.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::DataLoss | Self::Internal)
    }
}

/// What programs are told beside code, message and advice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
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
    /// What kind of refusal it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Engine(error) => of_engine(error),
            Self::Body(BodyError::TooLarge { .. }) => Class::TooLarge,
            Self::CredentialsMissing | Self::Certificate(_) => Class::Unauthenticated,
            Self::TooManyRequests { .. } => Class::ResourceExhausted,
            Self::KindUnknown { .. } => Class::NotFound,
            Self::Exists { .. } => Class::AlreadyExists,
            Self::KindAmbiguous { .. } => Class::FailedPrecondition,
            Self::Header(_)
            | Self::Fiql(_)
            | Self::Filter(_)
            | Self::Body(_)
            | Self::Version(_)
            | Self::Invalid { .. } => Class::InvalidArgument,
        }
    }

    /// What programs are told.
    #[must_use]
    pub fn details(&self) -> Details {
        let mut details = Details::default();
        if let Self::Engine(error) = self
            && let Some(error) = error.content()
        {
            let violations = error.violations().iter();
            details.violations = violations
                .map(|one| (one.pointer.to_string(), one.sentence.to_string()))
                .collect();
        }
        match self {
            Self::TooManyRequests { retry_after } => details.retry_after = Some(*retry_after),
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
            _ if self.class() == Class::Unavailable => {
                details.retry_after = Some(Duration::from_secs(1));
            }
            _ => {}
        }
        details
    }
}

fn of_engine(error: &EngineError) -> Class {
    match error.root() {
        EngineError::Denied(denied) if denied.hidden => Class::NotFound,
        EngineError::Denied(_) | EngineError::Version(decide::Refusal::FullControlNeeded) => {
            Class::PermissionDenied
        }
        EngineError::NotFound { .. }
        | EngineError::TypeUnknown { .. }
        | EngineError::TypeVersionUnknown { .. }
        | EngineError::InterfaceUnknown { .. }
        | EngineError::BehaviorUnknown { .. }
        | EngineError::Entry(EntryError::Unknown { .. })
        | EngineError::Migration(MigrationError::Unknown { .. })
        | EngineError::Task(TaskError::Unknown { .. }) => Class::NotFound,
        EngineError::AlreadyExists { .. }
        | EngineError::TypeExists { .. }
        | EngineError::BehaviorExists { .. }
        | EngineError::Entry(EntryError::Exists { .. }) => Class::AlreadyExists,
        EngineError::Conflict { .. } | EngineError::Contended { .. } => Class::Aborted,
        EngineError::StateForbids { .. }
        | EngineError::NameAmbiguous { .. }
        | EngineError::TypeInUse { .. }
        | EngineError::TypeEditing { .. }
        | EngineError::TypeIsParent { .. }
        | EngineError::TypeRetired { .. }
        | EngineError::Incompatible { .. }
        | EngineError::InterfaceInUse { .. }
        | EngineError::BuiltIn { .. }
        | EngineError::Version(_)
        | EngineError::ViewUnfit { .. }
        | EngineError::Conversion(_)
        | EngineError::Phase(_)
        | EngineError::MirrorUnfit { .. }
        | EngineError::Migration(
            MigrationError::Ended { .. }
            | MigrationError::Undoing { .. }
            | MigrationError::WithoutAccess(_),
        )
        | EngineError::Secret(_)
        | EngineError::Task(TaskError::Ended { .. } | TaskError::MeaningChanged { .. }) => {
            Class::FailedPrecondition
        }
        EngineError::Identity(error) => of_identity(error),
        EngineError::Behavior(
            BehaviorError::NotGranted { .. }
            | BehaviorError::LevelTooLow { .. }
            | BehaviorError::NoLog { .. },
        ) => Class::PermissionDenied,
        EngineError::Behavior(_) => Class::FailedPrecondition,
        EngineError::Entry(
            EntryError::DomainAboveOwn
            | EntryError::ReadOnly
            | EntryError::ReadOnlyInOwnDomain { .. },
        ) => Class::PermissionDenied,
        EngineError::List(ListError::PageTooLarge { .. } | ListError::SortTooLarge { .. }) => {
            Class::ResourceExhausted
        }
        EngineError::Storage(error) => of_storage(error),
        EngineError::Watch(_) => Class::OutOfRange,
        EngineError::Unreadable { .. } => Class::DataLoss,
        _ => Class::InvalidArgument,
    }
}

fn of_identity(error: &IdentityError) -> Class {
    match error {
        IdentityError::LoginFailed | IdentityError::TokenInvalid => Class::Unauthenticated,
        IdentityError::LoginBlocked { .. } | IdentityError::LoginsTooMany => {
            Class::ResourceExhausted
        }
        IdentityError::OrgUnknown { .. }
        | IdentityError::UserUnknown { .. }
        | IdentityError::RoleUnknown { .. }
        | IdentityError::BundleUnknown { .. }
        | IdentityError::SessionUnknown => Class::NotFound,
        IdentityError::OtherDoor { .. }
        | IdentityError::AboveOwn { .. }
        | IdentityError::Context(_) => Class::PermissionDenied,
        IdentityError::OrgInUse { .. }
        | IdentityError::RoleInUse { .. }
        | IdentityError::Predefined { .. }
        | IdentityError::OwnKind { .. }
        | IdentityError::PublishedToAll { .. } => Class::FailedPrecondition,
        _ => Class::InvalidArgument,
    }
}

fn of_storage(error: &StorageError) -> Class {
    match error {
        StorageError::TooLarge { .. } => Class::TooLarge,
        StorageError::Compacted | StorageError::FellBehind { .. } => Class::OutOfRange,
        StorageError::Unavailable { .. }
        | StorageError::UnknownOutcome { .. }
        | StorageError::Full { .. }
        | StorageError::Busy { .. }
        | StorageError::Closed
        | StorageError::Restoring => Class::Unavailable,
        StorageError::Damaged { .. } => Class::DataLoss,
        _ => Class::Internal,
    }
}
