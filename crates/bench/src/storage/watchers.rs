//! What watchers cost the writer, and what a resume costs.

use super::table::RatioTable;
use super::writers::write_of;
use crate::figures::PromisedFigure;
use bytes::Bytes;
use coeval_storage::{DynStore, Key, KeySpan, Store, Token, WatchDelivery, WatchRequest};
use futures::StreamExt;
use hdrhistogram::Histogram;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const WATCHERS: u64 = 1_000;
const WRITES_A_SECOND: u64 = 200;

fn below_e() -> KeySpan {
    KeySpan::below(&Key::try_from("e").unwrap())
}

/// The writer's p50 at 200 writes a second, without and with a thousand watchers.
pub(crate) async fn latency(table: &mut RatioTable, store: &DynStore, time: Duration) {
    let writes = (time.as_secs_f64() * WRITES_A_SECOND as f64) as u64;
    let without = paced(store, 10_000_000, writes).await;
    let delivered = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for _ in 0..WATCHERS {
        let request = WatchRequest {
            span: below_e(),
            from: None,
        };
        let mut watch = store.watch(request).await.unwrap();
        let delivered = Arc::clone(&delivered);
        tasks.push(tokio::spawn(async move {
            let mut mine = 0;
            while mine < writes {
                match watch.next().await.unwrap().unwrap() {
                    WatchDelivery::Events(_, group) => {
                        mine += group.events.len() as u64;
                        delivered.fetch_add(group.events.len() as u64, Ordering::Relaxed);
                    }
                    WatchDelivery::Live(_) | WatchDelivery::Bookmark(_) => {}
                }
            }
        }));
    }
    let with = paced(store, 20_000_000, writes).await;
    // Awaited, so that late deliveries are counted as well.
    for task in tasks {
        tokio::time::timeout(Duration::from_secs(30), task)
            .await
            .expect("a delivery is missing")
            .unwrap();
    }
    let what = "embedded: writer's p50 with 1,000 watchers / none, 200 writes/s";
    table.ratio(what, "µs", (with, without), PromisedFigure::AtMost(1.3));
    let counted = delivered.load(Ordering::Relaxed);
    let what = "embedded: deliveries to 1,000 watchers / expected";
    let expected = (WATCHERS * writes) as f64;
    table.ratio(
        what,
        "events",
        (counted as f64, expected),
        PromisedFigure::AtLeast(1.0),
    );
}

/// The median time of a write, in microseconds, at a steady rate.
async fn paced(store: &DynStore, first: u64, writes: u64) -> f64 {
    let value = Bytes::from(vec![b'v'; 1024]);
    let mut times = Histogram::<u64>::new(3).unwrap();
    // A steady rate: at full load the times would be those of a queue.
    let mut timer = tokio::time::interval(Duration::from_micros(1_000_000 / WRITES_A_SECOND));
    for number in first..first + writes {
        timer.tick().await;
        let begun = Instant::now();
        store.atomic_write(write_of(number, &value)).await.unwrap();
        times.record(begun.elapsed().as_micros() as u64).unwrap();
    }
    times.value_at_quantile(0.5) as f64
}

/// Resuming over the last hundred of many events, and over all of them.
pub(crate) async fn resume(table: &mut RatioTable, store: &DynStore, events: usize) {
    let status = store.status().await.unwrap();
    // As far back as events are kept.
    for missed in [
        100,
        events.min((status.head - status.floor) as usize) as u64,
    ] {
        let from = Token {
            incarnation: status.incarnation,
            sequence: status.head - missed,
        };
        let request = WatchRequest {
            span: below_e(),
            from: Some(from),
        };
        let begun = Instant::now();
        let mut watch = store.watch(request).await.unwrap();
        let mut seen = 0;
        while seen < missed {
            if let WatchDelivery::Events(..) = watch.next().await.unwrap().unwrap() {
                seen += 1;
            }
        }
        let took = begun.elapsed().as_secs_f64() * 1e3;
        let what = format!("embedded: resume over {missed} of {} events", status.head);
        table.figure(&what, format!("{took:.1} ms"));
    }
}
