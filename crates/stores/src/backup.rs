//! Backup and restore.
//!
//! A backup is an embedded store's file, whatever store it was taken from: it can be checked,
//! looked at with SQLite's tools, and served from.

use crate::load::StoreLoad;
use crate::{DumpItem, LoadTarget, ProgressFn, StoreDump, StoresError};
use coeval_storage::event::{RawChange, RawChangeValue};
use coeval_storage::record::encode;
use coeval_storage::{AdoptionStep, Key, Revision, Store, StoredEntry, StoredValue, Token};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use std::path::{Path, PathBuf};

const SEQUENCE: &str = "backup-sequence";
const SOURCE: &str = "backup-source";

/// What a backup holds.
#[derive(Clone, Debug)]
pub struct BackupSummary {
    /// Items written, later changes of a record counted again.
    pub written: u64,
    /// The one sequence that it shows.
    pub token: Token,
    /// Records that are damaged in the source; they are in the backup as they are.
    pub damaged: Vec<Key>,
}

/// Copies every record of `store`, at one sequence, to the new file `to`.
///
/// # Errors
/// If `to` exists; what the store says. A backup that failed leaves no file under that name.
pub async fn backup(
    store: &dyn Store,
    to: &Path,
    progress: ProgressFn<'_>,
) -> Result<BackupSummary, StoresError> {
    // Not overwritten: the last good backup may be the only one.
    if to.exists() {
        return Err(StoresError::file(to, "the file exists already"));
    }
    let partial = PathBuf::from(format!("{}.partial", to.display()));
    // Left by a backup that was interrupted.
    remove(&partial)?;
    let result = fill(store, &partial, progress).await;
    // Renamed when it is whole: whatever has the name is a usable backup.
    if result.is_ok() {
        std::fs::rename(&partial, to).map_err(|e| StoresError::file(to, e))?;
        sync_folder(to)?;
    }
    // Also after a success, for SQLite's other files keep this name.
    remove(&partial)?;
    result
}

async fn fill(
    store: &dyn Store,
    partial: &Path,
    progress: ProgressFn<'_>,
) -> Result<BackupSummary, StoresError> {
    let source = store.status().await?;
    let target = SqliteStore::open(SqliteOptions::at(partial)).await?;
    // While a restore is under way the file takes raw records, without events.
    target.adopt(AdoptionStep::Begin).await?;
    let mut dump = StoreDump::new(store);
    let (mut written, mut bytes, mut damaged) = (0, 0, Vec::new());
    // Page by page, so that a store of any size takes the memory of one page.
    while let Some(items) = dump.next().await? {
        let records: Vec<_> = items
            .into_iter()
            .map(|item| raw(item, &mut damaged))
            .collect();
        written += records.len() as u64;
        bytes += records.iter().map(size).sum::<u64>();
        target.load(records).await?;
        progress(written, bytes);
    }
    let token = dump
        .token()
        .ok_or(coeval_storage::StorageError::Compacted)?;
    target.adopt(AdoptionStep::Finish).await?;
    target.set_note(SOURCE, source.kind).await?;
    // The note is written last: without it nobody takes the file for a backup.
    target.set_note(SEQUENCE, &token.to_string()).await?;
    target.close().await;
    Ok(BackupSummary {
        written,
        token,
        damaged,
    })
}

fn raw(item: DumpItem, damaged: &mut Vec<Key>) -> RawChange {
    match item {
        DumpItem::Deleted(key) => RawChange {
            // Only the key matters: no event tells of it.
            key,
            to: RawChangeValue::Deleted(Revision::NEVER),
        },
        DumpItem::Record(StoredEntry { key, stored }) => {
            let raw = match stored {
                StoredValue::Record(record) => encode(&key, &record),
                StoredValue::Damaged { raw, .. } => {
                    damaged.push(key.clone());
                    raw
                }
            };
            RawChange {
                key,
                to: RawChangeValue::Put(raw),
            }
        }
    }
}

fn size(record: &RawChange) -> u64 {
    match &record.to {
        RawChangeValue::Put(raw) => raw.len() as u64,
        RawChangeValue::Deleted(_) => 0,
    }
}

/// What a restore did.
#[derive(Clone, Debug)]
pub struct RestoreSummary {
    /// Records restored.
    pub records: u64,
    /// The sequence at which the backup was taken, as its store named it.
    pub taken_at: Token,
    /// Where the store's new history begins.
    pub token: Token,
    /// Records that are damaged in the backup, and were left out.
    pub damaged: Vec<Key>,
}

/// Fills `store` from a backup and begins a new history: whoever resumes from before is told.
///
/// # Errors
/// [`StoresError::BackupInvalid`]; [`StoresError::NotEmpty`]; what the stores say.
pub async fn restore(
    store: &dyn Store,
    from: &Path,
    target: LoadTarget,
    progress: ProgressFn<'_>,
) -> Result<RestoreSummary, StoresError> {
    let invalid = |reason: String| StoresError::BackupInvalid {
        path: from.to_owned(),
        reason,
    };
    let source = SqliteStore::open_read_only(SqliteOptions::at(from))
        .await
        .map_err(|e| invalid(e.to_string()))?;
    let notes = source.notes().await.map_err(|e| invalid(e.to_string()))?;
    let taken_at = notes
        .get(SEQUENCE)
        .and_then(|text| Token::from_opaque(text))
        .ok_or_else(|| invalid("it does not say at which sequence it was taken".into()))?;
    // The store is fenced from here to `finish`, also if anything in between fails.
    let mut load = StoreLoad::begin(store, target).await?;
    let mut dump = StoreDump::new(&source);
    let (mut records, mut bytes, mut damaged) = (0, 0, Vec::new());
    while let Some(items) = dump.next().await? {
        for item in items {
            match item {
                DumpItem::Record(StoredEntry {
                    key,
                    stored: StoredValue::Record(record),
                }) => {
                    records += 1;
                    bytes += record.content.stored_size() as u64;
                    load.put(&key, record).await?;
                }
                // A record that can't be read can't be put either; its key is reported.
                DumpItem::Record(StoredEntry { key, .. }) => damaged.push(key),
                DumpItem::Deleted(key) => load.delete(&key).await?,
            }
        }
        progress(records, bytes);
    }
    let token = load.finish().await?;
    source.close().await;
    Ok(RestoreSummary {
        records,
        taken_at,
        token,
        damaged,
    })
}

/// Removes the file with all that SQLite puts beside it.
fn remove(path: &Path) -> Result<(), StoresError> {
    for suffix in ["", "-wal", "-shm", "-owner"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Ok(()) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(StoresError::file(Path::new(&name), e)),
        }
    }
    Ok(())
}

/// The rename itself must survive a power failure too.
fn sync_folder(of: &Path) -> Result<(), StoresError> {
    let folder = match of.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    std::fs::File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|e| StoresError::file(folder, e))
}
