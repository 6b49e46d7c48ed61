//! Whether this server's clock can be trusted: every server announces its own every two seconds,
//! and whoever differs from most of the others expires nothing.

use crate::pb;
use bytes::Bytes;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Between two announcements.
pub(crate) const ANNOUNCE: Duration = Duration::from_secs(2);
/// A server that was not heard of for so long does not count.
const LIVE: Duration = Duration::from_secs(10);
/// What stood there before this server came counts for less: its server may be gone.
const FOUND_LIVE: Duration = Duration::from_secs(5);
/// Clocks may differ by so many milliseconds.
const TOLERANCE: u64 = 5_000;

/// The other servers' clocks.
#[derive(Debug, Default)]
pub(crate) struct PeerClocks {
    heard: HashMap<Bytes, PeerClock>,
}

#[derive(Debug)]
struct PeerClock {
    /// Milliseconds that ours is ahead of it.
    ahead: i64,
    until: Instant,
}

impl PeerClocks {
    /// A server said what time it has.
    pub(crate) fn heard(&mut self, server: Bytes, ahead: i64, now: Instant) {
        let until = now + LIVE;
        self.heard.insert(server, PeerClock { ahead, until });
        // Servers come and go, and without this the table would only grow.
        self.heard.retain(|_, heard| heard.until > now);
    }

    /// What a server said some time ago: the truth if it is near, unclear for a while if not.
    pub(crate) fn found(&mut self, server: Bytes, ahead: i64, now: Instant) {
        let until = now + FOUND_LIVE;
        self.heard.insert(server, PeerClock { ahead, until });
    }

    /// A server took its leave.
    pub(crate) fn remove(&mut self, server: &Bytes) {
        self.heard.remove(server);
    }

    /// How far ours is ahead of most servers' clocks, if it differs from more than half of all
    /// live servers, itself included. So one of two is never off: nobody knows which.
    pub(crate) fn off(&self, now: Instant) -> Option<i64> {
        let live = self.heard.values().filter(|heard| heard.until > now);
        let ahead: Vec<i64> = live.map(|heard| heard.ahead).collect();
        let far = ahead
            .iter()
            .filter(|ahead| ahead.unsigned_abs() > TOLERANCE);
        let mut far: Vec<i64> = far.copied().collect();
        if far.len() * 2 <= ahead.len() + 1 {
            return None;
        }
        // The median: one clock that is far off must not decide how far ours is off.
        far.sort_unstable();
        far.get(far.len() / 2).copied()
    }
}

/// The time in a clock's announcement.
pub(crate) fn time_of(kv: &pb::KeyValue) -> Option<i64> {
    Some(i64::from_be_bytes(*kv.value.first_chunk::<8>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(ahead: &[i64], now: Instant) -> PeerClocks {
        let mut clocks = PeerClocks::default();
        for (n, ahead) in ahead.iter().enumerate() {
            clocks.heard(Bytes::from(n.to_string()), *ahead, now);
        }
        clocks
    }

    #[test]
    fn off_is_who_differs_from_more_than_half_of_all() {
        let now = Instant::now();
        for (ahead, off) in [
            (&[][..], None),
            (&[60_000], None),
            (&[60_000, 61_000], Some(61_000)),
            (&[60_000, 10], None),
            (&[-60_000, -60_000, 0], None),
            (&[-60_000, -60_000, -60_000, 0], Some(-60_000)),
            (&[5_000, -5_000, 4_000], None),
            (&[5_001, 5_001], Some(5_001)),
        ] {
            assert_eq!(clocks(ahead, now).off(now), off, "{ahead:?}");
        }
    }

    #[test]
    fn who_is_silent_or_gone_does_not_count() {
        let now = Instant::now();
        let mut clocks = clocks(&[60_000, 60_000], now);
        assert!(clocks.off(now).is_some());
        assert_eq!(clocks.off(now + LIVE), None);
        clocks.remove(&Bytes::from_static(b"0"));
        assert_eq!(clocks.off(now), None);
        let mut clocks = PeerClocks::default();
        for server in ["a", "b"] {
            clocks.found(Bytes::from(server), 60_000, now);
        }
        assert!(clocks.off(now).is_some());
        assert_eq!(clocks.off(now + FOUND_LIVE), None);
    }
}
