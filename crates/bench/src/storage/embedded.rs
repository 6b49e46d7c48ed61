//! The embedded store against SQLite itself.

use super::table::RatioTable;
use super::writers::{fill, rate, record_key};
use super::{bare, watchers};
use crate::figures::PromisedFigure;
use coeval_storage::{DynStore, Key, KeySpan, ReadRange, ReadRequest, Store};
use coeval_stores::{OpenOptions, open};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) async fn measure(table: &mut RatioTable, time: Duration, records: usize) {
    let folder = tempfile::tempdir().unwrap();
    writes(table, folder.path(), time).await;
    let path = folder.path().join("reads.db");
    let url = format!("sqlite:{}", path.display());
    let opened = open(&url, OpenOptions::default()).await.unwrap();
    fill(&opened.store, records).await;
    reads(table, &opened.store, &path, (records, time)).await;
    watchers::resume(table, &opened.store, records).await;
    watchers::latency(table, &opened.store, time).await;
    opened.store.close().await;
}

async fn writes(table: &mut RatioTable, folder: &Path, time: Duration) {
    let url = |name: &str| format!("sqlite:{}", folder.join(name).display());
    let opened = open(&url("one.db"), OpenOptions::default()).await.unwrap();
    let one = rate(&opened.store, 1, 0, time).await;
    // Other numbers, so that both rounds only create.
    let many = rate(&opened.store, 64, 1_000_000, time).await;
    opened.store.close().await;
    let path = folder.join("bare.db");
    let bare = tokio::task::spawn_blocking(move || bare::write_rate(&path, 64, time));
    let bare = bare.await.unwrap();
    let what = "embedded: 64 durable writers / one";
    table.ratio(what, "writes/s", (many, one), PromisedFigure::AtLeast(3.0));
    let what = "embedded: 64 durable writers / bare batches of 64";
    table.ratio(what, "writes/s", (many, bare), PromisedFigure::AtLeast(0.6));
}

async fn reads(
    table: &mut RatioTable,
    store: &DynStore,
    path: &Path,
    (records, time): (usize, Duration),
) {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let owned = path.to_owned();
    let bare = tokio::task::spawn_blocking(move || {
        let one = bare::read_rate(&owned, 1, records, time);
        let all = bare::read_rate(&owned, cores, records, time);
        (one, all, bare::range_rate(&owned, 500, records, time))
    });
    let (bare_one, bare_all, bare_range) = bare.await.unwrap();
    let many = read_rate(store, (64, 1), records, time).await;
    let one = read_rate(store, (1, 1), records, time).await;
    let range = range_rate(store, 500, records, time).await;
    let what = format!("embedded: gets, 64 callers / {cores} bare threads");
    table.ratio(
        &what,
        "gets/s",
        (many, bare_all),
        PromisedFigure::AtLeast(0.5),
    );
    let what = "embedded: gets, one caller / one bare thread";
    table.ratio(what, "gets/s", (one, bare_one), PromisedFigure::None);
    let what = "embedded: ranges of 500, one caller / one bare thread";
    table.ratio(
        what,
        "items/s",
        (range, bare_range),
        PromisedFigure::AtLeast(0.7),
    );
    for (callers, single) in [(1, one), (64, many)] {
        for keys in [2, 96] {
            let rate = read_rate(store, (callers, keys), records, time).await;
            let what = format!("embedded: reads of {keys} keys / of one, callers: {callers}");
            table.ratio(&what, "reads/s", (rate, single), PromisedFigure::None);
        }
    }
}

/// Reads of so many keys each, in one snapshot, by so many callers.
async fn read_rate(
    store: &DynStore,
    (callers, keys): (usize, usize),
    records: usize,
    time: Duration,
) -> f64 {
    let total = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let tasks = (0..callers).map(|caller| {
        let (store, total) = (Arc::clone(store), Arc::clone(&total));
        tokio::spawn(async move {
            let (mut number, mut count) = (caller as u64, 0);
            while begun.elapsed() < time {
                let named = (0..keys).map(|_| {
                    number = number
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    let key = record_key((number >> 20) % records as u64);
                    Key::try_from(key.as_str()).unwrap()
                });
                let request = ReadRequest::keys(named.collect::<Vec<_>>());
                let snapshot = store.read(request).await.unwrap();
                assert!(snapshot.keys.iter().all(Option::is_some));
                count += 1;
            }
            total.fetch_add(count, Ordering::Relaxed);
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    total.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

async fn range_rate(store: &DynStore, size: usize, records: usize, time: Duration) -> f64 {
    let begun = Instant::now();
    let end = Key::try_from("f").unwrap();
    let (mut number, mut items) = (1_u64, 0);
    while begun.elapsed() < time {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let from = Key::try_from(record_key((number >> 20) % records as u64).as_str()).unwrap();
        let range = ReadRange::of(KeySpan::between(&from, &end)).limit(size);
        items += store.range(range).await.unwrap().1.entries.len();
    }
    items as f64 / begun.elapsed().as_secs_f64()
}
