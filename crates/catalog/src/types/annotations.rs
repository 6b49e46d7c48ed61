//! What is annotated on a type version: whether it is deprecated, and which columns lists show.
//!
//! It is stored in a record of its own, which says which registration it is about; one that a deleted
//! version left behind is about nothing.

use crate::types::definition::Meta;
use coeval_core::types::{ListColumn, TypeVersion, VersionDeprecation};
use coeval_records::header::Time;
use coeval_storage::{Revision, StoredEntry};
use serde::{Deserialize, Serialize};

/// What is annotated on a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Of its record, also if that is about an earlier registration.
    pub revision: Option<Revision>,
    pub deprecated: Option<VersionDeprecation>,
    pub columns: Vec<ListColumn>,
}

impl Annotations {
    pub(crate) fn changed(&self, change: &AnnotationChange) -> Self {
        let deprecated = change.deprecated.clone();
        let columns = change.columns.clone();
        Self {
            revision: self.revision,
            deprecated: deprecated.unwrap_or_else(|| self.deprecated.clone()),
            columns: columns.unwrap_or_else(|| self.columns.clone()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.deprecated.is_none() && self.columns.is_empty()
    }

    /// For the audit.
    pub(crate) fn told(&self) -> String {
        let deprecated = self.deprecated.as_ref();
        let deprecated =
            deprecated.map_or_else(|| "not deprecated".to_owned(), ToString::to_string);
        let columns: Vec<&str> = self.columns.iter().map(|one| one.name.as_str()).collect();
        match columns.as_slice() {
            [] => deprecated,
            columns => format!("{deprecated}; columns {}", columns.join(", ")),
        }
    }
}

/// As it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredAnnotations {
    /// With `created`: the registration that it is about.
    pub number: u64,
    pub created: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<VersionDeprecation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ListColumn>,
    #[serde(skip)]
    pub revision: Option<Revision>,
}

impl StoredAnnotations {
    pub fn decode(entry: &StoredEntry) -> Option<Self> {
        let record = entry.stored.record();
        let read = record.and_then(|one| serde_json::from_slice(&one.content.body).ok());
        // They are for people only: the version is served without them.
        if read.is_none() {
            tracing::error!(key = %entry.key, "the annotations of a type version can't be read");
        }
        Some(Self {
            revision: entry.stored.revision(),
            ..read?
        })
    }

    /// What it says of a version with these notes.
    pub fn of(self, meta: &Meta) -> Annotations {
        let current = (self.number, self.created) == (meta.number, meta.created);
        let (deprecated, columns) = if current {
            (self.deprecated, self.columns)
        } else {
            (None, Vec::new())
        };
        // Of an outdated record too, because it is to be replaced or deleted.
        Annotations {
            revision: self.revision,
            deprecated,
            columns,
        }
    }
}

/// A change of it; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnotationChange {
    /// Another deprecation, or none any more.
    pub deprecated: Option<Option<VersionDeprecation>>,
    /// Other columns.
    pub columns: Option<Vec<ListColumn>>,
}

impl AnnotationChange {
    /// What a type file says.
    pub(crate) fn of_file(version: &TypeVersion) -> Self {
        Self {
            deprecated: version.deprecated.clone().map(Some),
            columns: version.columns.clone(),
        }
    }
}
