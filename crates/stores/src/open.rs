//! From an address to a store with all its layers.

use coeval_storage::feed::RingSize;
use coeval_storage::layers::{CheckedStore, MeteredStore, TracedStore};
use coeval_storage::maintenance::{MaintenanceOptions, MaintenanceTask, maintain};
use coeval_storage::{DynStore, StorageError, Store, StoreLimits};
use coeval_storage_etcd::{EtcdOptions, EtcdStore};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use std::path::PathBuf;
use std::sync::Arc;

/// How a store is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Bounds of records, writes and pages.
    pub limits: StoreLimits,
    /// How many recent events are held in memory for watchers.
    pub ring: RingSize,
    /// The background work.
    pub maintenance: MaintenanceOptions,
}

/// Which store an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// `sqlite:PATH`
    Sqlite(PathBuf),
    /// `postgres://…`
    Postgres,
    /// `etcd://…`
    Etcd,
}

impl StoreKind {
    /// Reads the address's scheme.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`]; the address itself stays out of the error, for it may hold a
    /// password.
    pub fn of(url: &str) -> Result<Self, StorageError> {
        let refuse = |reason: &str| {
            Err(StorageError::InvalidUrl {
                reason: reason.into(),
            })
        };
        match url.split_once(':') {
            Some(("sqlite", "")) => refuse("sqlite: needs the path of a file"),
            Some(("sqlite", path)) => Ok(Self::Sqlite(path.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            Some(("etcd", _)) => Ok(Self::Etcd),
            _ => refuse("it begins with none of sqlite:, postgres:, etcd:"),
        }
    }
}

/// A store, its background work running until this is dropped.
#[derive(Debug)]
pub struct OpenStore {
    /// The store, with all layers.
    pub store: DynStore,
    _running: Option<MaintenanceTask>,
}

/// Opens a store to serve from it.
///
/// # Errors
/// What the store says.
pub async fn open(url: &str, options: OpenOptions) -> Result<OpenStore, StorageError> {
    let store = match StoreKind::of(url)? {
        StoreKind::Sqlite(path) => {
            if let Some(folder) = path.parent() {
                // The folder too: a first start needs no preparation.
                std::fs::create_dir_all(folder).map_err(|e| {
                    StorageError::unavailable(format!("can't make {}: {e}", folder.display()))
                })?;
            }
            with_layers(SqliteStore::open(sqlite(path, &options)).await?, &options)
        }
        StoreKind::Postgres => {
            let opened = PostgresOptions {
                limits: options.limits,
                ring: options.ring,
                ..PostgresOptions::at(url)
            };
            with_layers(PostgresStore::open(opened).await?, &options)
        }
        StoreKind::Etcd => {
            let opened = EtcdOptions {
                limits: options.limits,
                ring: options.ring,
                // Reads of etcd remove what has expired too, not only the sweep.
                dependents: options.maintenance.dependents.clone(),
                ..EtcdOptions::at(url)
            };
            with_layers(EtcdStore::open(opened).await?, &options)
        }
    };
    Ok(OpenStore {
        _running: Some(maintain(Arc::clone(&store), options.maintenance)),
        store,
    })
}

/// Opens a store to look at it, also while a server owns it, and without background work.
///
/// # Errors
/// What the store says.
pub async fn open_read_only(url: &str, options: OpenOptions) -> Result<OpenStore, StorageError> {
    match StoreKind::of(url)? {
        StoreKind::Sqlite(path) => Ok(OpenStore {
            store: with_layers(
                SqliteStore::open_read_only(sqlite(path, &options)).await?,
                &options,
            ),
            _running: None,
        }),
        StoreKind::Postgres | StoreKind::Etcd => {
            let mut opened = open(url, options).await?;
            // Dropping it ends the background work.
            opened._running = None;
            Ok(opened)
        }
    }
}

fn sqlite(path: PathBuf, options: &OpenOptions) -> SqliteOptions {
    SqliteOptions {
        limits: options.limits,
        ring: options.ring,
        ..SqliteOptions::at(path)
    }
}

fn with_layers(store: impl Store, options: &OpenOptions) -> DynStore {
    // The checks are innermost: a refusal is counted and traced like every other answer.
    Arc::new(TracedStore(MeteredStore::new(CheckedStore::new(
        store,
        options.limits,
    ))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_store_and_nonsense_is_refused_without_being_repeated() {
        assert_eq!(
            StoreKind::of("sqlite:a/b.db").unwrap(),
            StoreKind::Sqlite("a/b.db".into())
        );
        assert_eq!(
            StoreKind::of("postgres://u:p@h/d").unwrap(),
            StoreKind::Postgres
        );
        assert_eq!(StoreKind::of("etcd://h:2379").unwrap(), StoreKind::Etcd);
        for bad in ["", "sqlite:", "mysql://u:geheim@h", "geheim"] {
            let error = StoreKind::of(bad).unwrap_err().to_string();
            assert!(!error.contains("geheim"), "{error}");
        }
    }
}
