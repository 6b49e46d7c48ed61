//! What is special about writes and expiry in etcd.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::maintenance::sweep;
use coeval_storage::{
    AtomicWrite, KeyChange, KeySpan, ReadRange, RecordPut, Revision, StorageError, Store,
    StoreLimits, UnixMillis, WriteAction, WriteCondition,
};
use own::{Server, in_millis, key, next_group, watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn text(body: &str) -> RecordPut {
    RecordPut::of(body.as_bytes().to_vec())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keep_alives_never_disturb_a_condition_on_the_revision() {
    let server = Server::start();
    let store = Arc::new(server.handle().await);
    let lease = key("lease");
    let created = store
        .create(&lease, text("x").expiring(Some(in_millis(60_000))))
        .await
        .unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let keepers: Vec<_> = (0..4)
        .map(|n| {
            let (store, stop, lease) = (Arc::clone(&store), Arc::clone(&stop), lease.clone());
            tokio::spawn(async move {
                let mut kept = 0;
                while !stop.load(Ordering::Acquire) {
                    let until = in_millis(60_000 + n * 1_000 + kept);
                    store.keep_alive(&lease, Some(until)).await.unwrap();
                    kept += 1;
                }
                kept
            })
        })
        .collect();
    for n in 0..100 {
        let write = AtomicWrite::new()
            .when(&lease, WriteCondition::RevisionIs(created.revision))
            .put(&key("guarded"), n.to_string().into_bytes());
        store.atomic_write(write).await.unwrap();
    }
    stop.store(true, Ordering::Release);
    for keeper in keepers {
        assert!(keeper.await.unwrap() > 0);
    }
    // Every keep_alive moved the index entry: only the last one's is left.
    assert_eq!(server.count("x/"), 1);
}

#[tokio::test]
async fn a_revision_is_never_taken_for_a_neighbour() {
    let server = Server::start();
    let store = server.handle().await;
    let at = key("k");
    let number = 0x00ff_ffff_ffff_ffff_ffff_ffff_ffff_ff00_u128;
    let revision = |n: u128| Revision::from_bytes(n.to_be_bytes());
    let same = |n| {
        let put = RecordPut {
            revision: coeval_storage::PutRevision::Same(revision(n)),
            ..text("v")
        };
        AtomicWrite::new().step(&at, WriteCondition::Whatever, WriteAction::Put(put))
    };
    let guarded = |n| {
        AtomicWrite::new()
            .when(&at, WriteCondition::RevisionIs(revision(n)))
            .put(&key("other"), b"x".to_vec())
    };
    for n in [number, number - 1, number + 0xff, u128::MAX - 1, 0] {
        store.atomic_write(same(n)).await.unwrap();
        store.atomic_write(guarded(n)).await.unwrap();
        for wrong in [n.wrapping_add(1), n.wrapping_sub(1), u128::MAX] {
            let current = revision(n);
            assert_eq!(
                store.atomic_write(guarded(wrong)).await,
                Err(StorageError::Conflict {
                    key: at.clone(),
                    current
                })
            );
        }
    }
}

#[tokio::test]
async fn a_create_over_an_expired_record_replaces_it_in_one_step() {
    let server = Server::start();
    let store = server.handle().await;
    let old = text("old").expiring(Some(in_millis(150)));
    store.create(&key("k"), old).await.unwrap();
    let from = store.status().await.unwrap();
    let mut live = watch(&store, None).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let new = text("new").expiring(Some(in_millis(60_000)));
    let created = store.create(&key("k"), new).await.unwrap();
    let group = next_group(&mut live).await.unwrap();
    assert!(group.sequence > from.head);
    assert_eq!(group.sequence, created.token.sequence);
    assert!(matches!(&group.events[..], [e] if matches!(e.change, KeyChange::Put(_))));
    assert_eq!(server.count("x/"), 1);
}

#[tokio::test]
async fn absence_by_expiry_is_a_committed_fact() {
    let server = Server::start();
    let store = server.handle().await;
    let mut live = watch(&store, None).await.unwrap();
    for (n, absent) in ["get", "range", "exists", "nop"].iter().enumerate() {
        let at = key(absent);
        let put = text("x").expiring(Some(in_millis(100)));
        store.create(&at, put).await.unwrap();
        next_group(&mut live).await.unwrap();
        tokio::time::sleep(Duration::from_millis(150)).await;
        match n {
            0 => assert!(store.get(&at).await.is_err()),
            1 => {
                let range = ReadRange::of(KeySpan::between(&at, &at));
                let (token, page) = store.range(range).await.unwrap();
                assert!(page.entries.is_empty());
                // The snapshot shows the deletion, so it is not delivered after it.
                assert_eq!(token.sequence, store.status().await.unwrap().head);
            }
            2 => assert!(store.update(&at, text("y")).await.is_err()),
            _ => {
                let write = AtomicWrite::new()
                    .when(&at, WriteCondition::NotExists)
                    .put(&key("because"), b"x".to_vec());
                store.atomic_write(write).await.unwrap();
            }
        }
        let group = next_group(&mut live).await.unwrap();
        assert!(
            matches!(&group.events[..], [e] if e.key == at && matches!(e.change, KeyChange::Deleted { .. })),
            "{group:?}"
        );
        assert_eq!(server.count("x/"), 0);
    }
}

#[tokio::test]
async fn a_write_of_96_indexed_records_fits_and_is_swept() {
    let server = Server::start();
    let store = server.handle().await;
    let name = |n: i64| key(&format!("k/{n:02}"));
    let soon = in_millis(300);
    let write = (0..96).fold(AtomicWrite::new(), |write, n| {
        // Half of them later, so that their common entry comes due before they do.
        let at = soon.plus(if n % 2 == 0 { n } else { 1_000 + n });
        let put = text("x").expiring(Some(at));
        write.step(&name(n), WriteCondition::Whatever, WriteAction::Put(put))
    });
    store.atomic_write(write).await.unwrap();
    assert_eq!(server.count("x/"), 1);
    // One is saved by a keep_alive, one by an unconditional put that knows nothing of the index.
    let later = in_millis(60_000);
    store.keep_alive(&name(0), Some(later)).await.unwrap();
    store.put(&name(1), text("for ever")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(450)).await;
    assert_eq!(sweep(&store, None).await.unwrap(), 47);
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    assert_eq!(sweep(&store, None).await.unwrap(), 47);
    let (_, left) = store.range(ReadRange::below(&key("k"))).await.unwrap();
    let left: Vec<_> = left.entries.into_iter().map(|entry| entry.key).collect();
    assert_eq!(left, [name(0), name(1)]);
    assert_eq!(server.count("x/"), 1);
    assert_eq!(store.expired(10).await.unwrap(), []);
}

#[tokio::test]
async fn a_write_at_all_limits_at_once_is_one_transaction() {
    let server = Server::start();
    let store = server.handle().await;
    let limits = StoreLimits::default();
    let guard = |n: usize| key(&format!("guard/{n}"));
    let lease = |n: usize| key(&format!("lease/{n}"));
    let put_all = |name: &dyn Fn(usize) -> coeval_storage::Key, count: usize| {
        (0..count).fold(AtomicWrite::new(), |write, n| {
            let put = text("x").expiring(Some(in_millis(60_000)));
            write.step(&name(n), WriteCondition::Whatever, WriteAction::Put(put))
        })
    };
    let guards = store.atomic_write(put_all(&guard, limits.conditions)).await;
    let guards = guards.unwrap().revision;
    store
        .atomic_write(put_all(&lease, limits.actions))
        .await
        .unwrap();

    let until = in_millis(120_000);
    let kept = (0..limits.actions).fold(AtomicWrite::new(), |write, n| {
        write.step(
            &lease(n),
            WriteCondition::Whatever,
            WriteAction::KeepAlive(Some(until)),
        )
    });
    let kept = (0..limits.conditions).fold(kept, |write, n| {
        write.when(&guard(n), WriteCondition::RevisionIs(guards))
    });
    let written = store.atomic_write(kept.clone()).await.unwrap();
    let page = store.events(written.token.sequence - 1).await.unwrap();
    assert_eq!(page.groups[0].events.len(), limits.actions);
    let lease = store.get(&lease(95)).await.unwrap();
    assert_eq!(lease.expires, Some(until));

    store.put(&guard(63), text("another")).await.unwrap();
    let refused = store.atomic_write(kept).await;
    assert!(matches!(refused, Err(StorageError::Conflict { .. })));
}

#[tokio::test]
async fn more_than_etcd_takes_at_once_is_refused_as_too_large() {
    let server = Server::start_with(1, &["--max-request-bytes=65536"]);
    let store = server.handle().await;
    let refused = store.put(&key("k"), RecordPut::of(vec![0; 100_000])).await;
    assert!(
        matches!(&refused, Err(StorageError::TooLarge { size, .. }) if *size > 100_000),
        "{refused:?}"
    );
    store
        .put(&key("k"), RecordPut::of(vec![0; 10_000]))
        .await
        .unwrap();
}

#[tokio::test]
async fn what_others_put_below_the_prefix_hides_nothing() {
    let server = Server::start();
    let store = server.handle().await;
    let mut live = watch(&store, None).await.unwrap();
    server.ctl(&["put", "test/d/a//b", "no key of ours"]);
    server.ctl(&["put", "test/d/damaged", "no record of ours"]);
    store.put(&key("whole"), text("x")).await.unwrap();
    let (_, page) = store
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let names: Vec<_> = page.entries.iter().map(|e| e.key.to_string()).collect();
    assert_eq!(names, ["damaged", "whole"]);
    let damaged = store.get(&key("damaged")).await;
    assert!(matches!(damaged, Err(StorageError::Damaged { .. })));
    let kept = store
        .keep_alive(&key("damaged"), Some(UnixMillis(i64::MAX)))
        .await;
    assert!(matches!(kept, Err(StorageError::Damaged { .. })));
    for name in ["damaged", "whole"] {
        let group = next_group(&mut live).await.unwrap();
        assert_eq!(group.events[0].key, key(name));
    }
    store.update(&key("damaged"), text("mended")).await.unwrap();
    assert!(store.get(&key("damaged")).await.is_ok());
}
