//! A client that lists, watches, loses its connection, resumes elsewhere, and checks all that it is
//! told: nothing missing, nothing twice, everything in order, groups together.

use crate::world::app;
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_engine::{
    Caller, Engine, EngineError, InOrg, ListQuery, PageAt, WantedVersions, WatchQuery, Watched,
    WatchedChange,
};
use coeval_storage::{Revision, Token};
use futures::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Who follows.
#[derive(Clone)]
pub(super) enum Who {
    /// Somebody whose rights never change.
    Fixed(Box<Caller>),
    /// Who has this token.
    Token(String, WantedVersions),
}

/// What is known of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) revision: Revision,
    pub(super) content: bytes::Bytes,
    generation: u64,
    /// By an event, and not by a list alone.
    delivered: bool,
}

/// What a follower has, and what was wrong.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) have: BTreeMap<Uuid, Held>,
    pub(super) wrong: Vec<String>,
    pub(super) position: Option<Token>,
    pub(super) counts: BTreeMap<&'static str, usize>,
    /// What it may see never changes.
    pub(super) steady: bool,
    /// Revisions of groups that were delivered, since the last list.
    pub(super) groups: BTreeSet<Revision>,
    /// All that it was told, for a look at what went wrong.
    pub(super) log: Vec<(Option<Uuid>, String)>,
}

impl Notes {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Checks one group and takes it over.
    pub(super) fn take(&mut self, token: Token, changes: &[WatchedChange]) {
        self.advance(token);
        let mut of_group = BTreeSet::new();
        for change in changes {
            let (id, text) = match change {
                WatchedChange::Put(one) => {
                    let (generation, owner) = (one.header.generation, &one.header.owner);
                    (
                        Some(one.id),
                        format!("put {generation} of {owner} read at {}", one.token.sequence),
                    )
                }
                WatchedChange::Deleted { id, .. } => (Some(*id), "deleted".to_owned()),
                WatchedChange::Left { id } => (Some(*id), "left".to_owned()),
                WatchedChange::Quarantined(one) => (None, format!("{one:?}")),
            };
            self.log
                .push((id, format!("at {}: {text}", token.sequence)));
            match change {
                WatchedChange::Put(resource) => {
                    self.count("puts");
                    let generation = resource.header.generation;
                    let id = resource.id;
                    let before = self.have.get(&id);
                    let fits = match before {
                        None => true,
                        Some(held) if held.delivered => generation == held.generation + 1,
                        // Listed: the list may be newer than its sequence, and never older.
                        Some(held) => generation <= held.generation + 1,
                    };
                    if !fits {
                        let had = before.map(|held| (held.generation, held.revision));
                        let text = format!("{id}: generation {generation} after {had:?}");
                        self.wrong.push(text);
                    }
                    of_group.insert(resource.revision);
                    let held = Held {
                        revision: resource.revision,
                        content: resource.content.clone(),
                        generation,
                        delivered: true,
                    };
                    self.have.insert(id, held);
                }
                WatchedChange::Deleted { id, .. } => {
                    self.count("deletions");
                    self.have.remove(id);
                }
                WatchedChange::Left { id } => {
                    self.count("left");
                    self.have.remove(id);
                }
                WatchedChange::Quarantined(one) => self.wrong.push(format!("{one:?}")),
            }
        }
        if of_group.len() == 1 && changes.len() > 1 {
            self.count("groups of several");
        }
        // A write of several resources has one revision: no second group may bring more of it.
        if self.steady {
            for revision in of_group {
                if !self.groups.insert(revision) {
                    self.wrong.push(format!("{revision} in two groups"));
                }
            }
        }
    }

    fn advance(&mut self, token: Token) {
        if self
            .position
            .is_some_and(|before| before.sequence > token.sequence)
        {
            self.wrong
                .push(format!("back to {token:?} from {:?}", self.position));
        }
        self.position = Some(token);
    }
}

/// One follower.
pub(super) struct Follower {
    pub(super) name: &'static str,
    pub(super) who: Who,
    pub(super) org: String,
    pub(super) notes: Arc<Mutex<Notes>>,
    /// How long it takes over each group.
    pub(super) slow: Duration,
}

impl Follower {
    async fn caller(&self, engine: &Engine) -> Result<Caller, EngineError> {
        match &self.who {
            Who::Fixed(caller) => Ok(Caller::clone(caller)),
            Who::Token(token, wanted) => engine.caller(token, None, wanted.clone()).await,
        }
    }

    /// What the list says.
    pub(super) async fn list(
        &self,
        engine: &Engine,
    ) -> Result<(Token, BTreeMap<Uuid, Held>), EngineError> {
        let caller = self.caller(engine).await?;
        let mut query = ListQuery::of(app()).sized(1_000);
        query.org = InOrg::One(self.org.clone());
        let mut all = BTreeMap::new();
        let mut first = None;
        loop {
            let page = engine.list(&caller, &query).await?;
            assert!(page.quarantined.is_empty(), "{:?}", page.quarantined);
            let token = *first.get_or_insert(page.token);
            all.extend(page.items.into_iter().map(|resource| {
                let held = Held {
                    revision: resource.revision,
                    content: resource.content,
                    generation: resource.header.generation,
                    delivered: false,
                };
                (resource.id, held)
            }));
            match page.next {
                Some(next) => query.page = PageAt::After(next),
                None => return Ok((token, all)),
            }
        }
    }

    /// Follows until it is told to end; each connection to one of the engines lasts for a while.
    pub(super) async fn follow(
        self: Arc<Self>,
        engines: Arc<Mutex<Vec<Arc<Engine>>>>,
        mut draw: fastrand::Rng,
        end: tokio::sync::watch::Receiver<Option<Token>>,
    ) {
        loop {
            let engine = {
                let engines = engines.lock().unwrap();
                Arc::clone(&engines[draw.usize(..engines.len())])
            };
            let lasts = Duration::from_millis(draw.u64(20..600));
            match self.connected(&engine, lasts, &end).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => {
                    let code = error.code();
                    let again = [
                        coeval_codes::WATCH_COMPACTED,
                        coeval_codes::WATCH_RIGHTS_CHANGED,
                        coeval_codes::WATCH_FELL_BEHIND,
                    ];
                    let mut notes = self.notes.lock().unwrap();
                    if code == coeval_codes::TYPE_UNKNOWN {
                        // Nothing of the type can be seen at the moment.
                        notes.count("told that there is no type");
                        notes.have.clear();
                        notes.position = None;
                    } else if again.contains(&code) {
                        notes.count("told to list again");
                        notes.log.push((None, format!("told {code}: {error}")));
                        notes.position = None;
                    } else {
                        let text = format!("{} ended: {code} {error}", self.name);
                        notes.wrong.push(text);
                        return;
                    }
                }
            }
        }
    }

    /// One connection; whether the end was reached.
    async fn connected(
        &self,
        engine: &Arc<Engine>,
        lasts: Duration,
        end: &tokio::sync::watch::Receiver<Option<Token>>,
    ) -> Result<bool, EngineError> {
        let resumed = self.notes.lock().unwrap().position;
        let from = match resumed {
            Some(token) => token,
            None => {
                let (token, have) = self.list(engine).await?;
                let mut notes = self.notes.lock().unwrap();
                notes.have = have;
                notes.groups.clear();
                notes.position = Some(token);
                notes.count("lists");
                notes
                    .log
                    .push((None, format!("listed at {}", token.sequence)));
                token
            }
        };
        let mut query = WatchQuery::of(app()).from(from);
        query.org = InOrg::One(self.org.clone());
        let caller = self.caller(engine).await?;
        let mut stream = engine.watch(&caller, query).await?;
        {
            let mut notes = self.notes.lock().unwrap();
            notes.count("connections");
            let text = format!("connected from {}", from.sequence);
            notes.log.push((None, text));
        }
        let deadline = tokio::time::Instant::now() + lasts;
        loop {
            let last = *end.borrow();
            let next = match last {
                Some(last) => {
                    let position = self.notes.lock().unwrap().position;
                    if position.is_some_and(|at| at.sequence >= last.sequence) {
                        return Ok(true);
                    }
                    tokio::time::timeout(Duration::from_secs(30), stream.next())
                        .await
                        .expect("something within 30 s")
                }
                None if tokio::time::Instant::now() >= deadline => return Ok(false),
                None => match tokio::time::timeout_at(deadline, stream.next()).await {
                    Ok(next) => next,
                    Err(_) => return Ok(false),
                },
            };
            let next = next.expect("an error before the end")?;
            {
                let mut notes = self.notes.lock().unwrap();
                match next {
                    Watched::Live(token) | Watched::Bookmark(token) => {
                        let text = format!("passed {}", token.sequence);
                        notes.log.push((None, text));
                        notes.advance(token);
                    }
                    Watched::Changes(token, changes) => notes.take(token, &changes),
                }
            }
            if last.is_none() {
                tokio::time::sleep(self.slow).await;
            }
        }
    }

    /// How often it was told of something.
    pub(super) fn count(&self, what: &str) -> usize {
        let notes = self.notes.lock().unwrap();
        notes.counts.get(what).copied().unwrap_or(0)
    }

    /// What it was told of the resources that a text names.
    pub(super) fn told(&self, of: &str) -> Vec<String> {
        let notes = self.notes.lock().unwrap();
        let log = notes.log.iter();
        let log = log.filter(|(id, _)| id.is_none_or(|id| of.contains(&id.to_string())));
        log.map(|(_, text)| text.clone()).collect()
    }

    /// What is not as the list has it.
    pub(super) fn differs(&self, listed: &BTreeMap<Uuid, Held>) -> Vec<String> {
        let notes = self.notes.lock().unwrap();
        let mut wrong = notes.wrong.clone();
        let ids: BTreeSet<_> = notes.have.keys().chain(listed.keys()).collect();
        for id in ids {
            let part = |held: Option<&Held>| held.map(|held| (held.revision, held.content.clone()));
            let (have, is) = (part(notes.have.get(id)), part(listed.get(id)));
            if have != is {
                wrong.push(format!("{id}: has {have:?}, listed {is:?}"));
            }
        }
        wrong
    }
}
