//! A private server, and handles on the store in it.
#![allow(dead_code, unreachable_pub)]

pub mod proxy;

use coeval_storage::feed::RingSize;
use coeval_storage::{
    Clock, DeliveryStream, EventGroup, Key, KeySpan, SkewedClock, StorageError, Store, SystemClock,
    Token, UnixMillis, WatchDelivery, WatchRequest,
};
use coeval_storage_etcd::{EtcdOptions, EtcdStore};
use coeval_storage_suite::servers::EtcdCluster;
use futures::StreamExt;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const RING_GROUPS: usize = 512;
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A private server, gone when this is dropped.
pub struct Server {
    pub etcd: EtcdCluster,
    pub url: String,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(1, &[])
    }

    pub fn start_with(members: usize, settings: &[&str]) -> Self {
        let etcd = EtcdCluster::start_with(members, settings).unwrap_or_else(|e| panic!("{e}"));
        let url = format!("{}/test", etcd.url());
        Self { etcd, url }
    }

    /// One handle.
    pub async fn handle(&self) -> EtcdStore {
        open(options(&self.url, Arc::new(SystemClock::default()))).await
    }

    /// One handle whose clock is so many milliseconds ahead.
    pub async fn handle_ahead(&self, offset: i64) -> (EtcdStore, Arc<SkewedClock>) {
        let clock = Arc::new(SkewedClock::new(offset));
        let options = options(&self.url, Arc::clone(&clock) as Arc<dyn Clock>);
        (open(options).await, clock)
    }

    /// Runs `etcdctl` as an operator would; returns what it prints.
    pub fn ctl(&self, arguments: &[&str]) -> String {
        let output = Command::new("etcdctl")
            .env("ETCDCTL_API", "3")
            .arg(format!("--endpoints={}", self.etcd.endpoints()[0]))
            .args(arguments)
            .output()
            .expect("etcdctl runs");
        assert!(
            output.status.success(),
            "etcdctl {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// How many keys there are below `prefix` of the store.
    pub fn count(&self, prefix: &str) -> usize {
        let prefix = format!("test/{prefix}");
        let keys = self.ctl(&["get", "--prefix", "--keys-only", &prefix]);
        keys.lines().filter(|line| !line.is_empty()).count()
    }
}

pub fn options(url: &str, clock: Arc<dyn Clock>) -> EtcdOptions {
    EtcdOptions {
        ring: RingSize {
            groups: RING_GROUPS,
            ..RingSize::default()
        },
        clock,
        ..EtcdOptions::at(url)
    }
}

pub async fn open(options: EtcdOptions) -> EtcdStore {
    EtcdStore::open(options).await.expect("the store opens")
}

pub fn key(text: &str) -> Key {
    Key::try_from(text).expect("a key")
}

pub fn in_millis(millis: i64) -> UnixMillis {
    SystemClock::default().now().plus(millis)
}

/// A watch of everything; its first delivery is taken.
pub async fn watch(store: &EtcdStore, from: Option<Token>) -> Result<DeliveryStream, StorageError> {
    let span = KeySpan::everything();
    let mut watch = store.watch(WatchRequest { span, from }).await?;
    match next(&mut watch).await {
        Ok(WatchDelivery::Live(_)) => Ok(watch),
        other => panic!("the first delivery is {other:?}"),
    }
}

pub async fn next(watch: &mut DeliveryStream) -> Result<WatchDelivery, StorageError> {
    match tokio::time::timeout(PATIENCE, watch.next()).await {
        Ok(Some(delivery)) => delivery,
        other => panic!("no delivery: {other:?}"),
    }
}

/// The next group, past bookmarks.
pub async fn next_group(watch: &mut DeliveryStream) -> Result<Arc<EventGroup>, StorageError> {
    loop {
        match next(watch).await? {
            WatchDelivery::Events(_, group) => return Ok(group),
            WatchDelivery::Bookmark(_) => {}
            WatchDelivery::Live(token) => panic!("live again at {token:?}"),
        }
    }
}

pub async fn eventually<F: Future<Output = bool>>(what: &str, mut ask: impl FnMut() -> F) {
    let begun = Instant::now();
    while !ask().await {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
