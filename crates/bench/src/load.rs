//! Load on a server: callers side by side, each sending one request after the other.

use crate::figures::as_f64;
use crate::server::ServerProcess;
use hdrhistogram::Histogram;
use std::future::Future;
use std::time::{Duration, Instant};

/// What one caller, or all of them together, got done.
pub(crate) struct LoadTally {
    counted: u64,
    latencies: Histogram<u64>,
}

impl LoadTally {
    fn new() -> Self {
        Self {
            counted: 0,
            latencies: Histogram::new(3).unwrap(),
        }
    }

    /// An answer that came now to what was sent then, and how much it counts.
    pub(crate) fn note(&mut self, sent: Instant, counts: u64) {
        let micros = u64::try_from(sent.elapsed().as_micros()).unwrap();
        self.latencies.record(micros.max(1)).unwrap();
        self.counted += counts;
    }

    fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies).unwrap();
        self.counted += other.counted;
    }
}

/// How long a caller goes on, and what it got done so far.
pub(crate) struct CallerShift {
    begun: Instant,
    time: Duration,
    pub(crate) tally: LoadTally,
}

impl CallerShift {
    pub(crate) fn goes_on(&self) -> bool {
        self.begun.elapsed() < self.time
    }
}

/// What a load came to.
pub(crate) struct LoadOutcome {
    tally: LoadTally,
    took: Duration,
    /// Processor time of the server.
    cpu_millis: f64,
}

impl LoadOutcome {
    pub(crate) fn rate(&self) -> f64 {
        as_f64(self.tally.counted) / self.took.as_secs_f64()
    }

    /// Milliseconds of the server's processor for what counts as one.
    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu_millis / as_f64(self.tally.counted.max(1))
    }

    /// Microseconds within which this share of the requests was answered.
    pub(crate) fn within(&self, share: f64) -> u64 {
        self.tally.latencies.value_at_quantile(share)
    }
}

/// Lets every caller work for as long, side by side.
pub(crate) async fn load<C, F>(
    server: &ServerProcess,
    callers: Vec<C>,
    time: Duration,
    work: impl Fn(C, CallerShift) -> F,
) -> LoadOutcome
where
    F: Future<Output = CallerShift> + Send + 'static,
{
    let cpu_before = server.cpu_millis();
    let begun = Instant::now();
    let tasks = callers.into_iter().map(|caller| {
        let tally = LoadTally::new();
        tokio::spawn(work(caller, CallerShift { begun, time, tally }))
    });
    let tasks: Vec<_> = tasks.collect();
    let mut tally = LoadTally::new();
    for task in tasks {
        tally.add(&task.await.unwrap().tally);
    }
    LoadOutcome {
        tally,
        took: begun.elapsed(),
        cpu_millis: server.cpu_millis() - cpu_before,
    }
}
