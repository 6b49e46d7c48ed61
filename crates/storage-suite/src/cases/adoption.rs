//! A new history: adoption and restore.

use crate::bench::{BenchStore, body, eventually, key, text};
use crate::feeds::{next, next_group, watch};
use crate::refused;
use coeval_storage::StorageError::{Compacted, Restoring};
use coeval_storage::{
    AdoptionStep, DeliveryStream, KeySpan, ReadRequest, StorageError, Store, Token, WatchDelivery,
    WatchRequest,
};

/// What a watch ends with, past whatever it still delivers.
async fn end(watch: &mut DeliveryStream) -> StorageError {
    loop {
        if let Err(error) = next(watch).await {
            return error;
        }
    }
}

async fn resumed(store: &dyn Store, from: Token) -> Result<WatchDelivery, StorageError> {
    let span = KeySpan::below(&key("w"));
    let from = Some(from);
    let mut watch = store.watch(WatchRequest { span, from }).await?;
    next(&mut watch).await
}

pub async fn old_tokens_are_compacted_after_an_adoption(bench: &BenchStore) {
    let store = &bench.store;
    let written = store.put(&key("w/a"), text("1")).await.unwrap();
    let last = store.put(&key("w/b"), text("1")).await.unwrap();
    let adopted = store.adopt(AdoptionStep::Now).await.unwrap();
    assert_ne!(adopted.incarnation, written.token.incarnation);
    for token in [written.token, last.token] {
        refused!(resumed(store, token).await, Compacted);
        let request = ReadRequest::keys([key("w/a")]).at_least(token);
        refused!(store.read(request).await, Compacted);
    }
    // The records and their revisions stay; the history goes on.
    let record = store.get(&key("w/a")).await.unwrap();
    assert_eq!(
        (record.revision, body(&record)),
        (written.revision, "1".into())
    );
    let (_, mut feed) = bench.watch("w", Some(adopted)).await;
    let next = store
        .conditional_update(&key("w/a"), written.revision, text("2"))
        .await;
    let next = next.unwrap();
    assert_eq!(next.token.incarnation, adopted.incarnation);
    assert_eq!(next_group(&mut feed).await.0, next.token);
    assert_eq!(
        store.status().await.unwrap().incarnation,
        adopted.incarnation
    );
}

pub async fn watchers_are_told_of_an_adoption(bench: &BenchStore) {
    let other = bench.handle().await;
    let (_, mut feed) = bench.watch("w", None).await;
    let (_, mut others) = watch(&other, "w", None).await;
    bench.store.put(&key("w/a"), text("1")).await.unwrap();
    let adopted = bench.store.adopt(AdoptionStep::Now).await.unwrap();
    assert_eq!(end(&mut feed).await, Compacted);
    assert_eq!(end(&mut others).await, Compacted);
    // What was acknowledged to any handle from now on is of the new history.
    let written = other.put(&key("w/a"), text("2")).await.unwrap();
    assert_eq!(written.token.incarnation, adopted.incarnation);
    let (_, mut feed) = watch(&other, "w", Some(adopted)).await;
    assert_eq!(next_group(&mut feed).await.0, written.token);
}

pub async fn another_handle_never_answers_for_the_old_history(bench: &BenchStore) {
    let other = bench.handle().await;
    let old = other.put(&key("w/a"), text("1")).await.unwrap();
    let adopted = bench.store.adopt(AdoptionStep::Now).await.unwrap();
    let next = other.put(&key("w/a"), text("2")).await.unwrap();
    assert_eq!(next.token.incarnation, adopted.incarnation);
    let snapshot = other.read(ReadRequest::keys([key("w/a")])).await.unwrap();
    assert_eq!(snapshot.token.incarnation, adopted.incarnation);
    refused!(resumed(&other, old.token).await, Compacted);
}

pub async fn a_restore_fences_every_other_handle(bench: &BenchStore) {
    let store = &bench.store;
    let before = store.put(&key("w/a"), text("1")).await.unwrap();
    let other = bench.handle().await;
    other.put(&key("w/b"), text("1")).await.unwrap();
    store.adopt(AdoptionStep::Begin).await.unwrap();
    store.put(&key("w/restored"), text("1")).await.unwrap();
    if bench.subject.many_handles() {
        refused!(other.put(&key("w/b"), text("2")).await, Restoring);
        refused!(other.delete(&key("w/b")).await, Restoring);
        refused!(other.get(&key("w/b")).await, Restoring);
    }
    let finished = store.adopt(AdoptionStep::Finish).await.unwrap();
    assert_ne!(finished.incarnation, before.token.incarnation);
    refused!(resumed(store, before.token).await, Compacted);
    let request = ReadRequest::keys([key("w/a")]).at_least(finished);
    eventually("the other handle is let in again", || async {
        other.read(request.clone()).await.is_ok()
    })
    .await;
    let written = other.put(&key("w/b"), text("2")).await.unwrap();
    assert_eq!(written.token.incarnation, finished.incarnation);
    assert_eq!(body(&other.get(&key("w/restored")).await.unwrap()), "1");
}
