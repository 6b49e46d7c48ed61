//! What is particular to PostgreSQL: roles, levels, damage, a refused statement, compaction.

use crate::bed::{Bed, PATIENCE, eventually, key, next, sequences_of, text};
use coeval_storage::{
    AtomicWrite, EventRetention, KeySpan, ReadRange, StorageError, Store, Token, WatchRequest,
};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use futures::future::join_all;
use std::sync::Arc;
use std::time::Duration;

const ALL: WatchRequest = WatchRequest {
    span: KeySpan {
        start: bytes::Bytes::new(),
        end: bytes::Bytes::from_static(b"\xff"),
    },
    from: None,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_without_privileges_is_enough() {
    let bed = Bed::shared();
    let admin = bed.admin().await;
    let (role, schema) = (format!("role_{}", bed.schema), &bed.schema);
    admin
        .batch_execute(&format!(
            "CREATE ROLE {role} LOGIN NOSUPERUSER; CREATE SCHEMA {schema} AUTHORIZATION {role}"
        ))
        .await
        .unwrap();
    let url = bed.options().url.replace("coeval@", &format!("{role}@"));
    let store = bed.open_with(PostgresOptions::at(url)).await;
    let mut watch = sequences_of(&store).await;
    let written = store.create(&key("k"), text("v")).await.unwrap();
    assert_eq!(next(&mut watch).await.unwrap(), written.token.sequence);
    assert_eq!(
        store.get(&key("k")).await.unwrap().revision,
        written.revision
    );
    assert!(store.status().await.unwrap().bytes.unwrap() > 0);
    // It may end its own sessions, which finding out an outcome needs.
    let owner = "SELECT rolsuper FROM pg_roles WHERE rolname = $1";
    assert!(
        !admin
            .query_one(owner, &[&role])
            .await
            .unwrap()
            .get::<_, bool>(0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_level_is_refused() {
    let bed = Bed::shared();
    bed.open().await.close().await;
    let admin = bed.admin().await;
    admin
        .batch_execute("UPDATE meta SET level = 9")
        .await
        .unwrap();
    let error = PostgresStore::open(bed.options()).await.unwrap_err();
    assert_eq!(error, StorageError::UnknownLevel { found: 9, known: 1 });
}

/// One upsert must not name a key twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_one_key_share_a_commit() {
    let bed = Bed::shared();
    let store = bed.open().await;
    let writes = (0..64).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let (hot, own) = (key("hot"), key(&format!("own/{n}")));
            let write = AtomicWrite::new()
                .put(&hot, format!("{n}").into_bytes())
                .put(&own, b"v".to_vec());
            let write = if n % 3 == 0 {
                write.delete(&key("gone"))
            } else {
                write
            };
            store.atomic_write(write).await.unwrap()
        })
    });
    let mut written = Vec::new();
    for write in join_all(writes).await {
        written.push(write.unwrap());
    }
    let last = written.iter().max_by_key(|w| w.token.sequence).unwrap();
    assert_eq!(
        store.get(&key("hot")).await.unwrap().revision,
        last.revision
    );
    assert_eq!(bed.sequences().await, (1..=64).collect::<Vec<u64>>());
    // They did: fewer transactions than members.
    let batches = "SELECT count(DISTINCT batch) FROM events";
    let batches: i64 = bed
        .admin()
        .await
        .query_one(batches, &[])
        .await
        .unwrap()
        .get(0);
    assert!(batches < 64, "{batches}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_member_that_the_database_refuses_fails_alone() {
    let bed = Bed::shared();
    let store = bed.open().await;
    let admin = bed.admin().await;
    admin
        .batch_execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON records FOR EACH ROW
             WHEN (NEW.key = 'poison'::bytea) EXECUTE FUNCTION refuse()",
        )
        .await
        .unwrap();
    // The counter is held, so that all of them wait for one commit.
    admin
        .batch_execute("BEGIN; SELECT FROM meta FOR UPDATE")
        .await
        .unwrap();
    let writes: Vec<_> = (0..20)
        .map(|n| {
            let store = Arc::clone(&store);
            let key = if n == 10 {
                key("poison")
            } else {
                key(&format!("k/{n}"))
            };
            tokio::spawn(async move { store.create(&key, text("v")).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    admin.batch_execute("COMMIT").await.unwrap();
    for (n, write) in join_all(writes).await.into_iter().enumerate() {
        let result = write.unwrap();
        if n == 10 {
            assert!(
                matches!(result, Err(StorageError::Full { .. })),
                "{result:?}"
            );
        } else {
            result.unwrap();
        }
    }
    assert_eq!(bed.sequences().await, (1..=19).collect::<Vec<u64>>());
    assert!(matches!(
        store.get(&key("poison")).await,
        Err(StorageError::NotFound { .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_record_is_named_and_hides_no_other() {
    let bed = Bed::shared();
    let store = bed.open().await;
    for name in ["a", "b", "c"] {
        store.put(&key(name), text("v")).await.unwrap();
    }
    let flip = "UPDATE records SET value = set_byte(value, 33, 0) WHERE key = 'b';
                UPDATE records SET value = 'x' WHERE key = 'c'";
    let longer = "UPDATE records SET value = value || 'more' WHERE key = 'b'";
    let admin = bed.admin().await;
    admin.batch_execute(longer).await.unwrap();
    admin.batch_execute(flip).await.unwrap();
    let (_, page) = store
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let whole: Vec<_> = page
        .entries
        .iter()
        .map(|e| e.stored.record().is_some())
        .collect();
    assert_eq!(whole, [true, false, false]);
    let error = store.get(&key("b")).await.unwrap_err();
    assert!(matches!(error, StorageError::Damaged { .. }), "{error:?}");
    // Writing over it mends it.
    store.update(&key("c"), text("w")).await.unwrap();
    assert!(store.get(&key("c")).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_event_is_told_and_never_skipped() {
    let bed = Bed::shared();
    let store = bed.open().await;
    let start = store.put(&key("k"), text("1")).await.unwrap().token;
    for body in ["2", "3", "4"] {
        store.put(&key("k"), text(body)).await.unwrap();
    }
    let admin = bed.admin().await;
    let damage = "UPDATE events SET body = 'x' WHERE seq = 3";
    admin.batch_execute(damage).await.unwrap();
    let page = store.events(0).await.unwrap();
    assert_eq!(page.complete_to, 2);
    assert_eq!(page.groups.len(), 2);
    let error = store.events(2).await.unwrap_err();
    assert_eq!(error, StorageError::failed("the event 3 is damaged"));
    assert_eq!(store.events(3).await.unwrap().groups.len(), 1);

    // A new server, whose ring is empty: the watch must come from the table.
    let other = bed.open().await;
    let request = WatchRequest {
        from: Some(start),
        ..ALL
    };
    let mut watch = other.watch(request).await.unwrap();
    let mut told = Vec::new();
    while let Ok(Some(delivery)) =
        tokio::time::timeout(PATIENCE, futures::StreamExt::next(&mut watch)).await
    {
        told.push(delivery);
    }
    assert_eq!(told.len(), 3, "live, the event 2, the error: {told:?}");
    assert_eq!(told[2], Err(StorageError::failed("the event 3 is damaged")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_watch_meets_a_damaged_event_and_ends() {
    let bed = Bed::shared();
    let slow = PostgresOptions {
        poll: Duration::from_millis(100),
        ..bed.options()
    };
    let store = bed.open_with(slow).await;
    store.put(&key("k"), text("1")).await.unwrap();
    let mut watch = sequences_of(&store).await;
    let mut live = sequences_of(&store).await;
    let second = store.put(&key("k"), text("2")).await.unwrap().token;
    assert_eq!(next(&mut watch).await, Ok(2));
    assert_eq!(next(&mut live).await, Ok(2));
    // Damaged before anybody can read it.
    bed.admin()
        .await
        .batch_execute(
            "BEGIN; SELECT FROM meta FOR UPDATE;
             INSERT INTO events VALUES (3, 0, 0, '', 'x'); UPDATE meta SET head = 3; COMMIT",
        )
        .await
        .unwrap();
    assert_eq!(
        next(&mut live).await,
        Err(StorageError::FellBehind { resume: second })
    );
    let request = WatchRequest {
        from: Some(second),
        ..ALL
    };
    let mut resumed = store.watch(request).await.unwrap();
    let told: Vec<_> = futures::StreamExt::collect(&mut resumed).await;
    let told: Vec<&Result<_, _>> = told.iter().collect();
    assert_eq!(told.len(), 2);
    assert_eq!(
        *told[1],
        Err(StorageError::failed("the event 3 is damaged"))
    );
    // Writes and newer watches go on.
    let mut after = sequences_of(&store).await;
    store.put(&key("k"), text("4")).await.unwrap();
    assert_eq!(next(&mut after).await, Ok(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compaction_keeps_the_newest_event_and_moves_the_floor() {
    let bed = Bed::shared();
    let (store, other) = (bed.open().await, bed.open().await);
    let nothing = EventRetention {
        age: Duration::ZERO,
        bytes: u64::MAX,
    };
    assert_eq!(store.compact(nothing).await.unwrap(), 0);
    let mut tokens: Vec<Token> = Vec::new();
    // More than one step looks at.
    for chunk in 0..23 {
        let keys: Vec<_> = (0..100).map(|n| key(&format!("c/{chunk}/{n}"))).collect();
        for written in join_all(keys.iter().map(|key| store.put(key, text("v")))).await {
            tokens.push(written.unwrap().token);
        }
    }
    tokens.sort_by_key(|token| token.sequence);
    assert_eq!(store.compact(EventRetention::default()).await.unwrap(), 0);
    eventually("a millisecond passes", async || {
        store.compact(nothing).await.unwrap() == 2_299
    })
    .await;
    assert_eq!(bed.sequences().await, [2_300]);
    for store in [&store, &other] {
        assert_eq!(store.status().await.unwrap().floor, 2_299);
        let old = WatchRequest {
            from: Some(tokens[2_297]),
            ..ALL
        };
        assert_eq!(store.watch(old).await.err(), Some(StorageError::Compacted));
        let kept = WatchRequest {
            from: Some(tokens[2_298]),
            ..ALL
        };
        assert!(store.watch(kept).await.is_ok());
        assert_eq!(store.events(0).await.unwrap().groups.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compaction_by_size_leaves_about_as_much() {
    let bed = Bed::shared();
    let store = bed.open().await;
    for _ in 0..50 {
        store
            .put(&key("k"), coeval_storage::RecordPut::of(vec![7; 10_000]))
            .await
            .unwrap();
    }
    let keep = EventRetention {
        age: Duration::from_secs(3_600),
        bytes: 100_000,
    };
    let floor = store.compact(keep).await.unwrap();
    assert_eq!(floor, 40);
    assert_eq!(bed.sequences().await, (41..=50).collect::<Vec<u64>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_events_are_bounded_by_bytes_and_have_no_gap() {
    let bed = Bed::shared();
    let store = bed.open().await;
    for _ in 0..40 {
        let put = coeval_storage::RecordPut::of(vec![7; 300_000]);
        store.put(&key("k"), put).await.unwrap();
    }
    let (mut after, mut seen, mut pages) = (0, Vec::new(), 0);
    loop {
        let page = store.events(after).await.unwrap();
        if page.groups.is_empty() {
            assert_eq!(page.complete_to, 40);
            break;
        }
        assert!(page.groups.iter().map(|group| group.size).sum::<usize>() < 5_000_000);
        seen.extend(page.groups.iter().map(|group| group.sequence));
        after = page.complete_to;
        pages += 1;
    }
    assert_eq!(seen, (1..=40).collect::<Vec<u64>>());
    assert!((3..=5).contains(&pages), "{pages}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_without_items_still_says_whether_there_are_any() {
    let bed = Bed::shared();
    let store = bed.open().await;
    let none = ReadRange::of(KeySpan::everything()).limit(0);
    assert!(!store.range(none.clone()).await.unwrap().1.more);
    store.put(&key("k"), text("v")).await.unwrap();
    let (_, page) = store.range(none).await.unwrap();
    assert!(page.entries.is_empty() && page.more);
}

#[tokio::test]
async fn no_error_tells_the_password() {
    let bed = Bed::shared();
    let wrong = bed.server.replace("coeval@", "nobody:hunter2@");
    for url in [wrong, "postgres://u:hunter2@127.0.0.1:1/db".into()] {
        let options = PostgresOptions::at(url);
        assert!(!format!("{options:?}").contains("hunter2"));
        let error = PostgresStore::open(options).await.unwrap_err();
        assert!(
            matches!(error, StorageError::Unavailable { .. }),
            "{error:?}"
        );
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }
}
