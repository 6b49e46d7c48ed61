//! Counts: every record of a span at one revision, without holding on to any.
//!
//! etcd can count keys by itself, but not those that are past their expiry: that is inside of the
//! values, and the index does not name all of them. So the values are read, in chunks.

use crate::expired_record::{ExpiredRecord, live};
use crate::fault::CallFault;
use crate::layout::just_after;
use crate::ops;
use crate::shared::{EtcdHandle, StoreView};
use bytes::Bytes;
use coeval_storage::{KeySpan, StorageError, Token, UnixMillis};

/// How often a count begins anew: it does if something had expired, or if the history was
/// compacted meanwhile.
const ROUNDS: usize = 16;
/// Bytes that a chunk should have, and records.
const CHUNK_BYTES: usize = 2 * 1024 * 1024;
const CHUNK: (usize, usize) = (16, 512);
/// So many expired records are removed together.
const EXPIRED_AT_ONCE: usize = 512;

impl EtcdHandle {
    /// How many live records a span has, and at which sequence.
    pub(crate) async fn count(&self, span: &KeySpan) -> Result<(Token, u64), StorageError> {
        self.check_open()?;
        // One moment for all rounds: the second meets nothing that the first removed.
        let now = self.expiry_now();
        for _ in 0..ROUNDS {
            let view = self.view(Vec::new()).await?;
            self.admit(&view.known)?;
            if span.is_empty() {
                return Ok((view.known.token(view.sequence()), 0));
            }
            match self.count_at(&view, self.layout.records(span), now).await {
                Ok(Some(count)) => return Ok((view.known.token(view.sequence()), count)),
                Ok(None) | Err(CallFault::Compacted) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Err(StorageError::Busy {
            reason: "what is counted expires faster than it can be removed".into(),
        })
    }

    /// The count at the revision of a view. None if something had expired: it is gone now, but
    /// was not at that revision.
    async fn count_at(
        &self,
        view: &StoreView,
        (mut start, end): (Bytes, Bytes),
        now: UnixMillis,
    ) -> Result<Option<u64>, CallFault> {
        let (mut count, mut chunk, mut expired) = (0, CHUNK.0, false);
        let mut past: Vec<ExpiredRecord> = Vec::new();
        loop {
            let range = ops::range(&start, &end, chunk);
            let answer = self.range_at(view.revision, range).await?;
            let met = answer.kvs.len();
            let bytes: usize = answer
                .kvs
                .iter()
                .map(|kv| kv.value.len() + kv.key.len())
                .sum();
            // By the sizes of this chunk: the records of a span are mostly alike.
            chunk = (CHUNK_BYTES / (bytes / met.max(1)).max(1)).clamp(CHUNK.0, CHUNK.1);
            for kv in answer.kvs {
                start = just_after(&kv.key);
                if let Some(key) = self.layout.key_of(&kv.key) {
                    count += u64::from(live(&key, kv, now, &mut past).is_some());
                }
            }
            // Without a record there is no key to go on from.
            let over = !answer.more || met == 0;
            if past.len() >= EXPIRED_AT_ONCE || over && !past.is_empty() {
                expired = true;
                let removed = self.remove_expired(&view.known, std::mem::take(&mut past));
                removed.await.map_err(CallFault::Refused)?;
            }
            if over {
                return Ok((!expired).then_some(count));
            }
        }
    }
}
