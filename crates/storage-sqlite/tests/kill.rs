//! kill -9 at a random instant: what was acknowledged is there, and nothing is there by half.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use coeval_storage::{AtomicWrite, ReadRange, ReadRequest, Store};
use coeval_storage_sqlite::SqliteStore;
use coeval_storage_suite::scaled;
use common::{key, open};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const TEST: &str = "acknowledged_writes_survive_kill_9_and_no_atomic_write_is_half_there";
const WRITERS: usize = 8;
const STORE: &str = "COEVAL_TEST_KILL_STORE";
const FIRST: &str = "COEVAL_TEST_KILL_FIRST";

/// What the killed process runs.
async fn write_for_ever(path: &str) {
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    let store = Arc::new(open(Path::new(path)).await);
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for number in first.. {
                write_pair(&store, writer, number).await;
                // One call, so that a line is whole or not there.
                let line = format!("ack {writer} {number}\n");
                std::io::stdout().write_all(line.as_bytes()).unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

/// A new key, and two counters that must always be equal.
async fn write_pair(store: &SqliteStore, writer: usize, number: u64) {
    let body = number.to_be_bytes().to_vec();
    let write = AtomicWrite::new()
        .put(&key(&format!("log/{writer}/{number:020}")), body.clone())
        .put(&key(&format!("left/{writer}")), body.clone())
        .put(&key(&format!("right/{writer}")), body);
    store.atomic_write(write).await.unwrap();
}

/// Runs the writer, kills it, returns the last number that each writer was told is safe.
fn kill_at_random(path: &Path, first: u64, wait: Duration) -> HashMap<usize, u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture", "--test-threads=1"])
        .env(STORE, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acked = HashMap::new();
    let mut note = |line: &str| {
        // The test harness prints in front of the first line.
        let Some(ack) = line.find("ack ").map(|at| &line[at..]) else {
            return false;
        };
        let mut words = ack.split(' ').skip(1);
        let (Some(writer), Some(number)) = (words.next(), words.next()) else {
            return false;
        };
        acked.insert(writer.parse().unwrap(), number.parse().unwrap());
        true
    };
    while !note(&lines.next().expect("the writer ended by itself").unwrap()) {}
    std::thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines {
        note(&line.unwrap());
    }
    acked
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_kill_9_and_no_atomic_write_is_half_there() {
    if let Ok(path) = std::env::var(STORE) {
        return write_for_ever(&path).await;
    }
    let rounds = scaled(100);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coeval.db");
    let (mut first, mut acknowledged, mut sequence) = (0, 0, 0);
    for round in 0..rounds {
        let random = coeval_storage::Revision::draw().unwrap();
        let random = u16::from_be_bytes(*random.as_bytes().first_chunk().unwrap());
        let wait = Duration::from_micros(u64::from(random));
        let acked = kill_at_random(&path, first, wait);
        let store = open(&path).await;
        let mut highest = first;
        for (writer, last) in &acked {
            for number in first..=*last {
                let found = store.get(&key(&format!("log/{writer}/{number:020}"))).await;
                assert!(
                    found.is_ok(),
                    "round {round}: writer {writer} lost {number}"
                );
                acknowledged += 1;
            }
            highest = highest.max(*last);
        }
        for writer in 0..WRITERS {
            highest = highest.max(assert_whole(&store, writer).await);
        }
        sequence = assert_log_agrees(&store, sequence).await;
        store.close().await;
        first = highest + 1;
    }
    println!("{rounds} rounds, {acknowledged} acknowledged writes, 0 lost");
    assert!(acknowledged > rounds as u64, "the writers hardly wrote");
}

/// The two counters agree, and the newest log entry is what they say.
async fn assert_whole(store: &SqliteStore, writer: usize) -> u64 {
    let newest = ReadRange::below(&key(&format!("log/{writer}")))
        .descending()
        .limit(1);
    let read = ReadRequest::keys([
        key(&format!("left/{writer}")),
        key(&format!("right/{writer}")),
    ]);
    let snapshot = store.read(read.and_range(newest)).await.unwrap();
    let body = |entry: coeval_storage::StoredEntry| entry.into_record().unwrap().content.body;
    let mut keys = snapshot.keys.into_iter();
    let left = keys.next().unwrap().map(body);
    let right = keys.next().unwrap().map(body);
    let log = snapshot.pages.into_iter().next().unwrap().entries;
    let log = log.into_iter().next().map(body);
    assert_eq!(left, right, "half an atomic write");
    assert_eq!(left, log, "half an atomic write");
    left.map_or(0, |body| u64::from_be_bytes(*body.first_chunk().unwrap()))
}

/// What the events since `after` made of each key is what the records say.
async fn assert_log_agrees(store: &SqliteStore, after: u64) -> u64 {
    let mut newest = HashMap::new();
    let mut at = after;
    loop {
        let page = store.events(at).await.unwrap();
        for group in &page.groups {
            assert_eq!(group.sequence, at + 1, "a gap in the events");
            assert_eq!(group.events.len(), 3, "half a group");
            at = group.sequence;
            for event in &group.events {
                newest.insert(event.key.clone(), event.revision());
            }
        }
        if at == page.bounds.head {
            break;
        }
    }
    for (key, revision) in newest {
        let record = store.get(&key).await.unwrap();
        assert_eq!(
            Some(record.revision),
            revision,
            "{key}: event and record differ"
        );
    }
    at
}
