//! Opens a store by its address, and what operators do with a store: check, backup, restore,
//! export, import.

mod backup;
mod check;
mod dump;
mod error;
mod export;
mod import;
mod levels;
mod load;
mod open;

pub use backup::{BackupSummary, RestoreSummary, backup, restore};
pub use check::{CheckSummary, check, check_file};
pub use dump::{DumpItem, StoreDump};
pub use error::StoresError;
pub use export::{ExportSummary, export};
pub use import::{ImportSummary, import};
pub use levels::levels;
pub use load::LoadTarget;
pub use open::{OpenOptions, OpenStore, StoreKind, open, open_read_only};

/// Told how far a long operation has come: records and bytes so far.
pub type ProgressFn<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);
