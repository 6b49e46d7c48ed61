//! Members that die, and a cluster that comes back from a snapshot.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::{AtomicWrite, RecordPut, Revision, StorageError, Store, Token};
use own::{Server, eventually, key, next, next_group, watch};
use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const WORKERS: usize = 6;

/// What one worker was told about its writes of its own two keys.
#[derive(Default)]
struct Told {
    acknowledged: Vec<(Token, Revision)>,
    unknown: Vec<Revision>,
    refused: usize,
}

fn pair(worker: usize) -> [coeval_storage::Key; 2] {
    ["a", "b"].map(|name| key(&format!("w/{worker}/{name}")))
}

async fn work(store: Arc<impl Store>, worker: usize, stop: Arc<AtomicBool>) -> Told {
    let mut told = Told::default();
    let [a, b] = pair(worker);
    for n in 0.. {
        if stop.load(Ordering::Acquire) {
            break;
        }
        let body = format!("{worker}/{n}").into_bytes();
        let write = AtomicWrite::new().put(&a, body.clone()).put(&b, body);
        match store.atomic_write(write).await {
            Ok(written) => told.acknowledged.push((written.token, written.revision)),
            Err(StorageError::UnknownOutcome { revision, .. }) => told.unknown.push(revision),
            Err(StorageError::Unavailable { .. } | StorageError::Busy { .. }) => told.refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_leader_loses_no_acknowledged_write() {
    let mut server = Server::start_with(3, &[]);
    let store = Arc::new(server.handle().await);
    let begin = store.put(&key("begin"), RecordPut::of(b"x".to_vec())).await;
    let begin = begin.unwrap().token;
    let mut live = watch(&store, Some(begin)).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..WORKERS)
        .map(|n| tokio::spawn(work(Arc::clone(&store), n, Arc::clone(&stop))))
        .collect();

    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let leader = server.etcd.leader().expect("a leader");
        server.etcd.kill_member(leader);
        // It goes on with two of three members, without being opened again.
        let begun = Instant::now();
        let probe = key("probe");
        while let Err(error) = store.put(&probe, RecordPut::of(b"x".to_vec())).await {
            assert!(!error.is_refusal(), "{error}");
            assert!(begun.elapsed() < Duration::from_secs(40), "{error}");
        }
        println!("writes again after {:?}", begun.elapsed());
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.etcd.restart_member(leader);
    }
    stop.store(true, Ordering::Release);
    let mut told = Vec::new();
    for worker in workers {
        told.push(worker.await.unwrap());
    }
    let last = store.put(&key("end"), RecordPut::of(b"x".to_vec())).await;
    let last = last.unwrap().token.sequence;

    // The history as it was delivered, whole groups only.
    let mut history: HashMap<u64, Revision> = HashMap::new();
    let mut delivered = begin.sequence;
    while delivered < last {
        let group = next_group(&mut live).await.unwrap();
        assert!(group.sequence > delivered);
        delivered = group.sequence;
        if group.events[0].key.as_bytes().starts_with(b"w/") {
            assert_eq!(group.events.len(), 2, "a half write");
            assert_eq!(group.events[0].revision(), group.events[1].revision());
        }
        history.insert(group.sequence, group.events[0].revision().unwrap());
    }
    let mut acknowledged = 0;
    for (worker, told) in told.iter().enumerate() {
        for (token, revision) in &told.acknowledged {
            assert_eq!(history.get(&token.sequence), Some(revision));
        }
        acknowledged += told.acknowledged.len();
        // What stands there is the last acknowledged write, or a later one of unknown outcome.
        let [a, b] = pair(worker);
        let (a, b) = (store.get(&a).await.unwrap(), store.get(&b).await.unwrap());
        assert_eq!(a.revision, b.revision);
        let last = told.acknowledged.last().unwrap().1;
        assert!(a.revision == last || told.unknown.contains(&a.revision));
    }
    let unknown: usize = told.iter().map(|told| told.unknown.len()).sum();
    let refused: usize = told.iter().map(|told| told.refused).sum();
    println!("{acknowledged} acknowledged, {unknown} unknown, {refused} refused");
    assert!(acknowledged > 50);
    // Nothing happened that nobody was told about.
    let known: usize = history.len();
    assert!(known >= acknowledged && known <= acknowledged + unknown + 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_without_a_majority_answers_with_typed_errors_and_comes_back() {
    let mut server = Server::start_with(3, &[]);
    let store = server.handle().await;
    store
        .put(&key("k"), RecordPut::of(b"v".to_vec()))
        .await
        .unwrap();
    server.etcd.kill_member(0);
    server.etcd.kill_member(1);
    let written = store.put(&key("k"), RecordPut::of(b"w".to_vec())).await;
    assert!(
        matches!(
            written,
            Err(StorageError::UnknownOutcome { .. } | StorageError::Unavailable { .. })
        ),
        "{written:?}"
    );
    let read = store.get(&key("k")).await;
    assert!(
        matches!(read, Err(StorageError::Unavailable { .. })),
        "{read:?}"
    );
    server.etcd.restart_member(0);
    eventually("it comes back", async || store.get(&key("k")).await.is_ok()).await;
    store
        .put(&key("k"), RecordPut::of(b"x".to_vec()))
        .await
        .unwrap();
}

/// Operators forget commands: nobody tells us that etcd itself was restored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_snapshot_of_the_cluster_is_another_history() {
    let mut server = Server::start();
    let store = server.handle().await;
    let before = store.put(&key("k"), RecordPut::of(b"old".to_vec())).await;
    let before = before.unwrap().token;
    let mut live = watch(&store, Some(before)).await.unwrap();
    let home = server.etcd.log(0).parent().unwrap().to_owned();
    let snapshot = home.join("snapshot").display().to_string();
    server.ctl(&["snapshot", "save", &snapshot]);
    let after = store.put(&key("k"), RecordPut::of(b"new".to_vec())).await;
    let after = after.unwrap().token;
    assert_eq!(
        next_group(&mut live).await.unwrap().sequence,
        after.sequence
    );

    let members = server.ctl(&["member", "list"]);
    let peer = members.split(", ").nth(3).expect("the peer's url");
    let peer = peer.to_owned();
    server.etcd.kill_member(0);
    let data = home.join("m0");
    std::fs::rename(&data, home.join("old")).unwrap();
    let restored = Command::new("etcdctl")
        .env("ETCDCTL_API", "3")
        .args(["snapshot", "restore", &snapshot, "--name=m0"])
        .arg(format!("--initial-cluster=m0={peer}"))
        .arg(format!("--initial-advertise-peer-urls={peer}"))
        .arg("--initial-cluster-token=another")
        .arg(format!("--data-dir={}", data.display()))
        .output()
        .unwrap();
    assert!(restored.status.success(), "{restored:?}");
    server.etcd.restart_member(0);

    eventually("it answers", async || store.get(&key("k")).await.is_ok()).await;
    let record = store.get(&key("k")).await.unwrap();
    assert_eq!(record.content.body, "old");
    // Every token of the old history is refused, also those of writes that are in it.
    for token in [before, after] {
        assert_eq!(
            watch(&store, Some(token)).await.err(),
            Some(StorageError::Compacted)
        );
    }
    assert_eq!(next(&mut live).await, Err(StorageError::Compacted));
    let now = store.put(&key("k"), RecordPut::of(b"x".to_vec())).await;
    let now = now.unwrap().token;
    assert_ne!(now.incarnation, before.incarnation);
    let mut anew = watch(&store, Some(now)).await.unwrap();
    let next_one = store
        .put(&key("k"), RecordPut::of(b"y".to_vec()))
        .await
        .unwrap();
    assert_eq!(
        next_group(&mut anew).await.unwrap().sequence,
        next_one.token.sequence
    );
}
