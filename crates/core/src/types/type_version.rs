//! A type version: what one version of a type is.

use super::annotations::{ListColumn, VersionDeprecation};
use super::pointer::PathPattern;
use super::schema::Schema;
use super::since::{FieldsSince, FieldsTooNew};
use super::view::RestrictedView;
use crate::version::Version;
use semver::VersionReq;
use serde_json::Value;
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            /// Who defines it.
            pub vendor: String,
            /// What it is.
            pub nss: String,
            /// Which version of it.
            pub version: Version,
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}:{}:{}", self.vendor, self.nss, self.version)
            }
        }
    };
}

id!(
    /// `acme:app:1.1.0`, a version of a type.
    TypeVersionId
);
id!(
    /// `acme:deployable:1.0.0`, a version of an interface.
    InterfaceId
);

/// What happens to what an older version can't express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkewPolicy {
    /// A body at an older version changes what that version expresses, the rest stays.
    #[default]
    Merge,
    /// It is refused.
    Strict,
}

/// As in a file.
impl fmt::Display for SkewPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Merge => "merge",
            Self::Strict => "strict",
        })
    }
}

/// How content comes from the parent version.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredConversion {
    /// The parent.
    pub from: Version,
    /// The steps as they are written.
    pub steps: Vec<Value>,
}

/// A moment in the life of a resource at which a behavior runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookPoint {
    /// Before it is created.
    PreCreate,
    /// After it was created.
    PostCreate,
    /// After it was changed.
    PostUpdate,
    /// Before it is deleted.
    PreDelete,
    /// After it was deleted.
    PostDelete,
}

impl HookPoint {
    /// By its name in a file.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "PreCreate" => Some(Self::PreCreate),
            "PostCreate" => Some(Self::PostCreate),
            "PostUpdate" => Some(Self::PostUpdate),
            "PreDelete" => Some(Self::PreDelete),
            "PostDelete" => Some(Self::PostDelete),
            _ => None,
        }
    }
}

/// As in a file.
impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PreCreate => "PreCreate",
            Self::PostCreate => "PostCreate",
            Self::PostUpdate => "PostUpdate",
            Self::PreDelete => "PreDelete",
            Self::PostDelete => "PostDelete",
        })
    }
}

/// One version of a type. It is made by reading a file, so it is always complete and checked.
#[derive(Debug)]
#[non_exhaustive]
pub struct TypeVersion {
    /// Its name.
    pub id: TypeVersionId,
    /// For people.
    pub title: Option<String>,
    /// For people, longer.
    pub description: Option<String>,
    /// The interfaces that it implements.
    pub interfaces: Vec<InterfaceId>,
    /// Of the content.
    pub schema: Schema,
    /// From its parent version.
    pub conversion: Option<DeclaredConversion>,
    /// Fields and the versions that they came with.
    pub since: FieldsSince,
    /// Fields whose meaning is another than in the parent version; nothing automatic ever moves a
    /// resource to this version then.
    pub meaning_changed: Vec<PathPattern>,
    /// For clients that can't know what this version means.
    pub restricted_view: Option<RestrictedView>,
    /// The releases of clients that understand this version.
    pub clients: Option<VersionReq>,
    /// Names of indexes and the fields that they find resources by.
    pub indexes: Vec<(String, PathPattern)>,
    /// Whether bodies at older versions are merged.
    pub skew: SkewPolicy,
    /// Whether no two resources of one organization have the same name.
    pub unique_names: bool,
    /// Behaviors by moment.
    pub hooks: Vec<(HookPoint, String)>,
    /// That it should no longer be used; nothing: the file does not say.
    pub deprecated: Option<VersionDeprecation>,
    /// What lists show; nothing: the file does not say.
    pub columns: Option<Vec<ListColumn>>,
}

impl TypeVersion {
    /// Whether a body at an older version sets fields that came later. Nulls that count as absent
    /// set nothing, and what equals the stored value is unchanged.
    ///
    /// # Errors
    ///
    /// All such fields.
    pub fn check_since(
        &self,
        written_at: Version,
        body: &Value,
        stored: Option<&Value>,
    ) -> Result<(), FieldsTooNew> {
        let body = self.schema.without_absent(body);
        self.since.check(written_at, &body, stored)
    }
}
