//! One order for expiry: a read never calls a record expired that a write under way has judged
//! to be alive.
//!
//! The writer judges a batch at one moment and commits it a little later. A read in between has a
//! later clock, but not the commit: without this it could answer *absent*, and the next read,
//! after the commit of a keep_alive, *there* again.

use coeval_storage::{Clock, UnixMillis};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// No batch is under way.
const IDLE: i64 = i64::MAX;
/// The writer is about to look at the clock.
const BEGINNING: i64 = i64::MIN;

/// The clock, and the moment of the batch under way.
#[derive(Clone, Debug)]
pub(crate) struct ExpiryClock {
    clock: Arc<dyn Clock>,
    under_way: Arc<AtomicI64>,
}

impl ExpiryClock {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            under_way: Arc::new(AtomicI64::new(IDLE)),
        }
    }

    /// The moment of a batch; it is under way until the result is dropped.
    pub(crate) fn judge(&self) -> BatchMoment<'_> {
        // Before the clock is read: a reader whose clock is later than ours has to wait for our
        // moment.
        self.under_way.store(BEGINNING, Ordering::SeqCst);
        let now = self.clock.now();
        self.under_way.store(now.0, Ordering::SeqCst);
        BatchMoment { moments: self, now }
    }

    /// The moment of a read that begins after this.
    pub(crate) fn read(&self) -> UnixMillis {
        loop {
            // The clock first: a batch that begins after the next line has a later moment than
            // this.
            let now = self.clock.now();
            match self.under_way.load(Ordering::SeqCst) {
                // A few instructions of the writer's, unless it is put to sleep in them.
                BEGINNING => std::thread::yield_now(),
                under_way => return now.min(UnixMillis(under_way)),
            }
        }
    }

    /// The clock alone.
    pub(crate) fn now(&self) -> UnixMillis {
        self.clock.now()
    }
}

/// A batch under way.
#[derive(Debug)]
pub(crate) struct BatchMoment<'m> {
    moments: &'m ExpiryClock,
    pub(crate) now: UnixMillis,
}

impl Drop for BatchMoment<'_> {
    fn drop(&mut self) {
        self.moments.under_way.store(IDLE, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::SkewedClock;

    #[test]
    fn a_read_takes_the_moment_of_the_batch_under_way_and_never_goes_back() {
        let clock = Arc::new(SkewedClock::default());
        let moments = ExpiryClock::new(clock.clone());
        let before = moments.read();
        let batch = moments.judge();
        clock.set(60_000);
        assert_eq!(moments.read(), batch.now);
        assert!(batch.now >= before);
        drop(batch);
        let after = moments.read();
        assert!(after.0 >= before.0 + 60_000);
        assert!(moments.judge().now >= after);
    }
}
