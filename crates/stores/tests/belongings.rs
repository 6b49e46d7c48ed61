//! What belongs to an expired record goes with it, in one atomic write, on every kind of store.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use async_trait::async_trait;
use coeval_storage::maintenance::{DependentRecords, MaintenanceOptions};
use coeval_storage::{
    AtomicWrite, DeliveryStream, EventGroup, Key, KeySpan, ReadRange, ReadRequest, RecordPut,
    StorageError, Store, StoredEntry, UnixMillis, WatchDelivery, WatchRequest, WriteAction,
    WriteCondition, WriteStep,
};
use coeval_stores::{OpenOptions, OpenStore, open};
use common::{Place, key};
use futures::StreamExt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// To `e/N` belong an index entry `x/N`, a secret `s/N` and one of the counter's.
#[derive(Debug)]
struct Objects;

#[async_trait]
impl DependentRecords for Objects {
    async fn steps(
        &self,
        store: &dyn Store,
        entry: &StoredEntry,
    ) -> Result<Vec<WriteStep>, StorageError> {
        let name = entry.key.to_string();
        let Some(number) = name.strip_prefix("e/") else {
            return Ok(Vec::new());
        };
        let delete = |kind: &str| WriteStep {
            key: key(&format!("{kind}/{number}")),
            condition: WriteCondition::Whatever,
            action: WriteAction::Delete,
        };
        let mut steps = vec![delete("x"), delete("s")];
        // What has expired is absent here, and asking for it leads into no circle.
        let request = ReadRequest::keys([key("counter"), entry.key.clone()])
            .and_range(ReadRange::below(&key("e")));
        let snapshot = store.read(request).await?;
        assert_eq!(snapshot.keys[1], None);
        let there = snapshot.pages[0].entries.iter();
        assert!(there.clone().all(|there| there.key != entry.key));
        let counter = snapshot.keys[0].clone().unwrap().into_record()?;
        let count: u64 = text(&counter.content.body).parse().unwrap();
        steps.push(WriteStep {
            key: key("counter"),
            condition: WriteCondition::AsRead {
                revision: counter.revision,
                expires: None,
                flags: 0,
            },
            action: WriteAction::Put(RecordPut::of((count - 1).to_string().into_bytes())),
        });
        Ok(steps)
    }
}

fn text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

fn in_millis(millis: i64) -> UnixMillis {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    UnixMillis(i64::try_from(now.as_millis()).unwrap()).plus(millis)
}

async fn opened(place: &Place, sweep_every: Duration) -> OpenStore {
    let maintenance = MaintenanceOptions {
        sweep_every,
        dependents: Some(Arc::new(Objects)),
        ..MaintenanceOptions::default()
    };
    let options = OpenOptions {
        maintenance,
        ..OpenOptions::default()
    };
    open(&place.url, options).await.unwrap()
}

const SOON: Duration = Duration::from_millis(200);
const NEVER: Duration = Duration::from_secs(86_400);

/// Objects 0 to `count`, and a counter of them and one more.
async fn fill(store: &dyn Store, count: usize, expires: UnixMillis) {
    for n in 0..count {
        let put = |indexed| {
            WriteAction::Put(RecordPut {
                indexed,
                ..RecordPut::of(b"1".to_vec()).expiring(Some(expires))
            })
        };
        let at = |kind: &str| key(&format!("{kind}/{n}"));
        let write = AtomicWrite::new()
            .step(&at("e"), WriteCondition::NotExists, put(true))
            .step(&at("x"), WriteCondition::NotExists, put(false))
            .step(&at("s"), WriteCondition::NotExists, put(false));
        store.atomic_write(write).await.unwrap();
    }
    let counter = RecordPut::of((count + 1).to_string().into_bytes());
    store.put(&key("counter"), counter).await.unwrap();
}

async fn counted(store: &dyn Store) -> String {
    text(&store.get(&key("counter")).await.unwrap().content.body)
}

async fn eventually<F: Future<Output = bool>>(what: &str, mut ask: impl FnMut() -> F) {
    for _ in 0..400 {
        if ask().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}

async fn watch(store: &dyn Store) -> DeliveryStream {
    let span = KeySpan::everything();
    store
        .watch(WatchRequest { span, from: None })
        .await
        .unwrap()
}

/// The first group that deletes `name`.
async fn group_of(watch: &mut DeliveryStream, name: &Key) -> Arc<EventGroup> {
    let found = async {
        loop {
            if let WatchDelivery::Events(_, group) = watch.next().await.unwrap().unwrap()
                && group.events.iter().any(|event| event.key == *name)
            {
                return group;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), found)
        .await
        .unwrap()
}

fn keys_of(group: &EventGroup) -> Vec<String> {
    let mut keys: Vec<_> = group.events.iter().map(|e| e.key.to_string()).collect();
    keys.sort();
    keys
}

/// The sweep removes all of it, while others use the counter too.
async fn sweeps(place: Place) {
    let opened = opened(&place, SOON).await;
    let store = &opened.store;
    fill(store, 12, in_millis(1_500)).await;
    let mut watch = watch(store).await;
    let busy = async {
        for _ in 0..30 {
            loop {
                let counter = store.get(&key("counter")).await.unwrap();
                let count: u64 = text(&counter.content.body).parse().unwrap();
                let put = RecordPut::of((count + 1).to_string().into_bytes());
                let name = key("counter");
                let update = store.conditional_update(&name, counter.revision, put);
                match update.await {
                    Ok(_) => break,
                    Err(StorageError::Conflict { .. }) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
        }
    };
    busy.await;
    eventually("all are swept", || async { counted(store).await == "31" }).await;
    for kind in ["e", "x", "s"] {
        let span = KeySpan::below(&key(kind));
        assert_eq!(store.count(span).await.unwrap().1, 0, "{kind}");
    }
    let group = group_of(&mut watch, &key("e/7")).await;
    assert_eq!(keys_of(&group), ["counter", "e/7", "s/7", "x/7"]);
    assert_eq!(store.expired(10).await.unwrap(), []);
    opened.store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sweep_of_sqlite_removes_what_belongs_to_a_record() {
    sweeps(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sweep_of_postgres_removes_what_belongs_to_a_record() {
    sweeps(Place::postgres()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sweep_of_etcd_removes_what_belongs_to_a_record() {
    sweeps(Place::etcd()).await;
}

/// Without any sweep: whoever meets the record removes all of it before he is answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_meets_an_expired_record_in_etcd_removes_what_belongs_to_it() {
    let place = Place::etcd();
    let opened = opened(&place, NEVER).await;
    let store = &opened.store;
    fill(store, 40, in_millis(300)).await;
    let mut watch = watch(store).await;
    tokio::time::sleep(Duration::from_millis(400)).await;

    // A get, a count, the condition of a write, a range.
    assert!(store.get(&key("e/0")).await.is_err());
    assert_eq!(counted(store).await, "40");
    let group = group_of(&mut watch, &key("e/0")).await;
    assert_eq!(keys_of(&group), ["counter", "e/0", "s/0", "x/0"]);

    let update = store
        .update(&key("e/1"), RecordPut::of(b"2".to_vec()))
        .await;
    assert!(matches!(update, Err(StorageError::NotFound { .. })));
    assert_eq!(counted(store).await, "39");

    let span = KeySpan::between(&key("e/2"), &key("e/2"));
    assert_eq!(store.count(span).await.unwrap().1, 0);
    assert_eq!(counted(store).await, "38");

    let range = ReadRange::below(&key("e")).keys_only();
    assert_eq!(store.range(range).await.unwrap().1.entries, []);
    assert_eq!(counted(store).await, "1");
    let (_, all) = store
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let left: Vec<_> = all.entries.iter().map(|e| e.key.to_string()).collect();
    assert_eq!(left, ["counter"]);
    opened.store.close().await;
}

/// What belongs to a record may be met first: it is absent, and the record goes its own way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_belonging_in_etcd_goes_alone_and_its_record_later() {
    let place = Place::etcd();
    let opened = opened(&place, NEVER).await;
    let store = &opened.store;
    fill(store, 1, in_millis(300)).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(store.get(&key("x/0")).await.is_err());
    assert_eq!(counted(store).await, "2");
    assert!(store.get(&key("e/0")).await.is_err());
    assert_eq!(counted(store).await, "1");
    opened.store.close().await;
}

/// Two servers meet the same records at the same time: each is counted off once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_meet_one_expired_record_in_etcd_remove_it_once() {
    let place = Place::etcd();
    let (one, two) = (opened(&place, SOON).await, opened(&place, SOON).await);
    fill(&one.store, 20, in_millis(500)).await;
    let look = |store: coeval_storage::DynStore| async move {
        for _ in 0..20 {
            for n in 0..20 {
                let _ = store.get(&key(&format!("e/{n}"))).await;
            }
        }
    };
    let looks = [&one, &two].map(|server| tokio::spawn(look(Arc::clone(&server.store))));
    for done in looks {
        done.await.unwrap();
    }
    eventually("all are gone", || async {
        counted(&one.store).await == "1"
    })
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(counted(&two.store).await, "1");
    one.store.close().await;
    two.store.close().await;
}
