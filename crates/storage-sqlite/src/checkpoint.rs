//! Checkpoints, off the commit path: on it they would cause spikes of a tenth of a second.

use crate::error::typed;
use crate::file;
use coeval_storage::StorageError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Above this the log is made to begin anew, which waits for readers.
const RESTART_ABOVE: u64 = 64 * 1024 * 1024;

/// The thread that checkpoints.
#[derive(Debug)]
pub(crate) struct CheckpointThread {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl CheckpointThread {
    /// There is something to do. Never waits: one wake that is still pending is enough.
    pub(crate) fn wake(&self) {
        let _ = self.wake.try_send(());
    }

    /// The last checkpoint, then the end.
    pub(crate) fn finish(self) {
        drop(self.wake);
        if self.thread.join().is_err() {
            tracing::error!("the checkpoint thread had panicked");
        }
    }
}

pub(crate) fn start(path: &Path) -> Result<CheckpointThread, StorageError> {
    // A connection of its own: the writer's is busy with commits.
    let connection = file::open_for_writing(path, file::Durability::Full)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    let (wake, woken) = sync_channel(1);
    let thread = std::thread::Builder::new()
        .name("sqlite-checkpoint".into())
        .spawn(move || run(&connection, &log, &woken))
        .map_err(StorageError::failed)?;
    Ok(CheckpointThread { wake, thread })
}

fn run(connection: &Connection, log: &Path, woken: &Receiver<()>) {
    loop {
        let mode = match woken.recv_timeout(Duration::from_secs(5)) {
            // PASSIVE never waits, so while readers are always there the log does not begin anew
            // and grows.
            Ok(()) if log_size(log) > RESTART_ABOVE => "RESTART",
            // Without a wake-up as well: what the last commits left is copied while nobody writes.
            Ok(()) | Err(RecvTimeoutError::Timeout) => "PASSIVE",
            // The last one out leaves a file that is complete without its log.
            Err(RecvTimeoutError::Disconnected) => "TRUNCATE",
        };
        if let Err(error) = checkpoint(connection, mode) {
            tracing::warn!(%error, mode, "a checkpoint failed; the log grows until one succeeds");
        }
        if mode == "TRUNCATE" {
            return;
        }
    }
}

fn checkpoint(connection: &Connection, mode: &str) -> Result<(), StorageError> {
    connection
        .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))
        .map_err(typed)
}

fn log_size(log: &Path) -> u64 {
    std::fs::metadata(log).map_or(0, |meta| meta.len())
}
