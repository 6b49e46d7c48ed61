//! Each acknowledged commit was synced first, shown by watching the system calls. The same check
//! must fail when syncing is off, or it would show nothing.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use coeval_storage::{Key, RecordPut, Store};
use coeval_storage_sqlite::{Durability, SqliteOptions, SqliteStore};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const COMMITS: usize = 50;
const STORE: &str = "COEVAL_TEST_SYNC_STORE";
const MODE: &str = "COEVAL_TEST_SYNC_MODE";

/// What runs under strace.
async fn write(path: &str) {
    let durability = match std::env::var(MODE).unwrap().as_str() {
        "full" => Durability::Full,
        _ => Durability::Off,
    };
    let options = SqliteOptions {
        durability,
        ..SqliteOptions::at(path)
    };
    let store = SqliteStore::open(options).await.unwrap();
    for number in 0..COMMITS {
        let put = RecordPut::of(b"value".to_vec());
        let key = Key::try_from(format!("k/{number}").as_str()).unwrap();
        store.put(&key, put).await.unwrap();
        let line = format!("ack {number}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// The acknowledgements that no sync of the log came before, since the last one.
fn unsynced(trace: &str) -> Vec<String> {
    let mut synced = false;
    let mut found = Vec::new();
    let mut seen = 0;
    for line in trace.lines() {
        // A call that another thread interrupts is printed in two parts: only its end counts.
        let ended = line.contains("fdatasync resumed") || line.contains("fsync resumed");
        let whole =
            line.contains("sync(") && line.contains("-wal>") && !line.contains("unfinished");
        if (ended || whole) && line.trim_end().ends_with("= 0") {
            synced = true;
        } else if let Some(at) = line.find("\"ack ") {
            seen += 1;
            if !std::mem::replace(&mut synced, false) {
                found.push(line[at..].to_owned());
            }
        }
    }
    assert_eq!(seen, COMMITS, "not every acknowledgement was traced");
    found
}

/// The system calls of this very test, run as the writer.
fn trace(test: &str, mode: &str) -> String {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("trace");
    run_traced(test, &folder.path().join("coeval.db"), &out, mode);
    std::fs::read_to_string(out).unwrap()
}

fn run_traced(test: &str, store: &Path, out: &Path, mode: &str) {
    let status = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-s",
            "16",
            "-e",
            "trace=fsync,fdatasync,write",
            "-o",
        ])
        .arg(out)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(STORE, store)
        .env(MODE, mode)
        .output()
        .expect("strace is needed: apt-get install strace, or ./test --without strace");
    assert!(status.status.success(), "{status:?}");
}

#[tokio::test]
async fn strace_shows_a_sync_before_every_acknowledgement() {
    if let Ok(path) = std::env::var(STORE) {
        return write(&path).await;
    }
    let trace = trace("strace_shows_a_sync_before_every_acknowledgement", "full");
    assert_eq!(unsynced(&trace), Vec::<String>::new());
}

#[tokio::test]
async fn strace_shows_none_when_syncing_is_off() {
    if let Ok(path) = std::env::var(STORE) {
        return write(&path).await;
    }
    let trace = trace("strace_shows_none_when_syncing_is_off", "off");
    assert_eq!(unsynced(&trace).len(), COMMITS);
}
