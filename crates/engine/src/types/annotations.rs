//! What is annotated on a type version: whether it is deprecated, and which columns lists show.
//!
//! It changes no content, so it may change while there are resources. It is stored in a record of its
//! own, because a server of 0.1.0 reads type files strictly, and writes a definition's record
//! without what it does not know: there it is neither refused nor lost. The record says which
//! registration it is about; one that a deleted version left behind is about nothing.

use super::definition::{Definition, Meta};
use super::edit::with_phase;
use super::register::{Registered, Registration};
use super::state::TypeState;
use crate::attempts::{Attempts, unless_raced};
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::Time;
use crate::keys::{self, TypeKey};
use crate::resource::Resource;
use coeval_access::TypeAction;
use coeval_core::types::{
    ListColumn, TypeVersion, VersionDeprecation, columns_flaw, same_definition,
};
use coeval_core::version::Version;
use coeval_storage::{
    AtomicWrite, RecordPut, Revision, StoredEntry, WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};

/// What is annotated on a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Annotations {
    /// Of its record, also if that is about an earlier registration.
    revision: Option<Revision>,
    pub(crate) deprecated: Option<VersionDeprecation>,
    pub(crate) columns: Vec<ListColumn>,
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
    pub(super) fn of_file(version: &TypeVersion) -> Self {
        Self {
            deprecated: version.deprecated.clone().map(Some),
            columns: version.columns.clone(),
        }
    }
}

/// As it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredAnnotations {
    /// With `created`: the registration that it is about.
    number: u64,
    created: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecated: Option<VersionDeprecation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<ListColumn>,
    #[serde(skip)]
    revision: Option<Revision>,
}

impl StoredAnnotations {
    pub(crate) fn decode(entry: &StoredEntry) -> Option<Self> {
        let record = entry.stored.record();
        let read = record.and_then(|one| serde_json::from_slice(&one.content.body).ok());
        if read.is_none() {
            tracing::error!(key = %entry.key, "the annotations of a type version can't be read");
        }
        Some(Self {
            revision: entry.stored.revision(),
            ..read?
        })
    }

    /// What it says of a version with these notes.
    pub(crate) fn of(self, meta: &Meta) -> Annotations {
        let current = (self.number, self.created) == (meta.number, meta.created);
        let (deprecated, columns) = if current {
            (self.deprecated, self.columns)
        } else {
            (None, Vec::new())
        };
        Annotations {
            revision: self.revision,
            deprecated,
            columns,
        }
    }
}

impl Annotations {
    fn changed(&self, change: &AnnotationChange) -> Self {
        let deprecated = change.deprecated.clone();
        let columns = change.columns.clone();
        Self {
            revision: self.revision,
            deprecated: deprecated.unwrap_or_else(|| self.deprecated.clone()),
            columns: columns.unwrap_or_else(|| self.columns.clone()),
        }
    }

    fn is_empty(&self) -> bool {
        self.deprecated.is_none() && self.columns.is_empty()
    }

    /// For the audit.
    fn told(&self) -> String {
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

/// The step that annotates a version that is registered or replaced with these notes, if one is
/// needed.
pub(super) fn annotating(
    of: &TypeKey,
    version: &TypeVersion,
    meta: &Meta,
    before: &Annotations,
) -> Result<Option<WriteStep>, EngineError> {
    let after = before.changed(&AnnotationChange::of_file(version));
    if let Some(what) = flaw(&after, version) {
        let id = version.id.clone();
        return Err(EngineError::AnnotationInvalid { id, what });
    }
    step(of, version.id.version, meta, &after)
}

/// The step that takes away what is annotated on a version that goes.
pub(super) fn forgetting(
    of: &TypeKey,
    definition: &Definition,
) -> Result<Option<WriteStep>, EngineError> {
    let gone = Annotations {
        revision: definition.annotations.revision,
        ..Annotations::default()
    };
    step(of, definition.version, &definition.meta, &gone)
}

/// All writes of annotations rewrite the phase record too, which is what they are conditioned on.
fn step(
    of: &TypeKey,
    version: Version,
    meta: &Meta,
    after: &Annotations,
) -> Result<Option<WriteStep>, EngineError> {
    let action = if !after.is_empty() {
        let stored = StoredAnnotations {
            number: meta.number,
            created: meta.created,
            deprecated: after.deprecated.clone(),
            columns: after.columns.clone(),
            revision: None,
        };
        let body = crate::encode::encode("annotations", &stored)?;
        WriteAction::Put(RecordPut::of(body))
    } else if after.revision.is_some() {
        WriteAction::Delete
    } else {
        return Ok(None);
    };
    Ok(Some(WriteStep {
        key: keys::annotations(of, version)?,
        condition: WriteCondition::Whatever,
        action,
    }))
}

fn flaw(annotations: &Annotations, version: &TypeVersion) -> Option<String> {
    let deprecated = annotations.deprecated.as_ref();
    let columns = || columns_flaw(&annotations.columns, &version.schema);
    deprecated
        .and_then(VersionDeprecation::flaw)
        .or_else(columns)
}

impl TypeState {
    /// What is annotated on a version.
    pub(crate) fn annotations(&self, version: Version) -> Option<&Annotations> {
        self.definitions.get(&version).map(|one| &one.annotations)
    }

    /// What whoever writes at a version should know of it.
    #[must_use]
    pub fn deprecation(&self, version: Version) -> Option<&VersionDeprecation> {
        self.annotations(version)?.deprecated.as_ref()
    }
}

impl Engine {
    /// What whoever wrote or read at a version is to be told of it, in a header: nothing, unless it is
    /// deprecated. Reads nothing: the type was loaded for that.
    #[must_use]
    pub fn deprecation_notice(&self, of: &TypeKey, version: Version) -> Option<String> {
        let state = self.types.loaded(of)?;
        let notice = format!("{of}:{version} is {}", state.deprecation(version)?);
        let plain = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
        Some(notice.chars().map(plain).collect())
    }

    /// The same of the versions that resources are shown at, once for each version.
    #[must_use]
    pub fn deprecation_notices<'r>(
        &self,
        shown: impl IntoIterator<Item = &'r Resource>,
    ) -> Vec<String> {
        let mut versions: Vec<(&TypeKey, Version)> = Vec::new();
        for resource in shown {
            let version = (&resource.of, resource.version.version);
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        let notice = |(of, version)| self.deprecation_notice(of, version);
        versions.into_iter().filter_map(notice).collect()
    }

    /// The same of the version that a caller wants all resources of a type at, before it is shown any.
    #[must_use]
    pub fn wanted_deprecation(&self, caller: &Caller, of: &TypeKey) -> Option<String> {
        let state = self.types.loaded(of)?;
        let version = caller.wanted.exactly?;
        let exists = caller.visible_versions(&state).has(version);
        exists.then(|| self.deprecation_notice(of, version))?
    }

    /// Deprecates a type version or says that it is not deprecated any more, and sets its columns,
    /// whether or not it has resources.
    ///
    /// # Errors
    /// If there is no such version, the caller may not edit it, or it can't be shown so.
    pub async fn annotate_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        change: &AnnotationChange,
    ) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.load(of).await?;
            self.allow_type(caller, &state, version, TypeAction::See)?;
            self.allow_type(caller, &state, version, TypeAction::Edit)?;
            let found = state.definitions.get(&version);
            let Some((definition, loaded)) =
                found.and_then(|one| Some((one, one.loaded.as_ref().ok()?)))
            else {
                let of = of.clone();
                return Err(EngineError::TypeVersionUnknown { of, version });
            };
            let id = definition.id(of);
            if definition.meta.built_in {
                let what = id.to_string();
                return Err(EngineError::BuiltIn { what });
            }
            let after = definition.annotations.changed(change);
            if let Some(what) = flaw(&after, loaded) {
                return Err(EngineError::AnnotationInvalid { id, what });
            }
            if after == definition.annotations {
                return Ok(());
            }
            let Some(step) = step(of, version, &definition.meta, &after)? else {
                return Ok(());
            };
            let key = keys::type_version(of, version)?;
            let own = WriteCondition::RevisionIs(definition.revision);
            let mut write = AtomicWrite::new().when(&key, own);
            write.steps.push(step);
            let mut write = with_phase(write, &state, state.phase_revision)?;
            let mut deed = Deed::of_type(What::EditType, &id);
            deed.note = Some(crate::write::short(&after.told()));
            write.steps.push(self.audit_step(caller, &deed)?);
            if unless_raced(self.commit(&state.phase_key, write).await)?.is_some() {
                self.types.load(of).await?;
                return Ok(());
            }
        }
    }

    /// Takes what a file says of deprecation and columns, if that is all in which it differs from a
    /// version that is registered; nothing otherwise.
    pub(super) async fn annotate_again(
        &self,
        caller: &Caller,
        registration: &Registration,
        version: &TypeVersion,
        of: &TypeKey,
    ) -> Result<Option<Registered>, EngineError> {
        let change = AnnotationChange::of_file(version);
        if change == AnnotationChange::default() {
            return Ok(None);
        }
        let state = match self.types.load(of).await {
            Err(EngineError::TypeUnknown { .. }) => return Ok(None),
            other => other?,
        };
        let own = version.id.version;
        let Some(there) = state.definitions.get(&own) else {
            return Ok(None);
        };
        let file = String::from_utf8_lossy(&there.file);
        let visible = self
            .allow_type(caller, &state, own, TypeAction::See)
            .is_ok();
        if !visible || there.meta.built_in || !same_definition(&file, &registration.file) {
            return Ok(None);
        }
        self.annotate_type(caller, of, own, &change).await?;
        Ok(Some(Registered {
            id: version.id.clone(),
            parent: state.versions.parent(own),
            unproven: there.meta.unproven,
            findings: there.meta.findings.clone(),
            inherits: None,
        }))
    }
}
