//! What the tests of the embedded store share.

use coeval_storage::Key;
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use std::path::Path;

pub(crate) fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

pub(crate) async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(SqliteOptions::at(path)).await.unwrap()
}
