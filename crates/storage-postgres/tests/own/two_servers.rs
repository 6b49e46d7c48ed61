//! Several servers on one database: one order, whoever commits.

use crate::bed::{Bed, PATIENCE, eventually, key, next, sequences_of, text};
use coeval_storage::{
    AdoptionStep, AtomicWrite, EventRetention, KeySpan, ReadRange, StorageError, Store,
    WatchRequest, WriteCondition,
};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use futures::future::join_all;
use std::sync::Arc;
use std::time::Duration;

/// A statement that takes the lock and checks conditions at once would let both win: it checks
/// them on the snapshot from before the lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_servers_that_create_one_key_exactly_one_wins() {
    let bed = Bed::shared();
    let (a, b) = (bed.open().await, bed.open().await);
    for round in 0..100 {
        let key = key(&format!("race/{round}"));
        let (one, two) = tokio::join!(a.create(&key, text("a")), b.create(&key, text("b")));
        let (winner, refusal) = match (one, two) {
            (Ok(written), Err(refusal)) | (Err(refusal), Ok(written)) => (written, refusal),
            both => panic!("round {round}: {both:?}"),
        };
        let current = winner.revision;
        assert_eq!(
            refusal,
            StorageError::AlreadyExists {
                key: key.clone(),
                current
            }
        );
        assert_eq!(b.get(&key).await.unwrap().revision, current);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_servers_that_update_one_revision_exactly_one_wins() {
    let bed = Bed::shared();
    let (a, b) = (bed.open().await, bed.open().await);
    let (key, other) = (key("race"), key("other"));
    let mut revision = a.create(&key, text("0")).await.unwrap().revision;
    for round in 0..100 {
        // The second one's condition is on the key, its write elsewhere: nothing but the
        // judgement refuses it.
        let write = AtomicWrite::new()
            .when(&key, WriteCondition::RevisionIs(revision))
            .put(&other, format!("{round}").into_bytes());
        let (one, two) = tokio::join!(
            a.conditional_update(&key, revision, text("a")),
            b.atomic_write(write)
        );
        match (one, two) {
            // The condition came first, then the update.
            (Ok(updated), Ok(conditioned)) => {
                assert!(conditioned.token.sequence < updated.token.sequence);
                revision = updated.revision;
            }
            (Ok(updated), Err(StorageError::Conflict { current, .. })) => {
                assert_eq!(current, updated.revision);
                revision = updated.revision;
            }
            unexpected => panic!("round {round}: {unexpected:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_watcher_sees_every_commit_of_every_server_in_order() {
    const EACH: usize = 150;
    let bed = Bed::shared();
    let stores = [bed.open().await, bed.open().await];
    let mut watches = [
        sequences_of(&stores[0]).await,
        sequences_of(&stores[1]).await,
    ];
    let writers = (0..8).map(|writer| {
        let store = Arc::clone(&stores[writer % 2]);
        tokio::spawn(async move {
            let mut last = 0;
            for n in 0..EACH {
                let key = key(&format!("w/{writer}/{}", n % 7));
                let written = store.put(&key, text("v")).await.unwrap();
                assert!(written.token.sequence > last);
                last = written.token.sequence;
            }
        })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    let expected: Vec<u64> = (1..=8 * EACH as u64).collect();
    assert_eq!(bed.sequences().await, expected);
    for watch in &mut watches {
        for sequence in &expected {
            assert_eq!(next(watch).await.unwrap(), *sequence);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_a_notification_is_found_by_the_poll() {
    let bed = Bed::shared();
    let silent = bed
        .open_with(PostgresOptions {
            announce: false,
            ..bed.options()
        })
        .await;
    let listener = bed
        .open_with(PostgresOptions {
            poll: Duration::from_millis(300),
            ..bed.options()
        })
        .await;
    let mut watch = sequences_of(&listener).await;
    for n in 1..=5 {
        let written = silent.put(&key("k"), text("v")).await.unwrap();
        assert_eq!(next(&mut watch).await.unwrap(), written.token.sequence);
        assert_eq!(written.token.sequence, n);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_wakes_long_before_the_poll() {
    let bed = Bed::shared();
    let hour = PostgresOptions {
        poll: Duration::from_secs(3_600),
        ..bed.options()
    };
    let (writer, listener) = (bed.open_with(hour.clone()).await, bed.open_with(hour).await);
    let (mut own, mut other) = (sequences_of(&writer).await, sequences_of(&listener).await);
    // The first one shows that both listen; from then on only notifications wake.
    for _ in 0..20 {
        let written = writer.put(&key("k"), text("v")).await.unwrap();
        assert_eq!(next(&mut own).await.unwrap(), written.token.sequence);
        assert_eq!(next(&mut other).await.unwrap(), written.token.sequence);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_whose_session_was_ended_misses_nothing() {
    let bed = Bed::shared();
    let hour = PostgresOptions {
        poll: Duration::from_secs(3_600),
        ..bed.options()
    };
    let (writer, listener) = (bed.open().await, bed.open_with(hour).await);
    let mut watch = sequences_of(&listener).await;
    let admin = bed.admin().await;
    for _ in 0..5 {
        admin
            .execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE query LIKE '%LISTEN%' AND pid <> pg_backend_pid()",
                &[],
            )
            .await
            .unwrap();
        let written = writer.put(&key("k"), text("v")).await.unwrap();
        assert_eq!(next(&mut watch).await.unwrap(), written.token.sequence);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_servers_may_start_at_once() {
    let bed = Bed::shared();
    let opened = join_all((0..8).map(|_| PostgresStore::open(bed.options()))).await;
    let mut incarnations = Vec::new();
    for store in opened {
        incarnations.push(store.unwrap().status().await.unwrap().incarnation);
    }
    incarnations.dedup();
    assert_eq!(incarnations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_fences_every_other_server_until_it_is_finished() {
    let bed = Bed::shared();
    let (loader, other) = (bed.open().await, bed.open().await);
    let before = loader.put(&key("old"), text("v")).await.unwrap().token;
    let mut watch = sequences_of(&other).await;

    let begun = loader.adopt(AdoptionStep::Begin).await.unwrap();
    assert_ne!(begun.incarnation, before.incarnation);
    assert_eq!(next(&mut watch).await, Err(StorageError::Compacted));
    let everything = WatchRequest {
        span: KeySpan::everything(),
        from: None,
    };
    assert_eq!(other.get(&key("old")).await, Err(StorageError::Restoring));
    assert_eq!(
        other.put(&key("new"), text("v")).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        other.watch(everything.clone()).await.err(),
        Some(StorageError::Restoring)
    );
    assert_eq!(other.events(0).await.err(), Some(StorageError::Restoring));
    assert_eq!(other.expired(9).await, Err(StorageError::Restoring));
    assert_eq!(
        other.compact(EventRetention::default()).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        other.adopt(AdoptionStep::Finish).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        other.adopt(AdoptionStep::Now).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(other.status().await.unwrap().incarnation, begun.incarnation);
    // Opened in the meantime: fenced all the same.
    assert_eq!(
        bed.open().await.get(&key("old")).await,
        Err(StorageError::Restoring)
    );

    loader.put(&key("restored"), text("v")).await.unwrap();
    assert!(loader.get(&key("restored")).await.is_ok());
    let finished = loader.adopt(AdoptionStep::Finish).await.unwrap();
    assert_ne!(finished.incarnation, begun.incarnation);
    assert!(other.get(&key("restored")).await.is_ok());
    for store in [&loader, &other] {
        let from = |from| WatchRequest {
            from: Some(from),
            ..everything.clone()
        };
        assert_eq!(
            store.watch(from(before)).await.err(),
            Some(StorageError::Compacted)
        );
        assert_eq!(
            store.watch(from(begun)).await.err(),
            Some(StorageError::Compacted)
        );
        let mut watch = sequences_of(store).await;
        let written = other.put(&key("after"), text("v")).await.unwrap();
        assert_eq!(next(&mut watch).await.unwrap(), written.token.sequence);
    }
    let refusal = other.adopt(AdoptionStep::Finish).await.unwrap_err();
    assert!(
        matches!(refusal, StorageError::InvalidWrite { .. }),
        "{refusal}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_was_cut_short_is_taken_over() {
    let bed = Bed::shared();
    let (first, second) = (bed.open().await, bed.open().await);
    first.adopt(AdoptionStep::Begin).await.unwrap();
    second.adopt(AdoptionStep::Begin).await.unwrap();
    assert_eq!(
        first.put(&key("k"), text("v")).await,
        Err(StorageError::Restoring)
    );
    assert_eq!(
        first.adopt(AdoptionStep::Finish).await,
        Err(StorageError::Restoring)
    );
    second.put(&key("k"), text("v")).await.unwrap();
    second.adopt(AdoptionStep::Finish).await.unwrap();
    assert!(first.get(&key("k")).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_history_ends_the_watches_of_every_server() {
    let bed = Bed::shared();
    let hour = PostgresOptions {
        poll: Duration::from_secs(3_600),
        ..bed.options()
    };
    let (a, b) = (bed.open().await, bed.open_with(hour).await);
    let (mut on_a, mut on_b) = (sequences_of(&a).await, sequences_of(&b).await);
    a.adopt(AdoptionStep::Now).await.unwrap();
    assert_eq!(next(&mut on_a).await, Err(StorageError::Compacted));
    assert_eq!(next(&mut on_b).await, Err(StorageError::Compacted));
}

/// A restore behind the store's back, with the old incarnation: the head goes back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_went_back_in_time_ends_watches() {
    let bed = Bed::shared();
    let quick = PostgresOptions {
        poll: Duration::from_millis(100),
        ..bed.options()
    };
    let store = bed.open_with(quick).await;
    for _ in 0..5 {
        store.put(&key("k"), text("v")).await.unwrap();
    }
    let mut watch = sequences_of(&store).await;
    let back = "DELETE FROM events WHERE seq > 2; UPDATE meta SET head = 2";
    bed.admin().await.batch_execute(back).await.unwrap();
    assert_eq!(next(&mut watch).await, Err(StorageError::Compacted));
    let mut anew = sequences_of(&store).await;
    assert_eq!(
        store
            .put(&key("k"), text("v"))
            .await
            .unwrap()
            .token
            .sequence,
        3
    );
    assert_eq!(next(&mut anew).await, Ok(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_store_ends_its_sessions_and_its_watches() {
    let bed = Bed::shared();
    let admin = bed.admin().await;
    let mut options = bed.options();
    options
        .url
        .push_str(&format!("&application_name={}", bed.schema));
    let store = bed.open_with(options).await;
    store.put(&key("k"), text("v")).await.unwrap();
    store
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let mut watch = sequences_of(&store).await;
    assert!(bed.sessions(&admin).await >= 2);
    drop(store);
    assert_eq!(next(&mut watch).await, Err(StorageError::Closed));
    drop(watch);
    eventually("all sessions end", async || bed.sessions(&admin).await == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_store_answers_what_was_queued_and_then_refuses() {
    let bed = Bed::shared();
    let store = bed.open().await;
    let writes = (0..200).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.put(&key(&format!("k/{n}")), text("v")).await })
    });
    let writes: Vec<_> = writes.collect();
    store.put(&key("first"), text("v")).await.unwrap();
    tokio::time::timeout(PATIENCE, store.close()).await.unwrap();
    store.close().await;
    let mut acknowledged = 0;
    for write in writes {
        match write.await.unwrap() {
            Ok(_) => acknowledged += 1,
            Err(error) => assert_eq!(error, StorageError::Closed),
        }
    }
    assert_eq!(store.get(&key("first")).await, Err(StorageError::Closed));
    assert_eq!(store.status().await.err(), Some(StorageError::Closed));
    assert_eq!(bed.sequences().await.len(), acknowledged + 1);
}
