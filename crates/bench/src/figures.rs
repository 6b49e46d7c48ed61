//! How figures are taken, and whether they are what was promised.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a figure is promised to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PromisedFigure {
    AtLeast(f64),
    AtMost(f64),
    /// Only printed.
    None,
}

impl PromisedFigure {
    /// Whether the figure keeps the promise.
    pub(crate) fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(goal) => figure >= goal,
            Self::AtMost(goal) => figure <= goal,
            Self::None => true,
        }
    }
}

/// Whether a part is to be measured: it is named, or none is.
pub(crate) fn is_wanted(named: &[String], part: &str) -> bool {
    named.is_empty() || named.iter().any(|name| name == part)
}

/// Operations a second, of so many callers at once.
pub(crate) async fn rate<F, O>(callers: usize, time: Duration, operation: O) -> f64
where
    O: Fn(usize) -> F + Send + Sync + 'static,
    F: Future<Output = ()> + Send,
{
    let operation = Arc::new(operation);
    let done = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let (operation, done) = (Arc::clone(&operation), Arc::clone(&done));
            tokio::spawn(async move {
                while begun.elapsed() < time {
                    operation(caller).await;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    // By the time that it really took: the last operations end after the limit.
    as_f64(done.load(Ordering::Relaxed)) / begun.elapsed().as_secs_f64()
}

/// A count, as it is divided by something.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) const fn as_f64(count: u64) -> f64 {
    count as f64
}

/// Megabytes that a process had at most: `self`, or its number.
pub(crate) fn peak_memory(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().split_whitespace().next().unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}
