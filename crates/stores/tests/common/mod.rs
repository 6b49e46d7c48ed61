//! Fresh stores of each kind.

#![allow(dead_code, reason = "each test file uses its part")]

use coeval_storage::{Key, KeySpan, ReadRange, Record, Store};
use coeval_storage_suite::servers;
use coeval_stores::{OpenOptions, OpenStore, open};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// The address of a fresh, empty store.
pub(crate) struct Place {
    pub(crate) url: String,
    _folder: Option<TempDir>,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        Self {
            url: format!("sqlite:{}/coeval.db", folder.path().display()),
            _folder: Some(folder),
        }
    }

    pub(crate) fn postgres() -> Self {
        let url = servers::shared_postgres();
        let separator = if url.contains('?') { '&' } else { '?' };
        let schema = servers::fresh_name();
        Self::at(format!("{url}{separator}schema={schema}"))
    }

    pub(crate) fn etcd() -> Self {
        let prefix = servers::fresh_name();
        let server = servers::shared_etcd();
        Self::at(format!("{}/{prefix}", server.trim_end_matches('/')))
    }

    pub(crate) fn at(url: String) -> Self {
        Self { url, _folder: None }
    }

    pub(crate) async fn open(&self) -> OpenStore {
        open(&self.url, OpenOptions::default()).await.unwrap()
    }
}

pub(crate) fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

pub(crate) fn quiet(_: u64, _: u64) {}

/// Every record of a store.
pub(crate) async fn contents(store: &dyn Store) -> BTreeMap<Key, Record> {
    let mut range = ReadRange::of(KeySpan::everything());
    let mut found = BTreeMap::new();
    loop {
        let (_, page) = store.range(range.clone()).await.unwrap();
        if let Some(last) = page.entries.last() {
            range = range.after(&last.key);
        }
        for entry in page.entries {
            found.insert(entry.key.clone(), entry.into_record().unwrap());
        }
        if !page.more {
            return found;
        }
    }
}
