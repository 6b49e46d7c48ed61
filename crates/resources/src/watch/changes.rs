//! From a group of events to what one watcher is told of it.

use crate::quarantined::Quarantined;
use crate::resource::{Resource, urn};
use crate::seen::SeenResource;
use crate::watch::decoded::Decoded;
use crate::watch::eye::{About, Eye, Sees};
use crate::watch::query::{WatchQuery, WatchedChange};
use crate::watch::reading::{Became, Happened, Reading};
use crate::watch::watcher::Watcher;
use coeval_access::{AccessLevel, Acl};
use coeval_core::phases::RecordHome;
use coeval_core::version::{Uuid, Version};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::watch::WatchError;
use coeval_records::header::Header;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::{ReadRange, ReadRequest, Revision, StoredValue as Kept, Token};
use std::sync::Arc;

impl WatchQuery {
    /// Whether a resource is one of those that were asked for, as far as its header tells.
    fn fits(&self, header: &Header) -> bool {
        let labels = || {
            let mut wanted = self.labels.iter();
            wanted.all(|(key, value)| header.labels.get(key) == Some(value))
        };
        let prefix = self.name_prefix.as_deref();
        self.versions
            .is_none_or(|class| class.matches(header.version))
            && prefix.is_none_or(|prefix| header.name.starts_with(prefix))
            && labels()
    }
}

/// What a visible resource is to a watcher.
enum Shown {
    Put(Box<Resource>),
    Quarantined(Quarantined),
    /// Not one of those that were asked for.
    Other,
}

impl Watcher {
    /// What the group means for this watcher.
    pub(crate) async fn changes(
        &mut self,
        token: Token,
        reading: &Reading,
    ) -> Result<Vec<WatchedChange>, EngineError> {
        for change in &reading.acls {
            self.resources.acls.note(token, change.id, &change.acl);
        }
        let mut changes = Vec::new();
        for happened in &reading.records {
            if happened.of != self.query.of {
                continue;
            }
            let deed = reading.deed(happened.id);
            let state = Arc::clone(&self.eye.state);
            // The watch ends here: this server would never hear of what only the new record says
            // (decision 0006).
            if let Some(refusal) = happened.missed_by(&state) {
                return Err(refusal.into());
            }
            let change = match happened.shown(&state) {
                Became::There(decoded) => self.put(token, decoded, reading, deed).await?,
                Became::Unreadable(why) => self.unreadable(token, happened, why, deed).await?,
                Became::Gone(revision) => self.gone(happened, *revision, deed),
            };
            changes.extend(change);
            // By now the watcher has it as the present eye sees it; no earlier eye counts for it
            // any more.
            self.settle(happened.id);
        }
        for change in &reading.acls {
            // Its record was judged with this ACL above; told again it would be a duplicate.
            if reading.has_record(change.id) {
                continue;
            }
            if let Some(deed) = reading.acl_change(change.id) {
                let told = self
                    .acl_changed(token, change.id, deed, &change.acl)
                    .await?;
                changes.extend(told);
                self.settle(change.id);
            }
        }
        Ok(changes)
    }

    async fn put(
        &mut self,
        token: Token,
        decoded: &Decoded,
        reading: &Reading,
        deed: Option<&Deed>,
    ) -> Result<Option<WatchedChange>, EngineError> {
        let stored = &decoded.stored;
        let (id, header) = (stored.id, &stored.header);
        if !self.whose.has(&header.org) {
            return Ok(None);
        }
        let about = About::of(stored);
        let mut acl = reading.acl(id).cloned();
        let mut sees = self.eye.sees(&about, None);
        if sees == Sees::AskAcl {
            let known = match acl.take() {
                Some(acl) => acl,
                None => self.acl_at(id, token).await?,
            };
            sees = self.eye.sees(&about, Some(&known));
            acl = Some(known);
        }
        let Some(level) = sees.level() else {
            // What was made just now nobody has seen.
            let new = deed.is_some_and(|deed| deed.what == What::Create);
            let left = !new && self.could_see(id, token, deed, &about, acl).await?;
            return Ok(left.then_some(WatchedChange::Left { id }));
        };
        match self.show(token, decoded, level).await? {
            Shown::Put(resource) => Ok(Some(WatchedChange::Put(resource))),
            Shown::Quarantined(why) => Ok(Some(WatchedChange::Quarantined(why))),
            // What was never changed never matched.
            Shown::Other if header.generation == 0 => Ok(None),
            Shown::Other => Ok(Some(WatchedChange::Left { id })),
        }
    }

    /// Whether a resource that can't be seen by now could be before this event.
    async fn could_see(
        &mut self,
        id: Uuid,
        token: Token,
        deed: Option<&Deed>,
        now: &About<'_>,
        acl: Option<Arc<Acl>>,
    ) -> Result<bool, EngineError> {
        let was = deed.and_then(|deed| deed.was.as_ref());
        // Neither owner nor version changed, and there is no earlier eye: what is hidden was hidden
        // before.
        if was.is_none() && self.earlier.is_empty() {
            return Ok(false);
        }
        let before = About {
            owner: was.map_or(now.owner, |was| Some(&was.owner)),
            // Access goes by the type version too: an upgrade may hide a resource from those who
            // saw it.
            version: was
                .and_then(|was| Version::parse_full(&was.stored).ok())
                .unwrap_or(now.version),
            ..*now
        };
        let asks = |eye: &Eye| eye.sees(&before, None) == Sees::AskAcl;
        let acl = match acl {
            None if self.eyes(id).any(asks) => Some(self.acl_at(id, token).await?),
            acl => acl,
        };
        let sees = |eye: &Eye| eye.sees(&before, acl.as_deref()).level().is_some();
        Ok(self.eyes(id).any(sees))
    }

    /// The eyes that could see a resource before this event: the present one, and those that the
    /// watcher had until a moment ago, if nothing has happened to the resource since.
    fn eyes(&self, id: Uuid) -> impl Iterator<Item = &Eye> {
        std::iter::once(&self.eye).chain(self.earlier_eyes(id))
    }

    /// Those that the watcher had when it was last told of the resource.
    pub(crate) fn earlier_eyes(&self, id: Uuid) -> impl Iterator<Item = &Eye> {
        let earlier = self.earlier.iter();
        let earlier = earlier.filter(move |one| one.open.contains(&id));
        earlier.map(|one| &one.eye)
    }

    /// Notes that what the watcher has of a resource it has by its present eye.
    pub(crate) fn settle(&mut self, id: Uuid) {
        for earlier in &mut self.earlier {
            earlier.open.remove(&id);
        }
    }

    /// Only those who could know of it are told that something is wrong.
    async fn unreadable(
        &mut self,
        token: Token,
        happened: &Happened,
        why: &Quarantined,
        deed: Option<&Deed>,
    ) -> Result<Option<WatchedChange>, EngineError> {
        let told = || Some(WatchedChange::Quarantined(why.clone()));
        let home = home_of(happened, deed);
        let Some(about) = deed.and_then(|deed| About::of_deed(deed, home)) else {
            // Nothing says whose it is.
            return Ok(told().filter(|_| self.eye.subject.is_provider()));
        };
        if !self.whose.has(about.org) {
            return Ok(None);
        }
        let mut sees = self.eye.sees(&about, None);
        if sees == Sees::AskAcl {
            let acl = self.acl_at(happened.id, token).await?;
            sees = self.eye.sees(&about, Some(&acl));
        }
        Ok(told().filter(|_| sees.level().is_some()))
    }

    /// A deletion is told to those who could see the resource.
    fn gone(
        &self,
        happened: &Happened,
        revision: Option<Revision>,
        deed: Option<&Deed>,
    ) -> Option<WatchedChange> {
        let (id, home) = (happened.id, home_of(happened, deed));
        let told = WatchedChange::Deleted { id, revision };
        let Some((deed, about)) = deed.and_then(|deed| Some((deed, About::of_deed(deed, home)?)))
        else {
            // Nothing says whose it was (a repair by hand): only the provider is told.
            return self.eye.subject.is_provider().then_some(told);
        };
        if !self.whose.has(about.org) {
            return None;
        }
        let none = Acl::default();
        let acl = Some(deed.acl.as_ref().unwrap_or(&none));
        let could = self
            .eyes(id)
            .any(|eye| eye.sees(&about, acl).level().is_some());
        could.then_some(told)
    }

    /// The ACL before is told with the change: both are judged.
    async fn acl_changed(
        &mut self,
        token: Token,
        id: Uuid,
        deed: &Deed,
        now: &Acl,
    ) -> Result<Option<WatchedChange>, EngineError> {
        let home = self.home_at(id, deed).await?;
        let Some(about) = About::of_deed(deed, home) else {
            return Ok(None);
        };
        if deed.of != self.of || !self.whose.has(about.org) {
            return Ok(None);
        }
        // Without the ACL before nobody can say whether the resource left or came; only a new list
        // can.
        let Some(before) = &deed.acl else {
            if self.eye.sees(&about, None) == Sees::AskAcl {
                let when = "by a change of an ACL that is too large to be told";
                return Err(WatchError::RightsChanged { when }.into());
            }
            return Ok(None);
        };
        let after = self.eye.sees(&about, Some(now)).level();
        let could = self
            .eyes(id)
            .filter_map(|eye| eye.sees(&about, Some(before)).level())
            .max();
        let hides = || self.eye.state.hides(about.version);
        let level = match (could, after) {
            (Some(_), None) => return Ok(Some(WatchedChange::Left { id })),
            (None, Some(level)) => level,
            // What the one class sees and the other does not.
            (Some(could), Some(level)) if class(could) != class(level) && hides() => level,
            _ => return Ok(None),
        };
        let Some(revision) = deed.before.as_deref().map(Revision::from_opaque) else {
            return Ok(None);
        };
        let Some(stored) = self.at_revision(id, revision).await? else {
            // Deleted, or written so often since that it is not kept: what comes tells.
            return Ok(None);
        };
        let decoded = Decoded::new(stored);
        Ok(match self.show(token, &decoded, level).await? {
            Shown::Put(resource) => Some(WatchedChange::Put(resource)),
            Shown::Quarantined(why) => Some(WatchedChange::Quarantined(why)),
            Shown::Other => None,
        })
    }

    /// Whether a resource whose ACL changed takes part in the migration of its type. Its deed says so;
    /// one of 0.1.0 does not, so its record is looked at. A server that only reads finds the old record,
    /// which takes part whatever its flag is.
    async fn home_at(&self, id: Uuid, deed: &Deed) -> Result<RecordHome, EngineError> {
        if deed.paired {
            return Ok(RecordHome::Paired);
        }
        let (Some(migration), Some(revision)) = (self.eye.state.phase.migration, &deed.before)
        else {
            return Ok(RecordHome::Alone);
        };
        let stored = self
            .at_revision(id, Revision::from_opaque(revision))
            .await?;
        Ok(match stored {
            Some(stored) if stored.header.version.major == migration.from => RecordHome::Paired,
            Some(stored) => stored.home(),
            None => RecordHome::Alone,
        })
    }

    /// A resource as it was at a revision, if it is so still or is kept.
    async fn at_revision(
        &self,
        id: Uuid,
        revision: Revision,
    ) -> Result<Option<Stored>, EngineError> {
        let mut range = ReadRange::of(keys::histories(id)?).descending();
        let request = ReadRequest::default();
        let fetched = self.resources.fetch(&self.query.of, id, request).await;
        // A record that can't be decoded is no reason to end the watch: the history may have the
        // revision.
        let present = match fetched {
            Ok(fetched) => fetched.stored,
            Err(EngineError::Storage(error)) if !is_damaged(&error) => return Err(error.into()),
            Err(EngineError::Contended { attempts }) => {
                return Err(EngineError::Contended { attempts });
            }
            Err(_) => None,
        };
        match present {
            Some(stored) if stored.revision == revision => return Ok(Some(stored)),
            _ => {}
        }
        loop {
            let (_, page) = self.resources.store.range(range.clone()).await?;
            for entry in &page.entries {
                if let Kept::Record(record) = &entry.stored
                    && let Ok(stored) = Stored::decode(id, record)
                    && stored.revision == revision
                {
                    return Ok(Some(stored));
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(None),
            }
        }
    }

    /// A resource that the watcher may see, at its version, if it is one of those that it asked
    /// for.
    async fn show(
        &self,
        token: Token,
        decoded: &Decoded,
        level: AccessLevel,
    ) -> Result<Shown, EngineError> {
        // The header first: it needs no conversion.
        if !self.query.fits(&decoded.stored.header) {
            return Ok(Shown::Other);
        }
        let Eye { state, wanted, .. } = &self.eye;
        let shown = decoded
            .shown(&self.resources, state, wanted, level, token)
            .await;
        match shown {
            Ok(resource) => {
                let filter = self.query.filter.as_ref();
                // On the view, after redaction: a filter on the record would tell what is hidden.
                if filter.is_some_and(|filter| !filter.matches(&SeenResource::new(&resource))) {
                    return Ok(Shown::Other);
                }
                Ok(Shown::Put(Box::new(Resource::clone(&resource))))
            }
            // The store could not be asked: that says nothing of the resource.
            Err(EngineError::Storage(error)) if !is_damaged(&error) => Err(error.into()),
            Err(error) => {
                let id = urn(&self.query.of, decoded.stored.id);
                Ok(Shown::Quarantined(Quarantined::of(id, &error)))
            }
        }
    }

    /// What a walk sends of a resource.
    pub(crate) async fn arrived(
        &self,
        token: Token,
        stored: Stored,
        level: AccessLevel,
    ) -> Result<Option<WatchedChange>, EngineError> {
        let decoded = Decoded::new(stored);
        Ok(match self.show(token, &decoded, level).await? {
            Shown::Put(resource) => Some(WatchedChange::Put(resource)),
            Shown::Quarantined(why) => Some(WatchedChange::Quarantined(why)),
            Shown::Other => None,
        })
    }
}

const fn is_damaged(error: &coeval_storage::StorageError) -> bool {
    matches!(error, coeval_storage::StorageError::Damaged { .. })
}

/// Whether a level is of those who see what is private.
fn class(level: AccessLevel) -> coeval_core::types::Visibility {
    crate::resource::sees(level)
}

/// Whether a resource takes part in the migration of its type: both of its records are in the write, or
/// its deed says so.
fn home_of(happened: &Happened, deed: Option<&Deed>) -> RecordHome {
    if deed.is_some_and(|deed| deed.paired) {
        RecordHome::Paired
    } else {
        happened.home()
    }
}

impl<'a> About<'a> {
    /// As it was when something was done with it.
    fn of_deed(deed: &'a Deed, home: RecordHome) -> Option<Self> {
        Some(Self {
            org: deed.org.as_deref()?,
            owner: deed.owner.as_deref(),
            version: Version::parse_full(deed.stored.as_deref()?).ok()?,
            home,
        })
    }
}
