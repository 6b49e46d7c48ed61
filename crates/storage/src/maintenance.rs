//! Background work that every store needs: the sweep of what has expired, and compaction.

use crate::races::retry_races;
use crate::record::RecordHead;
use crate::{
    AtomicWrite, DynStore, EventRetention, Key, StorageError, Store, StoredEntry, StoredValue,
    WriteAction, WriteCondition, WriteStep,
};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Knows what belongs to an expired record: indexes, ACL, secrets, a mirror, counters. The store
/// knows of none.
#[async_trait]
pub trait DependentRecords: Send + Sync + std::fmt::Debug + 'static {
    /// What is to be done in the same atomic write that removes `entry`'s record, which is not
    /// among the steps. `store` is there to read from; all that has expired is absent in it.
    ///
    /// If one of the steps' conditions is refused this is asked again, a few times.
    ///
    /// # Errors
    /// After an error the record stays where it is: the sweep tries again later, and on etcd whoever
    /// reads the record gets the error. So what is damaged or missing among the dependents is
    /// better left out of the steps.
    async fn steps(
        &self,
        store: &dyn Store,
        entry: &StoredEntry,
    ) -> Result<Vec<WriteStep>, StorageError>;
}

/// How often, and how much stays.
#[derive(Clone, Debug)]
pub struct MaintenanceOptions {
    /// Between two sweeps.
    pub sweep_every: Duration,
    /// Between two compactions.
    pub compact_every: Duration,
    /// Which events stay.
    pub retention: EventRetention,
    /// What belongs to an expired record; without this, nothing.
    pub dependents: Option<Arc<dyn DependentRecords>>,
}

impl Default for MaintenanceOptions {
    fn default() -> Self {
        Self {
            sweep_every: Duration::from_millis(500),
            compact_every: Duration::from_secs(30),
            retention: EventRetention::default(),
            dependents: None,
        }
    }
}

/// Background work that ends when this is dropped.
#[derive(Debug)]
pub struct MaintenanceTask(JoinHandle<()>);

impl Drop for MaintenanceTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts the background work of one store.
#[must_use]
pub fn maintain(store: DynStore, work: MaintenanceOptions) -> MaintenanceTask {
    // A task of its own; dropping the handle aborts it, wherever it is: every step is one atomic
    // write.
    MaintenanceTask(tokio::spawn(async move {
        let mut sweep = tokio::time::interval(work.sweep_every);
        let mut compact = tokio::time::interval(work.compact_every);
        // The first tick of an interval is at once, when a server that starts has better things to do.
        compact.reset();
        for timer in [&mut sweep, &mut compact] {
            // After a long sweep the next one comes a whole interval later, not several at once.
            timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        }
        let dependents = work.dependents.as_deref();
        loop {
            // Whichever is due; both at once would compete for the same writer.
            let result = tokio::select! {
                _ = sweep.tick() => self::sweep(&store, dependents).await.map(|_| ()),
                _ = compact.tick() => store.compact(work.retention).await.map(|_| ()),
            };
            match result {
                Ok(()) => {}
                Err(StorageError::Closed) => return,
                // Any other error may be over at the next tick.
                Err(error) => tracing::warn!(%error, "background work on the store failed"),
            }
        }
    }))
}

/// Removes what has expired, with all that belongs to it; returns how many records.
///
/// # Errors
/// What the store fails with. A record that changed meanwhile is no failure, and one that can't be
/// removed is left for the next sweep without holding up the others.
pub async fn sweep(
    store: &dyn Store,
    dependents: Option<&dyn DependentRecords>,
) -> Result<u64, StorageError> {
    const AT_ONCE: usize = 256;
    let mut removed = 0;
    // What was tried in vain is found again; it must not hide what comes after it.
    let mut left: HashSet<Key> = HashSet::new();
    loop {
        // Those that stay are the oldest, so they come first each time.
        let wanted = AT_ONCE + left.len();
        let found = store.expired(wanted).await?;
        let count = found.len();
        let before = (removed, left.len());
        for entry in found {
            if left.contains(&entry.key) {
                continue;
            }
            match remove_expired(store, &entry, dependents).await {
                Ok(true) => removed += 1,
                Ok(false) => {
                    left.insert(entry.key);
                }
                Err(error) if is_about_the_record(&error) => {
                    tracing::warn!(key = %entry.key, %error, "an expired record can't be removed");
                    left.insert(entry.key);
                }
                // The store itself fails, and would fail for whatever else has expired.
                Err(error) => return Err(error),
            }
        }
        // The second guards against turning in a circle if a store keeps naming what it can't remove.
        if count < wanted || (removed, left.len()) == before {
            return Ok(removed);
        }
    }
}

/// Whether the store works, and only this record or what belongs to it is in the way.
fn is_about_the_record(error: &StorageError) -> bool {
    error.is_refusal() || matches!(error, StorageError::Damaged { .. })
}

/// How often the dependents of one record are asked for.
const ATTEMPTS: u32 = 5;

/// Removes one expired record that is still as read, with all that belongs to it. False if it has
/// changed, or if what belongs to it changed each time in between.
///
/// # Errors
/// What the store or the dependents fail with.
pub async fn remove_expired(
    store: &dyn Store,
    entry: &StoredEntry,
    dependents: Option<&dyn DependentRecords>,
) -> Result<bool, StorageError> {
    // A damaged record expires as well, as long as its header can be read.
    let head = match &entry.stored {
        StoredValue::Record(record) => record.expires.map(|at| (record.revision, at)),
        StoredValue::Damaged { raw, .. } => {
            RecordHead::read(raw).and_then(|head| head.expires.map(|at| (head.revision, at)))
        }
    };
    let Some((revision, expires)) = head else {
        return Ok(false);
    };
    let as_read = WriteCondition::StillExpired(revision, expires);
    let settled = |_| async move {
        let mut write = AtomicWrite::new().step(&entry.key, as_read, WriteAction::Delete);
        if let Some(dependents) = dependents {
            write
                .steps
                .extend(dependents.steps(store, entry).await.map_err(Some)?);
        }
        match store.atomic_write(write).await {
            Ok(_) => Ok(Some(true)),
            Err(
                StorageError::NotFound { key }
                | StorageError::Conflict { key, .. }
                | StorageError::AlreadyExists { key, .. },
            ) => {
                // The record itself was changed: it is no longer expired, or gone. Otherwise it was one of the
                // dependents, which are asked for anew.
                Ok((key == entry.key).then_some(false))
            }
            Err(error) => Err(Some(error)),
        }
    };
    // Losing every race is no failure here: the next sweep finds the record again.
    match retry_races(ATTEMPTS, settled, || None).await {
        Err(Some(error)) => Err(error),
        removed => Ok(removed.unwrap_or(false)),
    }
}
