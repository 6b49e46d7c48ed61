//! The type versions that a caller sees, with all that an API shows of them. The engine's own kinds
//! are not among them.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::kinds::VENDOR;
use crate::types::definition::Definition;
use crate::types::state::TypeState;
use crate::visible_versions::VisibleVersions;
use coeval_access::{AccessLevel, TypeAction};
use coeval_core::types::{ListColumn, TypeVersion, VersionDeprecation};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::finding::Finding;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::ReadRange;
use std::sync::Arc;

/// A type version as it is shown.
#[derive(Clone, Debug)]
pub struct CatalogEntry {
    /// The definition.
    pub version: Arc<TypeVersion>,
    /// Its file as it was registered, without annotations: clients of 0.1.0 read it too.
    pub file: bytes::Bytes,
    /// Its name in some other system.
    pub external_id: Option<String>,
    /// Up to which level the ACL of the version gives the type's right too.
    pub max_implicit_right: Option<AccessLevel>,
    /// From which version its ACL was to come, as it was said.
    pub inherited_version: Option<String>,
    /// Shipped with Coeval.
    pub built_in: bool,
    /// Registered although something was found.
    pub unproven: bool,
    /// What was found.
    pub findings: Vec<Finding>,
    /// That it should no longer be used.
    pub deprecated: Option<VersionDeprecation>,
    /// What lists show.
    pub columns: Vec<ListColumn>,
}

impl CatalogEntry {
    /// Nothing, if this server can't load it. What was found against a version that the caller
    /// can't see is not shown.
    fn of(definition: &Definition, visible: &VisibleVersions) -> Option<Self> {
        let version = definition.loaded.as_ref().ok()?;
        let (meta, annotations) = (&definition.meta, &definition.annotations);
        // A finding names the version that it was found against.
        let seen = |finding: &&Finding| {
            let against = finding.against.as_deref();
            let against = against.and_then(|against| Version::parse_full(against).ok());
            against.is_none_or(|against| visible.has(against))
        };
        Some(Self {
            deprecated: annotations.deprecated.clone(),
            columns: annotations.columns.clone(),
            version: Arc::clone(version),
            file: definition.file.clone(),
            external_id: meta.external_id.clone(),
            max_implicit_right: meta.max_implicit_right,
            inherited_version: meta.inherited_version.clone(),
            built_in: meta.built_in,
            unproven: meta.unproven,
            findings: meta.findings.iter().filter(seen).cloned().collect(),
        })
    }
}

impl Catalog {
    /// All type versions that the caller sees, by type and version. One read, and one more for each
    /// type that changed since it was loaded.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn visible_types(&self, caller: &Caller) -> Result<Vec<CatalogEntry>, EngineError> {
        let mut range = ReadRange::of(keys::all_phases()?);
        let mut all = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some(of) = keys::type_of_phase(&entry.key).filter(|of| &*of.vendor != VENDOR)
                else {
                    continue;
                };
                let loaded = self.types.loaded(&of);
                // The page has the phase records already: no other read, unless a type changed.
                let fresh =
                    |state: &Arc<TypeState>| entry.stored.revision() == Some(state.phase_revision);
                let state = match loaded.filter(fresh) {
                    Some(state) => state,
                    None => match self.types.load(&of).await {
                        // Deleted meanwhile.
                        Err(EngineError::TypeUnknown { .. }) => continue,
                        other => other?,
                    },
                };
                let versions = state.definitions.values().filter(|definition| {
                    let version = definition.version;
                    self.allow_type(caller, &state, version, TypeAction::See)
                        .is_ok()
                });
                let visible = caller.visible_versions(&state);
                let shown = |definition: &Definition| CatalogEntry::of(definition, &visible);
                all.extend(versions.filter_map(shown));
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(all),
            }
        }
    }

    /// One type version, if the caller sees it.
    ///
    /// # Errors
    /// If there is none, or none that the caller may know of.
    pub async fn visible_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<CatalogEntry, EngineError> {
        let unknown = || EngineError::TypeVersionUnknown {
            of: of.clone(),
            version,
        };
        if &*of.vendor == VENDOR {
            return Err(unknown());
        }
        let state = match self.types.current(of).await {
            Err(EngineError::TypeUnknown { .. }) => return Err(unknown()),
            other => other?,
        };
        // A hidden type, a hidden version and one that is not there answer alike.
        match self.allow_type(caller, &state, version, TypeAction::See) {
            Err(EngineError::TypeUnknown { .. }) => return Err(unknown()),
            other => other?,
        }
        let definition = state.definitions.get(&version);
        let visible = caller.visible_versions(&state);
        let shown = definition.and_then(|one| CatalogEntry::of(one, &visible));
        shown.ok_or_else(unknown)
    }
}
