//! Time, as far as storage needs it: milliseconds since 1970, for expiry only.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// This moment and `millis` more.
    #[must_use]
    pub const fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Whether something that expires at `self` is gone at `now`.
    #[must_use]
    pub fn has_passed(self, now: UnixMillis) -> bool {
        // Expired from its very millisecond on, in every store alike.
        self <= now
    }
}

/// Where a store that has no clock of its own takes the time from.
pub trait Clock: Send + Sync + std::fmt::Debug + 'static {
    /// The present moment.
    fn now(&self) -> UnixMillis;
}

/// The machine's clock. It never goes backwards within one process, so that what was once
/// answered as expired stays expired.
#[derive(Debug, Default)]
pub struct SystemClock {
    latest: AtomicI64,
}

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        // A clock before 1970 counts as 1970, and one beyond what fits as the end of time: nobody
        // set it.
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        // `fetch_max` returns the value before it, which may be later than this clock's reading.
        UnixMillis(self.latest.fetch_max(wall, Ordering::AcqRel).max(wall))
    }
}

/// The machine's clock moved by a fixed number of milliseconds: how tests get a server whose
/// clock is wrong.
#[derive(Debug, Default)]
pub struct SkewedClock {
    system: SystemClock,
    offset: AtomicI64,
}

impl SkewedClock {
    /// A clock that is `offset` milliseconds ahead (or behind, if negative).
    #[must_use]
    pub fn new(offset: i64) -> Self {
        Self {
            system: SystemClock::default(),
            offset: AtomicI64::new(offset),
        }
    }

    /// Changes how far it is ahead.
    pub fn set(&self, offset: i64) {
        self.offset.store(offset, Ordering::Release);
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> UnixMillis {
        self.system.now().plus(self.offset.load(Ordering::Acquire))
    }
}
