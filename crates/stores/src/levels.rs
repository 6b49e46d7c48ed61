//! The levels of what stores hold: what this release can read.

use coeval_storage::record;

/// Each format and the highest level of it that this release reads; it reads all lower ones too.
#[must_use]
pub fn levels() -> [(&'static str, u32); 4] {
    [
        ("record", record::LEVEL.into()),
        ("sqlite", coeval_storage_sqlite::LEVEL),
        ("postgres", coeval_storage_postgres::LEVEL.unsigned_abs()),
        ("etcd", coeval_storage_etcd::LEVEL),
    ]
}
