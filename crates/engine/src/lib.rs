//! What a read or a write at some version means for what is stored.
//!
//! [`Engine`] is what every API calls: it knows the store and the types that are loaded from it,
//! and puts the rules of `coeval-core`, `coeval-access` and `coeval-filter` to work. The APIs add
//! none of their own.
//!
//! It is the front of four layers, each a crate of its own that knows only those before it: **records**
//! (what is stored, record by record) ← **catalog** (types, and who may do what) ← **resources** (reading,
//! listing, watching, writing) ← **background** (jobs and migrations). What a layer offers can be called on
//! the engine. Here is only what needs all of them: where a resource is a declaration, as those of the kind
//! `migration` are, a write to it goes to the background, and any other to the resources.

mod engine;
mod write_path;

pub use coeval_background::settings::Settings;
pub use coeval_catalog::allow::SYSTEM_ORG;
pub use coeval_catalog::audit_log::AuditQuery;
pub use coeval_catalog::caller::{AcceptedType, Caller, WantedVersions};
pub use coeval_catalog::kinds::{OwnKinds, VENDOR};
pub use coeval_catalog::visible_versions::VisibleVersions;
pub use coeval_records::applied::{
    Applied, MOST_BYTES as MOST_APPLIED_BYTES, MOST_PATHS as MOST_APPLIED_PATHS,
};
pub use coeval_records::attempts::{Attempts, TooManyRaces};
pub use coeval_records::audit::{AuditRecord, Deed, What};
pub use coeval_records::encode::EncodeError;
pub use coeval_records::error::EngineError;
pub use coeval_records::error::list::ListError;
pub use coeval_records::error::watch::WatchError;
pub use coeval_records::header::{Header, State, Time};
pub use coeval_records::keys::TypeKey;
pub use coeval_records::seal::secret_error::SecretError;
pub use coeval_resources::expiry::ResourceBelongings;
pub use coeval_resources::history::History;
pub use coeval_resources::list::query::{
    DEFAULT_PAGE, InOrg, LARGEST_PAGE, ListOf, ListQuery, Page, PageAt,
};
pub use coeval_resources::quarantined::Quarantined;
pub use coeval_resources::read::Target;
pub use coeval_resources::resource::{Changed, Resource};
pub use coeval_resources::secure::Rotated;
pub use coeval_resources::watch::query::{WatchQuery, WatchStream, Watched, WatchedChange};
pub use engine::Engine;

/// What types do: the behaviors of interfaces and types.
pub mod behaviors {
    pub use coeval_catalog::behaviors::execution::{keeping_hidden, shown};
    pub use coeval_catalog::behaviors::{
        Behavior, BehaviorAccess, BehaviorOverride, TypeBehavior, interface_behavior_id,
        type_behavior_id,
    };
}

/// Metadata entries beside the content of a resource.
pub mod entries {
    pub use coeval_records::entry_domain::{Domain, MOST_ENTRIES};
    pub use coeval_records::error::entries::EntryError;
    pub use coeval_resources::entries::{EntryKey, EntryValue, MetadataEntry, NewEntry};
}

/// Organizations, users, roles, rights bundles, sessions and API tokens.
pub mod identity {
    pub use coeval_catalog::identity::password::{
        Password, PasswordCost, PasswordGiven, PasswordPhc,
    };
    pub use coeval_catalog::identity::session_kind::SessionKind;
    pub use coeval_catalog::identity::token::TokenSecret;
    pub use coeval_records::error::identity::IdentityError;
    pub use coeval_resources::caches::identity::IdentitySettings;
    pub use coeval_resources::identity::bootstrap::{
        Bootstrap, BootstrapOrg, BootstrapRole, BootstrapUser, Did, Publication,
    };
    pub use coeval_resources::identity::bundles::{BundleEdit, NewBundle, PublishTo, RightsBundle};
    pub use coeval_resources::identity::login::{LoggedIn, Login};
    pub use coeval_resources::identity::open::{DEFAULT_BUNDLE, SYSTEM_USER};
    pub use coeval_resources::identity::orgs::{NewOrg, OrgEdit, Organization};
    pub use coeval_resources::identity::programs::TokenShown;
    pub use coeval_resources::identity::roles::{NewRole, Role, RoleEdit};
    pub use coeval_resources::identity::sessions::{NewToken, Session};
    pub use coeval_resources::identity::users::{NewUser, User, UserEdit};
}

/// Checking what is stored, and repairing it.
pub mod inspect {
    pub use coeval_resources::inspect::{Inspected, Problem, ProblemKind, Repair};
}

/// Jobs that go on without a caller that waits.
pub mod jobs {
    pub use coeval_background::jobs::job::{Pace, Pacing};
    pub use coeval_background::jobs::migrate::matching::UpgradeMatching;
    pub use coeval_background::jobs::migrate::{MIGRATE, MigrateOptions, UPGRADE};
    pub use coeval_background::jobs::runner::{JobRunner, RunnerSettings};
}

/// Behaviors as they are run, as hooks or by callers.
pub mod lifecycle {
    pub use coeval_records::error::behaviors::{BehaviorError, ExecutionError};
    pub use coeval_resources::executor::{Executor, Invocation, LONGEST_ANSWER, read_answer};
    pub use coeval_resources::lifecycle::hooks::Hooks;
    pub use coeval_resources::lifecycle::invoke::EXECUTE;
}

/// Moving a type from one major to the next.
pub mod migrations {
    pub use coeval_background::migrations::access::LosingMember;
    pub use coeval_background::migrations::driver::{MigrationDriver, MigrationSettings};
    pub use coeval_background::migrations::loss::LossReport;
    pub use coeval_background::migrations::moves::Advance;
    pub use coeval_background::migrations::on_start::Moved;
    pub use coeval_background::migrations::plan::{Counted, MigrationPlan, Refused};
    pub use coeval_background::migrations::start::{Change, Declared};
    pub use coeval_background::migrations::status::{
        FailedResource, MigrationStatus, Progress, State, Working,
    };
    pub use coeval_background::migrations::verify::{Differing, Verified};
    pub use coeval_records::error::migrations::{MigrationError, WithoutAccess};
    pub use coeval_records::servers::ServerSeen;
}

/// Keys for secure fields.
pub mod seal {
    pub use coeval_records::seal::context::{Context, Purpose};
    pub use coeval_records::seal::error::{KeyringError, SealError};
    pub use coeval_records::seal::keyring::{KeyId, Keyring};
}

/// Tasks, which callers look at, wait for and cancel.
pub mod tasks {
    pub use coeval_records::error::tasks::{TargetFlaw, TaskError};
    pub use coeval_records::task_status::Status;
    pub use coeval_resources::task_calls::{TaskPage, TaskQuery};
    pub use coeval_resources::task_creation::CREATE;
    pub use coeval_resources::tasks::task::{About, Claim, Progress, Task, TaskFailure};
}

/// None
pub mod token {
    pub use coeval_records::token::{LONGEST, Listing, TokenError, accept, give};
}

/// Types, their versions and interfaces.
pub mod types {
    pub use coeval_catalog::registration::edit::TypeEdit;
    pub use coeval_catalog::registration::listing::CatalogEntry;
    pub use coeval_catalog::registration::register::{Policy, Registered, Registration};
    pub use coeval_catalog::types::annotations::AnnotationChange;
    pub use coeval_catalog::types::interface::Interface;
    pub use coeval_catalog::types::state::TypeState;
    pub use coeval_records::finding::Finding;
}

/// Writes, and what they are made of.
pub mod write {
    pub use coeval_resources::write::delete::{Delete, Deleted};
    pub use coeval_resources::write::mask::FieldMask;
    pub use coeval_resources::write::request::{Checking, Create, MetaEdit, Update, Updated};
    pub use coeval_resources::write::undeclared::Undeclared;
    pub use coeval_resources::write::upgrade::Upgrade;
}
