//! A walk through the resources of a type after a change of what the watcher may see: those that it
//! lost leave, those that it gained come.
//!
//! Pages are newer than the event that led to the walk. So the log is read ahead up to them: what it
//! writes is left to its own events, and the rest is as it was at the stream's position, but for its
//! ACL, which the log tells. The tokens stand still until the stream has passed all pages: who
//! resumes from one meets the change of rights again, and is told to list.

use crate::watch::eye::{About, Eye, Sees};
use crate::watch::query::WatchedChange;
use crate::watch::watcher::Watcher;
use coeval_access::{AccessLevel, Acl};
use coeval_catalog::types::pair::Pair;
use coeval_core::version::Uuid;
use coeval_records::acl::decode_acl;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::{ReadRange, ReadRequest, StoredValue as Kept};
use std::collections::HashMap;

/// Resources that are looked at together.
const PAGE: usize = 64;

/// Where a walk stands.
#[derive(Debug)]
pub(crate) struct Walk {
    /// What the watcher saw before.
    pub before: Eye,
    range: ReadRange,
    /// All pages so far are as of this or earlier.
    pub newest: u64,
}

impl Walk {
    pub(crate) fn new(before: Eye) -> Result<Self, EngineError> {
        let span = keys::records(&before.state.key)?;
        Ok(Self {
            newest: before.token.sequence,
            before,
            range: ReadRange::of(span).limit(PAGE),
        })
    }
}

/// The ACLs that a page's resources had, and when.
struct Acls {
    at: u64,
    acls: HashMap<Uuid, Acl>,
}

impl Watcher {
    /// What the next page of a walk lets come and go; and whether more pages follow.
    pub(crate) async fn walk_on(
        &mut self,
        walk: &mut Walk,
    ) -> Result<(Vec<WatchedChange>, bool), EngineError> {
        // Each page is a snapshot of its own; `newest` follows them.
        let (token, page) = self.resources.store.range(walk.range.clone()).await?;
        let mut found = Vec::new();
        for entry in &page.entries {
            let Some((_, _, id)) = keys::read_record(&entry.key) else {
                continue;
            };
            // One that can't be read says not whose it is; a listing finds it.
            if let Kept::Record(record) = &entry.stored
                && let Ok(stored) = Stored::decode(id, record)
                && self.whose.has(&stored.header.org)
            {
                found.push(stored);
            }
        }
        let (read_at, found) = self.shown_of_two(token.sequence, found).await?;
        let acls = self.acls_for(&walk.before, &found).await?;
        // The newest of these reads: what was written up to it has to be known from the log.
        let until = acls.at.max(read_at);
        walk.newest = walk.newest.max(until);
        let position = self.position();
        self.read_ahead(position, until).await?;
        let mut changes = Vec::new();
        for stored in found {
            let id = stored.id;
            // What is written since may be another than it was, or new: its own events tell of it,
            // one by one.
            if self.lookahead.is_written(id, position.sequence) {
                continue;
            }
            let about = About::of(&stored);
            let acl = self.lookahead.acl_at(id, position.sequence);
            let acl = acl.or_else(|| acls.acls.get(&id));
            // What the watcher saw with any of the eyes since it was told of the resource, it has.
            let had = judged(&walk.before, &about, acl).or_else(|| {
                let earlier = self.earlier_eyes(id);
                earlier.filter_map(|eye| judged(eye, &about, acl)).max()
            });
            let hides = self.eye.state.hides(stored.header.version);
            match (had, judged(&self.eye, &about, acl)) {
                (Some(_), None) => changes.push(WatchedChange::Left { id }),
                // What was seen before is told again only if private fields come or go with the level.
                (had, Some(level)) if had.is_none_or(|had| hides && class(had) != class(level)) => {
                    changes.extend(self.arrived(token, stored, level).await?);
                }
                _ => {}
            }
            self.settle(id);
        }
        let next = walk.range.following(&page);
        let more = next.is_some();
        if let Some(next) = next {
            walk.range = next;
        }
        Ok((changes, more))
    }

    /// Of resources with two records, in a migration, the record that is shown; and when that was
    /// so.
    async fn shown_of_two(
        &self,
        at: u64,
        found: Vec<Stored>,
    ) -> Result<(u64, Vec<Stored>), EngineError> {
        let state = &self.eye.state;
        if state.reading()?.is_none() {
            return Ok((at, found));
        }
        let mut latest = at;
        let mut shown = Vec::new();
        for stored in found {
            let mut request = ReadRequest::default();
            for major in &state.majors {
                request
                    .keys
                    .push(keys::record(&state.key, *major, stored.id)?);
            }
            let snapshot = self.resources.store.read(request).await?;
            latest = latest.max(snapshot.token.sequence);
            let chosen = Pair::choose(state, stored.id, &snapshot.keys)?;
            let own = keys::record(&state.key, stored.header.version.major, stored.id)?;
            // Both records of a pair are in the range; told twice, one resource would be two.
            if chosen.is_some_and(|entry| entry.key == own) {
                shown.push(stored);
            }
        }
        Ok((latest, shown))
    }

    /// The ACLs that decide for one of the two eyes.
    async fn acls_for(&self, before: &Eye, found: &[Stored]) -> Result<Acls, EngineError> {
        let asks = |stored: &&Stored| {
            let about = About::of(stored);
            let asks = |eye: &Eye| eye.sees(&about, None) == Sees::AskAcl;
            asks(before) || asks(&self.eye)
        };
        let ids: Vec<Uuid> = found.iter().filter(asks).map(|one| one.id).collect();
        let mut acls = HashMap::new();
        if ids.is_empty() {
            return Ok(Acls { at: 0, acls });
        }
        let wanted = ids.iter().map(|id| keys::acl(*id));
        let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
        let snapshot = self.resources.store.read(ReadRequest::keys(wanted)).await?;
        for (id, entry) in ids.into_iter().zip(snapshot.keys) {
            let acl = entry.as_ref().and_then(decode_acl);
            acls.insert(id, acl.unwrap_or_default());
        }
        let at = snapshot.token.sequence;
        Ok(Acls { at, acls })
    }
}

fn judged(eye: &Eye, about: &About<'_>, acl: Option<&Acl>) -> Option<AccessLevel> {
    match eye.sees(about, None) {
        Sees::Yes(level) => Some(level),
        Sees::No => None,
        Sees::AskAcl => eye.sees(about, acl).level(),
    }
}

fn class(level: AccessLevel) -> coeval_core::types::Visibility {
    crate::resource::sees(level)
}
