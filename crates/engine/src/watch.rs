//! Watching resources: what changes, in the caller's version, in the store's order.
//!
//! A watch stands on the storage's: events of one atomic write stay together, none is missing and
//! none comes twice, and a watch resumes from any token that the history still holds. Views come
//! from the same cache as reads, so a thousand watchers at three versions cost three conversions.

use crate::allow::{allowed, home, type_name, version_facts};
use crate::audit::{Deed, deed_of_group};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::resource::{Quarantined, Resource};
use crate::seen::SeenResource;
use crate::stored::Stored;
use crate::types::state::TypeState;
use coeval_access::{Acl, AclFacts, Action, Decision, Denied, Facts, Reason, decide};
use coeval_codes::Coded;
use coeval_core::version::{Classification, Uuid, Version};
use coeval_filter::Compiled;
use coeval_storage::{
    Change, Delivery, Event, Group, Revision, Span, StorageError, Stored as Kept, Token, Watch,
    WatchRequest,
};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to watch.
#[derive(Clone, Debug)]
pub struct WatchQuery {
    /// Resources of this type.
    pub of: TypeKey,
    /// Stored at these versions; all if nothing is said.
    pub versions: Option<Classification>,
    /// Of this organization; the caller's if nothing is said.
    pub org: Option<String>,
    /// Only those whose name begins so.
    pub name_prefix: Option<String>,
    /// Only those that it matches, as the caller sees them.
    pub filter: Option<Arc<Compiled>>,
    /// From this point on; from now if nothing is said.
    pub from: Option<Token>,
}

impl WatchQuery {
    /// All resources of a type, from now on.
    #[must_use]
    pub fn of(of: TypeKey) -> Self {
        Self {
            of,
            versions: None,
            org: None,
            name_prefix: None,
            filter: None,
            from: None,
        }
    }
}

/// What a watcher is told.
#[derive(Clone, Debug)]
pub enum Watched {
    /// Always first: what comes after this is delivered.
    Live(Token),
    /// What one atomic write did, and where it stands.
    Changes(Token, Vec<WatchedChange>),
    /// Nothing for this watcher up to here: resume from this, it is newer.
    Bookmark(Token),
}

/// What happened to one resource.
#[derive(Clone, Debug)]
pub enum WatchedChange {
    /// It is there, or was changed.
    Put(Box<Resource>),
    /// It is gone.
    Deleted {
        /// Which.
        id: Uuid,
        /// The revision that it had.
        revision: Option<Revision>,
    },
    /// It is there, and does not match any more (or never did).
    Unmatched {
        /// Which.
        id: Uuid,
    },
    /// It is there, and can't be shown.
    Quarantined(Quarantined),
}

/// What a watch yields. After an error nothing follows.
pub type WatchStream = BoxStream<'static, Result<Watched, EngineError>>;

struct Watcher {
    look: Look,
    events: Watch,
}

/// How one watcher looks at events.
struct Look {
    engine: Arc<Engine>,
    caller: Caller,
    query: WatchQuery,
    org: String,
}

impl Engine {
    /// Watches resources of a type.
    ///
    /// # Errors
    /// If the type is unknown, or the point to begin from is not in the history.
    pub async fn watch(
        self: &Arc<Self>,
        caller: &Caller,
        query: WatchQuery,
    ) -> Result<WatchStream, EngineError> {
        self.types.get(&query.of).await?;
        let other = query.org.as_deref().is_some_and(|org| org != caller.org());
        if other && !caller.subject.is_provider() {
            return Err(EngineError::Denied(Denied {
                hidden: false,
                reason: Reason::OtherOrganization,
            }));
        }
        let org = query.org.clone().unwrap_or_else(|| caller.org().to_owned());
        let events = self.store.watch(everything(query.from)).await?;
        let look = Look {
            engine: Arc::clone(self),
            caller: caller.clone(),
            query,
            org,
        };
        let watcher = Watcher { look, events };
        let stream = stream::unfold(Some(watcher), |watcher| async move {
            let mut watcher = watcher?;
            match watcher.next().await {
                Some(Ok(watched)) => Some((Ok(watched), Some(watcher))),
                Some(Err(error)) => Some((Err(error), None)),
                None => None,
            }
        });
        Ok(stream.boxed())
    }
}

/// The records of what was done are needed beside the resources: they say whose a deleted one was.
fn everything(from: Option<Token>) -> WatchRequest {
    WatchRequest {
        span: Span::everything(),
        from,
    }
}

impl Watcher {
    async fn next(&mut self) -> Option<Result<Watched, EngineError>> {
        loop {
            let delivery = match self.events.next().await? {
                Ok(delivery) => delivery,
                // Slower than the events: the log still has them.
                Err(StorageError::FellBehind { resume }) => {
                    match self.look.engine.store.watch(everything(Some(resume))).await {
                        Ok(events) => self.events = events,
                        Err(error) => return Some(Err(error.into())),
                    }
                    // The first delivery says that it is live; the watcher knows.
                    match self.events.next().await? {
                        Ok(_) => continue,
                        Err(error) => return Some(Err(error.into())),
                    }
                }
                Err(error) => return Some(Err(error.into())),
            };
            match delivery {
                Delivery::Live(token) => return Some(Ok(Watched::Live(token))),
                Delivery::Bookmark(token) => return Some(Ok(Watched::Bookmark(token))),
                Delivery::Events(token, group) => match self.look.changes(token, &group).await {
                    Ok(changes) if changes.is_empty() => {
                        return Some(Ok(Watched::Bookmark(token)));
                    }
                    Ok(changes) => return Some(Ok(Watched::Changes(token, changes))),
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

impl Look {
    async fn changes(
        &self,
        token: Token,
        group: &Group,
    ) -> Result<Vec<WatchedChange>, EngineError> {
        // A resource that moves to another major has two events; the put is what happened.
        let mut concerned: BTreeMap<Uuid, &Event> = BTreeMap::new();
        for event in &group.events {
            if !event.key.as_bytes().starts_with(b"e/") {
                continue;
            }
            let Some((of, _, id)) = keys::read_record(&event.key) else {
                continue;
            };
            if of != self.query.of {
                continue;
            }
            let put = matches!(event.change, Change::Put(_));
            if put || !concerned.contains_key(&id) {
                concerned.insert(id, event);
            }
        }
        let mut changes = Vec::new();
        for (id, event) in concerned {
            let change = match &event.change {
                Change::Put(Kept::Record(record)) => match Stored::decode(id, record) {
                    Ok(stored) => self.put(token, stored).await,
                    Err(error) => Some(quarantined(id, &error)),
                },
                Change::Put(Kept::Damaged { damage, .. }) => {
                    Some(WatchedChange::Quarantined(Quarantined {
                        id: id.to_string(),
                        code: coeval_codes::DAMAGED,
                        reason: damage.to_string(),
                    }))
                }
                Change::Deleted { revision } => {
                    let deed = deed_of_group(group, id);
                    self.deleted(id, *revision, deed).await
                }
            };
            changes.extend(change);
        }
        Ok(changes)
    }

    async fn put(&self, token: Token, stored: Stored) -> Option<WatchedChange> {
        let id = stored.id;
        let mut shown = self.shown(token, stored.clone()).await;
        if matches!(shown, Err(EngineError::Denied(_))) {
            // What was loaded of the type may be outdated: nobody misses an event by that.
            shown = match self.engine.types.current(&self.query.of).await {
                Ok(_) => self.shown(token, stored).await,
                Err(error) => Err(error),
            };
        }
        match shown {
            Ok(change) => change,
            Err(EngineError::Denied(_)) => None,
            Err(error) => Some(quarantined(id, &error)),
        }
    }

    /// `None`: not for this watcher.
    async fn shown(
        &self,
        token: Token,
        stored: Stored,
    ) -> Result<Option<WatchedChange>, EngineError> {
        let header = &stored.header;
        if header.org != self.org {
            return Ok(None);
        }
        let state = self.state(header.version).await?;
        let action = Action::Read;
        let level = match allowed(&self.caller, &state, &stored, action, None)? {
            Some(level) => level,
            None => {
                self.engine
                    .allow(&self.caller, &state, &stored, action)
                    .await?
            }
        };
        let versions = self.query.versions;
        if versions.is_some_and(|versions| !versions.matches(header.version)) {
            return Ok(Some(WatchedChange::Unmatched { id: stored.id }));
        }
        let prefix = self.query.name_prefix.as_deref();
        if prefix.is_some_and(|prefix| !header.name.starts_with(prefix)) {
            return Ok(Some(WatchedChange::Unmatched { id: stored.id }));
        }
        let wanted = self.caller.wanted.of_type(&state);
        let resource = self
            .engine
            .resource_of(&state, stored, wanted, level, token)
            .await?;
        if let Some(filter) = &self.query.filter
            && !filter.matches(&SeenResource::new(&resource))
        {
            return Ok(Some(WatchedChange::Unmatched { id: resource.id }));
        }
        Ok(Some(WatchedChange::Put(Box::new(resource))))
    }

    /// The type, loaded again if it does not have the version yet.
    async fn state(&self, version: Version) -> Result<Arc<TypeState>, EngineError> {
        let state = self.engine.types.get(&self.query.of).await?;
        if state.definitions.contains_key(&version) {
            return Ok(state);
        }
        self.engine.types.current(&self.query.of).await
    }

    /// A deletion is told to those who could see the resource.
    async fn deleted(
        &self,
        id: Uuid,
        revision: Option<Revision>,
        deed: Option<Deed>,
    ) -> Option<WatchedChange> {
        let change = WatchedChange::Deleted { id, revision };
        let Some(deed) = deed else {
            // Nothing says whose it was (a repair by hand): only the provider is told.
            return self.caller.subject.is_provider().then_some(change);
        };
        if deed.org.as_deref() != Some(&self.org) {
            return None;
        }
        let version = deed
            .stored
            .as_deref()
            .and_then(|text| Version::parse_full(text).ok())?;
        let state = match self.engine.types.current(&self.query.of).await {
            Ok(state) => state,
            // The type is gone too.
            Err(_) => return self.caller.subject.is_provider().then_some(change),
        };
        let none = Acl::default();
        let facts = Facts {
            of: type_name(&self.query.of).ok()?,
            version: version_facts(&state, version, &self.caller.subject),
            home: home(&self.org),
            owner: deed.owner.as_deref(),
            acl: AclFacts::Loaded(deed.acl.as_ref().unwrap_or(&none)),
        };
        let decision = decide(Action::Read, &self.caller.subject, &facts);
        matches!(decision, Decision::Allowed(_)).then_some(change)
    }
}

fn quarantined(id: Uuid, error: &EngineError) -> WatchedChange {
    WatchedChange::Quarantined(Quarantined::of(id.to_string(), error))
}

impl Quarantined {
    pub(crate) fn of(id: String, error: &EngineError) -> Self {
        let code = error.code();
        metrics::counter!("coeval_quarantined_total", "code" => code.to_string()).increment(1);
        Self {
            id,
            code,
            reason: error.to_string(),
        }
    }
}
