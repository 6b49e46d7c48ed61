//! Reads: one transaction of ranges; what must follow is read at its revision.
//!
//! A record that is past its expiry is deleted first, on the condition that it is still as read,
//! and then the read begins anew: absence by expiry is a fact in the store's order. (Only a read
//! on behalf of such a removal passes over it, and answers nobody else.)

use crate::expired_record::{ExpiredRecord, live};
use crate::fault::CallFault;
use crate::meta::KnownHistory;
use crate::removal::RequestOrigin;
use crate::shared::EtcdHandle;
use crate::walk::RangeWalk;
use crate::{ops, pb};
use coeval_storage::{
    ReadFreshness, ReadRequest, ReadSnapshot, StorageError, StoredEntry, StoredValue, UnixMillis,
};
use std::sync::Arc;

/// Rounds of one read.
const ROUNDS: usize = 64;
/// So many expired records end a round.
const EXPIRED_AT_ONCE: usize = 512;
/// Records that all ranges together bring at first.
const FIRST: usize = 64;

/// How one round ended.
enum ReadRound {
    Whole(ReadSnapshot),
    /// These must be deleted first.
    Expired(Arc<KnownHistory>, Vec<ExpiredRecord>),
    /// The history was compacted between two pages, or a relaxed read was too old.
    Again,
}

impl EtcdHandle {
    /// Any number of keys and ranges in one snapshot.
    pub(crate) async fn read(
        &self,
        request: ReadRequest,
        manner: RequestOrigin,
    ) -> Result<ReadSnapshot, StorageError> {
        self.check_open()?;
        request.check(&self.limits)?;
        // One moment for all rounds: so each removes what it met, and there is an end to it.
        let now = self.expiry_now();
        let mut relaxed = request.freshness == ReadFreshness::Relaxed;
        for _ in 0..ROUNDS {
            match self.round(&request, (now, manner), relaxed).await? {
                ReadRound::Whole(snapshot) => return Ok(snapshot),
                ReadRound::Expired(known, past) => self.remove_expired(&known, past).await?,
                ReadRound::Again => {}
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
        (now, manner): (UnixMillis, RequestOrigin),
        relaxed: bool,
    ) -> Result<ReadRound, StorageError> {
        let mut walks: Vec<RangeWalk> = request
            .ranges
            .iter()
            .map(|range| RangeWalk::new(range, &self.layout, &self.limits))
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
                    return Ok(ReadRound::Again);
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
            keys.push(kv.map(|kv| StoredEntry {
                key: key.clone(),
                stored: StoredValue::decode(key, kv.value),
            }));
        }
        for (walk, answer) in walks.iter_mut().filter(|walk| !walk.done).zip(answers) {
            walk.take(answer, &self.layout, now, &mut past);
        }
        // Also after something expired was met: so it is all removed together.
        for walk in &mut walks {
            if manner == RequestOrigin::Removing {
                past.clear();
            }
            match self
                .finish(walk, view.revision, (now, manner), &mut past)
                .await
            {
                Ok(()) => {}
                Err(CallFault::Compacted) => return Ok(ReadRound::Again),
                Err(fault) => return Err(fault.into()),
            }
        }
        if !past.is_empty() && manner == RequestOrigin::Serving {
            return Ok(ReadRound::Expired(view.known, past));
        }
        Ok(ReadRound::Whole(ReadSnapshot {
            token,
            keys,
            pages: walks.into_iter().map(|walk| walk.page).collect(),
        }))
    }

    /// The rest of one range, at the revision of the view.
    async fn finish(
        &self,
        walk: &mut RangeWalk,
        revision: i64,
        (now, manner): (UnixMillis, RequestOrigin),
        past: &mut Vec<ExpiredRecord>,
    ) -> Result<(), CallFault> {
        while past.len() < EXPIRED_AT_ONCE {
            let Some(range) = walk.next(walk.chunk()) else {
                return Ok(());
            };
            let answer = self.range_at(revision, range).await?;
            walk.take(answer, &self.layout, now, past);
            if manner == RequestOrigin::Removing {
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
    ) -> Result<pb::RangeResponse, CallFault> {
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
