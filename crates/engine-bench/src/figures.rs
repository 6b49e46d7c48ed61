//! How figures are taken and printed.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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
    #[expect(clippy::cast_precision_loss, reason = "a count of operations")]
    let done = done.load(Ordering::Relaxed) as f64;
    done / begun.elapsed().as_secs_f64()
}

/// A ratio and whether it is what was promised.
pub(crate) fn at_least(what: &str, ratio: f64, goal: f64, detail: &str) {
    let verdict = if ratio >= goal { "ok" } else { "FALLS SHORT" };
    println!("{what:<58} {ratio:>7.2}  at least {goal:<5} {verdict:<12} {detail}");
}

/// The same, where less is better.
pub(crate) fn at_most(what: &str, ratio: f64, goal: f64, detail: &str) {
    let verdict = if ratio <= goal { "ok" } else { "FALLS SHORT" };
    println!("{what:<58} {ratio:>7.2}  at most  {goal:<5} {verdict:<12} {detail}");
}

/// Megabytes that this process had at most.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}
