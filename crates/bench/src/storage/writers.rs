//! Durable writers: a record of 1 KiB, its index entry and the event, in one atomic write.

use crate::figures;
use bytes::Bytes;
use coeval_storage::{AtomicWrite, DynStore, Key, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The size of a value.
pub(crate) const VALUE: usize = 1024;

/// The key of record `number`; numbers are spread so that neighbours are far apart.
pub(crate) fn record_key(number: u64) -> String {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("e/acme/app/v1/{spread:016x}{number:016x}")
}

/// The key of its index entry.
pub(crate) fn index_key(number: u64) -> String {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("x/acme/app/region/r{:03}!/{spread:016x}", number % 500)
}

/// The write of record `number`.
pub(crate) fn write_of(number: u64, value: &Bytes) -> AtomicWrite {
    let key = |text: String| Key::try_from(text.as_str()).unwrap();
    AtomicWrite::new()
        .put(&key(record_key(number)), value.clone())
        .put(&key(index_key(number)), Bytes::new())
}

/// Writes with `writers` concurrent callers for `time`; writes a second.
pub(crate) async fn rate(store: &DynStore, writers: usize, first: u64, time: Duration) -> f64 {
    let (store, next) = (Arc::clone(store), Arc::new(AtomicU64::new(first)));
    let value = Bytes::from(vec![b'v'; VALUE]);
    figures::rate(writers, time, move |_| {
        let (store, next, value) = (Arc::clone(&store), Arc::clone(&next), value.clone());
        async move {
            let number = next.fetch_add(1, Ordering::Relaxed);
            store.atomic_write(write_of(number, &value)).await.unwrap();
        }
    })
    .await
}

/// Fills a store with records `0..count`.
pub(crate) async fn fill(store: &DynStore, count: usize) {
    let value = Bytes::from(vec![b'v'; VALUE]);
    let next = Arc::new(AtomicU64::new(0));
    // Many callers, so that they share durable commits.
    let tasks = (0..256).map(|_| {
        let (store, next, value) = (Arc::clone(store), Arc::clone(&next), value.clone());
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count as u64 {
                    return;
                }
                store.atomic_write(write_of(number, &value)).await.unwrap();
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}
