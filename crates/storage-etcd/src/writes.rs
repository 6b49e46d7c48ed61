//! Atomic writes: each is one transaction, never merged with another.
//!
//! What a condition rests on is read first, because whether a record has expired can't be said
//! in a comparison. The transaction then compares only what the condition needs, so a keep_alive
//! in between disturbs nobody. If a comparison fails all is read and judged again.

use crate::expired_record::ExpiredRecord;
use crate::fault::CallFault;
use crate::plan::plan;
use crate::removal::RequestOrigin;
use crate::shared::{EtcdHandle, StoreView};
use crate::{ops, pb};
use coeval_storage::judge::check_condition;
use coeval_storage::races::retry_races;
use coeval_storage::record::RecordHead;
use coeval_storage::{
    AtomicWrite, CommittedWrite, Revision, StorageError, Token, UnixMillis, WriteAction,
    WriteCondition, WriteStep,
};
use std::time::Duration;

/// How often a write is judged again.
const ATTEMPTS: u32 = 64;
const LONGEST_PAUSE: u64 = 20;
/// etcd's default of `--max-txn-ops` counts comparisons too; one is that of `m/store`.
const COMPARES: usize = 127;

impl EtcdHandle {
    /// Conditions and actions, all or nothing.
    pub(crate) async fn atomic_write(
        &self,
        write: AtomicWrite,
        manner: RequestOrigin,
    ) -> Result<CommittedWrite, StorageError> {
        self.check_open()?;
        write.check(&self.limits)?;
        let revision = if write.draws_revision() {
            Revision::draw()?
        } else {
            Revision::NEVER
        };
        let written = |token| Ok(CommittedWrite { token, revision });
        let known = self.known();
        // The common case needs no read: etcd's own comparisons say all, in one round trip.
        if needs_no_read(&write) && !known.fences(self.id) {
            let nothing = vec![None; write.steps.len()];
            let plan = plan(&write, &nothing, &self.layout, revision)?;
            if let Some(token) = self.commit(&known, plan, revision).await? {
                return written(token);
            }
        }
        let (this, write) = (self, &write);
        let attempt = |number| async move {
            pause(number).await;
            this.attempt(write, revision, manner).await
        };
        let busy = || StorageError::Busy {
            reason: format!("others changed the same keys {ATTEMPTS} times"),
        };
        written(retry_races(ATTEMPTS, attempt, busy).await?)
    }

    /// Reads, judges, commits. `None`: something changed in between.
    async fn attempt(
        &self,
        write: &AtomicWrite,
        revision: Revision,
        manner: RequestOrigin,
    ) -> Result<Option<Token>, StorageError> {
        let now = self.expiry_now();
        let keys = write.steps.iter().map(|step| self.layout.record(&step.key));
        let read: Vec<pb::RangeRequest> = keys.map(|key| ops::get(&key)).collect();
        let view = match self.standing(read).await {
            // Compacted between the two halves of the read.
            Err(CallFault::Compacted) => return Ok(None),
            view => view?,
        };
        self.admit(&view.known)?;
        let standing: Vec<Option<pb::KeyValue>> = view
            .ranges
            .into_iter()
            .map(|range| range.kvs.into_iter().next())
            .collect();

        let past = blocking_records(write, &standing, now);
        if !past.is_empty() {
            // A removal inside of a removal could wait for itself.
            if manner == RequestOrigin::Removing && past.iter().any(ExpiredRecord::may_own) {
                return Err(StorageError::Busy {
                    reason: "a record that has expired too must be removed first".into(),
                });
            }
            self.remove_expired(&view.known, past).await?;
            return Ok(None);
        }
        for (step, kv) in write.steps.iter().zip(&standing) {
            check_condition(step, kv.as_ref().map(head_of), now)?;
        }
        let mut plan = plan(write, &standing, &self.layout, revision)?;
        if plan.compares.len() > COMPARES {
            // More than a transaction takes. Nothing of all that changed if nothing did.
            plan.compares = vec![ops::unchanged(&view.head)];
        }
        self.commit(&view.known, plan, revision).await
    }

    /// What stands under every key, in one view. A write names up to 160 keys, a transaction
    /// 128: the second half is read at the revision of the first.
    async fn standing(&self, mut reads: Vec<pb::RangeRequest>) -> Result<StoreView, CallFault> {
        let rest = reads.split_off(reads.len().min(96));
        let mut view = self.view(reads).await?;
        if !rest.is_empty() {
            let at_view = |range| pb::RangeRequest {
                revision: view.revision,
                ..range
            };
            let txn = pb::TxnRequest {
                success: rest.into_iter().map(at_view).map(ops::ranged).collect(),
                ..pb::TxnRequest::default()
            };
            let more = self.client.read(&txn).await?;
            view.ranges.extend(ops::ranges_of(more.responses));
        }
        Ok(view)
    }
}

/// Whether nothing needs to be read first.
fn needs_no_read(write: &AtomicWrite) -> bool {
    write.steps.iter().all(|step| {
        matches!(
            step.condition,
            WriteCondition::Whatever | WriteCondition::NotExists
        ) && !matches!(step.action, WriteAction::KeepAlive(_))
    })
}

/// The head of what stands there; damage elsewhere in it does not matter.
fn head_of(kv: &pb::KeyValue) -> RecordHead {
    RecordHead::read(&kv.value).unwrap_or(RecordHead {
        revision: Revision::NEVER,
        expires: None,
        indexed: false,
        flags: 0,
    })
}

/// Expired records that a condition or a keep_alive counts as absent, and that the write itself
/// does not replace.
fn blocking_records(
    write: &AtomicWrite,
    standing: &[Option<pb::KeyValue>],
    now: UnixMillis,
) -> Vec<ExpiredRecord> {
    let steps = write.steps.iter().zip(standing);
    steps
        .filter(|(step, _)| !replaces(step))
        .filter_map(|(step, kv)| {
            let kv = kv.as_ref()?;
            let head = head_of(kv);
            head.has_expired(now)
                .then(|| ExpiredRecord::of(&step.key, kv, head))
        })
        .collect()
}

fn replaces(step: &WriteStep) -> bool {
    match (step.condition, &step.action) {
        (WriteCondition::StillExpired(..), _) => true,
        (WriteCondition::Whatever, action) => !matches!(action, WriteAction::KeepAlive(_)),
        (WriteCondition::NotExists, action) => {
            matches!(action, WriteAction::Put(_) | WriteAction::Delete)
        }
        (
            WriteCondition::Exists | WriteCondition::RevisionIs(_) | WriteCondition::AsRead { .. },
            _,
        ) => false,
    }
}

/// A little longer each time, and not the same for everybody.
async fn pause(attempt: u32) {
    if attempt == 0 {
        return;
    }
    // The source of revisions is at hand; jitter needs no better and no other.
    let random = Revision::draw().map_or(0, |drawn| u64::from(drawn.as_bytes()[0]));
    let longest = (u64::from(attempt) * 2).min(LONGEST_PAUSE);
    let micros = longest * 1_000 * (random + 1) / 256;
    tokio::time::sleep(Duration::from_micros(micros)).await;
}
