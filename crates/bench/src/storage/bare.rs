//! The limit: the same work on the bare library, by hand.

use super::writers::{VALUE, index_key, record_key};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn open(path: &Path, writes: bool) -> Connection {
    let flags = if writes {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    let connection = Connection::open_with_flags(path, flags).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    connection
        .execute_batch("PRAGMA cache_size = -65536;")
        .unwrap();
    connection
}

/// Durable writes a second, in transactions of `batch` writes, with checkpoints in the background
/// as in the store.
pub(crate) fn write_rate(path: &Path, batch: usize, time: Duration) -> f64 {
    let mut connection = open(path, true);
    connection
        .execute_batch(
            "PRAGMA page_size = 8192;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE records (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, sweep INTEGER, value BLOB NOT NULL);
             CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, total INTEGER NOT NULL, body BLOB NOT NULL);",
        )
        .unwrap();
    let checkpointer = open(path, true);
    let stop = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            while stop.load(Ordering::Relaxed) == 0 {
                std::thread::sleep(Duration::from_millis(250));
                checkpointer
                    .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
                    .unwrap();
            }
        });
        let (value, body) = (vec![b'v'; VALUE + 32], vec![b'e'; VALUE + 200]);
        let begun = Instant::now();
        let mut number = 0;
        while begun.elapsed() < time {
            let transaction = connection.transaction().unwrap();
            for _ in 0..batch {
                write_one(&transaction, number, &value, &body);
                number += 1;
            }
            transaction.commit().unwrap();
        }
        stop.store(1, Ordering::Relaxed);
        number as f64 / begun.elapsed().as_secs_f64()
    })
}

/// One write: the look-up of a revision, the record, its index entry, the event.
fn write_one(connection: &Connection, number: u64, value: &[u8], body: &[u8]) {
    let key = record_key(number);
    let put = "INSERT INTO records (key, sweep, value) VALUES (?, NULL, ?)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    let mut put = connection.prepare_cached(put).unwrap();
    let mut look = connection
        .prepare_cached("SELECT substr(value, 1, 32) FROM records WHERE key = ?")
        .unwrap();
    let mut event = connection
        .prepare_cached("INSERT INTO events VALUES (?, 0, 0, ?)")
        .unwrap();
    // The store looks up a revision for each write, and so does this.
    let _: Option<Vec<u8>> = look
        .query_row([key.as_bytes()], |row| row.get(0))
        .optional()
        .unwrap();
    put.execute(params![key.as_bytes(), value]).unwrap();
    put.execute(params![index_key(number).as_bytes(), &value[..32]])
        .unwrap();
    event.execute(params![number as i64 + 1, body]).unwrap();
}

/// Point reads a second with `threads` threads on the store's own file.
pub(crate) fn read_rate(path: &Path, threads: usize, records: usize, time: Duration) -> f64 {
    let total = AtomicU64::new(0);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let total = &total;
            scope.spawn(move || {
                let connection = open(path, false);
                let mut number = thread as u64;
                let mut count = 0;
                while begun.elapsed() < time {
                    // The clock is asked once for many reads.
                    for _ in 0..64 {
                        number = number
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1);
                        let key = record_key((number >> 20) % records as u64);
                        let value: Vec<u8> = connection
                            .prepare_cached("SELECT value FROM records WHERE key = ?")
                            .unwrap()
                            .query_row([key.as_bytes()], |row| row.get(0))
                            .unwrap();
                        assert!(value.len() > VALUE);
                        count += 1;
                    }
                }
                total.fetch_add(count, Ordering::Relaxed);
            });
        }
    });
    total.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

/// Items a second of ranges of `size`, one thread.
pub(crate) fn range_rate(path: &Path, size: usize, records: usize, time: Duration) -> f64 {
    let connection = open(path, false);
    let begun = Instant::now();
    let (mut number, mut items) = (1_u64, 0);
    while begun.elapsed() < time {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let from = record_key((number >> 20) % records as u64);
        let mut statement = connection
            .prepare_cached(
                "SELECT key, value FROM records WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
            )
            .unwrap();
        let found: Vec<(Vec<u8>, Vec<u8>)> = statement
            .query_map(params![from.as_bytes(), b"f", size as i64], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        items += found.len();
    }
    items as f64 / begun.elapsed().as_secs_f64()
}
