//! The cases that every store must pass, on PostgreSQL.

#![allow(clippy::expect_used)]

use coeval_storage::feed::RingSize;
use coeval_storage::{DynStore, StoreLimits};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use coeval_storage_suite::servers::{fresh_name, shared_postgres};
use coeval_storage_suite::{StoreSubject, dressed};

struct Database {
    url: String,
}

const RING: RingSize = RingSize {
    bytes: 16 * 1024 * 1024,
    groups: 512,
};

async fn open() -> Box<dyn StoreSubject> {
    let url = format!("{}?schema={}", shared_postgres(), fresh_name());
    Box::new(Database { url })
}

#[async_trait::async_trait]
impl StoreSubject for Database {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    async fn handle(&self) -> DynStore {
        let options = PostgresOptions {
            ring: RING,
            ..PostgresOptions::at(&self.url)
        };
        let store = PostgresStore::open(options).await.expect("a store");
        dressed(store, StoreLimits::default())
    }

    // The database's clock decides.
    async fn handle_with_clock(&self, _: i64) -> DynStore {
        self.handle().await
    }

    fn many_handles(&self) -> bool {
        true
    }

    fn ring_groups(&self) -> usize {
        RING.groups
    }
}

coeval_storage_suite::suite!(open);
