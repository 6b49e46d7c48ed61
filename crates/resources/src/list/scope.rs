//! What a listing covers: types, their versions, and whose resources.

use crate::list::query::{InOrg, ListOf, ListQuery};
use crate::resource::urn;
use crate::resources::Resources;
use coeval_access::{DenialReason, DeniedAccess};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::definition::Definition;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{WantedView, sees_any};
use coeval_core::types::{InterfaceId, TypeVersion};
use coeval_core::version::{Classification, Uuid, Version};
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_records::keys::{self, TypeKey, index};
use coeval_storage::{Key, KeySpan, ReadRange, ReadRequest, Token};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Keys and ranges that one read names at most.
pub(crate) const PARTS: usize = 90;

/// Whose resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Org(String),
    Everybody,
}

impl Whose {
    /// Whether those of this organization are among them.
    pub fn has(&self, org: &str) -> bool {
        match self {
            Self::Org(own) => own == org,
            Self::Everybody => true,
        }
    }
}

/// The resources of one type that a listing covers.
#[derive(Clone, Debug)]
pub struct Source {
    pub state: Arc<TypeState>,
    /// Those that have resources or may have; ascending.
    pub versions: Vec<Version>,
    /// Whether these are all that the type has.
    pub whole: bool,
    /// What the caller wants to see of them.
    pub wanted: WantedView,
}

/// All that a listing covers. Its sources are in the order of their resources' ids.
#[derive(Clone, Debug)]
pub struct Scope {
    pub whose: Whose,
    pub sources: Vec<Source>,
    /// What it was read at; nothing that follows shows less.
    pub token: Token,
}

impl Source {
    pub fn of(&self) -> &TypeKey {
        &self.state.key
    }

    /// What all ids of its resources begin with.
    pub(crate) fn id_start(&self) -> String {
        let mut start = urn(self.of(), Uuid(0));
        start.truncate(start.len().saturating_sub(36));
        start
    }

    /// The majors that its versions are of.
    pub fn majors(&self) -> BTreeSet<u32> {
        self.versions.iter().map(|version| version.major).collect()
    }
}

impl Scope {
    pub(crate) fn covers(&self, source: &Source, header: &Header) -> bool {
        self.whose.has(&header.org) && (source.whole || source.versions.contains(&header.version))
    }
}

impl Resources {
    pub async fn scope(&self, caller: &Caller, query: &ListQuery) -> Result<Scope, EngineError> {
        let whose = whose(caller, &query.org)?;
        let (mut sources, token) = match &query.of {
            ListOf::Type { of, versions } => {
                let (source, token) = self.type_source(caller, of, *versions, &whose).await?;
                (vec![source], token)
            }
            ListOf::Interface { of, versions } => self.implementing(caller, of, *versions).await?,
        };
        // The order of pages: a token names a type and an id, and goes on after both.
        sources.sort_by_key(Source::id_start);
        Ok(Scope {
            whose,
            sources,
            token,
        })
    }

    /// A type as it is now, and its versions: also those whose definition is damaged, if they have
    /// resources.
    async fn type_source(
        &self,
        caller: &Caller,
        of: &TypeKey,
        versions: Option<Classification>,
        whose: &Whose,
    ) -> Result<(Source, Token), EngineError> {
        let matches = |version: &Version| versions.is_none_or(|class| class.matches(*version));
        let mut state = self.types.get(of).await?;
        let mut found: BTreeSet<Version> = BTreeSet::new();
        // Even if nothing defines it: resources of a version whose definition is gone must be found
        // by naming it.
        if let Some(Classification::Exact(version)) = versions {
            found.insert(version);
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let all: BTreeSet<Version> = state.registered_versions().chain(found.clone()).collect();
            let mut request = ReadRequest::keys([state.phase_key.clone()]);
            request.at_least = caller.at_least;
            // With more versions than a read can name the records themselves are read, not this.
            if all.len() < PARTS && *whose != Whose::Everybody {
                request.ranges = gaps(of, &all)?;
            }
            let snapshot = self.store.read(request).await?;
            let phase = snapshot.keys.into_iter().next().flatten();
            if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
                state = self.types.load(of).await?;
                continue;
            }
            // A hidden type answers as one that does not exist.
            if !sees_any(&state, &caller.subject) {
                return Err(EngineError::TypeUnknown { of: of.clone() });
            }
            state.reading()?;
            let entries = snapshot.pages.iter().flat_map(|page| &page.entries);
            // Versions that have resources and no definition. Each round finds one for every gap,
            // and the next one looks between those.
            let more: BTreeSet<Version> = entries
                .filter_map(|entry| version_of_entry(&entry.key))
                .filter(|version| !all.contains(version))
                .collect();
            if more.is_empty() {
                let whole = versions.is_none();
                let versions = all.into_iter().filter(matches).collect();
                let source = Source {
                    wanted: caller.wanted_view(&state),
                    state,
                    versions,
                    whole,
                };
                return Ok((source, snapshot.token));
            }
            found.extend(more);
        }
    }

    /// The versions that resources of a type may be stored at, ascending: also those whose definition
    /// is damaged or gone, if they have resources.
    pub async fn versions_with_resources(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<Version>, EngineError> {
        // What has no definition is looked for in the index of all organizations, whichever is asked
        // for.
        let whose = Whose::Org(caller.org().to_owned());
        let (source, _) = self.type_source(caller, of, None, &whose).await?;
        Ok(source.versions)
    }

    /// All type versions that implement an interface.
    async fn implementing(
        &self,
        caller: &Caller,
        of: &TypeKey,
        versions: Option<Classification>,
    ) -> Result<(Vec<Source>, Token), EngineError> {
        let wanted = |id: &InterfaceId| {
            let versions = versions.is_none_or(|class| class.matches(id.version));
            *id.vendor == *of.vendor && *id.nss == *of.nss && versions
        };
        let defined = self.interfaces().await?;
        if !defined
            .iter()
            .any(|one| one.id().is_ok_and(|id| wanted(&id)))
        {
            let version = versions.map_or(String::new(), |class| format!(":{class}"));
            let what = format!("{of}{version}");
            return Err(EngineError::InterfaceUnknown { what });
        }
        let names = self.types.names().await?;
        let (states, token) = self.current_states(caller, &names).await?;
        let mut sources = Vec::new();
        for state in states {
            let implements = |one: &TypeVersion| one.interfaces.iter().any(wanted);
            let versions: Vec<Version> = state
                .definitions
                .values()
                .filter(|one| implemented_by(&state, one, &implements))
                .map(|one| one.version)
                .collect();
            if !versions.is_empty() {
                let whole = versions.len() == state.definitions.len();
                sources.push(Source {
                    wanted: caller.wanted_view(&state),
                    state,
                    versions,
                    whole,
                });
            }
        }
        Ok((sources, token))
    }

    /// Types as they are now; those that are gone by now are left out.
    async fn current_states(
        &self,
        caller: &Caller,
        names: &[TypeKey],
    ) -> Result<(Vec<Arc<TypeState>>, Token), EngineError> {
        let mut states = Vec::new();
        let mut first = None;
        let mut rest = names;
        loop {
            let (now, later) = rest.split_at(rest.len().min(PARTS));
            let phases: Result<Vec<Key>, _> = now.iter().map(keys::phase).collect();
            let request = ReadRequest {
                keys: phases?,
                at_least: caller.at_least,
                ..ReadRequest::default()
            };
            let snapshot = self.store.read(request).await?;
            // The oldest of the snapshots: who watches from it may see something twice, and misses
            // nothing.
            first = first.or(Some(snapshot.token));
            for (of, phase) in now.iter().zip(snapshot.keys) {
                let Some(phase) = phase else { continue };
                let loaded = self.types.loaded(of);
                let current =
                    |state: &Arc<TypeState>| phase.stored.revision() == Some(state.phase_revision);
                match loaded.filter(current) {
                    Some(state) => states.push(state),
                    None => match self.types.load(of).await {
                        Ok(state) => states.push(state),
                        Err(EngineError::TypeUnknown { .. }) => {}
                        Err(error) => return Err(error),
                    },
                }
            }
            rest = later;
            if let (true, Some(token)) = (rest.is_empty(), first) {
                return Ok((states, token));
            }
        }
    }
}

/// A version that this server can't load implements what its file says; if even that can't be read,
/// what any other version of the type does: rather one resource too many than one hidden.
fn implemented_by(
    state: &TypeState,
    definition: &Definition,
    implements: &impl Fn(&TypeVersion) -> bool,
) -> bool {
    if let Ok(loaded) = &definition.loaded {
        return implements(loaded);
    }
    let text = std::str::from_utf8(&definition.file).ok();
    match text.and_then(|text| TypeVersion::parse(text).ok()) {
        Some(read) => implements(&read),
        None => state.known_versions().any(implements),
    }
}

pub fn whose(caller: &Caller, org: &InOrg) -> Result<Whose, EngineError> {
    let provider = caller.subject.is_provider();
    match org {
        InOrg::Own => Ok(Whose::Org(caller.org().to_owned())),
        InOrg::One(org) if provider || org == caller.org() => Ok(Whose::Org(org.clone())),
        InOrg::All if provider => Ok(Whose::Everybody),
        InOrg::One(_) | InOrg::All => Err(EngineError::Denied(DeniedAccess {
            hidden: false,
            reason: DenialReason::OtherOrganization,
        })),
    }
}

/// The parts of the index of versions that belong to none of these.
fn gaps(of: &TypeKey, versions: &BTreeSet<Version>) -> Result<Vec<ReadRange>, EngineError> {
    let mut spans = Vec::new();
    for version in versions {
        spans.push(keys::at_version(of, *version)?);
    }
    spans.sort_by(|one, other| one.start.cmp(&other.start));
    let all = keys::index_of_type(of, index::VERSION)?;
    let mut start = all.start;
    let mut gaps = Vec::new();
    for span in spans {
        gaps.push(KeySpan {
            start: std::mem::replace(&mut start, span.end),
            end: span.start,
        });
    }
    gaps.push(KeySpan {
        start,
        end: all.end,
    });
    gaps.retain(|span| !span.is_empty());
    Ok(gaps
        .into_iter()
        .map(|span| ReadRange::of(span).limit(1))
        .collect())
}

/// The version of an entry of the index of versions.
pub fn version_of_entry(key: &Key) -> Option<Version> {
    let mut parts = key.as_bytes().rsplit(|byte| *byte == b'/');
    let version = parts.nth(2)?;
    Version::parse_full(std::str::from_utf8(version).ok()?).ok()
}
