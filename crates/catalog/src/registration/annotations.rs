//! What is annotated on a type version: whether it is deprecated, and which columns lists show.
//!
//! It changes no content, so it may change while there are resources. It is stored in a record of its
//! own, because a server of 0.1.0 reads type files strictly, and writes a definition's record
//! without what it does not know: there it is neither refused nor lost. The record says which
//! registration it is about; one that a deleted version left behind is about nothing.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::register::{Registered, Registration};
use crate::types::annotations::{AnnotationChange, Annotations, StoredAnnotations};
use crate::types::definition::{Definition, Meta};
use crate::types::state::{TypeState, with_phase};
use coeval_access::TypeAction;
use coeval_core::types::{TypeVersion, VersionDeprecation, columns_flaw, same_definition};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, RecordPut, WriteAction, WriteCondition, WriteStep};

/// The step that annotates a version that is registered or replaced with these notes, if one is
/// needed.
pub(crate) fn annotating(
    of: &TypeKey,
    version: &TypeVersion,
    meta: &Meta,
    before: &Annotations,
) -> Result<Option<WriteStep>, EngineError> {
    // What the file does not speak of stays as it was.
    let after = before.changed(&AnnotationChange::of_file(version));
    if let Some(what) = flaw(&after, version) {
        let id = version.id.clone();
        return Err(EngineError::AnnotationInvalid { id, what });
    }
    step(of, version.id.version, meta, &after)
}

/// The step that takes away what is annotated on a version that goes.
pub(crate) fn forgetting(
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
        let body = coeval_records::encode::encode("annotations", &stored)?;
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
    pub fn annotations(&self, version: Version) -> Option<&Annotations> {
        self.definitions.get(&version).map(|one| &one.annotations)
    }

    /// What whoever writes at a version should know of it.
    #[must_use]
    pub fn deprecation(&self, version: Version) -> Option<&VersionDeprecation> {
        self.annotations(version)?.deprecated.as_ref()
    }
}

impl Catalog {
    /// What whoever wrote or read at a version is to be told of it, in a header: nothing, unless it is
    /// deprecated. Reads nothing: the type was loaded for that.
    #[must_use]
    pub fn deprecation_notice(&self, of: &TypeKey, version: Version) -> Option<String> {
        let state = self.types.loaded(of)?;
        let notice = format!("{of}:{version} is {}", state.deprecation(version)?);
        // It goes into a header, which takes no other letters.
        let plain = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
        Some(notice.chars().map(plain).collect())
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
            // Seeing first: who may not see the version is told that there is none.
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
            // Only compared: what is annotated is no part of the definition, and changes no
            // content.
            let own = WriteCondition::RevisionIs(definition.revision);
            let mut write = AtomicWrite::new().when(&key, own);
            write.steps.push(step);
            let mut write = with_phase(write, &state, state.phase_revision)?;
            let mut deed = Deed::of_type(What::EditType, &id);
            deed.note = Some(coeval_records::text::short(&after.told()));
            write.steps.push(self.audit_step(caller, &deed)?);
            if unless_raced(self.commit(&state.phase_key, write).await)?.is_some() {
                self.types.load(of).await?;
                return Ok(());
            }
        }
    }

    /// Takes what a file says of deprecation and columns, if that is all in which it differs from a
    /// version that is registered; nothing otherwise.
    pub(crate) async fn annotate_again(
        &self,
        caller: &Caller,
        registration: &Registration,
        version: &TypeVersion,
        of: &TypeKey,
    ) -> Result<Option<Registered>, EngineError> {
        let change = AnnotationChange::of_file(version);
        // A file that says nothing of them takes nothing away.
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
        // Then it goes the way of any registration of a version that exists.
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
