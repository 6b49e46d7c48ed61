//! The cases that every store must pass.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use async_trait::async_trait;
use coeval_storage::{DynStore, Limits, SkewedClock};
use coeval_storage_suite::{Subject, dressed};
use own::{RING_GROUPS, Server, options};
use std::sync::Arc;

/// A server for each case: compaction, which some cases ask for, concerns all of a cluster.
struct EtcdSubject(Server);

#[async_trait]
impl Subject for EtcdSubject {
    fn kind(&self) -> &'static str {
        "etcd"
    }

    async fn handle(&self) -> DynStore {
        self.handle_with_clock(0).await
    }

    async fn handle_with_clock(&self, offset: i64) -> DynStore {
        let options = options(&self.0.url, Arc::new(SkewedClock::new(offset)));
        let store = own::open(options).await;
        dressed(store, Limits::default())
    }

    fn many_handles(&self) -> bool {
        true
    }

    fn ring_groups(&self) -> usize {
        RING_GROUPS
    }
}

async fn open() -> Box<dyn Subject> {
    Box::new(EtcdSubject(Server::start()))
}

coeval_storage_suite::suite!(open);
