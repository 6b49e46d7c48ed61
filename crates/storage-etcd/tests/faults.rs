//! A full disk, and answers that never come.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::{
    AtomicWrite, EventRetention, RecordPut, StorageError, Store, SystemClock, WriteCondition,
};
use own::proxy::{Proxy, Wire};
use own::{Server, eventually, key, open, options};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_full_disk_is_said_so_and_nothing_is_lost() {
    let server = Server::start_with(1, &["--quota-backend-bytes=8388608"]);
    let store = server.handle().await;
    let name = |n: usize| key(&format!("k/{n}"));
    let body = |n: usize| vec![u8::try_from(n).unwrap(); 300_000];
    let mut written = Vec::new();
    let refusal = loop {
        let n = written.len();
        assert!(n < 100, "the quota was never reached");
        match store.create(&name(n), RecordPut::of(body(n))).await {
            Ok(done) => written.push(done),
            Err(error) => break error,
        }
    };
    assert!(matches!(refusal, StorageError::Full { .. }), "{refusal:?}");
    assert!(written.len() > 5);
    // etcd carries out some writes that it answers with this error: those must have succeeded.
    let missing = store.get(&name(written.len())).await;
    assert!(
        matches!(missing, Err(StorageError::NotFound { .. })),
        "{:?}",
        missing.map(|record| record.revision)
    );
    for (n, done) in written.iter().enumerate() {
        let record = store.get(&name(n)).await.unwrap();
        assert_eq!(record.revision, done.revision);
        assert_eq!(record.content.body, body(n));
    }
    // Compaction works all the same, or space could never be freed.
    let everything = EventRetention {
        age: Duration::ZERO,
        bytes: 0,
    };
    assert!(store.compact(everything).await.unwrap() > written[0].token.sequence);
    // As the operator is told to do; the handle needs no reopening.
    server.ctl(&["del", "--prefix", "test/d/k/1"]);
    let deleted = server.ctl(&["del", "--prefix", "test/d/k/", "-w", "json"]);
    let digits = deleted.split("\"revision\":").nth(1).unwrap();
    let revision: String = digits.chars().take_while(char::is_ascii_digit).collect();
    server.ctl(&["compact", &revision, "--physical"]);
    server.ctl(&["defrag"]);
    server.ctl(&["alarm", "disarm"]);
    eventually("it takes writes again", async || {
        store
            .create(&key("again"), RecordPut::of(b"x".to_vec()))
            .await
            .is_ok()
    })
    .await;
}

async fn through(proxy: &Proxy) -> coeval_storage_etcd::EtcdStore {
    let url = format!("etcd://{}/test", proxy.address);
    open(options(&url, Arc::new(SystemClock::default()))).await
}

/// Sends a write on a wire that is broken while it is under way, and mended soon.
async fn on_a_broken_wire<T>(proxy: &Proxy, wire: Wire, write: impl Future<Output = T>) -> T {
    proxy.set(wire);
    let mend = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        proxy.set(Wire::Cut);
        tokio::time::sleep(Duration::from_millis(20)).await;
        proxy.set(Wire::Whole);
    };
    tokio::join!(write, mend).0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_answer_was_lost_is_found() {
    let server = Server::start();
    let proxy = Proxy::to(&server.etcd.endpoints()[0]).await;
    let store = through(&proxy).await;
    let other = server.handle().await;
    for (n, others_write) in [false, true].into_iter().enumerate() {
        let at = key(&format!("k/{n}"));
        store
            .put(&key("warm"), RecordPut::of(b"x".to_vec()))
            .await
            .unwrap();
        let write = store.create(&at, RecordPut::of(b"v".to_vec()));
        let meanwhile = async {
            // Others go on, so that our write is not the last one when it is looked for.
            tokio::time::sleep(Duration::from_millis(200)).await;
            for n in 0..10 {
                if others_write {
                    let name = key(&format!("other/{n}"));
                    other
                        .put(&name, RecordPut::of(b"x".to_vec()))
                        .await
                        .unwrap();
                }
            }
        };
        let both = async { tokio::join!(write, meanwhile).0 };
        let written = on_a_broken_wire(&proxy, Wire::NoAnswers, both).await;
        let written = written.expect("it happened, and was found");
        let record = other.get(&at).await.unwrap();
        assert_eq!(record.revision, written.revision);
        let page = other.events(written.token.sequence - 1).await.unwrap();
        assert_eq!(page.groups[0].sequence, written.token.sequence);
        assert_eq!(page.groups[0].events[0].key, at);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_got_lost_is_never_a_success() {
    let server = Server::start();
    let proxy = Proxy::to(&server.etcd.endpoints()[0]).await;
    let store = through(&proxy).await;
    store
        .put(&key("warm"), RecordPut::of(b"x".to_vec()))
        .await
        .unwrap();
    let at = key("k");
    let write = store.put(&at, RecordPut::of(b"v".to_vec()));
    let lost = on_a_broken_wire(&proxy, Wire::Silent, write).await;
    assert!(
        matches!(lost, Err(StorageError::UnknownOutcome { .. })),
        "{lost:?}"
    );
    assert!(store.get(&key("k")).await.is_err());
    store
        .put(&key("k"), RecordPut::of(b"v".to_vec()))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_connection_nothing_is_unknown() {
    let server = Server::start();
    let proxy = Proxy::to(&server.etcd.endpoints()[0]).await;
    let store = through(&proxy).await;
    let created = store.create(&key("k"), RecordPut::of(b"v".to_vec())).await;
    let revision = created.unwrap().revision;
    proxy.set(Wire::Cut);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    assert!(matches!(
        store.get(&key("k")).await,
        Err(StorageError::Unavailable { .. })
    ));
    let conditional = AtomicWrite::new()
        .when(&key("k"), WriteCondition::RevisionIs(revision))
        .put(&key("l"), b"x".to_vec());
    assert!(matches!(
        store.atomic_write(conditional.clone()).await,
        Err(StorageError::Unavailable { .. })
    ));
    assert!(begun.elapsed() < Duration::from_secs(10));
    proxy.set(Wire::Whole);
    eventually("it comes back", async || {
        store.atomic_write(conditional.clone()).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn nobody_there_is_unavailable_and_said_soon() {
    let begun = Instant::now();
    let nobody = coeval_storage_etcd::EtcdOptions::at("etcd://127.0.0.1:1,127.0.0.1:2");
    let refused = coeval_storage_etcd::EtcdStore::open(nobody).await.err();
    assert!(matches!(refused, Some(StorageError::Unavailable { .. })));
    assert!(begun.elapsed() < Duration::from_secs(10));
}
