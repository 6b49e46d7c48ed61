//! Atomic writes, many at once: what a group commit must not mix up.

use crate::bench::{BenchStore, body, fleeting, key, text};
use crate::refused;
use coeval_storage::StorageError::{AlreadyExists, Conflict, NotFound};
use coeval_storage::{AtomicWrite, Store, WriteAction, WriteCondition};
use std::sync::Arc;

pub async fn two_hundred_increments_by_twenty_workers_make_two_hundred(bench: &BenchStore) {
    let counter = key("counter");
    bench.store.create(&counter, text("0")).await.unwrap();
    let handles = [Arc::clone(&bench.store), bench.handle().await];
    let each = crate::scaled(10);
    let mut workers = Vec::new();
    for worker in 0..20 {
        let (store, counter) = (Arc::clone(&handles[worker % 2]), counter.clone());
        workers.push(tokio::spawn(async move {
            for _ in 0..each {
                loop {
                    let record = store.get(&counter).await.unwrap();
                    let next = body(&record).parse::<usize>().unwrap() + 1;
                    let put = text(&next.to_string());
                    match store
                        .conditional_update(&counter, record.revision, put)
                        .await
                    {
                        Ok(_) => break,
                        // Lost a race: read again.
                        Err(Conflict { .. }) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
            }
        }));
    }
    for worker in workers {
        worker.await.unwrap();
    }
    let record = bench.store.get(&counter).await.unwrap();
    assert_eq!(body(&record), (20 * each).to_string());
}

pub async fn sixty_writers_that_share_a_read_only_condition_all_succeed(bench: &BenchStore) {
    let shared = bench.store.create(&key("shared"), text("1")).await.unwrap();
    let handles = [Arc::clone(&bench.store), bench.handle().await];
    let writes = (0..60).map(|n| {
        let store = &handles[n % 2];
        // Conditions of two kinds on one key: neither is in the way of the other.
        let condition = match n % 3 {
            0 => WriteCondition::Exists,
            _ => WriteCondition::RevisionIs(shared.revision),
        };
        let write = AtomicWrite::new()
            .when(&key("shared"), condition)
            .put(&key(&format!("n/{n}")), &b"x"[..]);
        store.atomic_write(write)
    });
    let results = futures::future::join_all(writes).await;
    let mut sequences: Vec<_> = results
        .into_iter()
        .map(|result| result.expect("nobody is in its way").token.sequence)
        .collect();
    sequences.sort_unstable();
    sequences.dedup();
    assert_eq!(sequences.len(), 60, "each has a sequence of its own");
}

pub async fn writes_that_depend_on_each_other_may_share_a_commit(bench: &BenchStore) {
    const LINKS: usize = 20;
    for round in 0..10 {
        let name = |n: usize| key(&format!("chain/{round}/{n:02}"));
        // All at once, the last first: each link waits in vain until the one before is there.
        let links = (0..LINKS).rev().map(|n| {
            let write = AtomicWrite::new();
            let write = match n.checked_sub(1) {
                Some(before) => write.when(&name(before), WriteCondition::Exists),
                None => write,
            };
            let create = WriteAction::Put(text(&n.to_string()));
            let write = write.step(&name(n), WriteCondition::NotExists, create);
            let store = Arc::clone(&bench.store);
            async move {
                loop {
                    match store.atomic_write(write.clone()).await {
                        Ok(written) => return written.token.sequence,
                        Err(NotFound { key }) => assert_eq!(key, name(n - 1)),
                        Err(other) => panic!("{other:?}"),
                    }
                }
            }
        });
        let mut sequences = futures::future::join_all(links).await;
        sequences.reverse();
        let rising = sequences.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(rising, "a link before the one that it needs: {sequences:?}");
    }
}

pub async fn a_refusal_that_rests_on_a_neighbour_is_true(bench: &BenchStore) {
    for round in 0..20 {
        let name = key(&format!("race/{round}"));
        let creates = (0..8).map(|n| {
            let (store, name) = (Arc::clone(&bench.store), name.clone());
            async move {
                let result = store.create(&name, text(&n.to_string())).await;
                // Whoever is refused can read what it was refused for.
                let record = store.get(&name).await.expect("it was created");
                (result, record)
            }
        });
        let results = futures::future::join_all(creates).await;
        let winners: Vec<_> = results
            .iter()
            .filter_map(|(result, _)| result.as_ref().ok())
            .collect();
        assert_eq!(winners.len(), 1);
        for (result, record) in &results {
            assert_eq!(record.revision, winners[0].revision);
            if let Err(error) = result {
                assert_eq!(
                    *error,
                    AlreadyExists {
                        key: name.clone(),
                        current: record.revision
                    }
                );
            }
        }
    }
}

pub async fn a_failing_write_never_fails_its_neighbours(bench: &BenchStore) {
    bench
        .store
        .create(&key("taken"), fleeting("1", 3_600_000))
        .await
        .unwrap();
    let writes = (0..60).map(|n| {
        let store = Arc::clone(&bench.store);
        async move {
            let own = key(&format!("n/{n}"));
            match n % 3 {
                0 => (n, store.create(&key("taken"), text("2")).await),
                1 => (n, store.delete(&key("missing")).await),
                _ => (n, store.create(&own, text("1")).await),
            }
        }
    });
    for (n, result) in futures::future::join_all(writes).await {
        match n % 3 {
            0 => refused!(result, AlreadyExists { .. }),
            1 => refused!(result, NotFound { .. }),
            _ => assert!(result.is_ok(), "{result:?}"),
        }
    }
}
