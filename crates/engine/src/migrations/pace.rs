//! How fast the background may go: as fast as those in the foreground don't notice.
//!
//! The foreground's own reads and writes are timed. What they take while the background rests is
//! the measure; when they take much more while it works, batches become smaller and pauses longer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The latency of what is done for callers, smoothed.
#[derive(Debug)]
pub(crate) struct Pulse {
    began: Instant,
    /// Nanoseconds.
    latency: AtomicU64,
    /// Nanoseconds since it began: when the last call ended.
    last: AtomicU64,
    /// How many calls there were.
    calls: AtomicU64,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            latency: AtomicU64::new(0),
            last: AtomicU64::new(0),
            calls: AtomicU64::new(0),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Pulse {
    /// One call took so long. Two that come at once may count as one; that does not matter here.
    pub(crate) fn beat(&self, took: Duration) {
        let (took, before) = (nanos(took), self.latency.load(Ordering::Relaxed));
        let smoothed = match before {
            0 => took,
            before => before - before / 16 + took / 16,
        };
        self.latency.store(smoothed, Ordering::Relaxed);
        let now = nanos(self.began.elapsed());
        self.last.store(now, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// What calls take by now, if there were any lately.
    fn now(&self) -> Option<Duration> {
        let since = nanos(self.began.elapsed()).saturating_sub(self.last.load(Ordering::Relaxed));
        let latency = self.latency.load(Ordering::Relaxed);
        let lately = since < nanos(QUIET) && latency > 0;
        lately.then(|| Duration::from_nanos(latency))
    }
}

/// Without a call for so long nobody is there to notice anything.
const QUIET: Duration = Duration::from_millis(500);
/// The most resources of a batch.
pub(super) const LARGEST: usize = 20;
/// How often the background rests to see how the foreground does without it.
const LISTEN_EVERY: Duration = Duration::from_secs(5);
/// For how long.
const LISTEN: Duration = Duration::from_millis(60);
/// How much longer calls may take.
const TOLERATED: f64 = 1.2;
/// The longest pause after a batch.
const LONGEST: Duration = Duration::from_millis(250);

/// How one worker goes.
#[derive(Debug)]
pub(super) struct Pace {
    batch: usize,
    pause: Duration,
    /// What calls take without the background.
    idle: Option<Duration>,
    listened: Option<Instant>,
}

/// What to do before the next batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Rest for so long, then go on.
    Rest(Duration),
    /// Rest for so long and tell [`Pace::listened`].
    Listen(Duration),
}

impl Pace {
    pub(super) const fn new() -> Self {
        Self {
            batch: LARGEST,
            pause: Duration::ZERO,
            idle: None,
            listened: None,
        }
    }

    /// How many resources the next batch has.
    pub(super) const fn batch(&self) -> usize {
        self.batch
    }

    /// After a batch that took so long.
    pub(super) fn after_batch(&mut self, pulse: &Pulse, took: Duration, now: Instant) -> Next {
        let Some(latency) = pulse.now() else {
            (self.batch, self.pause) = (LARGEST, Duration::ZERO);
            return Next::Rest(Duration::ZERO);
        };
        let due = self
            .listened
            .is_none_or(|at| now.duration_since(at) > LISTEN_EVERY);
        if due {
            return Next::Listen(LISTEN);
        }
        let slow = self
            .idle
            .is_some_and(|idle| latency.as_secs_f64() > idle.as_secs_f64() * TOLERATED);
        if slow {
            self.batch = (self.batch / 2).max(1);
            self.pause = (self.pause * 2).max(took).min(LONGEST);
        } else {
            self.batch = (self.batch + 1).min(LARGEST);
            self.pause = self.pause.mul_f64(0.8);
            if self.pause < Duration::from_micros(200) {
                self.pause = Duration::ZERO;
            }
        }
        Next::Rest(self.pause)
    }

    /// The background rested, and this is what calls took meanwhile.
    pub(super) fn listened(&mut self, pulse: &Pulse, now: Instant) {
        self.listened = Some(now);
        self.idle = match (self.idle, pulse.now()) {
            (Some(before), Some(latency)) => Some((before + latency) / 2),
            (before, latency) => latency.or(before),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_nobody_there_it_goes_at_full_speed() {
        let (pulse, mut pace) = (Pulse::default(), Pace::new());
        let next = pace.after_batch(&pulse, Duration::from_millis(3), Instant::now());
        assert_eq!(next, Next::Rest(Duration::ZERO));
        assert_eq!(pace.batch(), LARGEST);
    }

    #[test]
    fn it_yields_when_calls_take_longer_than_without_it_and_comes_back() {
        let (pulse, mut pace) = (Pulse::default(), Pace::new());
        let (now, took) = (Instant::now(), Duration::from_millis(2));
        pulse.beat(Duration::from_millis(1));
        assert_eq!(pace.after_batch(&pulse, took, now), Next::Listen(LISTEN));
        pace.listened(&pulse, now);
        for _ in 0..200 {
            pulse.beat(Duration::from_millis(4));
        }
        let Next::Rest(rest) = pace.after_batch(&pulse, took, now) else {
            panic!("it has just listened");
        };
        assert!(rest >= took && pace.batch() == LARGEST / 2);
        for _ in 0..200 {
            pulse.beat(Duration::from_millis(1));
        }
        for _ in 0..100 {
            pace.after_batch(&pulse, took, now);
        }
        assert_eq!(pace.batch(), LARGEST);
        assert_eq!(
            pace.after_batch(&pulse, took, now),
            Next::Rest(Duration::ZERO)
        );
    }
}
