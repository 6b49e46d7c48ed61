//! One process owns the file for writing, and says so to a second one.

use coeval_storage::StorageError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Holds the lock; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct OwnerLock(#[expect(dead_code, reason = "held for its lock")] File);

impl OwnerLock {
    pub(crate) fn take(database: &Path) -> Result<Self, StorageError> {
        let mut path = database.as_os_str().to_owned();
        path.push("-owner");
        let open = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = open.map_err(|e| {
            StorageError::unavailable(format!("can't open {}: {e}", database.display()))
        })?;
        // A lock of the system, not the file's existence: a process that was killed keeps nobody
        // out.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut by = String::new();
                // Only a hint for people: whoever holds the lock wrote its number there.
                let _ = file.read_to_string(&mut by);
                return Err(StorageError::InUse {
                    store: database.display().to_string(),
                    by: by.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(e)) => return Err(StorageError::unavailable(e)),
        }
        // Written under the lock, so that the number is always the owner's.
        let noted = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        noted.map_err(StorageError::unavailable)?;
        Ok(Self(file))
    }
}
