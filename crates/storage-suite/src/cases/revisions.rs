//! Revisions and the conditional operations.

use crate::bench::{BenchStore, body, key, text};
use crate::refused;
use coeval_storage::StorageError::{Conflict, NotFound};
use coeval_storage::{Revision, Store};
use std::collections::HashSet;

/// Revisions that match nothing: garbage, empty, and all ones.
fn wrong() -> Vec<Revision> {
    vec![
        Revision::draw().unwrap(),
        Revision::from_bytes([0; 16]),
        Revision::from_opaque(""),
        Revision::from_opaque("garbage"),
        Revision::NEVER,
    ]
}

pub async fn a_conditional_update_of_a_missing_key_is_not_found(bench: &BenchStore) {
    let a = key("a");
    for revision in wrong() {
        let update = bench
            .store
            .conditional_update(&a, revision, text("x"))
            .await;
        refused!(update, NotFound { key: at } if *at == a);
    }
    refused!(bench.store.get(&a).await, NotFound { .. });
}

pub async fn a_conditional_update_with_a_wrong_revision_tells_the_current_one(bench: &BenchStore) {
    let a = key("a");
    let stale = bench.store.create(&a, text("1")).await.unwrap();
    let current = bench.store.put(&a, text("2")).await.unwrap();
    for revision in [vec![stale.revision], wrong()].concat() {
        let update = bench
            .store
            .conditional_update(&a, revision, text("x"))
            .await;
        refused!(update, Conflict { key: at, current: now }
            if *at == a && *now == current.revision);
    }
    let record = bench.store.get(&a).await.unwrap();
    assert_eq!(
        (body(&record), record.revision),
        ("2".into(), current.revision)
    );
}

pub async fn chained_conditional_updates_succeed(bench: &BenchStore) {
    let a = key("a");
    let first = bench.store.create(&a, text("1")).await.unwrap();
    let mut revision = first.revision;
    for round in ["2", "3", "4"] {
        let update = bench
            .store
            .conditional_update(&a, revision, text(round))
            .await;
        let written = update.unwrap();
        let record = bench.store.get(&a).await.unwrap();
        assert_eq!(
            (body(&record), record.revision),
            (round.into(), written.revision)
        );
        revision = written.revision;
    }
}

pub async fn a_conditional_delete_follows_the_same_rules(bench: &BenchStore) {
    let a = key("a");
    let store = &bench.store;
    for revision in wrong() {
        refused!(
            store.conditional_delete(&a, revision).await,
            NotFound { .. }
        );
    }
    let stale = store.create(&a, text("1")).await.unwrap();
    let current = store.put(&a, text("2")).await.unwrap();
    for revision in [vec![stale.revision], wrong()].concat() {
        refused!(store.conditional_delete(&a, revision).await,
            Conflict { key: at, current: now } if *at == a && *now == current.revision);
    }
    store
        .conditional_delete(&a, current.revision)
        .await
        .unwrap();
    refused!(store.get(&a).await, NotFound { .. });
    refused!(
        store.conditional_delete(&a, current.revision).await,
        NotFound { .. }
    );
}

pub async fn a_revision_never_comes_back(bench: &BenchStore) {
    let a = key("a");
    let mut seen = HashSet::new();
    for _ in 0..20 {
        let created = bench.store.create(&a, text("same")).await.unwrap();
        let updated = bench.store.update(&a, text("same")).await.unwrap();
        for revision in [created.revision, updated.revision] {
            assert!(seen.insert(revision), "{revision} came back");
            assert_ne!(revision, Revision::NEVER);
        }
        bench.store.delete(&a).await.unwrap();
        let stale = bench
            .store
            .conditional_update(&a, updated.revision, text("x"))
            .await;
        refused!(stale, NotFound { .. });
    }
    let created = bench.store.create(&a, text("same")).await.unwrap();
    for revision in seen {
        let stale = bench.store.conditional_delete(&a, revision).await;
        refused!(stale, Conflict { current, .. } if *current == created.revision);
    }
}
