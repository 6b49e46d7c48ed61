//! The file: its tables, its level, its settings.
//!
//! `records` has row numbers and an index of keys rather than being clustered by key: SQLite
//! reads a whole row of a clustered table for each comparison on the way down once the row is
//! longer than a quarter page, and rows here may have 384 KiB.

use crate::error::typed;
use crate::transaction::ReadTransaction;
use coeval_storage::{Incarnation, StorageError};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The level of these tables that this release writes, and the highest that it reads.
pub const LEVEL: u32 = 1;
/// "Coev", so that `file` and we know whose database it is.
const APPLICATION: u32 = 0x436f_6576;

/// Whether commits reach the disk before they are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Each commit is synced.
    #[default]
    Full,
    /// None is: only to show that the tests would notice.
    Off,
}

pub(crate) fn open_for_writing(
    path: &Path,
    durability: Durability,
) -> Result<Connection, StorageError> {
    let connection = Connection::open(path).map_err(typed)?;
    common_settings(&connection)?;
    // Before anything is set, so that what is not ours stays as it is.
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(typed)?;
    if tables > 0 {
        check_ours(&connection, path)?;
    }
    let sync = match durability {
        Durability::Full => "FULL",
        Durability::Off => "OFF",
    };
    // No automatic checkpoints: they would run inside of a commit (see `checkpoint`).
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = 8192;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = {sync};
             PRAGMA wal_autocheckpoint = 0;
             PRAGMA cache_size = -65536;
             PRAGMA journal_size_limit = 67108864;"
        ))
        .map_err(typed)?;
    if tables == 0 {
        create(&connection)?;
    }
    Ok(connection)
}

/// KiB of pages that all readers together hold in memory.
const READ_CACHE: usize = 128 * 1024;

/// One of so many readers.
pub(crate) fn open_reader(path: &Path, readers: usize) -> Result<Connection, StorageError> {
    let connection = open_for_reading(path)?;
    // Divided: the bound is on the process, however many readers it has.
    let cache = READ_CACHE / readers.max(1);
    connection
        .execute_batch(&format!("PRAGMA cache_size = -{cache};"))
        .map_err(typed)?;
    Ok(connection)
}

pub(crate) fn open_for_reading(path: &Path) -> Result<Connection, StorageError> {
    // Each connection belongs to one thread, so SQLite's own mutexes would protect nobody.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(typed)?;
    common_settings(&connection)?;
    check_ours(&connection, path)?;
    Ok(connection)
}

fn common_settings(connection: &Connection) -> Result<(), StorageError> {
    connection.set_prepared_statement_cache_capacity(32);
    connection
        // A checkpoint may block others for a moment; that is no error.
        .busy_timeout(Duration::from_secs(10))
        .map_err(typed)
}

fn pragma(connection: &Connection, name: &str) -> Result<u32, StorageError> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .map_err(typed)
}

fn check_ours(connection: &Connection, path: &Path) -> Result<(), StorageError> {
    if pragma(connection, "application_id")? != APPLICATION {
        return Err(StorageError::InvalidUrl {
            reason: format!("{} is not a store of Coeval", path.display()),
        });
    }
    let found = pragma(connection, "user_version")?;
    if found > LEVEL {
        return Err(StorageError::UnknownLevel {
            found,
            known: LEVEL,
        });
    }
    Ok(())
}

fn create(connection: &Connection) -> Result<(), StorageError> {
    let incarnation = Incarnation::draw()?;
    // With the level in the same transaction: a crash leaves a whole store or an empty file, which
    // is created anew.
    connection
        .execute_batch(&format!(
            "BEGIN IMMEDIATE;
             PRAGMA application_id = {APPLICATION};
             PRAGMA user_version = {LEVEL};
             CREATE TABLE meta (
                 id INTEGER PRIMARY KEY CHECK (id = 1),
                 incarnation BLOB NOT NULL,
                 floor INTEGER NOT NULL,
                 restoring INTEGER NOT NULL
             );
             CREATE TABLE records (
                 id INTEGER PRIMARY KEY,
                 key BLOB NOT NULL UNIQUE,
                 sweep INTEGER,
                 value BLOB NOT NULL
             );
             CREATE INDEX sweep ON records (sweep) WHERE sweep IS NOT NULL;
             CREATE TABLE events (
                 seq INTEGER PRIMARY KEY,
                 at INTEGER NOT NULL,
                 total INTEGER NOT NULL,
                 body BLOB NOT NULL
             );
             CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
             INSERT INTO meta VALUES (1, x'{incarnation}', 0, 0);
             COMMIT;"
        ))
        .map_err(typed)
}

/// Lets the file grow to `max` bytes and no further.
pub(crate) fn limit(connection: &Connection, max: Option<u64>) -> Result<(), StorageError> {
    let Some(max) = max else {
        return Ok(());
    };
    let pages = max / u64::from(pragma(connection, "page_size")?);
    connection
        .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        .map_err(typed)
}

/// SQLite's own check; what it finds, a line each.
pub(crate) fn quick_check(transaction: &ReadTransaction<'_>) -> Result<Vec<String>, StorageError> {
    let mut statement = transaction
        .connection
        .prepare("PRAGMA quick_check(100)")
        .map_err(typed)?;
    let lines = statement
        .query_map([], |row| row.get::<_, String>(0))
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(typed)?;
    // A sound file answers a single `ok`.
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

pub(crate) fn notes(
    transaction: &ReadTransaction<'_>,
) -> Result<BTreeMap<String, String>, StorageError> {
    let mut statement = transaction
        .connection
        .prepare("SELECT name, value FROM notes")
        .map_err(typed)?;
    statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .map_err(typed)
}
