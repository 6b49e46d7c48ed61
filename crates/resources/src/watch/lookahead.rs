//! The ACL that a resource had at the event at hand, though the store only tells what it has by now.
//!
//! Where the one that is known is newer than the event, the log between the two is read ahead: the
//! first change in it tells what there was before. A walk reads ahead too: to leave alone what events
//! will tell of.

use crate::watch::reading::{Reading, is_silent};
use crate::watch::watcher::Watcher;
use coeval_access::Acl;
use coeval_core::version::Uuid;
use coeval_records::acl::decode_acl;
use coeval_records::audit::What;
use coeval_records::error::EngineError;
use coeval_records::error::watch::WatchError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{EventGroup, ReadRequest, Token};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many changes are remembered; more are too many to go on with.
const MOST: usize = 10_000;

/// And how many resources that are written.
const MOST_WRITTEN: usize = 100_000;

/// The ACL before a change.
#[derive(Debug)]
struct Changed {
    at: u64,
    /// Unless it was too large to be told.
    before: Option<Arc<Acl>>,
}

/// The changes of ACLs between the stream's position and what was read ahead.
#[derive(Debug, Default)]
pub(crate) struct Lookahead {
    scanned: u64,
    changes: HashMap<Uuid, Vec<Changed>>,
    /// When a resource of the type itself is written last, or deleted.
    written: HashMap<Uuid, u64>,
    count: usize,
}

impl Lookahead {
    fn add(&mut self, of: &TypeKey, group: &EventGroup) {
        let mut acls = false;
        // Nobody is told of a copy: counted as a write, it would let a walk leave its resource to
        // an event that never comes.
        if is_silent(group) {
            return;
        }
        for event in &group.events {
            match event.key.as_bytes() {
                [b'e', b'/', ..] => {
                    let read = keys::read_record(&event.key);
                    let id = read.and_then(|(is, _, id)| (is == *of).then_some(id));
                    self.written.extend(id.map(|id| (id, group.sequence)));
                }
                [b'a', b'/', ..] => acls = true,
                _ => {}
            }
        }
        if !acls {
            return;
        }
        let reading = Reading::of(group);
        for change in &reading.acls {
            let before = match reading.deed(change.id) {
                Some(deed) if deed.what == What::ChangeAcl => deed.acl.clone(),
                // Its ACL goes with it.
                Some(deed) if matches!(deed.what, What::Delete | What::Expire) => {
                    Some(deed.acl.clone().unwrap_or_default())
                }
                _ => continue,
            };
            let changed = Changed {
                at: group.sequence,
                before: before.map(Arc::new),
            };
            self.changes.entry(change.id).or_default().push(changed);
            self.count += 1;
        }
    }

    /// The first change of a resource's ACL after a sequence.
    fn first_after(&self, id: Uuid, sequence: u64) -> Option<&Changed> {
        let changes = self.changes.get(&id)?;
        // They were added in the order of the log, so the first hit is the nearest change.
        changes.iter().find(|change| change.at > sequence)
    }

    /// Whether something that was read ahead writes the resource itself after a sequence.
    pub(crate) fn is_written(&self, id: Uuid, sequence: u64) -> bool {
        self.written.get(&id).is_some_and(|at| *at > sequence)
    }

    /// The log was read up to here.
    pub(crate) const fn scanned(&self) -> u64 {
        self.scanned
    }

    /// The resources that are written after a sequence.
    pub(crate) fn written_after(&self, sequence: u64) -> HashSet<Uuid> {
        let written = self.written.iter().filter(|(_, at)| **at > sequence);
        written.map(|(id, _)| *id).collect()
    }

    /// The ACL that a resource has at a sequence, if one that was read ahead differs from it.
    pub(crate) fn acl_at(&self, id: Uuid, sequence: u64) -> Option<&Acl> {
        self.first_after(id, sequence)?.before.as_deref()
    }

    /// Forgets what the stream has passed.
    pub(crate) fn pass(&mut self, sequence: u64) {
        // All at once, when nothing is ahead any more; until then lookups skip what was passed.
        if sequence >= self.scanned {
            self.changes.clear();
            self.written.clear();
            self.count = 0;
        }
    }
}

impl Watcher {
    /// The ACL of a resource, as it was at this point.
    pub(crate) async fn acl_at(&mut self, id: Uuid, at: Token) -> Result<Arc<Acl>, EngineError> {
        let (known_at, acl) = self.known_acl(id).await?;
        // Every watcher notes the changes that it passes, so one that is known since `from` holds
        // here.
        if known_at <= at.sequence {
            return Ok(acl);
        }
        self.read_ahead(at, known_at).await?;
        match self.lookahead.first_after(id, at.sequence) {
            None => Ok(acl),
            // One that was not told ends the stream when it comes, if it matters.
            Some(change) => Ok(change.before.clone().unwrap_or(acl)),
        }
    }

    /// The ACL of a resource and when it was so: not before the stream's position.
    async fn known_acl(&self, id: Uuid) -> Result<(u64, Arc<Acl>), EngineError> {
        if let Some(known) = self.resources.acls.since(self.from, id) {
            return Ok((known.at, known.acl));
        }
        let request = ReadRequest::keys([keys::acl(id)?]);
        let snapshot = self.resources.store.read(request).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        // One that can't be read grants nothing.
        let acl = Arc::new(entry.as_ref().and_then(decode_acl).unwrap_or_default());
        self.resources.acls.note(snapshot.token, id, &acl);
        Ok((snapshot.token.sequence, acl))
    }

    /// Reads the log from a point up to a sequence, as far as that was not done.
    pub(crate) async fn read_ahead(&mut self, from: Token, up_to: u64) -> Result<(), EngineError> {
        // What was scanned stays scanned: each group is read ahead once, whoever needs it.
        let mut after = self.lookahead.scanned.max(from.sequence);
        while after < up_to {
            let page = self.resources.store.events(after).await?;
            let here = Token {
                sequence: after,
                ..from
            };
            // The log was cut in between. By the ACL of now an event could show what was hidden
            // then.
            if !page.bounds.can_resume(here) {
                let delivered = self.told();
                return Err(WatchError::FellBehind { delivered }.into());
            }
            for group in &page.groups {
                self.lookahead.add(&self.query.of, group);
            }
            if self.lookahead.count > MOST || self.lookahead.written.len() > MOST_WRITTEN {
                let when = "for more resources than a stream can be brought up to date with";
                return Err(WatchError::RightsChanged { when }.into());
            }
            // The end of the log: asking again would never end.
            if page.complete_to <= after {
                break;
            }
            after = page.complete_to;
            self.lookahead.scanned = after;
        }
        Ok(())
    }
}
