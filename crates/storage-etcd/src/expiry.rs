//! What has expired: its removal on the condition that it is still as read, and the index by
//! which the sweep finds it.
//!
//! The index may name records that are gone or expire later (an unconditional put or delete does
//! not read what it replaces): such entries are harmless, and dropped when their time comes.

use crate::commit::{TxnPlan, send};
use crate::expired_record::ExpiredRecord;
use crate::fault::CallFault;
use crate::layout::{IndexedExpiry, decode_index, just_after};
use crate::meta::KnownHistory;
use crate::shared::EtcdHandle;
use crate::{ops, pb};
use coeval_storage::record::RecordHead;
use coeval_storage::{Revision, StorageError, StoredEntry, StoredValue};

/// Records removed by one transaction: each takes two operations, of 128.
const AT_ONCE: usize = 48;
/// Entries of the index looked at together.
const CHUNK: usize = 48;

impl EtcdHandle {
    /// Deletes expired records that are still as read, and what belongs to them; who changed
    /// meanwhile stays.
    pub(crate) async fn remove_expired(
        &self,
        known: &KnownHistory,
        past: Vec<ExpiredRecord>,
    ) -> Result<(), StorageError> {
        let alone = match self.removal.get() {
            Some(removal) => {
                // What the sweep does not look for owns nothing, and goes without asking.
                let (owners, alone): (Vec<_>, Vec<_>) =
                    past.into_iter().partition(ExpiredRecord::may_own);
                removal.of(owners).await?;
                alone
            }
            None => past,
        };
        for some in alone.chunks(AT_ONCE) {
            let together = self.remove_together(known, some).await?;
            // Together is cheap, but one record that has changed must not save the others.
            if !together && some.len() > 1 {
                for one in some.chunks(1) {
                    self.remove_together(known, one).await?;
                }
            }
        }
        Ok(())
    }

    async fn remove_together(
        &self,
        known: &KnownHistory,
        past: &[ExpiredRecord],
    ) -> Result<bool, StorageError> {
        let mut plan = TxnPlan::default();
        for record in past {
            plan.compares.push(ops::unchanged(&record.kv));
            plan.actions.push(ops::delete(&record.kv.key));
            let at = record.at;
            let index = at.map(|at| self.layout.index_of_record(at, &record.key));
            plan.actions.extend(index.as_ref().map(ops::delete));
        }
        match self.commit(known, plan, Revision::NEVER).await {
            // The caller only wants to know what is there: it was not told.
            Err(StorageError::UnknownOutcome { reason, .. }) => {
                Err(StorageError::Unavailable { reason })
            }
            result => Ok(result?.is_some()),
        }
    }

    /// Records whose entry in the index has come due, oldest first.
    pub(crate) async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.check_open()?;
        if let Some(off) = self.clock_off() {
            return Err(StorageError::ClockOff { off });
        }
        let (mut start, end) = self.layout.index_until(self.clock.now());
        let mut found = Vec::new();
        while found.len() < limit {
            let chunk = (limit - found.len()).min(CHUNK);
            let view = self.view(vec![ops::range(&start, &end, chunk)]).await?;
            self.admit(&view.known)?;
            let due = view.ranges.into_iter().next().unwrap_or_default();
            // It names no record: first it is replaced by one entry for each.
            if let Some(large) = self.first_large(&due.kvs) {
                self.split(large).await?;
                continue;
            }
            let Some(last) = due.kvs.last() else { break };
            start = just_after(&last.key);
            let more = due.more;
            self.match_records(due.kvs, &mut found).await?;
            if !more {
                break;
            }
        }
        Ok(found)
    }

    fn first_large<'a>(&self, entries: &'a [pb::KeyValue]) -> Option<&'a pb::KeyValue> {
        let is_large =
            |kv: &&pb::KeyValue| self.layout.indexed(&kv.key) == Some(IndexedExpiry::Write);
        entries.iter().find(is_large)
    }

    /// Puts an entry for each record in place of that of a whole write.
    async fn split(&self, large: &pb::KeyValue) -> Result<(), StorageError> {
        let each = decode_index(&large.value);
        let mut actions = vec![ops::delete(&large.key)];
        for (at, key) in &each {
            let entry = self.layout.index_of_record(*at, key);
            actions.push(ops::put(&entry, bytes::Bytes::new()));
        }
        self.update_index(vec![ops::unchanged(large)], actions)
            .await
    }

    /// The records of some entries; entries that match none are dropped.
    async fn match_records(
        &self,
        entries: Vec<pb::KeyValue>,
        found: &mut Vec<StoredEntry>,
    ) -> Result<(), StorageError> {
        let (mut named, mut stale) = (Vec::new(), Vec::new());
        for kv in entries {
            match self.layout.indexed(&kv.key) {
                Some(IndexedExpiry::Record(at, key)) => named.push((kv, at, key)),
                _ => stale.push(kv),
            }
        }
        let gets = named.iter().map(|(_, _, key)| self.layout.record(key));
        let gets = gets.map(|record| ops::get(&record)).collect();
        let view = self.view(gets).await?;
        for ((entry, at, key), answer) in named.into_iter().zip(view.ranges) {
            let record = answer.kvs.into_iter().next();
            let head = record.as_ref().and_then(|kv| RecordHead::read(&kv.value));
            // The index is a hint: by now the record may be gone, or expire at another time.
            let due = head.is_some_and(|head| head.indexed && head.expires == Some(at));
            match record.filter(|_| due) {
                Some(kv) => found.push(StoredEntry {
                    stored: StoredValue::decode(&key, kv.value),
                    key,
                }),
                None => stale.push(entry),
            }
        }
        for some in stale.chunks(AT_ONCE) {
            // Who makes the record expire at that moment again puts the entry again.
            let as_read = some.iter().map(ops::unchanged).collect();
            let gone = some.iter().map(|kv| ops::delete(&kv.key)).collect();
            self.update_index(as_read, gone).await?;
        }
        Ok(())
    }

    /// Work on the index, which is no write of the store. Who comes too late does nothing.
    async fn update_index(
        &self,
        compare: Vec<pb::Compare>,
        success: Vec<pb::RequestOp>,
    ) -> Result<(), StorageError> {
        match send(self, compare, success).await {
            Ok(_) => Ok(()),
            Err(fault @ CallFault::Compacted) => Err(StorageError::failed(format!("{fault:?}"))),
            Err(fault) => Err(fault.into()),
        }
    }
}
