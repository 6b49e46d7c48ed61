//! From candidates to what the caller is shown of them.
//!
//! Access is decided on what is stored. What the caller may see and what can't be shown is
//! quarantined; a failure that concerns one resource never concerns another.

use crate::caches::place::Place;
use crate::list::look::{Batch, Candidate, Look, Outcome, Stands};
use crate::list::place::LONGEST_SORT_KEY;
use crate::list::scope::{PARTS, Whose};
use crate::quarantined::Quarantined;
use crate::resource::{Resource, urn};
use crate::resources::Resources;
use crate::seen::{Names, SeenResource};
use coeval_access::{
    AccessDecision, AccessLevel, Acl, AclFacts, ResourceAction, ResourceFacts, decide,
};
use coeval_catalog::allow::{allowed, home, type_name, version_facts};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::{Uuid, Version};
use coeval_filter::{CompiledFilter, Filter, FilterField};
use coeval_records::acl::decode_acl;
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_records::header::index_values::{SeenHeader, header_key, text_key};
use coeval_records::keys::{self, index};
use coeval_records::stored::Stored;
use coeval_storage::{Key, ReadRequest, StoredEntry, StoredValue, Token};
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A candidate whose record was looked at.
enum Looked {
    /// It can be decided on.
    Read(Box<Stored>),
    /// Not even that; where it is known to be stored.
    Unread(Quarantined, Version),
}

impl Look<'_> {
    /// What the caller is shown of candidates, in order.
    pub(crate) async fn shown(&mut self, batch: Batch) -> Result<Vec<Outcome>, EngineError> {
        let Batch {
            mut candidates,
            unsorted,
            ..
        } = batch;
        let token = self.fetch(&mut candidates).await?;
        let mut looked = Vec::new();
        for mut candidate in candidates {
            // Deleted between the index and the record: no gap on the page, since it is filled from
            // what follows.
            let Some(entry) = candidate.entry.take() else {
                continue;
            };
            if let Some(one) = self.look_at(&candidate, entry) {
                looked.push((candidate, one));
            }
        }
        let (acls, owned) = self.asked_for(&looked).await?;
        let mut outcomes = Vec::new();
        for (candidate, one) in looked {
            let owns = owned.contains(&candidate.id);
            let acl = acls.get(&candidate.id);
            outcomes.extend(self.outcome(&candidate, one, acl, owns, token).await);
        }
        if unsorted {
            outcomes.sort_by(|one, other| one.place.sorted.cmp(&other.place.sorted));
        }
        Ok(outcomes)
    }

    fn state(&self, candidate: &Candidate) -> Option<Arc<TypeState>> {
        let source = self.scope.sources.get(candidate.source)?;
        Some(Arc::clone(&source.state))
    }

    /// `None` if it is not, or no longer, where the listing looks for it.
    fn look_at(&self, candidate: &Candidate, entry: StoredEntry) -> Option<Looked> {
        let source = self.scope.sources.get(candidate.source)?;
        let unread = |error: &EngineError, key: &Key| {
            let major = keys::read_record(key).map_or(0, |(_, major, _)| major);
            let of_major = |version: &&Version| version.major == major;
            let newest = source.versions.iter().rev().find(of_major).copied();
            // Where the index says nothing: of this major, if the listing has any of it.
            let version = candidate.version.or(newest)?;
            let id = urn(source.of(), candidate.id);
            Some(Looked::Unread(Quarantined::of(id, error), version))
        };
        let key = entry.key.clone();
        let record = match entry.stored {
            StoredValue::Record(record) => record,
            StoredValue::Damaged { damage, .. } => {
                let key = key.clone();
                let error = coeval_storage::StorageError::Damaged {
                    key: key.clone(),
                    damage,
                };
                return unread(&error.into(), &key);
            }
        };
        let stored = match Stored::decode(candidate.id, &record) {
            Ok(stored) => stored,
            Err(error) => return unread(&error, &key),
        };
        let here = match (&candidate.stands, self.order) {
            (Stands::Index(value), Some(order)) => {
                let field = order.fields().first().map(|(field, _)| field);
                field.is_some_and(|field| {
                    crate::list::by_index::still_at(value, &header_key(&stored.header, field))
                })
            }
            _ => true,
        };
        let covered = here && self.scope.covers(source, &stored.header);
        covered.then(|| Looked::Read(Box::new(stored)))
    }

    /// The ACLs of those that need one, and which of those that can't be read the caller owns: the
    /// index of owners knows.
    async fn asked_for(
        &self,
        looked: &[(Candidate, Looked)],
    ) -> Result<(BTreeMap<Uuid, Option<Acl>>, BTreeSet<Uuid>), EngineError> {
        let mut wanted: Vec<(Key, Uuid, bool)> = Vec::new();
        for (candidate, one) in looked {
            let Some(state) = self.state(candidate) else {
                continue;
            };
            match one {
                Looked::Read(stored) => {
                    let known = allowed(self.caller, &state, stored, ResourceAction::Read, None);
                    // Most are decided by right or owner. Only what needs its ACL costs a read, and
                    // those are read together.
                    if matches!(known, Ok(None)) {
                        wanted.push((keys::acl(candidate.id)?, candidate.id, false));
                    }
                }
                Looked::Unread(..) => {
                    wanted.push((keys::acl(candidate.id)?, candidate.id, false));
                    // The owner can't be read from the header. Without this question owners would
                    // not be told that theirs is quarantined.
                    if let Whose::Org(org) = &self.scope.whose {
                        let owner = text_key(self.caller.user());
                        let (of, id) = (&state.key, candidate.id);
                        let key = keys::index_entry(of, index::OWNER, org, &owner, id)?;
                        wanted.push((key, id, true));
                    }
                }
            }
        }
        let (mut acls, mut owned) = (BTreeMap::new(), BTreeSet::new());
        for chunk in wanted.chunks(PARTS) {
            let mut request = ReadRequest::keys(chunk.iter().map(|(key, _, _)| key.clone()));
            request.at_least = self.caller.at_least;
            let snapshot = self.resources.store.read(request).await?;
            for ((_, id, is_owner), entry) in chunk.iter().zip(snapshot.keys) {
                match (is_owner, entry) {
                    (true, Some(_)) => {
                        owned.insert(*id);
                    }
                    (true, None) => {}
                    (false, None) => {
                        acls.insert(*id, Some(Acl::default()));
                    }
                    (false, Some(entry)) => {
                        acls.insert(*id, decode_acl(&entry));
                    }
                }
            }
        }
        Ok((acls, owned))
    }

    /// `None`: not for this caller, or not wanted.
    async fn outcome(
        &self,
        candidate: &Candidate,
        looked: Looked,
        acl: Option<&Option<Acl>>,
        owns: bool,
        token: Token,
    ) -> Option<Outcome> {
        let state = self.state(candidate)?;
        // An ACL that can't be read grants nothing.
        let none = Acl::default();
        let acl = acl.map(|acl| acl.as_ref().unwrap_or(&none));
        let shown = match looked {
            Looked::Unread(quarantined, version) => {
                // A damaged resource must not tell callers of its existence who could not see it
                // whole.
                self.may_know(&state, version, acl.unwrap_or(&none), owns)?;
                Err(quarantined)
            }
            Looked::Read(stored) => {
                let level = match allowed(self.caller, &state, &stored, ResourceAction::Read, acl) {
                    Ok(level) => level?,
                    // Not even as quarantined: what the caller may not see is not there.
                    Err(EngineError::Denied(_)) => return None,
                    Err(error) => {
                        let id = urn(&state.key, candidate.id);
                        let shown = Err(Quarantined::of(id, &error));
                        return Some(self.placed(candidate, shown, Vec::new()));
                    }
                };
                return self.view(candidate, &state, *stored, level, token).await;
            }
        };
        let sorted = self.sorts().then(|| unsortable(&state, candidate.id));
        Some(self.placed(candidate, shown, sorted.unwrap_or_default()))
    }

    /// Whether the caller may know of a resource of which only an index tells.
    fn may_know(
        &self,
        state: &TypeState,
        version: Version,
        acl: &Acl,
        owns: bool,
    ) -> Option<AccessLevel> {
        may_know(self.caller, state, version, &self.scope.whose, (acl, owns))
    }

    /// Whether every resource at a version is seen by the caller, whoever owns it.
    pub(crate) fn sees_all(&self) -> bool {
        self.scope.sources.iter().all(|source| {
            let none = Acl::default();
            let known = |version: &Version| {
                let version = *version;
                self.may_know(&source.state, version, &none, false)
                    .is_some()
            };
            source.versions.iter().all(known)
        })
    }

    async fn view(
        &self,
        candidate: &Candidate,
        state: &TypeState,
        stored: Stored,
        level: AccessLevel,
        token: Token,
    ) -> Option<Outcome> {
        let wanted = &self.scope.sources.get(candidate.source)?.wanted;
        // Only what filters or sorts asks for it, should the rest not be shown.
        let asked = self.filter.is_some() || self.order.is_some();
        let header = asked.then(|| stored.header.clone());
        let shown = self
            .resources
            .resource_of(state, stored, wanted, level, token)
            .await;
        // Before the filter, which would read such content as absent and pass over it in silence.
        let shown = shown.and_then(|resource| readable(candidate.id, resource));
        let filter = self.filter.as_ref().map(|(_, compiled)| compiled);
        match shown {
            Ok(resource) => {
                let names = self.names(&resource).await;
                let seen = SeenResource::new(&resource).named(names);
                if filter.is_some_and(|filter| !filter.matches(&seen)) {
                    return None;
                }
                let sorted = self.sorted_by(&candidate.stands, &seen);
                Some(self.placed(candidate, Ok(Box::new(resource)), sorted))
            }
            Err(error) => {
                let seen = header
                    .as_ref()
                    .map(|header| of_header(state, header, candidate.id));
                // What can't be shown is left out only if it surely does not match: rather one name
                // too many than one hidden.
                if let (Some((filter, compiled)), Some(header)) = (&self.filter, &header)
                    && rules_out(filter, compiled, state, header, candidate.id)
                {
                    return None;
                }
                let shown = Err(Quarantined::of(urn(&state.key, candidate.id), &error));
                let sorted = match (self.order, &seen) {
                    (Some(order), Some(seen)) if !order.needs_content() => {
                        self.sorted_by(&candidate.stands, seen)
                    }
                    (Some(_), _) => unsortable(state, candidate.id),
                    (None, _) => Vec::new(),
                };
                Some(self.placed(candidate, shown, sorted))
            }
        }
    }

    /// The names behind a resource's ids, if the filter or the order looks at them. Those that
    /// can't be found out are missing, as those of somebody who is gone.
    async fn names(&self, resource: &Resource) -> Names {
        if self.needs_names {
            names_behind(self.resources, self.caller, resource).await
        } else {
            Names::default()
        }
    }

    fn sorts(&self) -> bool {
        self.order.is_some()
    }

    /// What a resource is sorted by; where it was found in a sorted list, what it was sorted by then.
    fn sorted_by(&self, stands: &Stands, seen: &impl coeval_filter::FilterView) -> Vec<u8> {
        match (self.order, stands) {
            (_, Stands::Sorted(key)) => key.clone(),
            (None, _) => Vec::new(),
            (Some(order), _) => bounded(order.key(seen).as_bytes(), &seen.id()),
        }
    }

    fn placed(
        &self,
        candidate: &Candidate,
        shown: Result<Box<Resource>, Quarantined>,
        sorted: Vec<u8>,
    ) -> Outcome {
        let (sorted, index) = match &candidate.stands {
            Stands::Id => (sorted, Vec::new()),
            Stands::Index(value) => (sorted, value.clone()),
            Stands::Sorted(key) => (key.clone(), Vec::new()),
        };
        Outcome {
            source: candidate.source,
            place: Place {
                of: self.id_start(candidate.source),
                id: candidate.id,
                sorted,
                index,
            },
            shown,
        }
    }
}

/// Whether the caller may know of a resource of which only an index tells: where it is stored, and
/// perhaps whether the caller owns it.
pub fn may_know(
    caller: &Caller,
    state: &TypeState,
    version: Version,
    whose: &Whose,
    (acl, owns): (&Acl, bool),
) -> Option<AccessLevel> {
    let org = match whose {
        Whose::Org(org) => org.as_str(),
        // Those who look at all organizations are of the provider.
        Whose::Everybody => coeval_catalog::allow::SYSTEM_ORG,
    };
    let facts = ResourceFacts {
        of: type_name(&state.key).ok()?,
        version: version_facts(state, version, &caller.subject),
        home: home(org),
        owner: owns.then(|| caller.user()),
        acl: AclFacts::Loaded(acl),
    };
    match decide(ResourceAction::Read, &caller.subject, &facts) {
        AccessDecision::Allowed(allowed) => Some(allowed.level),
        AccessDecision::Denied(_) | AccessDecision::NeedsAcl => None,
    }
}

/// The names behind a resource's ids, as far as the caller can find them out.
pub async fn names_behind(resources: &Resources, caller: &Caller, resource: &Resource) -> Names {
    let header = &resource.header;
    let owner = resources.name_of(caller, &header.owner).await;
    let org = resources.name_of(caller, &header.org).await;
    Names {
        owner: owner.ok().flatten(),
        org: org.ok().flatten(),
    }
}

/// Whether a filter does not match a resource that can't be shown: what looks at nothing but the
/// header can still be answered.
pub(crate) fn rules_out(
    filter: &Filter,
    compiled: &CompiledFilter,
    state: &TypeState,
    header: &Header,
    id: Uuid,
) -> bool {
    told_by_header(filter) && !compiled.matches(&of_header(state, header, id))
}

/// Stored bytes that are passed on must at least be JSON: what is not would spoil the whole page.
pub(crate) fn readable(id: Uuid, resource: Resource) -> Result<Resource, EngineError> {
    if resource.version.version == resource.header.version {
        serde_json::from_slice::<IgnoredAny>(&resource.content).map_err(|error| {
            let reason = format!("its content is no JSON: {error}");
            EngineError::Unreadable { id, reason }
        })?;
    }
    Ok(resource)
}

fn of_header<'h>(state: &TypeState, header: &'h Header, id: Uuid) -> SeenHeader<'h> {
    SeenHeader {
        id: urn(&state.key, id),
        header,
    }
}

/// Whether a filter looks at names that are behind ids. Bounded as [`told_by_header`].
pub(crate) fn needs_names(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => filters.iter().any(needs_names),
        Filter::Not(filter) => needs_names(filter),
        Filter::Test(test) => test.field.is_name_behind_id(),
    }
}

/// Whether a filter looks at nothing but what a header has. The version is that of the view, which
/// is not there. Bounded: a filter was compiled before, which refuses deep ones.
fn told_by_header(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => filters.iter().all(told_by_header),
        Filter::Not(filter) => told_by_header(filter),
        Filter::Test(test) => !matches!(
            test.field,
            FilterField::Content(_)
                | FilterField::Version
                | FilterField::Expires
                | FilterField::EntityType
                | FilterField::Vendor
                | FilterField::Nss
                | FilterField::OwnerName
                | FilterField::OrgName
        ),
    }
}

/// What can't be sorted comes first, whichever way the order goes: no key begins with this.
fn unsortable(state: &TypeState, id: Uuid) -> Vec<u8> {
    let mut key = vec![0];
    key.extend_from_slice(urn(&state.key, id).as_bytes());
    key
}

fn bounded(key: &[u8], id: &str) -> Vec<u8> {
    let room = LONGEST_SORT_KEY.saturating_sub(id.len());
    match key.get(..room) {
        Some(start) if key.len() > LONGEST_SORT_KEY => [start, id.as_bytes()].concat(),
        _ => key.to_vec(),
    }
}
