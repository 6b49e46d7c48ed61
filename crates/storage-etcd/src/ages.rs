//! How old the history is: a small table of moments, revisions and bytes, filled as groups pass.
//!
//! etcd keeps no times. The table begins when the handle is opened: what is older counts as of
//! that moment, and its bytes are not known.

use coeval_storage::EventRetention;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

const EVERY: Duration = Duration::from_secs(1);
const EVERY_BYTES: u64 = 256 * 1024;
/// When it is full, every second one goes: old moments get coarser.
const SAMPLES: usize = 8_192;

#[derive(Clone, Copy, Debug)]
struct AgeSample {
    at: Instant,
    revision: u64,
    /// Of all groups up to this revision.
    bytes: u64,
}

/// When which revision passed.
#[derive(Debug)]
pub(crate) struct HistoryAges {
    /// The first is the beginning.
    samples: VecDeque<AgeSample>,
    last: AgeSample,
}

impl HistoryAges {
    /// Nothing passed yet after `revision`.
    pub(crate) fn since(revision: u64, at: Instant) -> Self {
        let last = AgeSample {
            at,
            revision,
            bytes: 0,
        };
        Self {
            samples: VecDeque::from([last]),
            last,
        }
    }

    /// A group passed.
    pub(crate) fn passed(&mut self, revision: u64, bytes: usize, at: Instant) {
        self.last = AgeSample {
            at,
            revision,
            bytes: self.last.bytes + bytes as u64,
        };
        let due = self.samples.back().is_none_or(|back| {
            at.duration_since(back.at) >= EVERY || self.last.bytes - back.bytes >= EVERY_BYTES
        });
        if due {
            self.samples.push_back(self.last);
        }
        if self.samples.len() > SAMPLES {
            let mut odd = false;
            self.samples.retain(|_| {
                odd = !odd;
                odd
            });
        }
    }

    /// The revision up to which everything may go.
    pub(crate) fn removable_until(&self, keep: EventRetention, now: Instant) -> u64 {
        let all = || self.samples.iter().chain([&self.last]);
        let held = |sample: &AgeSample| self.last.bytes - sample.bytes;
        let old = all().filter(|sample| now.duration_since(sample.at) >= keep.age);
        let old = old.map(|sample| sample.revision).max().unwrap_or(0);
        let too_much = all().next().is_some_and(|first| held(first) > keep.bytes);
        let over = too_much
            .then(|| all().find(|sample| held(sample) <= keep.bytes))
            .flatten();
        old.max(over.map_or(0, |sample| sample.revision))
    }

    /// The history up to `revision` went.
    pub(crate) fn forget_until(&mut self, revision: u64) {
        while self
            .samples
            .get(1)
            .is_some_and(|next| next.revision <= revision)
        {
            self.samples.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_or_too_much_may_go() {
        let start = Instant::now();
        let second = |n: u64| start + Duration::from_secs(n);
        let mut ages = HistoryAges::since(10, start);
        for n in 1..=100 {
            ages.passed(10 + n, 1_000, second(n));
        }
        let keep = |age, bytes| EventRetention {
            age: Duration::from_secs(age),
            bytes,
        };
        let may_go =
            |ages: &HistoryAges, age, bytes| ages.removable_until(keep(age, bytes), second(100));
        assert_eq!(may_go(&ages, 1_000, u64::MAX), 0);
        assert_eq!(may_go(&ages, 100, u64::MAX), 10);
        assert_eq!(may_go(&ages, 40, u64::MAX), 70);
        assert_eq!(may_go(&ages, 1_000, 30_000), 80);
        assert_eq!(may_go(&ages, 0, 0), 110);
        ages.forget_until(80);
        assert_eq!(may_go(&ages, 1_000, 30_000), 0);
        assert_eq!(may_go(&ages, 1_000, 29_999), 81);
    }

    #[test]
    fn it_never_grows_beyond_its_size() {
        let start = Instant::now();
        let mut ages = HistoryAges::since(0, start);
        for n in 1..100_000 {
            ages.passed(n, 10, start + Duration::from_secs(n));
        }
        assert!(ages.samples.len() <= SAMPLES);
        let keep = EventRetention {
            age: Duration::ZERO,
            bytes: u64::MAX,
        };
        assert_eq!(
            ages.removable_until(keep, start + Duration::from_secs(200_000)),
            99_999
        );
    }
}
