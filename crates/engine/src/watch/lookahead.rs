//! The ACL that a resource had at the event at hand, though the store only tells what it has by now.
//!
//! Where the one that is known is newer than the event, the log between the two is read ahead: the
//! first change in it tells what there was before. A walk reads ahead too: to leave alone what events
//! will tell of.

use super::error::WatchError;
use super::reading::Reading;
use super::watcher::Watcher;
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::write::decode_acl;
use coeval_access::Acl;
use coeval_core::version::Uuid;
use coeval_storage::{Group, ReadRequest, Token};
use std::collections::HashMap;
use std::sync::Arc;

/// How many changes are remembered; more are too many to go on with.
const MOST: usize = 10_000;

/// And how many resources that something happens to.
const MOST_TOUCHED: usize = 100_000;

/// The ACL before a change.
#[derive(Debug)]
struct Changed {
    at: u64,
    /// Unless it was too large to be told.
    before: Option<Arc<Acl>>,
}

/// The changes of ACLs between the stream's position and what was read ahead.
#[derive(Debug, Default)]
pub(super) struct Lookahead {
    scanned: u64,
    changes: HashMap<Uuid, Vec<Changed>>,
    /// When something happens last to a resource of the type, or to an ACL.
    touched: HashMap<Uuid, u64>,
    count: usize,
}

impl Lookahead {
    fn add(&mut self, of: &TypeKey, group: &Group) {
        let mut acls = false;
        for event in &group.events {
            let id = match event.key.as_bytes() {
                [b'e', b'/', ..] => {
                    keys::read_record(&event.key).and_then(|(is, _, id)| (is == *of).then_some(id))
                }
                [b'a', b'/', ..] => {
                    acls = true;
                    keys::id_of_belonging(&event.key)
                }
                _ => None,
            };
            if let Some(id) = id {
                self.touched.insert(id, group.sequence);
            }
        }
        if !acls {
            return;
        }
        let reading = Reading::of(group);
        for change in &reading.acls {
            let Some(deed) = reading.acl_change(change.id) else {
                continue;
            };
            let changed = Changed {
                at: group.sequence,
                before: deed.acl.clone().map(Arc::new),
            };
            self.changes.entry(change.id).or_default().push(changed);
            self.count += 1;
        }
    }

    /// The first change of a resource's ACL after a sequence.
    fn first_after(&self, id: Uuid, sequence: u64) -> Option<&Changed> {
        let changes = self.changes.get(&id)?;
        changes.iter().find(|change| change.at > sequence)
    }

    /// Whether something that was read ahead happens to a resource after a sequence.
    pub(super) fn is_touched(&self, id: Uuid, sequence: u64) -> bool {
        self.touched.get(&id).is_some_and(|at| *at > sequence)
    }

    /// Forgets what the stream has passed.
    pub(super) fn pass(&mut self, sequence: u64) {
        if !self.touched.is_empty() && sequence >= self.scanned {
            self.changes.clear();
            self.touched.clear();
            self.count = 0;
        }
    }
}

impl Watcher {
    /// The ACL of a resource, as it was at this point.
    pub(super) async fn acl_at(&mut self, id: Uuid, at: Token) -> Result<Arc<Acl>, EngineError> {
        let (known_at, acl) = self.known_acl(id).await?;
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
        if let Some(known) = self.engine.acls.since(self.from, id) {
            return Ok((known.at, known.acl));
        }
        let request = ReadRequest::keys([keys::acl(id)?]);
        let snapshot = self.engine.store.read(request).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        // One that can't be read grants nothing.
        let acl = Arc::new(entry.as_ref().and_then(decode_acl).unwrap_or_default());
        self.engine.acls.note(snapshot.token, id, &acl);
        Ok((snapshot.token.sequence, acl))
    }

    /// Reads the log from a point up to a sequence, as far as that was not done.
    pub(super) async fn read_ahead(&mut self, from: Token, up_to: u64) -> Result<(), EngineError> {
        let mut after = self.lookahead.scanned.max(from.sequence);
        while after < up_to {
            let page = self.engine.store.events(after).await?;
            let here = Token {
                sequence: after,
                ..from
            };
            if !page.bounds.can_resume(here) {
                let delivered = self.told();
                return Err(WatchError::FellBehind { delivered }.into());
            }
            for group in &page.groups {
                self.lookahead.add(&self.query.of, group);
            }
            if self.lookahead.count > MOST || self.lookahead.touched.len() > MOST_TOUCHED {
                let when = "for more resources than a stream can be brought up to date with";
                return Err(WatchError::RightsChanged { when }.into());
            }
            if page.complete_to <= after {
                break;
            }
            after = page.complete_to;
            self.lookahead.scanned = after;
        }
        Ok(())
    }
}
