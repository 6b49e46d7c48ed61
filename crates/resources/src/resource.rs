//! A resource as it is answered.

use bytes::Bytes;
use coeval_access::AccessLevel;
use coeval_core::types::Visibility;
use coeval_core::version::{MarkedVersion, Uuid};
use coeval_records::header::Header;
use coeval_records::keys::TypeKey;
use coeval_storage::{Revision, Token, UnixMillis};
use std::sync::Arc;

/// A resource, shown at a version.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its type.
    pub of: TypeKey,
    /// Its id.
    pub id: Uuid,
    /// All that is known of it beside its content; its version is the stored one.
    pub header: Arc<Header>,
    /// The version of the view, with its mark.
    pub version: MarkedVersion,
    /// Of the stored object; the same for all its views.
    pub revision: Revision,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// The content at the view's version, JSON text.
    pub content: Bytes,
    /// Pointers to secure fields, in the view's terms.
    pub secure: Arc<[String]>,
    /// Whether data of a higher version is kept beside it, which this view hides.
    pub hides_kept: bool,
    /// In place of the content something else is shown, and why.
    pub restricted: Option<Arc<str>>,
    /// What the caller may do with it.
    pub level: AccessLevel,
    /// What it was read at.
    pub token: Token,
}

impl Resource {
    /// `urn:vcloud:entity:acme:app:<uuid>`
    #[must_use]
    pub fn urn(&self) -> String {
        urn(&self.of, self.id)
    }

    /// The class of readers that this view is for: all of a class see the same of a revision.
    #[must_use]
    pub const fn class(&self) -> Visibility {
        sees(self.level)
    }
}

/// What a write answers beside the resource.
#[derive(Clone, Debug)]
pub struct Changed {
    /// As the caller sees it now.
    pub resource: Resource,
    /// Pointers to what the write left alone because the body's version can't express it.
    pub kept: Vec<String>,
    /// Pointers to what went with deleted items.
    pub dropped: Vec<String>,
    /// What force overrode.
    pub overrode: Option<coeval_core::decide::VersionRefusal>,
    /// What should be looked at, a sentence each.
    pub warnings: Vec<String>,
    /// Whether it was made by this write.
    pub created: bool,
    /// What tells of it, or goes on with it.
    pub task: Option<crate::tasks::task::Task>,
}

/// The id as text, the same everywhere.
#[must_use]
pub(crate) fn urn(of: &coeval_records::keys::TypeKey, id: Uuid) -> String {
    format!("urn:vcloud:entity:{of}:{id}")
}

/// What a caller of that level sees.
pub const fn sees(level: AccessLevel) -> Visibility {
    match level {
        AccessLevel::FullControl => Visibility::Private,
        AccessLevel::ReadOnly | AccessLevel::ReadWrite => Visibility::Protected,
    }
}
