//! Expiry: what has expired is absent, for everyone and in one order.

use crate::bench::{BenchStore, body, eventually, fleeting, in_millis, key, record, text};
use crate::feeds::next_group;
use crate::refused;
use coeval_storage::StorageError::{AlreadyExists, NotFound};
use coeval_storage::{
    AtomicWrite, CommittedWrite, DynStore, KeyChange, ReadRange, ReadRequest, RecordPut, Store,
    UnixMillis, WriteAction, WriteCondition,
};

/// An expiring put that the sweep does not look for: it stays in the store, and is absent.
fn unswept(body: &str, millis: i64) -> RecordPut {
    RecordPut {
        indexed: false,
        ..fleeting(body, millis)
    }
}

/// Waits until what expires before now plus `millis` has expired by the store's clock.
async fn pass(store: &DynStore, millis: i64) {
    let canary = key("canary");
    store.put(&canary, unswept("", millis)).await.unwrap();
    eventually("the canary expires", || async {
        matches!(store.get(&canary).await, Err(NotFound { .. }))
    })
    .await;
}

/// One expired record for each of the names, swept or not.
async fn expired(
    store: &DynStore,
    names: &[&str],
    swept: bool,
) -> (UnixMillis, Vec<CommittedWrite>) {
    let expires = in_millis(300);
    let mut written = Vec::new();
    for name in names {
        let mut put = text("old").expiring(Some(expires));
        put.indexed = swept;
        written.push(store.put(&key(name), put).await.unwrap());
    }
    // One more than the expiry, so that it is over for certain.
    pass(store, 301).await;
    (expires, written)
}

pub async fn an_expired_key_is_absent_for_every_operation(bench: &BenchStore) {
    let store = &bench.store;
    // Each operation meets a key that nobody has looked at since it expired.
    let names = [
        "e/get", "e/update", "e/delete", "e/keep", "e/cond", "e/cdel", "e/read",
    ];
    for swept in [false, true] {
        let (_, written) = expired(store, &names, swept).await;
        refused!(store.get(&key("e/get")).await, NotFound { .. });
        refused!(
            store.update(&key("e/update"), text("x")).await,
            NotFound { .. }
        );
        refused!(store.delete(&key("e/delete")).await, NotFound { .. });
        let later = Some(in_millis(60_000));
        refused!(
            store.keep_alive(&key("e/keep"), later).await,
            NotFound { .. }
        );
        let revision = written[4].revision;
        let update = store
            .conditional_update(&key("e/cond"), revision, text("x"))
            .await;
        refused!(update, NotFound { .. });
        let revision = written[5].revision;
        let delete = store.conditional_delete(&key("e/cdel"), revision).await;
        refused!(delete, NotFound { .. });
        let request = ReadRequest::keys([key("e/read")]).and_range(ReadRange::below(&key("e")));
        let snapshot = store.read(request).await.unwrap();
        assert_eq!(snapshot.keys, [None]);
        assert_eq!(snapshot.pages[0].entries, []);
        assert_eq!(
            store
                .delete_range(ReadRange::below(&key("e")).span)
                .await
                .unwrap(),
            0
        );
    }
}

pub async fn an_expired_key_is_absent_for_every_condition(bench: &BenchStore) {
    let store = &bench.store;
    for swept in [false, true] {
        let names = [
            "e/exists",
            "e/revision",
            "e/not",
            "e/whatever",
            "e/delete",
            "e/as-read",
        ];
        let (expires, written) = expired(store, &names, swept).await;
        let marker = key("marker");
        let when = |name: &str, condition| {
            AtomicWrite::new()
                .when(&key(name), condition)
                .put(&marker, &b"x"[..])
        };
        let refusals = [
            when("e/exists", WriteCondition::Exists),
            when(
                "e/revision",
                WriteCondition::RevisionIs(written[1].revision),
            ),
            when(
                "e/as-read",
                WriteCondition::AsRead {
                    revision: written[5].revision,
                    expires: Some(expires),
                    flags: 0,
                },
            ),
            AtomicWrite::new().step(
                &key("e/whatever"),
                WriteCondition::Whatever,
                WriteAction::KeepAlive(Some(in_millis(60_000))),
            ),
        ];
        for write in refusals {
            refused!(store.atomic_write(write).await, NotFound { .. });
        }
        refused!(store.get(&marker).await, NotFound { .. });
        store
            .atomic_write(when("e/not", WriteCondition::NotExists))
            .await
            .unwrap();
        store.delete(&marker).await.unwrap();
        // Deleting what is gone does nothing, and is no error.
        let delete = AtomicWrite::new().delete(&key("e/delete"));
        store
            .atomic_write(delete.put(&marker, &b"x"[..]))
            .await
            .unwrap();
        store.delete(&marker).await.unwrap();
        let put = store.put(&key("e/whatever"), text("new")).await.unwrap();
        let record = store.get(&key("e/whatever")).await.unwrap();
        assert_eq!((record.revision, record.expires), (put.revision, None));
    }
}

pub async fn a_create_over_an_expired_key_is_never_followed_by_its_delete(bench: &BenchStore) {
    let store = &bench.store;
    let (_, mut watch) = bench.watch("e", None).await;
    let mut rounds = Vec::new();
    for round in 0..12 {
        let name = key(&format!("e/{round}"));
        let put = if round % 2 == 0 {
            fleeting("1", 300)
        } else {
            unswept("1", 300)
        };
        store.put(&name, put).await.unwrap();
        rounds.push(name);
    }
    let creates = rounds.iter().map(|name| async move {
        loop {
            match store.create(name, text("2")).await {
                Ok(written) => return written,
                Err(AlreadyExists { .. }) => tokio::task::yield_now().await,
                Err(other) => panic!("{other:?}"),
            }
        }
    });
    let created = futures::future::join_all(creates).await;
    // Once this one is swept, a sweep has run after all creates.
    store.put(&key("e/last"), fleeting("1", 200)).await.unwrap();
    let mut events = Vec::new();
    loop {
        let (_, group) = next_group(&mut watch).await;
        let ended = group.events.iter().any(|event| {
            event.key == key("e/last") && matches!(event.change, KeyChange::Deleted { .. })
        });
        events.extend(group.events.clone());
        if ended {
            break;
        }
    }
    for (name, written) in rounds.iter().zip(created) {
        let mine = events.iter().filter(|event| event.key == *name);
        let seen: Vec<_> = mine
            .map(|event| match &event.change {
                KeyChange::Put(stored) => body(stored.record().unwrap()),
                KeyChange::Deleted { .. } => "deleted".into(),
            })
            .collect();
        // The old one's delete may come in between, and never at the end.
        let allowed = [vec!["1", "2"], vec!["1", "deleted", "2"]];
        assert!(
            allowed.iter().any(|allowed| seen == *allowed),
            "{name}: {seen:?}"
        );
        assert_eq!(store.get(name).await.unwrap().revision, written.revision);
    }
}

pub async fn an_expiry_gives_one_delete_event(bench: &BenchStore) {
    let (_, mut watch) = bench.watch("e", None).await;
    let written = bench
        .store
        .put(&key("e/a"), fleeting("1", 300))
        .await
        .unwrap();
    let (at, group) = next_group(&mut watch).await;
    assert_eq!(at, written.token);
    assert!(matches!(group.events[0].change, KeyChange::Put(_)));
    let (_, group) = next_group(&mut watch).await;
    let [event] = &group.events[..] else {
        panic!("{group:?}");
    };
    assert_eq!(event.key, key("e/a"));
    let KeyChange::Deleted { revision } = event.change else {
        panic!("{event:?}");
    };
    assert!(revision.is_none_or(|revision| revision == written.revision));
    refused!(bench.store.get(&key("e/a")).await, NotFound { .. });
    // Nothing more of it before the next write.
    let marker = bench.store.put(&key("e/b"), text("1")).await.unwrap();
    assert_eq!(next_group(&mut watch).await.0, marker.token);
}

pub async fn a_keep_alive_moves_the_expiry_and_leaves_the_revision(bench: &BenchStore) {
    let store = &bench.store;
    let name = key("e/a");
    let (_, mut watch) = bench.watch("e", None).await;
    let mut put = fleeting("the value", 2_000);
    put.content.flags = 9;
    put.content.fields = vec![(1, "beside".into())];
    let written = store.create(&name, put.clone()).await.unwrap();
    assert_eq!(next_group(&mut watch).await.0, written.token);
    let later = in_millis(3_600_000);
    let kept = store.keep_alive(&name, Some(later)).await.unwrap();
    assert!(kept.token.sequence > written.token.sequence);
    let (at, group) = next_group(&mut watch).await;
    assert_eq!(at, kept.token);
    let KeyChange::Put(stored) = &group.events[0].change else {
        panic!("{group:?}");
    };
    let event = stored.record().unwrap();
    assert_eq!(event.revision, written.revision);
    assert_eq!(event.expires, Some(later));
    assert_eq!(event.content, put.content);
    pass(store, 2_001).await;
    assert_eq!(store.get(&name).await.unwrap(), *event);
    // The revision is the old one: a conditional write goes on from it.
    let next = store.conditional_update(&name, written.revision, put);
    assert!(next.await.is_ok());
}

pub async fn a_keep_alive_may_end_or_begin_an_expiry(bench: &BenchStore) {
    let store = &bench.store;
    let name = key("e/a");
    let written = store.put(&name, fleeting("1", 1_500)).await.unwrap();
    store.keep_alive(&name, None).await.unwrap();
    pass(store, 1_501).await;
    let record = store.get(&name).await.unwrap();
    assert_eq!((record.revision, record.expires), (written.revision, None));
    let (_, mut watch) = bench.watch("e", None).await;
    store.keep_alive(&name, Some(in_millis(300))).await.unwrap();
    let (_, group) = next_group(&mut watch).await;
    assert!(matches!(group.events[0].change, KeyChange::Put(_)));
    let (_, group) = next_group(&mut watch).await;
    assert!(matches!(group.events[0].change, KeyChange::Deleted { .. }));
    refused!(store.get(&name).await, NotFound { .. });
}

pub async fn a_keep_alive_of_a_missing_key_is_not_found(bench: &BenchStore) {
    for expires in [None, Some(in_millis(60_000))] {
        let kept = bench.store.keep_alive(&key("a"), expires).await;
        refused!(kept, NotFound { key: at } if *at == key("a"));
    }
}

pub async fn a_keep_alive_moves_several_records_at_once(bench: &BenchStore) {
    let store = &bench.store;
    let names = ["e/record", "e/index", "e/acl"].map(key);
    let later = in_millis(3_600_000);
    let write = names.iter().fold(AtomicWrite::new(), |write, name| {
        let put = WriteAction::Put(unswept("1", 1_500));
        write.step(name, WriteCondition::NotExists, put)
    });
    let written = store.atomic_write(write).await.unwrap();
    let keep = names.iter().fold(AtomicWrite::new(), |write, name| {
        write.step(
            name,
            WriteCondition::Exists,
            WriteAction::KeepAlive(Some(later)),
        )
    });
    let (_, mut watch) = bench.watch("e", None).await;
    let kept = store.atomic_write(keep).await.unwrap();
    let (at, group) = next_group(&mut watch).await;
    assert_eq!((at, group.events.len()), (kept.token, 3));
    pass(store, 1_501).await;
    let snapshot = store.read(ReadRequest::keys(names)).await.unwrap();
    for entry in snapshot.keys {
        let entry = entry.expect("it was kept alive");
        assert_eq!(record(&entry).revision, written.revision);
        assert_eq!(record(&entry).expires, Some(later));
    }
}
