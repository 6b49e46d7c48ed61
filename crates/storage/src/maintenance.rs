//! Background work that every store needs: the sweep of what has expired, and compaction.

use crate::record::Head;
use crate::{
    Action, AtomicWrite, Condition, DynStore, Entry, Key, Retention, StorageError, Store, Stored,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Names what belongs to an expired record (indexes, ACL, secrets, mirror), to be removed along
/// with it. The store knows of none.
pub type Belongings = Arc<dyn Fn(&Entry) -> Vec<Key> + Send + Sync>;

/// How often, and how much stays.
#[derive(Clone)]
pub struct Maintenance {
    /// Between two sweeps.
    pub sweep_every: Duration,
    /// Between two compactions.
    pub compact_every: Duration,
    /// Which events stay.
    pub retention: Retention,
    /// What belongs to an expired record.
    pub belongings: Belongings,
}

impl Default for Maintenance {
    fn default() -> Self {
        Self {
            sweep_every: Duration::from_millis(500),
            compact_every: Duration::from_secs(30),
            retention: Retention::default(),
            belongings: Arc::new(|_| Vec::new()),
        }
    }
}

impl std::fmt::Debug for Maintenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Maintenance")
            .field("sweep_every", &self.sweep_every)
            .field("compact_every", &self.compact_every)
            .field("retention", &self.retention)
            .finish_non_exhaustive()
    }
}

/// Background work that ends when this is dropped.
#[derive(Debug)]
pub struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts the background work of one store.
#[must_use]
pub fn maintain(store: DynStore, work: Maintenance) -> Running {
    Running(tokio::spawn(async move {
        let mut sweep = tokio::time::interval(work.sweep_every);
        let mut compact = tokio::time::interval(work.compact_every);
        compact.reset();
        for timer in [&mut sweep, &mut compact] {
            timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        }
        loop {
            let result = tokio::select! {
                _ = sweep.tick() => self::sweep(&store, &work.belongings).await.map(|_| ()),
                _ = compact.tick() => store.compact(work.retention).await.map(|_| ()),
            };
            match result {
                Ok(()) => {}
                Err(StorageError::Closed) => return,
                Err(error) => tracing::warn!(%error, "background work on the store failed"),
            }
        }
    }))
}

/// Removes what has expired, with all that belongs to it; returns how many records.
///
/// # Errors
/// What the store fails with. A record that changed meanwhile is no failure.
pub async fn sweep(store: &dyn Store, belongings: &Belongings) -> Result<u64, StorageError> {
    const AT_ONCE: usize = 256;
    let mut removed = 0;
    loop {
        let found = store.expired(AT_ONCE).await?;
        let count = found.len();
        let before = removed;
        for entry in found {
            removed += u64::from(remove(store, &entry, belongings).await?);
        }
        // What another server removed, or a keep_alive saved, is not looked for again at once.
        if count < AT_ONCE || removed == before {
            return Ok(removed);
        }
    }
}

async fn remove(
    store: &dyn Store,
    entry: &Entry,
    belongings: &Belongings,
) -> Result<bool, StorageError> {
    let head = match &entry.stored {
        Stored::Record(record) => record.expires.map(|at| (record.revision, at)),
        Stored::Damaged { raw, .. } => {
            Head::read(raw).and_then(|head| head.expires.map(|at| (head.revision, at)))
        }
    };
    let Some((revision, expires)) = head else {
        return Ok(false);
    };
    let as_read = Condition::StillExpired(revision, expires);
    let write = AtomicWrite::new().step(&entry.key, as_read, Action::Delete);
    let write = belongings(entry).iter().fold(write, AtomicWrite::delete);
    match store.atomic_write(write).await {
        Ok(_) => Ok(true),
        Err(StorageError::NotFound { .. } | StorageError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
