//! Reading one resource.
//!
//! A read takes the resource and the phase record of its type in one snapshot, so the phase that
//! says how to show it is the one that was live with it. A name costs a second look, at the index
//! of names; a hint of an earlier one puts both into the same snapshot. If the two looks disagree,
//! the read begins again.
//!
//! Access is decided on the source of truth. What is shown may be the other record of a migration:
//! the phase says which. What the caller may not see answers exactly as what does not exist, be it
//! the resource, a namesake or the whole type.
//!
//! `find` is also how every write to a resource that is there begins: what it gives back is what
//! the write is conditioned on.

pub(crate) mod hidden_kept;

use crate::caches::views::{Fitting, Shown, ViewKey};
use crate::content;
use crate::resource::{Resource, sees};
use crate::resources::Resources;
use coeval_access::{AccessLevel, ResourceAction};
use coeval_catalog::caller::Caller;
use coeval_catalog::fetched::Fetched;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{WantedView, sees_any};
use coeval_core::convert::ContentRecord;
use coeval_core::decide::{self, SkewRule, VersionedRead, ViewRendering, WantedVersion};
use coeval_core::types::{SkewPolicy, TypeVersion, Visibility};
use coeval_core::version::{StoredVersion, Uuid, Version};
use coeval_filter::may_be_cut;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::header::index_values::text_key;
use coeval_records::header::{Header, State};
use coeval_records::keys::{self, TypeKey, index};
use coeval_records::stored::{Stored, json};
use coeval_storage::{ReadRange, ReadRequest, Revision, Token, UnixMillis};
use std::sync::Arc;

/// Which resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// By id.
    Id(Uuid),
    /// By name, in an organization.
    Name {
        /// The organization's id.
        org: String,
        /// The name.
        name: String,
    },
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::Name { name, .. } => f.write_str(name),
        }
    }
}

/// How many namesakes an error lists.
const LISTED: usize = 8;

/// How many that begin with the same long name are looked at.
const NAMESAKES: usize = 256;

/// A resource that the caller may do something with.
#[derive(Debug)]
pub struct Found {
    pub fetched: Fetched,
    pub stored: Stored,
    pub level: AccessLevel,
}

/// What a caller gets to see of a stored resource.
#[derive(Debug)]
pub struct ResourceView {
    pub decided: decide::ViewDecision,
    pub shown: Shown,
    /// Whether data of a higher version is kept, which the view hides.
    pub hides_kept: bool,
    /// Why something else is shown in place of the content.
    pub restricted: Option<Arc<str>>,
}

impl Resources {
    /// A resource, at the version that the caller wants.
    ///
    /// # Errors
    /// Not found, also if the caller may not see it; or the version can't be shown.
    pub async fn get(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<Resource, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self.find(caller, of, target, ResourceAction::Read).await?;
            let (state, token) = (&found.fetched.state, found.fetched.token);
            let wanted = caller.wanted_view(state);
            let shown = self
                .resource_of(state, found.stored, &wanted, found.level, token)
                .await;
            // Else it changed between the look at it and the look at its secrets.
            if let Some(shown) = unless_raced(shown)? {
                return Ok(shown);
            }
        }
    }

    /// The answer of one resource. Its secrets are opened if a conversion has to see them.
    pub(crate) async fn resource_of(
        &self,
        state: &TypeState,
        stored: Stored,
        wanted: &WantedView,
        level: AccessLevel,
        token: Token,
    ) -> Result<Resource, EngineError> {
        let opened = self.opened_for(state, &stored, wanted, level).await?;
        self.resource(state, stored, wanted, level, token, opened.as_ref())
    }

    /// With its secure values, if a conversion has to see them.
    pub(crate) async fn opened_for(
        &self,
        state: &TypeState,
        stored: &Stored,
        wanted: &WantedView,
        level: AccessLevel,
    ) -> Result<Option<ContentRecord>, EngineError> {
        let whole = level == AccessLevel::FullControl || !state.hides(stored.header.version);
        // What is kept with the secrets decides whether a view at the stored version is marked.
        let as_stored =
            whole && matches!(wanted.wanted, WantedVersion::Stored) && !stored.header.sealed;
        if stored.header.has_secrets() && !as_stored {
            Ok(Some(self.open_record(state, stored).await?.record))
        } else {
            Ok(None)
        }
    }

    /// The resource, if the caller may do that with it.
    pub async fn find(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        action: ResourceAction,
    ) -> Result<Found, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let mut hinted = None;
            if let Target::Name { org, name } = target {
                hinted = self.hinted(caller, of, org, name).await?;
            }
            // The hint and the read are one snapshot, so a name costs no more than an id.
            let id = match target {
                Target::Id(id) => *id,
                Target::Name { .. } if let Some((id, _)) = hinted => id,
                Target::Name { org, name } => {
                    let ids = self.named(caller, of, org, name).await?;
                    match ids.as_slice() {
                        [] => return Err(EngineError::no_resource(format!("{of} {name}"))),
                        [id] => *id,
                        _ => self.only_seen(caller, of, name, ids).await?,
                    }
                }
            };
            // Never older than what the caller has seen, on whichever server that was.
            let request = ReadRequest {
                at_least: caller.at_least,
                ..ReadRequest::default()
            };
            let fetched_already = match (hinted, &caller.prefetched) {
                (Some((_, fetched)), _) => Some(fetched),
                (None, Some(prefetched)) => prefetched.take(of, id)?,
                (None, None) => None,
            };
            let mut fetched = match fetched_already {
                Some(fetched) => fetched,
                None => {
                    let since = std::time::Instant::now();
                    let fetched = self.fetch(of, id, request).await?;
                    self.pulse.beat(since.elapsed());
                    fetched
                }
            };
            if !matches!(
                action,
                ResourceAction::Read | ResourceAction::ReadAcl | ResourceAction::ReadSecrets
            ) {
                // Before anything is told of the resource: a server that only reads can't go on.
                fetched.state.part()?;
            }
            self.mend_later(&fetched);
            let Some(shown) = fetched.stored.take() else {
                if matches!(target, Target::Name { .. }) {
                    // Deleted since its name was looked up.
                    continue;
                }
                let error = EngineError::no_resource(format!("{of} {target}"));
                return Err(no_type(error, caller, &fetched.state));
            };
            // Decisions are made on the source of truth, and writes are put onto it.
            fetched.turn_to_truth()?;
            let truth = fetched.stored.take();
            let stored = truth.as_ref().unwrap_or(&shown);
            if let Target::Name { org, name } = target
                // Renamed, or moved away, since its name was looked up.
                && (stored.header.name != *name || stored.header.org != *org)
            {
                continue;
            }
            // Denied and absent give the same answer, so that nobody learns of what is hidden.
            let level = self
                .allow(caller, &fetched.state, stored, action)
                .await
                .map_err(|error| hide(error, of, target))
                .map_err(|error| no_type(error, caller, &fetched.state))?;
            let stored = match (action, truth) {
                // A read shows the record that the phase shows; all else builds on the source of
                // truth.
                (_, None) | (ResourceAction::Read, _) => shown,
                (_, Some(truth)) => truth,
            };
            return Ok(Found {
                fetched,
                stored,
                level,
            });
        }
    }

    /// The resource that had the name when it was looked up last, read together with the name's
    /// entry: nothing, if the name is not (only) its own by now.
    async fn hinted(
        &self,
        caller: &Caller,
        of: &TypeKey,
        org: &str,
        name: &str,
    ) -> Result<Option<(Uuid, Fetched)>, EngineError> {
        let Some(id) = self.hints.get(of, org, name) else {
            return Ok(None);
        };
        let span = keys::index_point(of, index::NAME, org, &text_key(name))?;
        // A second key is enough to know that the name is not this resource's alone.
        let mut request = ReadRequest::range(ReadRange::of(span).keys_only().limit(2));
        request.at_least = caller.at_least;
        let fetched = self.fetch(of, id, request).await?;
        let entries = fetched.extra.pages.first().map(|page| &page.entries);
        let mut ids = entries.into_iter().flatten();
        let only = (ids.next(), ids.next());
        let own = matches!(only, (Some(entry), None) if keys::id_of_entry(&entry.key) == Some(id));
        if !own {
            self.hints.forget(of, org, name);
            return Ok(None);
        }
        Ok(Some((id, fetched)))
    }

    /// The one of several namesakes that the caller may see. What it may not see is as if it were
    /// not there: it makes no name ambiguous, and its id is not told.
    async fn only_seen(
        &self,
        caller: &Caller,
        of: &TypeKey,
        name: &str,
        ids: Vec<Uuid>,
    ) -> Result<Uuid, EngineError> {
        let mut seen = Vec::new();
        for id in ids {
            let target = Target::Id(id);
            match Box::pin(self.find(caller, of, &target, ResourceAction::Read)).await {
                Ok(_) => seen.push(id),
                Err(
                    EngineError::NotFound { .. }
                    | EngineError::TypeUnknown { .. }
                    | EngineError::Denied(_)
                    | EngineError::Unreadable { .. },
                ) => {}
                Err(error) => return Err(error),
            }
        }
        match seen.as_slice() {
            [] => Err(EngineError::no_resource(format!("{of} {name}"))),
            [id] => Ok(*id),
            _ => Err(EngineError::NameAmbiguous {
                name: name.to_owned(),
                ids: seen
                    .iter()
                    .map(|id| crate::resource::urn(of, *id))
                    .collect(),
            }),
        }
    }

    /// The ids of the resources of that name, a few of them.
    pub async fn named(
        &self,
        caller: &Caller,
        of: &TypeKey,
        org: &str,
        name: &str,
    ) -> Result<Vec<Uuid>, EngineError> {
        let key = text_key(name);
        let cut = may_be_cut(&key);
        let span = keys::index_point(of, index::NAME, org, &key)?;
        let limit = if cut { NAMESAKES } else { LISTED };
        let mut request = ReadRequest::range(ReadRange::of(span).keys_only().limit(limit));
        request.at_least = caller.at_least;
        let snapshot = self.store.read(request).await?;
        let page = snapshot.pages.into_iter().next().unwrap_or_default();
        let ids = page
            .entries
            .iter()
            .filter_map(|entry| keys::id_of_entry(&entry.key));
        let mut ids: Vec<Uuid> = ids.collect();
        if cut {
            // The index cuts long names: others may begin the same.
            let mut same = Vec::new();
            for id in ids {
                let fetched = self.fetch(of, id, ReadRequest::default()).await?;
                if fetched
                    .stored
                    .is_some_and(|stored| stored.header.name == name)
                {
                    same.push(id);
                }
            }
            ids = same;
        } else if let [id] = ids.as_slice() {
            self.hints.set(of, org, name, *id);
        }
        ids.truncate(LISTED);
        Ok(ids)
    }

    /// The answer of one resource; `opened`: with its secure values.
    pub fn resource(
        &self,
        state: &TypeState,
        stored: Stored,
        wanted: &WantedView,
        level: AccessLevel,
        token: Token,
        opened: Option<&ContentRecord>,
    ) -> Result<Resource, EngineError> {
        let view = self.show(state, &stored, wanted, sees(level), opened)?;
        let (id, revision, expires) = (stored.id, stored.revision, stored.expires);
        let header = Arc::new(stored.header);
        Ok(answer(
            state,
            (id, revision, expires),
            header,
            view,
            level,
            token,
        ))
    }

    /// The same, of what others hold too.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of them are what an answer is made of"
    )]
    pub(crate) fn show_with(
        &self,
        state: &TypeState,
        stored: &Stored,
        header: Arc<Header>,
        wanted: &WantedView,
        level: AccessLevel,
        token: Token,
        opened: Option<&ContentRecord>,
    ) -> Result<Resource, EngineError> {
        let view = self.show(state, stored, wanted, sees(level), opened)?;
        let is = (stored.id, stored.revision, stored.expires);
        Ok(answer(state, is, header, view, level, token))
    }

    /// A view of what is stored. At the stored version, for somebody who sees all of it, the
    /// stored bytes are the view.
    pub fn show(
        &self,
        state: &TypeState,
        stored: &Stored,
        wanted: &WantedView,
        sees: Visibility,
        opened: Option<&ContentRecord>,
    ) -> Result<ResourceView, EngineError> {
        let version = stored.header.version;
        let definition = state.version(version);
        let restricted = definition.and_then(|one| one.restricted_view.as_ref());
        let mut view = decide::decide_read(&VersionedRead {
            stored: as_stored(state, version),
            known: &wanted.visible.known_with(state, &[version]),
            wanted: wanted.wanted,
            restricted_below: restricted.map(|restricted| restricted.below),
        })?;
        let at = view.at.version();
        let key = ViewKey {
            id: stored.id,
            revision: stored.revision,
            at,
            sees,
        };
        // What full control sees of the stored version are the stored bytes.
        let whole = || match opened {
            Some(opened) => Ok(opened.clone()),
            None => stored.core_record(),
        };
        // A view that was made without the secure values is not everybody's.
        let complete = opened.is_some() || !stored.header.has_secrets();
        let cached = |compute: &dyn Fn() -> Result<Fitting, EngineError>| {
            let fitting = if complete {
                self.views.get(key, compute)?
            } else {
                compute()?
            };
            fitting.map_err(|error| EngineError::ViewUnfit {
                stored: version,
                at,
                error,
            })
        };
        // Content that need not fit its own version need not fit another; and nobody can tell
        // without the secure values.
        let judged = complete && stored.header.state == State::Resolved;
        let shown = match view.shown {
            // The common case: no conversion and no entry in the cache, only a reference to the
            // bytes.
            ViewRendering::AsStored if sees == Visibility::Private || !state.hides(version) => {
                Shown {
                    content: stored.content.clone(),
                    secure: stored.header.secure.clone().into(),
                    hidden: Arc::new([]),
                }
            }
            ViewRendering::AsStored => cached(&|| {
                count("redacted");
                content::view(state, whole()?, at, sees, false)
            })?,
            ViewRendering::Converted => cached(&|| {
                count("converted");
                let record = whole()?;
                // What is proven of all documents is not checked again for this one.
                let proven =
                    state.versions.is_covered(&record) && state.proofs.is_proven(version, at);
                content::view(state, record, at, sees, judged && !proven)
            })?,
            ViewRendering::Pruned { to } => cached(&|| {
                count("pruned");
                let record = stored.core_record()?;
                content::pruned(state, record, to.version(), at, sees, judged)
            })?,
            ViewRendering::Restricted => {
                let shown = restricted.and_then(|restricted| restricted.shown_to(at));
                let content = shown.map(|shown| json(shown.content));
                let reason = shown.map(|shown| Arc::from(shown.label.1));
                let shown = Shown {
                    content: content.unwrap_or_else(|| "{}".into()),
                    secure: Arc::new([]),
                    hidden: Arc::new([]),
                };
                return Ok(ResourceView {
                    decided: view,
                    shown,
                    hides_kept: false,
                    restricted: reason,
                });
            }
        };
        let hides_kept = match view.shown {
            ViewRendering::AsStored => {
                hidden_kept::is_any(state, stored, opened, &wanted.visible, at, sees)?
            }
            _ => hidden_kept::tells_any(state, &wanted.visible, &shown.hidden),
        };
        if hides_kept {
            view = view.hiding_kept(skew(definition));
        }
        Ok(ResourceView {
            decided: view,
            shown,
            hides_kept,
            restricted: None,
        })
    }
}

fn answer(
    state: &TypeState,
    (id, revision, expires): (Uuid, Revision, Option<UnixMillis>),
    header: Arc<Header>,
    view: ResourceView,
    level: AccessLevel,
    token: Token,
) -> Resource {
    Resource {
        of: state.key.clone(),
        id,
        version: view.decided.version(),
        revision,
        expires,
        content: view.shown.content,
        secure: view.shown.secure,
        hides_kept: view.hides_kept,
        restricted: view.restricted,
        level,
        token,
        header,
    }
}

/// What is stored, as the rules on versions look at it. A server that can't load the new major of a
/// migration shows a copy where the new one is the source of truth, and has to say so.
fn as_stored(state: &TypeState, version: Version) -> decide::StoredVersions {
    let alone = decide::StoredVersions::Alone(StoredVersion(version));
    let Ok(Some(part)) = state.reading() else {
        return alone;
    };
    if !part.is_copy(version) {
        return alone;
    }
    let to = part.migration.to;
    let of_major = state.registered_versions().filter(|one| one.major == to);
    let new = of_major.max().unwrap_or(Version::new(to, 0, 0));
    let (old, new) = (StoredVersion(version), StoredVersion(new));
    decide::VersionPair::new(old, new, decide::LeadingRecord::New)
        .map_or(alone, decide::StoredVersions::Pair)
}

/// What the stored version's definition says about edits made at other versions.
pub(crate) fn skew(definition: Option<&TypeVersion>) -> SkewRule {
    match definition.map(|one| one.skew) {
        Some(SkewPolicy::Strict) => SkewRule::Strict,
        Some(SkewPolicy::Merge) | None => SkewRule::Merge,
    }
}

/// Counts a view that had to be computed.
fn count(how: &'static str) {
    metrics::counter!("coeval_conversions_total", "how" => how).increment(1);
}

/// Of a type that does not exist for the caller there is nothing to be found.
fn no_type(error: EngineError, caller: &Caller, state: &TypeState) -> EngineError {
    match error {
        EngineError::NotFound { .. } if !sees_any(state, &caller.subject) => {
            let of = state.key.clone();
            EngineError::TypeUnknown { of }
        }
        error => error,
    }
}

/// What a caller may not see answers as if it did not exist.
pub(crate) fn hide(error: EngineError, of: &TypeKey, target: &Target) -> EngineError {
    match error {
        EngineError::Denied(denied) if denied.hidden => {
            EngineError::no_resource(format!("{of} {target}"))
        }
        error => error,
    }
}
