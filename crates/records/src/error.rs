//! What can go wrong in the engine. Every refusal has a code and says what to do next.

pub mod behaviors;
pub mod entries;
pub mod identity;
pub mod list;
pub mod migrations;
pub mod tasks;
pub mod watch;

use crate::attempts::{MayBeRace, TooManyRaces};
use crate::header::State;
use crate::keys::TypeKey;
use coeval_codes::{Coded, ErrorKind};
use coeval_core::types::{
    ContentError, DefaultsEndless, FieldsTooNew, TypeFileError, TypeVersionId,
};
use coeval_core::version::{Uuid, Version};
use coeval_core::{convert, decide, phases};
use coeval_storage::{Revision, StorageError};
use std::sync::Arc;

/// What can't be done with a type version, because it is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeInUse {
    /// It has resources and can't be changed.
    Change,
    /// It has resources and can't be deleted.
    Delete,
    /// It has resources and can't be retired.
    Retire,
    /// Its major is in migration.
    Migrating,
}

impl std::fmt::Display for TypeInUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change => "has resources and can't be changed",
            Self::Delete => "has resources and can't be deleted",
            Self::Retire => "has resources and can't be retired",
            Self::Migrating => "can't be changed or deleted while its major is in migration",
        })
    }
}

impl TypeInUse {
    fn advice(self, id: &TypeVersionId) -> String {
        let of = format!("{}:{}", id.vendor, id.nss);
        match self {
            Self::Change => "Register a new version with the change.".to_owned(),
            Self::Delete | Self::Retire => format!(
                "Move its resources to another version first: `coeval upgrade {of} --filter version=={} --namespace - --to VERSION`, as the provider, for those of all organizations.",
                id.version
            ),
            Self::Migrating => format!(
                "Wait until the migration has ended: `coeval migrate status {of}` shows it."
            ),
        }
    }
}

/// Every refusal and failure of the engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Coded)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Storage(#[from] StorageError),
    /// The versions don't allow it.
    #[error(transparent)]
    #[code(transparent)]
    Version(#[from] decide::VersionRefusal),
    /// A conversion or a write at another version is not possible.
    #[error(transparent)]
    #[code(transparent)]
    Conversion(#[from] convert::ConversionRefusal),
    /// The content does not fit.
    #[error(transparent)]
    #[code(transparent)]
    Content(#[from] ContentError),
    /// What a version would be shown is nothing that the version allows.
    #[error(
        "the resource is stored at {stored} and does not fit version {at}{}",
        places(error)
    )]
    #[code(
        VIEW_UNFIT,
        advice = "Read it at {stored}, with a client that knows that version. The author of the type can let readers of {at} see it: `map` with `otherwise` in the conversion, a `restrictedView`, or `x-extensible-enum` in {at}."
    )]
    ViewUnfit {
        /// Where it is stored.
        stored: Version,
        /// The version of the view.
        at: Version,
        /// What does not fit, as far as the caller may know.
        error: Arc<ContentError>,
    },
    /// A body above the stored version can't be put onto it.
    #[error("{refusal}")]
    #[code(
        from = refusal,
        advice = format!("`coeval upgrade {of} {name} --to {to}` stores it at {}, which needs full control; then save again. Or write at the stored version.", to.short())
    )]
    UpgradeFirst {
        /// Why.
        refusal: Box<EngineError>,
        /// Of this type.
        of: TypeKey,
        /// Its name, or its id.
        name: String,
        /// The body's version.
        to: Version,
    },
    /// The body has fields that are in no schema, and the caller wants none of them stored.
    #[error("no version of {of} declares {}", fields.join(", "))]
    #[code(
        FIELD_UNDECLARED,
        advice = "Correct the names (`coeval explain {of}` shows them), or write without `strict`: they are stored then, with a warning."
    )]
    FieldsUndeclared {
        /// The type.
        of: TypeKey,
        /// Pointers to some of them.
        fields: Vec<String>,
    },
    /// The body sets fields of later versions.
    #[error(transparent)]
    #[code(transparent)]
    TooNew(#[from] FieldsTooNew),
    /// Defaults without an end.
    #[error(transparent)]
    #[code(transparent)]
    Defaults(#[from] DefaultsEndless),
    /// A newer release stores this kind in a way that this one can't read.
    #[error("{of} may be stored at {open}, and this server knows it up to {known}")]
    #[code(
        LEVEL_UNKNOWN,
        advice = "Use the release that the other servers have, or a newer one."
    )]
    ReleaseTooOld {
        /// The kind.
        of: TypeKey,
        /// What is stored by now.
        open: Version,
        /// What this server knows.
        known: Version,
    },
    /// A phase forbids it.
    #[error(transparent)]
    #[code(transparent)]
    Phase(#[from] phases::PhaseRefusal),
    /// It would have no counterpart at the other major, and the way back would be lost.
    #[error("the content can't be converted to the other major of the migration: {reason}")]
    #[code(MIRROR_UNFIT, advice = phases::PhaseRefusal::Unfit.advice())]
    MirrorUnfit {
        /// Why not.
        reason: String,
    },
    /// The caller may not.
    #[error("{}", .0.reason)]
    #[code(from = _0.reason, kind = denied_kind(_0))]
    Denied(coeval_access::DeniedAccess),
    /// An ACL can't be changed so.
    #[error(transparent)]
    #[code(transparent)]
    Acl(#[from] coeval_access::AclError),
    /// There is no version to inherit an ACL from.
    #[error(transparent)]
    #[code(transparent)]
    Inherit(#[from] coeval_access::inheritance::NothingToInheritFrom),
    /// A behavior can't be invoked, or failed.
    #[error(transparent)]
    #[code(transparent)]
    Behavior(#[from] crate::error::behaviors::BehaviorError),
    /// A type file can't be read.
    #[error(transparent)]
    #[code(transparent)]
    TypeFile(Box<TypeFileError>),
    /// Secrets can't be stored or read.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] crate::seal::secret_error::SecretError),
    /// There is no such resource, or the caller may not know that there is.
    #[error("there is no {what}")]
    #[code(
        RESOURCE_NOT_FOUND,
        advice = "Check the name or id and the organization; ask for access if it should be there."
    )]
    NotFound {
        /// What was asked for.
        what: String,
    },
    /// The name or id is taken.
    #[error("{what} exists already")]
    #[code(RESOURCE_EXISTS, advice = "Update it, or choose another name.")]
    AlreadyExists {
        /// What.
        what: String,
        /// The one that has it.
        id: Uuid,
    },
    /// Several resources have the name.
    #[error("{name} is the name of {} resources: {}", ids.len(), ids.join(", "))]
    #[code(NAME_AMBIGUOUS, advice = "Use one of the ids.")]
    NameAmbiguous {
        /// The name.
        name: String,
        /// The ids of some of them.
        ids: Vec<String>,
    },
    /// Somebody else was faster.
    #[error("the resource has another revision by now: {current}{}", differ(paths))]
    #[code(
        RESOURCE_CONFLICT,
        advice = "Read it again, apply your change to that, and write."
    )]
    Conflict {
        /// The one that it has.
        current: Revision,
        /// Where it differs from what was sent, in the caller's version.
        paths: Vec<String>,
    },
    /// It changed again and again while the write was tried.
    #[error("the write met other writers {attempts} times and was given up; nothing has changed")]
    #[code(CONTENDED, advice = "Try again in a moment.")]
    Contended {
        /// So often.
        attempts: usize,
    },
    /// The resource's state forbids it.
    #[error("a resource in state {state} can't be {action}")]
    #[code(
        STATE_FORBIDS,
        advice = "Bring it into another state first; see the states page."
    )]
    StateForbids {
        /// The state.
        state: State,
        /// What was to be done with it.
        action: &'static str,
    },
    /// Name, labels or the like can't be kept.
    #[error("the metadata is not valid: {what}")]
    #[code(METADATA_INVALID, advice = "Correct it and send it again.")]
    MetadataInvalid {
        /// What is wrong.
        what: String,
    },
    /// What a file declares can't be kept.
    #[error("what is declared is not valid: {what}")]
    #[code(
        APPLIED_INVALID,
        advice = "Declare fewer or shorter paths: one to an object or list stands for all of it."
    )]
    AppliedInvalid {
        /// What is wrong.
        what: String,
    },
    /// A stored resource can't be read.
    #[error("the resource {id} can't be read: {reason}")]
    #[code(
        RESOURCE_UNREADABLE,
        advice = "Look at it with `coeval store quarantine`; other resources are not concerned."
    )]
    Unreadable {
        /// Which.
        id: Uuid,
        /// Why.
        reason: String,
    },
    /// Something that was to be stored can't be; nothing was written.
    #[error(transparent)]
    #[code(transparent)]
    Encode(#[from] crate::encode::EncodeError),
    /// An update said nothing of the revision.
    #[error("an update needs the revision that was read")]
    #[code(
        REVISION_NEEDED,
        advice = "Read it first and send its revision, or use upsert or a field mask."
    )]
    RevisionNeeded,
    /// A field mask names nothing.
    #[error("the field mask is not valid: {what}")]
    #[code(MASK_INVALID, advice = "Name fields that the body's version has.")]
    MaskInvalid {
        /// What is wrong.
        what: String,
    },
    /// There is no such type.
    #[error("there is no type {of}")]
    #[code(TYPE_UNKNOWN, advice = "Register the type, or check its name.")]
    TypeUnknown {
        /// Which.
        of: TypeKey,
    },
    /// There is no such version of a type.
    #[error("the type {of} has no version {version}")]
    #[code(
        TYPE_VERSION_UNKNOWN,
        advice = "Register the version, or use one that exists."
    )]
    TypeVersionUnknown {
        /// The type.
        of: TypeKey,
        /// Which.
        version: Version,
    },
    /// The version is registered.
    #[error("the type version {id} exists already")]
    #[code(TYPE_EXISTS, advice = "Register another version.")]
    TypeExists {
        /// Which.
        id: TypeVersionId,
    },
    /// A version with resources never changes.
    #[error("the type version {id} {action}")]
    #[code(TYPE_IN_USE, advice = action.advice(id))]
    TypeInUse {
        /// Which.
        id: TypeVersionId,
        /// What was to be done, and what is in the way.
        action: TypeInUse,
    },
    /// Somebody edits the version at this moment.
    #[error("the type version {id} is being edited")]
    #[code(TYPE_EDITING, advice = "Try again in a moment.")]
    TypeEditing {
        /// Which.
        id: TypeVersionId,
    },
    /// Shipped with Coeval.
    #[error("{what} is built in")]
    #[code(BUILT_IN, advice = "Define one of your own.")]
    BuiltIn {
        /// What.
        what: String,
    },
    /// Other versions are converted through it, and a live server knows no retired versions.
    #[error(
        "other versions are converted through {id}, and the server {server} does not know retired versions"
    )]
    #[code(
        TYPE_IS_PARENT,
        advice = "Upgrade that server or stop it, and try again; or delete the versions that are converted from it first."
    )]
    TypeIsParent {
        /// Which.
        id: TypeVersionId,
        /// The server that is behind, and its release.
        server: String,
    },
    /// Other versions are converted through it, so it comes back only as it was.
    #[error("the type version {id} is retired, and this is not its definition")]
    #[code(
        TYPE_RETIRED,
        advice = "Register it exactly as it was: other versions are converted through it. Or register your definition as another version."
    )]
    TypeRetired {
        /// Which.
        id: TypeVersionId,
    },
    /// A deprecation or columns that can't be shown.
    #[error("the type version {id} can't be annotated: {what}")]
    #[code(
        ANNOTATION_INVALID,
        advice = "Correct it: days are written 2026-11-18, and a column's path is a JSON pointer to a field of the schema."
    )]
    AnnotationInvalid {
        /// Which.
        id: TypeVersionId,
        /// What is wrong.
        what: String,
    },
    /// The definition can't be used.
    #[error("the type version can't be registered: {what}")]
    #[code(TYPE_REFUSED, advice = "Correct the definition.")]
    TypeRefused {
        /// Why.
        what: String,
    },
    /// The bump is too small or a law does not hold: the report says which.
    #[error("the type version {id} is refused: {summary}")]
    #[code(
        TYPE_INCOMPATIBLE,
        advice = "Use the version that the findings ask for, or change the schema or the conversion."
    )]
    Incompatible {
        /// Which.
        id: TypeVersionId,
        /// In one sentence.
        summary: String,
        /// All findings.
        findings: Vec<crate::finding::Finding>,
    },
    /// There is no such interface.
    #[error("there is no interface {what}")]
    #[code(INTERFACE_UNKNOWN, advice = "Define the interface first.")]
    InterfaceUnknown {
        /// Which.
        what: String,
    },
    /// The interface is used.
    #[error("the interface {what} is used by {by}")]
    #[code(INTERFACE_IN_USE, advice = "Define a new version of the interface.")]
    InterfaceInUse {
        /// Which.
        what: String,
        /// By whom.
        by: String,
    },
    /// The interface has a behavior of that name.
    #[error("the behavior {what} exists already")]
    #[code(BEHAVIOR_EXISTS, advice = "Change that one, or choose another name.")]
    BehaviorExists {
        /// Its id.
        what: String,
    },
    /// There is no such behavior where it was looked for.
    #[error("{of} has no behavior {what}")]
    #[code(
        BEHAVIOR_UNKNOWN,
        advice = "Use an id of the list of behaviors; a type has those of its interfaces."
    )]
    BehaviorUnknown {
        /// The interface or the type version.
        of: String,
        /// Which, by id or name.
        what: String,
    },
    /// It can't be a behavior.
    #[error("the behavior is not valid: {what}")]
    #[code(BEHAVIOR_INVALID, advice = "Correct it and send it again.")]
    BehaviorInvalid {
        /// What is wrong.
        what: String,
    },
    /// Something about organizations, users, roles, bundles or sessions.
    #[error(transparent)]
    #[code(transparent)]
    Identity(#[from] crate::error::identity::IdentityError),
    /// A task, or the job behind it, can't be.
    #[error(transparent)]
    #[code(transparent)]
    Task(#[from] crate::error::tasks::TaskError),
    /// Something about a migration.
    #[error(transparent)]
    #[code(transparent)]
    Migration(#[from] crate::error::migrations::MigrationError),
    /// Something about metadata entries.
    #[error(transparent)]
    #[code(transparent)]
    Entry(#[from] crate::error::entries::EntryError),
    /// A listing is refused.
    #[error(transparent)]
    #[code(transparent)]
    List(#[from] crate::error::list::ListError),
    /// A watch can't begin there, or can't go on.
    #[error(transparent)]
    #[code(transparent)]
    Watch(#[from] crate::error::watch::WatchError),
}

impl From<TooManyRaces> for EngineError {
    fn from(TooManyRaces { attempts }: TooManyRaces) -> Self {
        Self::Contended { attempts }
    }
}

impl MayBeRace for EngineError {
    fn storage_error(&self) -> Option<&StorageError> {
        match self {
            // Only the store tells of a lost race; what was refused would be refused again.
            Self::Storage(error) => Some(error),
            _ => None,
        }
    }
}

impl From<coeval_access::DeniedAccess> for EngineError {
    fn from(denied: coeval_access::DeniedAccess) -> Self {
        Self::Denied(denied)
    }
}

/// Callers who may not see it are told the same as if it did not exist.
fn denied_kind(denied: &coeval_access::DeniedAccess) -> ErrorKind {
    if denied.hidden {
        ErrorKind::NotFound
    } else {
        denied.reason.error_kind()
    }
}

fn differ(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        paths => format!("; it differs at {}", paths.join(", ")),
    }
}

impl EngineError {
    /// The resource itself, named for a quarantine or an error.
    pub fn no_resource(what: impl std::fmt::Display) -> Self {
        Self::NotFound {
            what: format!("resource {what}"),
        }
    }
}

/// What does not fit, after a colon.
fn places(error: &ContentError) -> String {
    let all: Vec<String> = error.violations().iter().map(ToString::to_string).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(": {}", all.join("; "))
    }
}

impl EngineError {
    /// Where a content does not fit, if that is what is wrong.
    #[must_use]
    pub fn content(&self) -> Option<&ContentError> {
        match self.root() {
            Self::Content(error) => Some(error),
            Self::ViewUnfit { error, .. } => Some(error),
            _ => None,
        }
    }

    /// What is behind it, without how to go on.
    #[must_use]
    pub fn root(&self) -> &Self {
        match self {
            // This one only adds how to go on; programs ask what was refused.
            Self::UpgradeFirst { refusal, .. } => refusal.root(),
            other => other,
        }
    }
}
