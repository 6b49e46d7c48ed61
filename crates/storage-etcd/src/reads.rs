//! Reads: one transaction of ranges; what must follow is read at its revision.
//!
//! A record that is past its expiry is deleted first, on the condition that it is still as read,
//! and then the read begins anew: absence by expiry is a fact in the store's order. (Only a read
//! on behalf of such a removal passes over it, and answers nobody else.)

use crate::fault::Fault;
use crate::meta::Known;
use crate::past::{Past, live};
use crate::removal::Manner;
use crate::shared::Shared;
use crate::walk::Walk;
use crate::{ops, pb};
use coeval_storage::{Entry, Freshness, Millis, ReadRequest, Snapshot, StorageError, Stored};
use std::sync::Arc;

/// Rounds of one read.
const ROUNDS: usize = 64;
/// So many expired records end a round.
const EXPIRED_AT_ONCE: usize = 512;
/// Records that all ranges together bring at first.
const FIRST: usize = 64;

/// How one round ended.
enum Round {
    Whole(Snapshot),
    /// These must be deleted first.
    Expired(Arc<Known>, Vec<Past>),
    /// The history was compacted between two pages, or a relaxed read was too old.
    Again,
}

impl Shared {
    /// Any number of keys and ranges in one snapshot.
    pub(crate) async fn read(
        &self,
        request: ReadRequest,
        manner: Manner,
    ) -> Result<Snapshot, StorageError> {
        self.open()?;
        request.check(&self.limits)?;
        // One moment for all rounds: so each removes what it met, and there is an end to it.
        let now = self.expiry_now();
        let mut relaxed = request.freshness == Freshness::Relaxed;
        for _ in 0..ROUNDS {
            match self.round(&request, (now, manner), relaxed).await? {
                Round::Whole(snapshot) => return Ok(snapshot),
                Round::Expired(known, past) => self.remove_expired(&known, past).await?,
                Round::Again => {}
            }
            // A relaxed answer was too old, or met something expired: now only the leader's will
            // do.
            relaxed = false;
        }
        Err(StorageError::Busy {
            reason: "what is read expires faster than it can be removed".into(),
        })
    }

    async fn round(
        &self,
        request: &ReadRequest,
        (now, manner): (Millis, Manner),
        relaxed: bool,
    ) -> Result<Round, StorageError> {
        let mut walks: Vec<Walk> = request
            .ranges
            .iter()
            .map(|range| Walk::new(range, &self.layout, &self.limits))
            .collect();
        let open = walks.iter().filter(|walk| !walk.done).count();
        // Little of each range at first: sizes are not known, and one answer holds them all.
        let chunk = (FIRST / open.max(1)).max(2);
        let singles = request.keys.iter();
        let ranges = singles
            .map(|key| ops::get(&self.layout.record(key)))
            .chain(walks.iter().filter_map(|walk| walk.next(chunk)))
            .map(|range| pb::RangeRequest {
                serializable: relaxed,
                ..range
            })
            .collect();
        let view = self.view(ranges).await?;
        self.admit(&view.known)?;
        let token = view.known.token(view.sequence());
        if let Some(wanted) = request.at_least {
            if wanted.incarnation != token.incarnation {
                return Err(StorageError::Compacted);
            }
            if wanted.sequence > token.sequence {
                if relaxed {
                    return Ok(Round::Again);
                }
                // A linearizable view shows all that was ever written, so it is of another history.
                return Err(StorageError::Compacted);
            }
        }

        let mut past = Vec::new();
        let mut answers = view.ranges.into_iter();
        let mut keys = Vec::with_capacity(request.keys.len());
        for (key, answer) in request.keys.iter().zip(answers.by_ref()) {
            let kv = answer.kvs.into_iter().next();
            let kv = kv.and_then(|kv| live(key, kv, now, &mut past));
            keys.push(kv.map(|kv| Entry {
                key: key.clone(),
                stored: Stored::decode(key, kv.value),
            }));
        }
        for (walk, answer) in walks.iter_mut().filter(|walk| !walk.done).zip(answers) {
            walk.take(answer, &self.layout, now, &mut past);
        }
        // Also after something expired was met: so it is all removed together.
        for walk in &mut walks {
            if manner == Manner::Removing {
                past.clear();
            }
            match self
                .finish(walk, view.revision, (now, manner), &mut past)
                .await
            {
                Ok(()) => {}
                Err(Fault::Compacted) => return Ok(Round::Again),
                Err(fault) => return Err(fault.into()),
            }
        }
        if !past.is_empty() && manner == Manner::Serving {
            return Ok(Round::Expired(view.known, past));
        }
        Ok(Round::Whole(Snapshot {
            token,
            keys,
            pages: walks.into_iter().map(|walk| walk.page).collect(),
        }))
    }

    /// The rest of one range, at the revision of the view.
    async fn finish(
        &self,
        walk: &mut Walk,
        revision: i64,
        (now, manner): (Millis, Manner),
        past: &mut Vec<Past>,
    ) -> Result<(), Fault> {
        while past.len() < EXPIRED_AT_ONCE {
            let Some(range) = walk.next(walk.chunk()) else {
                return Ok(());
            };
            let answer = self.range_at(revision, range).await?;
            walk.take(answer, &self.layout, now, past);
            if manner == Manner::Removing {
                past.clear();
            }
        }
        Ok(())
    }

    /// One range at the revision of a view.
    pub(crate) async fn range_at(
        &self,
        revision: i64,
        range: pb::RangeRequest,
    ) -> Result<pb::RangeResponse, Fault> {
        let range = pb::RangeRequest { revision, ..range };
        let txn = pb::TxnRequest {
            success: vec![ops::ranged(range)],
            ..pb::TxnRequest::default()
        };
        let response = self.client.read(&txn).await?;
        Ok(ops::ranges_of(response.responses)
            .next()
            .unwrap_or_default())
    }
}
