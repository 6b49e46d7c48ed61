//! Several servers on one store: their clocks, and who may write during a restore.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::{AdoptionStep, ReadRequest, RecordPut, StorageError, Store};
use own::{Server, eventually, in_millis, key, next, watch};
use std::time::Duration;

const MINUTES: i64 = 5 * 60_000;

fn text(body: &str) -> RecordPut {
    RecordPut::of(body.as_bytes().to_vec())
}

/// With two servers nobody knows whose clock is wrong; what was acknowledged holds all the same.
#[tokio::test]
async fn two_servers_whose_clocks_differ_by_minutes_never_disagree() {
    let server = Server::start();
    let (ahead, _) = server.handle_ahead(MINUTES).await;
    let behind = server.handle().await;
    for n in 0..10 {
        let at = key(&format!("k/{n}"));
        let put = text("x").expiring(Some(in_millis(MINUTES / 2)));
        behind.create(&at, put.clone()).await.unwrap();
        assert!(behind.get(&at).await.is_ok());
        // Absent for one is absent for all from then on.
        assert!(ahead.get(&at).await.is_err());
        assert!(behind.get(&at).await.is_err());
        let created = behind.create(&at, put).await.unwrap();
        // And what one of them replaced is not what the other one knew.
        let replaced = ahead.create(&at, text("y")).await.unwrap();
        let refused = behind
            .conditional_update(&at, created.revision, text("z"))
            .await;
        assert_eq!(
            refused,
            Err(StorageError::Conflict {
                key: at.clone(),
                current: replaced.revision
            })
        );
    }
    assert!(ahead.status().await.is_ok() && behind.status().await.is_ok());
}

#[tokio::test]
async fn a_server_whose_clock_is_off_expires_nothing_until_it_is_right_again() {
    let server = Server::start();
    let (one, two) = (server.handle().await, server.handle().await);
    let (off, clock) = server.handle_ahead(MINUTES).await;
    let at = key("lease");
    let put = text("x").expiring(Some(in_millis(MINUTES / 2)));
    // At once: it compared its clock before it did anything.
    one.create(&at, put).await.unwrap();
    assert!(off.get(&at).await.is_ok());
    assert!(
        off.update(&at, text("x").expiring(Some(in_millis(MINUTES / 2))))
            .await
            .is_ok()
    );

    let is_off = async || match (off.status().await, off.expired(10).await) {
        (Err(StorageError::ClockOff { off }), Err(StorageError::ClockOff { .. })) => {
            assert!((off - MINUTES).abs() < 10_000);
            true
        }
        _ => false,
    };
    assert!(is_off().await);
    // And it stays so, by what the others announce.
    for _ in 0..8 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(is_off().await);
        assert!(off.get(&at).await.is_ok());
    }
    assert!(one.status().await.is_ok() && two.status().await.is_ok());
    // It still serves what does not rest on time.
    off.put(&key("k"), text("x")).await.unwrap();

    clock.set(0);
    eventually("it is right again", async || off.status().await.is_ok()).await;
    assert_eq!(off.expired(10).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_restore_fences_every_other_handle_at_once() {
    let server = Server::start();
    let (loader, other) = (server.handle().await, server.handle().await);
    let at = key("k");
    let old = other.put(&at, text("old")).await.unwrap();
    let mut live = watch(&other, None).await.unwrap();

    let began = loader.adopt(AdoptionStep::Begin).await.unwrap();
    // The very next write, blind or not, whether or not that handle has heard of it.
    assert_eq!(
        other.put(&at, text("x")).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        other.conditional_update(&at, old.revision, text("x")).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(other.get(&at).await, Err(StorageError::Restoring));
    assert!(matches!(
        other.events(0).await,
        Err(StorageError::Restoring)
    ));
    assert_eq!(other.status().await, Err(StorageError::Restoring));
    assert_eq!(other.expired(1).await, Err(StorageError::Restoring));
    assert_eq!(
        watch(&other, None).await.err(),
        Some(StorageError::Restoring)
    );
    assert_eq!(
        other.adopt(AdoptionStep::Now).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        other.adopt(AdoptionStep::Finish).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(next(&mut live).await, Err(StorageError::Compacted));

    loader.put(&at, text("loaded")).await.unwrap();
    assert_eq!(loader.get(&at).await.unwrap().content.body, "loaded");
    let finished = loader.adopt(AdoptionStep::Finish).await.unwrap();
    assert_ne!(finished.incarnation, old.token.incarnation);
    assert_ne!(finished.incarnation, began.incarnation);

    assert_eq!(other.get(&at).await.unwrap().content.body, "loaded");
    let written = other.put(&at, text("new")).await.unwrap();
    assert_eq!(written.token.incarnation, finished.incarnation);
    for token in [old.token, began] {
        for store in [&loader, &other] {
            assert_eq!(
                watch(store, Some(token)).await.err(),
                Some(StorageError::Compacted)
            );
            let read = ReadRequest::keys([at.clone()]).at_least(token);
            assert_eq!(store.read(read).await, Err(StorageError::Compacted));
        }
    }
    assert!(watch(&other, Some(finished)).await.is_ok());
    assert!(matches!(
        loader.adopt(AdoptionStep::Finish).await,
        Err(StorageError::InvalidWrite { .. })
    ));
}

#[tokio::test]
async fn a_restore_that_was_cut_short_can_be_begun_again() {
    let server = Server::start();
    let first = server.handle().await;
    first.adopt(AdoptionStep::Begin).await.unwrap();
    first.put(&key("half"), text("x")).await.unwrap();
    drop(first);
    let second = server.handle().await;
    assert_eq!(second.get(&key("half")).await, Err(StorageError::Restoring));
    second.adopt(AdoptionStep::Begin).await.unwrap();
    second.delete(&key("half")).await.unwrap();
    second.adopt(AdoptionStep::Finish).await.unwrap();
    let third = server.handle().await;
    assert!(matches!(
        third.get(&key("half")).await,
        Err(StorageError::NotFound { .. })
    ));
}

#[tokio::test]
async fn an_adopted_store_has_another_history_for_everybody() {
    let server = Server::start();
    let (one, other) = (server.handle().await, server.handle().await);
    let old = one.put(&key("k"), text("x")).await.unwrap().token;
    let mut live = watch(&other, None).await.unwrap();
    let adopted = one.adopt(AdoptionStep::Now).await.unwrap();
    assert_eq!(next(&mut live).await, Err(StorageError::Compacted));
    // A write that knows only the old history is carried out in the new one.
    let written = other.put(&key("k"), text("y")).await.unwrap();
    assert_eq!(written.token.incarnation, adopted.incarnation);
    assert_eq!(
        watch(&one, Some(old)).await.err(),
        Some(StorageError::Compacted)
    );
    assert!(watch(&one, Some(adopted)).await.is_ok());
    assert!(watch(&other, Some(written.token)).await.is_ok());
}

#[tokio::test]
async fn a_closed_handle_answers_closed_and_leaves_the_others_alone() {
    let server = Server::start();
    let (one, other) = (server.handle().await, server.handle().await);
    let mut live = watch(&one, None).await.unwrap();
    one.close().await;
    one.close().await;
    assert_eq!(next(&mut live).await, Err(StorageError::Closed));
    assert_eq!(one.get(&key("k")).await, Err(StorageError::Closed));
    assert_eq!(
        one.put(&key("k"), text("x")).await,
        Err(StorageError::Closed)
    );
    assert_eq!(one.status().await, Err(StorageError::Closed));
    assert_eq!(one.expired(1).await, Err(StorageError::Closed));
    assert_eq!(
        one.adopt(AdoptionStep::Now).await,
        Err(StorageError::Closed)
    );
    assert!(other.put(&key("k"), text("x")).await.is_ok());
}
