//! The cases that every store must pass.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use async_trait::async_trait;
use coeval_storage::{DynStore, SkewedClock, StoreLimits};
use coeval_storage_suite::{StoreSubject, dressed, servers};
use own::{RING_GROUPS, Server, options};
use std::sync::Arc;

/// A prefix of a server that the cases share, or a server of its own.
struct EtcdSubject {
    url: String,
    _own: Option<Server>,
}

#[async_trait]
impl StoreSubject for EtcdSubject {
    fn kind(&self) -> &'static str {
        "etcd"
    }

    async fn handle(&self) -> DynStore {
        self.handle_with_clock(0).await
    }

    async fn handle_with_clock(&self, offset: i64) -> DynStore {
        let options = options(&self.url, Arc::new(SkewedClock::new(offset)));
        let store = own::open(options).await;
        dressed(store, StoreLimits::default())
    }

    fn many_handles(&self) -> bool {
        true
    }

    fn ring_groups(&self) -> usize {
        RING_GROUPS
    }
}

async fn open() -> Box<dyn StoreSubject> {
    let server = servers::shared_etcd();
    Box::new(EtcdSubject {
        url: format!("{}/{}", server.trim_end_matches('/'), servers::fresh_name()),
        _own: None,
    })
}

/// Compaction, which some cases ask for, concerns all of a cluster.
async fn open_alone() -> Box<dyn StoreSubject> {
    let server = Server::start();
    Box::new(EtcdSubject {
        url: server.url.clone(),
        _own: Some(server),
    })
}

coeval_storage_suite::suite!(open, alone: open_alone);
