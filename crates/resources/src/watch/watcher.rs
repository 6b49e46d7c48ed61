//! One watch: takes groups from the store's feed, keeps the watcher's rights up to date, and tells.

use crate::list::scope::{Whose, whose};
use crate::resources::Resources;
use crate::watch::concern::{Concern, concern, may_concern};
use crate::watch::eye::Eye;
use crate::watch::lookahead::Lookahead;
use crate::watch::query::{WatchQuery, WatchStream, Watched};
use crate::watch::reading::Reading;
use crate::watch::walk::Walk;
use coeval_catalog::caller::Caller;
use coeval_catalog::visible_versions::sees_any;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::error::watch::WatchError;
use coeval_records::keys;
use coeval_storage::{
    DeliveryStream, EventGroup, Key, KeySpan, StorageError, Token, WatchDelivery, WatchRequest,
};
use futures::stream::{self, StreamExt};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After so many groups that were for others a watcher gets a bookmark.
const BOOKMARK_AFTER: u64 = 1_000;
/// And after so long, if the head has moved.
const BOOKMARK_EVERY: Duration = Duration::from_secs(1);

/// One watch.
pub(crate) struct Watcher {
    pub resources: Arc<Resources>,
    pub query: WatchQuery,
    /// The type's name, as deeds have it.
    pub of: String,
    pub whose: Whose,
    caller: Caller,
    /// The key of the session that it was opened with.
    session: Option<Key>,
    /// Never locked: only that a watcher can be looked at from several threads.
    events: Mutex<DeliveryStream>,
    /// Who watches, by now.
    pub eye: Eye,
    /// Who watched until a moment ago.
    pub earlier: Vec<Earlier>,
    /// The watch has passed all that came after this.
    pub from: Token,
    position: Token,
    told: Token,
    told_at: Instant,
    /// The token that is told until the stream has passed a sequence.
    held: Option<(Token, u64)>,
    pub lookahead: Lookahead,
    walk: Option<Walk>,
    ready: VecDeque<Watched>,
}

/// Who watched before a change of rights.
#[derive(Debug)]
pub(crate) struct Earlier {
    pub eye: Eye,
    /// From this sequence on nothing is open.
    until: u64,
    /// Resources that the walk left to their own events: what was seen of them then the watcher has
    /// still.
    pub open: HashSet<Uuid>,
}

/// The records of what was done are needed beside the resources: they say whose a deleted one was.
fn everything(from: Token) -> WatchRequest {
    WatchRequest {
        span: KeySpan::everything(),
        from: Some(from),
    }
}

impl Resources {
    /// Watches resources of a type.
    ///
    /// # Errors
    /// If the type is unknown, the credentials don't hold, or the point to begin from is not in the
    /// history.
    pub async fn watch(
        self: &Arc<Self>,
        caller: &Caller,
        query: WatchQuery,
    ) -> Result<WatchStream, EngineError> {
        let eye = self.eye(caller, &query.of).await?;
        if !sees_any(&eye.state, &eye.subject) {
            let of = query.of;
            return Err(EngineError::TypeUnknown { of });
        }
        let whose = whose(caller, &query.org)?;
        let session = match &caller.credentials {
            None => None,
            Some(credentials) => Some(keys::session(&credentials.hash)?),
        };
        // Begun where the rights were looked at, so that no change of them falls in between.
        let from = query.from.unwrap_or(eye.token);
        let events = match self.store.watch(everything(from)).await {
            Err(StorageError::Compacted) => return Err(self.not_there(from).await?.into()),
            other => other?,
        };
        let mut watcher = Watcher {
            resources: Arc::clone(self),
            of: query.of.to_string(),
            query,
            whose,
            caller: caller.clone(),
            session,
            events: Mutex::new(events),
            eye,
            earlier: Vec::new(),
            from,
            position: from,
            told: from,
            told_at: Instant::now(),
            held: None,
            lookahead: Lookahead::default(),
            walk: None,
            ready: VecDeque::new(),
        };
        watcher.rights_are_as_they_were().await?;
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

    /// Why a watch can't begin there.
    async fn not_there(&self, from: Token) -> Result<WatchError, EngineError> {
        let status = self.store.status().await?;
        let (from, known) = (from.sequence, from.incarnation == status.incarnation);
        Ok(if known && from <= status.head {
            let floor = status.floor;
            WatchError::Compacted { from, floor }
        } else {
            let head = status.head;
            WatchError::OtherHistory { from, head }
        })
    }
}

/// Why the watcher was woken.
enum Woken {
    WatchDelivery(Option<Result<WatchDelivery, StorageError>>),
    /// A bookmark is due.
    Bookmark,
    /// The credentials may have expired.
    Expiry,
}

impl Watcher {
    async fn next(&mut self) -> Option<Result<Watched, EngineError>> {
        loop {
            // What is ready goes first: so a walk reads its next page only when the client has
            // taken the last.
            if let Some(watched) = self.ready.pop_front() {
                return Some(Ok(self.tell(watched)));
            }
            // No group is taken while a walk is under way: all its pages are told at one position.
            if let Some(mut walk) = self.walk.take() {
                match self.step_of_walk(&mut walk).await {
                    Ok(more) => self.walk = more.then_some(walk),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            }
            let step = match self.wait().await {
                Woken::WatchDelivery(delivery) => self.delivered(delivery?).await,
                Woken::Bookmark => {
                    self.ready.push_back(Watched::Bookmark(self.position));
                    Ok(())
                }
                Woken::Expiry => self.check_expiry(),
            };
            if let Err(error) = step {
                return Some(Err(error));
            }
        }
    }

    async fn wait(&mut self) -> Woken {
        let now = Instant::now();
        let bookmark = (self.position != self.told).then(|| self.told_at + BOOKMARK_EVERY);
        // Before the feed is asked: one that always has something would starve bookmarks and
        // expiry.
        if bookmark.is_some_and(|at| at <= now) {
            return Woken::Bookmark;
        }
        let expires = self.caller.credentials.as_ref().and_then(|one| one.expires);
        let left = expires.map(|at| u64::try_from(at - self.resources.now()).unwrap_or(0));
        if left == Some(0) {
            return Woken::Expiry;
        }
        // An hour at most: clocks are set.
        let expiry = left.map(|left| now + Duration::from_millis(left.min(3_600_000)));
        let until = |at: Option<Instant>| async move {
            match at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let events = self.feed();
        tokio::select! {
            biased;
            delivery = events.next() => Woken::WatchDelivery(delivery),
            () = until(expiry) => Woken::Expiry,
            () = until(bookmark) => Woken::Bookmark,
        }
    }

    fn feed(&mut self) -> &mut DeliveryStream {
        self.events
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn check_expiry(&self) -> Result<(), EngineError> {
        let expires = self.caller.credentials.as_ref().and_then(|one| one.expires);
        match expires {
            Some(at) if at <= self.resources.now() => Err(IdentityError::TokenInvalid.into()),
            _ => Ok(()),
        }
    }

    async fn delivered(
        &mut self,
        delivery: Result<WatchDelivery, StorageError>,
    ) -> Result<(), EngineError> {
        match delivery {
            Ok(WatchDelivery::Live(token)) => self.ready.push_back(Watched::Live(token)),
            Ok(WatchDelivery::Bookmark(token)) => {
                self.pass(token);
                self.ready.push_back(Watched::Bookmark(token));
            }
            Ok(WatchDelivery::Events(token, group)) => self.group(token, &group).await?,
            // Its place in the ring was overwritten; nothing is lost while the log has it.
            Err(StorageError::FellBehind { resume }) => self.catch_up(resume).await?,
            Err(StorageError::Compacted) => return Err(self.no_more().await?.into()),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Slower than the events: the log may still have them.
    async fn catch_up(&mut self, resume: Token) -> Result<(), EngineError> {
        let watch = self.resources.store.watch(everything(resume)).await;
        *self.feed() = match watch {
            Err(StorageError::Compacted) => return Err(self.no_more().await?.into()),
            other => other?,
        };
        // The first delivery says that it is live; the watcher knows.
        match self.feed().next().await {
            Some(Ok(WatchDelivery::Live(_))) | None => Ok(()),
            Some(Ok(_)) => Err(StorageError::failed("a feed began without a word").into()),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Why the history does not have what comes next.
    async fn no_more(&self) -> Result<WatchError, EngineError> {
        Ok(match self.resources.not_there(self.position).await? {
            WatchError::Compacted { .. } => WatchError::FellBehind {
                delivered: self.told,
            },
            other => other,
        })
    }

    async fn group(&mut self, token: Token, group: &EventGroup) -> Result<(), EngineError> {
        let reading = Reading::of(group);
        // The deletion of the session is in the feed too: a logout on any server ends this watch in
        // order.
        if let Some(session) = &self.session
            && reading.ended.contains(session)
        {
            return Err(IdentityError::TokenInvalid.into());
        }
        // The eye first: changes of this very group are judged by the rights that hold after it.
        self.look_again(token, &reading).await?;
        let changes = self.changes(token, &reading).await?;
        self.pass(token);
        if !changes.is_empty() {
            self.ready.push_back(Watched::Changes(token, changes));
        } else if token.sequence > self.told.sequence.saturating_add(BOOKMARK_AFTER) {
            self.ready.push_back(Watched::Bookmark(token));
        }
        Ok(())
    }

    /// Whether the rights that are known are those of the point that the watch begins from: by those
    /// of another time a client that was here before would miss something. All is looked at before
    /// anything is told.
    async fn rights_are_as_they_were(&mut self) -> Result<(), EngineError> {
        let known = self.eye.token.sequence;
        let mut after = self.from.sequence;
        while after < known {
            let page = self.resources.store.events(after).await?;
            let here = Token {
                sequence: after,
                ..self.from
            };
            if !page.bounds.can_resume(here) {
                return Err(self.no_more().await?.into());
            }
            let groups = page.groups.iter();
            let groups = groups.filter(|group| group.sequence <= known && may_concern(group));
            for reading in groups.map(|group| Reading::of(group)) {
                let of = &self.query.of;
                // A new version of the type is no reason to list again; a change of who sees it is.
                let by_type = reading.types.contains(of)
                    && !reading.keeps_access(of)
                    && self.eye.depends_on_type_acls();
                if by_type || self.concern(&reading) == Concern::Rights {
                    let when = "since the sequence that the watch was to begin from";
                    return Err(WatchError::RightsChanged { when }.into());
                }
            }
            if page.complete_to <= after {
                break;
            }
            after = page.complete_to;
        }
        Ok(())
    }

    fn concern(&self, reading: &Reading) -> Concern {
        match &self.caller.credentials {
            Some(_) => concern(&self.resources, &self.eye, reading),
            None => Concern::None,
        }
    }

    /// Finds out anew who watches, if the group changes that.
    async fn look_again(&mut self, token: Token, reading: &Reading) -> Result<(), EngineError> {
        let type_changed = reading.types.contains(&self.query.of);
        if !type_changed && self.concern(reading) == Concern::None {
            return Ok(());
        }
        if token.sequence <= self.eye.token.sequence {
            // The present eye has seen it.
            return Ok(());
        }
        // It may be newer than this group; groups that it has seen already are passed over above.
        let eye = self.resources.eye(&self.caller, &self.query.of).await?;
        let before = std::mem::replace(&mut self.eye, eye);
        if before.truth_changed_for(&self.eye) {
            let when = "with the major that the resources of the type are judged by";
            return Err(WatchError::RightsChanged { when }.into());
        }
        // Nothing that is seen changed: a walk through the whole type would tell nothing.
        if before.sees_as(&self.eye) {
            return Ok(());
        }
        // Until the walk is over nobody knows for how long.
        // If an earlier walk still holds a token, that one stays: who resumes from it meets both
        // changes.
        self.held.get_or_insert((self.position, u64::MAX)).1 = u64::MAX;
        self.walk = Some(Walk::new(before)?);
        Ok(())
    }

    /// One page of a walk; whether more follow.
    async fn step_of_walk(&mut self, walk: &mut Walk) -> Result<bool, EngineError> {
        let (changes, more) = self.walk_on(walk).await?;
        if !changes.is_empty() {
            let token = self.position;
            self.ready.push_back(Watched::Changes(token, changes));
        }
        if !more {
            let newest = walk.newest.max(self.lookahead.scanned());
            let newest = newest.max(self.eye.token.sequence);
            self.earlier.push(Earlier {
                eye: walk.before.clone(),
                until: newest,
                open: self.lookahead.written_after(self.position.sequence),
            });
            if let Some((_, until)) = &mut self.held {
                *until = newest;
            }
            // Clears what ends here already, such as a held token if nothing newer was read.
            self.pass(self.position);
        }
        Ok(more)
    }

    /// All up to here was delivered.
    pub(crate) const fn told(&self) -> Token {
        self.told
    }

    /// All up to here was looked at.
    pub(crate) const fn position(&self) -> Token {
        self.position
    }

    /// The stream has come to a token.
    fn pass(&mut self, token: Token) {
        self.position = token;
        self.lookahead.pass(token.sequence);
        self.earlier
            .retain(|earlier| earlier.until > token.sequence);
        if self.held.is_some_and(|(_, until)| until <= token.sequence) {
            self.held = None;
        }
    }

    /// What is told, with the token that may be resumed from.
    fn tell(&mut self, watched: Watched) -> Watched {
        let held = |token| self.held.map_or(token, |(held, _)| held);
        let (watched, token) = match watched {
            Watched::Live(token) => (Watched::Live(token), token),
            Watched::Changes(token, changes) => {
                (Watched::Changes(held(token), changes), held(token))
            }
            Watched::Bookmark(token) => (Watched::Bookmark(held(token)), held(token)),
        };
        self.told = token;
        self.told_at = Instant::now();
        watched
    }
}
