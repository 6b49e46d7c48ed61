//! A million records in the embedded store: run by hand, the figures go to the docs.

use super::table::RatioTable;
use super::writers::fill;
use coeval_storage::{EventRetention, Store};
use coeval_stores::{OpenOptions, backup, check, open, restore};
use std::time::Instant;

pub(crate) async fn measure(table: &mut RatioTable, records: usize) {
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let opened = open(&url("store.db"), OpenOptions::default())
        .await
        .unwrap();
    let store = &opened.store;
    let quiet = |_: u64, _: u64| {};
    let rate = |begun: Instant| records as f64 / begun.elapsed().as_secs_f64();
    let mut note = |what: &str, begun: Instant| {
        let figure = format!(
            "{:.0} records/s, {:.1} s",
            rate(begun),
            begun.elapsed().as_secs_f64()
        );
        table.figure(&format!("{records} records: {what}"), figure);
    };

    let begun = Instant::now();
    fill(store, records).await;
    note("written, with an index entry each, 256 callers", begun);
    let begun = Instant::now();
    store.compact(EventRetention::default()).await.unwrap();
    note("compacted to the usual retention", begun);
    let begun = Instant::now();
    let found = check(store, &quiet).await.unwrap();
    // A record and its index entry each.
    assert_eq!((found.records, found.wrong), (2 * records as u64, 0));
    note("checked", begun);
    let begun = Instant::now();
    let to = folder.path().join("backup.db");
    backup(store, &to, &quiet).await.unwrap();
    note("backed up", begun);
    let begun = Instant::now();
    // Asked before the store is closed.
    let size = store.status().await.unwrap().bytes.unwrap_or(0);
    store.close().await;
    let opened = open(&url("store.db"), OpenOptions::default())
        .await
        .unwrap();
    note("closed and opened again", begun);
    opened.store.close().await;
    let begun = Instant::now();
    let target = open(&url("restored.db"), OpenOptions::default())
        .await
        .unwrap();
    restore(
        &target.store,
        &to,
        coeval_stores::LoadTarget::MustBeEmpty,
        &quiet,
    )
    .await
    .unwrap();
    target.store.close().await;
    note("restored", begun);
    table.figure(
        &format!("{records} records: size of the file"),
        format!("{} MiB", size >> 20),
    );
}
