//! How fast the background may go: as fast as those in the foreground don't notice.
//!
//! Calls are timed. What the slowest of a hundred takes while the background rests is the measure: a
//! call that takes a quarter more than that while it works is *slow*, and one of a hundred may be. If
//! more are, pauses become longer, else shorter. Batches stay as large as they can be: callers wait for
//! commits, and one with twenty resources takes little more than one with a single resource.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Eight to a power of two: each is a tenth wider than the one before.
const BUCKETS: usize = 64 * 8;

/// How many calls took how long.
#[derive(Debug)]
struct Latencies(Box<[AtomicU32]>);

impl Default for Latencies {
    fn default() -> Self {
        Self((0..BUCKETS).map(|_| AtomicU32::new(0)).collect())
    }
}

/// The place of a time: its power of two, and which eighth of it.
const fn bucket(nanos: u64) -> usize {
    let nanos = if nanos < 8 { 8 } else { nanos };
    let power = nanos.ilog2();
    let eighth = (nanos >> (power - 3)) & 7;
    power as usize * 8 + eighth as usize
}

impl Latencies {
    fn add(&self, took: u64) {
        if let Some(count) = self.0.get(bucket(took)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn total(&self) -> u32 {
        self.0.iter().map(|one| one.load(Ordering::Relaxed)).sum()
    }

    /// How many are in the places after this one.
    fn beyond(&self, place: usize) -> u32 {
        let rest = self.0.iter().skip(place + 1);
        rest.map(|one| one.load(Ordering::Relaxed)).sum()
    }

    /// The place up to which all but one of a hundred are.
    fn slowest(&self) -> Option<usize> {
        let total = self.total();
        (0..BUCKETS).find(|place| total > 0 && self.beyond(*place) * 100 <= total)
    }

    /// What was long ago counts less, and is forgotten in the end.
    fn fade(&self) {
        for one in &self.0 {
            one.store(one.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    fn clear(&self) {
        self.0
            .iter()
            .for_each(|one| one.store(0, Ordering::Relaxed));
    }
}

/// The times of what is done for callers, and how fast that lets the background go.
#[derive(Debug)]
pub struct Pulse {
    began: Instant,
    /// Nanoseconds since it began, as all times here: when the last call ended.
    last: AtomicU64,
    /// From when to when the background rests.
    rests_from: AtomicU64,
    rests_until: AtomicU64,
    idle: Latencies,
    busy: Latencies,
    control: Mutex<Control>,
}

/// What all workers of a server go by.
#[derive(Debug, Default)]
struct Control {
    pause: Duration,
    /// A place beyond which a call is slow.
    limit: Option<usize>,
    listened: Option<Instant>,
    /// Since when calls are counted.
    window: Option<Instant>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            last: AtomicU64::new(0),
            rests_from: AtomicU64::new(0),
            rests_until: AtomicU64::new(0),
            idle: Latencies::default(),
            busy: Latencies::default(),
            control: Mutex::default(),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Without a call for so long nobody is there to notice anything.
const QUIET: Duration = Duration::from_millis(500);
/// How often the background rests to see how the foreground does without it.
const LISTEN_EVERY: Duration = Duration::from_secs(10);
/// For how long, and for how long before it begins.
const LISTEN: Duration = Duration::from_millis(150);
const FIRST: Duration = Duration::from_millis(600);
/// Batches that are under way end in this time.
const ENDS: Duration = Duration::from_millis(30);
/// How much longer a call may take: two places are about a quarter.
const TOLERATED: usize = 2;
/// With so many calls, or after so long, it is seen whether it goes too fast.
const CALLS: u32 = 400;
const WINDOW: Duration = Duration::from_secs(2);
/// Pauses after a batch: the first, and the longest.
const CAREFUL: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);

impl Pulse {
    /// One call took so long.
    pub fn beat(&self, took: Duration) {
        self.beat_at(took, nanos(self.began.elapsed()));
    }

    fn beat_at(&self, took: Duration, now: u64) {
        let took = nanos(took);
        self.last.store(now, Ordering::Relaxed);
        let rests =
            self.rests_from.load(Ordering::Relaxed)..self.rests_until.load(Ordering::Relaxed);
        let (began, ended) = (now.saturating_sub(took), now);
        // A call that only partly fell into the rest may have waited for a batch at its other end.
        if rests.contains(&began) && rests.contains(&ended) {
            self.idle.add(took);
        } else {
            self.busy.add(took);
        }
    }

    /// How long a worker rests after a batch that took so long.
    pub fn after_batch(&self, took: Duration) -> Duration {
        self.after_batch_at(took, Instant::now())
    }

    fn after_batch_at(&self, took: Duration, now: Instant) -> Duration {
        let at = nanos(now.duration_since(self.began));
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.last.load(Ordering::Relaxed);
        // What was measured before the silence says nothing of who comes next, so it is forgotten
        // too.
        if last == 0 || at.saturating_sub(last) > nanos(QUIET) {
            *control = Control::default();
            return Duration::ZERO;
        }
        let rests_until = self.rests_until.load(Ordering::Relaxed);
        if rests_until > at {
            return Duration::from_nanos(rests_until - at);
        }
        let due = control
            .listened
            .is_none_or(|at| now.duration_since(at) > LISTEN_EVERY);
        if due {
            let time = match control.listened {
                None => FIRST,
                Some(_) => LISTEN,
            };
            if control.listened.is_none() {
                control.pause = CAREFUL;
            }
            control.listened = Some(now + time);
            // Set anew from what is heard in this rest, not before it is over.
            control.limit = None;
            self.idle.fade();
            // The first moments do not count: other workers may still be in the middle of a batch.
            self.rests_from.store(at + nanos(ENDS), Ordering::Relaxed);
            self.rests_until.store(at + nanos(time), Ordering::Relaxed);
            return time;
        }
        self.judge(&mut control, took, now);
        control.pause
    }

    /// Whether too many calls are slow.
    fn judge(&self, control: &mut Control, took: Duration, now: Instant) {
        if control.limit.is_none() {
            control.limit = self.idle.slowest().map(|place| place + TOLERATED);
            control.window = Some(now);
            self.busy.clear();
        }
        let (calls, since) = (self.busy.total(), control.window.unwrap_or(now));
        let Some(limit) = control.limit else { return };
        // One of a hundred means nothing for a dozen calls; with few callers time decides instead.
        if calls < CALLS && (calls == 0 || now.duration_since(since) < WINDOW) {
            return;
        }
        // It slows down at once and speeds up bit by bit: too fast hurts callers, too slow only
        // takes longer.
        control.pause = if self.busy.beyond(limit) * 100 > calls {
            (control.pause * 2).max(took).min(LONGEST)
        } else {
            control.pause.mul_f64(0.8)
        };
        // A factor alone would never come to nothing, and timers are not finer than this anyway.
        if control.pause < Duration::from_micros(200) {
            control.pause = Duration::ZERO;
        }
        control.window = Some(now);
        self.busy.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(5);

    /// A second in which calls take so long, one in `every` of them `slow`.
    fn second(pulse: &Pulse, now: &mut Instant, (usual, slow): (u64, u64), every: u64) {
        for n in 0..1_000 {
            *now += Duration::from_millis(1);
            let took = if n % every == 0 { slow } else { usual };
            let at = nanos(now.duration_since(pulse.began));
            pulse.beat_at(Duration::from_micros(took), at);
        }
    }

    #[test]
    fn with_nobody_there_it_goes_at_full_speed() {
        let pulse = Pulse::default();
        assert_eq!(pulse.after_batch(TOOK), Duration::ZERO);
        let mut now = Instant::now();
        second(&pulse, &mut now, (100, 100), 10);
        now += Duration::from_secs(2);
        assert_eq!(pulse.after_batch_at(TOOK, now), Duration::ZERO);
    }

    #[test]
    fn a_time_is_told_within_a_tenth() {
        for nanos in [8, 9, 100, 999, 12_345, 1_000_000, 40_000_000_000_u64] {
            let (below, above) = (nanos * 85 / 100, nanos * 115 / 100);
            assert!(bucket(below) <= bucket(nanos) && bucket(nanos) <= bucket(above));
            assert!(bucket(nanos) < bucket(nanos * 125 / 100 + 1), "{nanos}");
        }
        assert!(bucket(u64::MAX) < BUCKETS);
    }

    #[test]
    fn it_yields_when_more_than_one_of_a_hundred_calls_is_slow_and_comes_back() {
        let (pulse, mut now) = (Pulse::default(), Instant::now());
        second(&pulse, &mut now, (100, 1_000), 10);
        // It listens first, and calls take what they take.
        assert_eq!(pulse.after_batch_at(TOOK, now), FIRST);
        second(&pulse, &mut now, (100, 1_000), 10);
        assert_eq!(pulse.after_batch_at(TOOK, now), CAREFUL);
        // The slow ones are no slower: it goes faster.
        second(&pulse, &mut now, (100, 1_000), 10);
        assert!(pulse.after_batch_at(TOOK, now) < CAREFUL);
        // One of fifty is.
        second(&pulse, &mut now, (100, 2_000), 50);
        let slower = pulse.after_batch_at(TOOK, now);
        assert!(slower > CAREFUL, "{slower:?}");
        // One of two hundred may be.
        second(&pulse, &mut now, (100, 2_000), 200);
        assert!(pulse.after_batch_at(TOOK, now) < slower);
        for _ in 0..6 {
            second(&pulse, &mut now, (100, 2_000), 5);
            pulse.after_batch_at(TOOK, now);
        }
        assert_eq!(pulse.after_batch_at(TOOK, now), LONGEST);
        // Every ten seconds it rests, to hear how calls are without it.
        second(&pulse, &mut now, (100, 1_000), 10);
        assert_eq!(pulse.after_batch_at(TOOK, now), LISTEN);
    }
}
