//! What breaks, and what must hold all the same.

use crate::bed::{Bed, key, text};
use crate::proxy::{Cut, Proxy};
use coeval_storage::{KeySpan, ReadRange, StorageError, Store, Token};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use coeval_storage_suite::servers::PostgresServer;
use futures::future::join_all;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a writer got: the revisions acknowledged for each key, and those that nobody knows of.
#[derive(Default)]
struct Recorded {
    acknowledged: HashMap<String, (Token, coeval_storage::Revision)>,
    unknown: Vec<coeval_storage::Revision>,
    failures: usize,
}

/// Writes fresh keys until told to stop; only typed outcomes are taken.
async fn load(store: Arc<PostgresStore>, writer: usize, stop: Arc<AtomicBool>) -> Recorded {
    let mut recorded = Recorded::default();
    let mut n = 0;
    while !stop.load(Ordering::SeqCst) {
        n += 1;
        let name = format!("w/{writer}/{n}");
        match store.create(&key(&name), text("v")).await {
            Ok(written) => {
                let fact = (written.token, written.revision);
                recorded.acknowledged.insert(name, fact);
            }
            Err(StorageError::UnknownOutcome { revision, .. }) => recorded.unknown.push(revision),
            Err(StorageError::Unavailable { .. } | StorageError::Busy { .. }) => {
                recorded.failures += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    recorded
}

/// Every acknowledged write is there with its revision and at its sequence; whatever else is
/// there has an unknown outcome.
async fn check(bed: &Bed, store: &PostgresStore, recorded: &[Recorded]) {
    let mut there = HashMap::new();
    let mut range = ReadRange::of(KeySpan::everything());
    loop {
        let (_, page) = store.range(range.clone()).await.unwrap();
        let Some(last) = page.entries.last() else {
            break;
        };
        range = range.after(&last.key);
        for entry in &page.entries {
            there.insert(entry.key.to_string(), entry.stored.revision().unwrap());
        }
        if !page.more {
            break;
        }
    }
    let mut acknowledged = 0;
    for (name, (_, revision)) in recorded.iter().flat_map(|r| &r.acknowledged) {
        assert_eq!(there.remove(name), Some(*revision), "{name}");
        acknowledged += 1;
    }
    for (name, revision) in &there {
        let known = recorded.iter().any(|r| r.unknown.contains(revision));
        assert!(known, "{name} is there and was never promised");
    }
    // Creates of fresh keys: one event each, no sequence left out or used twice.
    let sequences = bed.sequences().await;
    assert_eq!(sequences.len(), acknowledged + there.len());
    assert_eq!(sequences, (1..=sequences.len() as u64).collect::<Vec<_>>());
    let mut tokens: Vec<u64> = recorded
        .iter()
        .flat_map(|r| r.acknowledged.values().map(|(token, _)| token.sequence))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), acknowledged, "no two writes share a sequence");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_crashes_in_the_middle_of_writes_loses_nothing_acknowledged() {
    let mut server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let stores = [bed.open().await, bed.open().await];
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|n| tokio::spawn(load(Arc::clone(&stores[n % 2]), n, Arc::clone(&stop))))
        .collect();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        server = tokio::task::spawn_blocking(move || {
            server.restart_immediate();
            server
        })
        .await
        .unwrap();
    }
    // Back without being opened again.
    for (n, store) in stores.iter().enumerate() {
        store
            .put(&key(&format!("back/{n}")), text("v"))
            .await
            .unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    let mut recorded = Vec::new();
    for writer in join_all(writers).await {
        recorded.push(writer.unwrap());
    }
    for (n, store) in stores.iter().enumerate() {
        let name = format!("back/{n}");
        let revision = store.get(&key(&name)).await.unwrap().revision;
        let token = Token {
            sequence: u64::MAX - n as u64,
            ..status(store).await
        };
        recorded[0].acknowledged.insert(name, (token, revision));
    }
    check(&bed, &stores[0], &recorded).await;
}

async fn status(store: &PostgresStore) -> Token {
    let status = store.status().await.unwrap();
    Token {
        incarnation: status.incarnation,
        sequence: status.head,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_are_ended_under_load_lose_nothing_and_repeat_nothing() {
    let server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let stores = [bed.open().await, bed.open().await];
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|n| tokio::spawn(load(Arc::clone(&stores[n % 2]), n, Arc::clone(&stop))))
        .collect();
    let admin = bed.admin().await;
    let mut ended = 0;
    for _ in 0..15 {
        tokio::time::sleep(Duration::from_millis(60)).await;
        let rows = admin
            .query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE application_name = 'coeval'",
                &[],
            )
            .await
            .unwrap();
        ended += rows.len();
    }
    stop.store(true, Ordering::SeqCst);
    let mut recorded = Vec::new();
    for writer in join_all(writers).await {
        recorded.push(writer.unwrap());
    }
    assert!(ended >= 15, "{ended}");
    assert!(recorded.iter().map(|r| r.acknowledged.len()).sum::<usize>() > 0);
    // The server told each time: nothing is left unknown.
    assert_eq!(recorded.iter().map(|r| r.unknown.len()).sum::<usize>(), 0);
    check(&bed, &stores[0], &recorded).await;
}

async fn proxied(server: &PostgresServer) -> (Bed, Proxy, PostgresOptions) {
    let proxy = Proxy::before(server.port()).await;
    let bed = Bed::on(server.url());
    let port = format!(":{}/", server.port());
    let url = bed
        .options()
        .url
        .replace(&port, &format!(":{}/", proxy.port));
    (bed, proxy, PostgresOptions::at(url))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_was_lost_is_found_to_have_happened() {
    let server = PostgresServer::start().unwrap();
    let (bed, proxy, options) = proxied(&server).await;
    let store = bed.open_with(options).await;
    store.put(&key("warm"), text("up")).await.unwrap();
    proxy.arm(Cut::AfterTheServerAnswered);
    let written = store.create(&key("k"), text("v")).await.unwrap();
    assert!(proxy.fired());
    assert_eq!(
        store.get(&key("k")).await.unwrap().revision,
        written.revision
    );
    assert_eq!(bed.sequences().await, [1, written.token.sequence]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_never_arrived_is_made_again_once() {
    for cut in [Cut::BeforeTheServerHears, Cut::LeavingTheServerWaiting] {
        let server = PostgresServer::start().unwrap();
        let (bed, proxy, options) = proxied(&server).await;
        let store = bed.open_with(options).await;
        store.put(&key("warm"), text("up")).await.unwrap();
        proxy.arm(cut);
        let begun = std::time::Instant::now();
        let written = store.create(&key("k"), text("v")).await.unwrap();
        assert!(proxy.fired());
        // The old session would hold the counter for ten seconds: it was ended.
        assert!(begun.elapsed() < Duration::from_secs(8), "{cut:?}");
        assert_eq!(
            store.get(&key("k")).await.unwrap().revision,
            written.revision
        );
        assert_eq!(bed.sequences().await, [1, 2], "{cut:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_nobody_can_ask_about_is_unknown() {
    let server = PostgresServer::start().unwrap();
    let (bed, proxy, options) = proxied(&server).await;
    let patience = Duration::from_secs(1);
    let store = bed
        .open_with(PostgresOptions {
            patience,
            ..options
        })
        .await;
    store.put(&key("warm"), text("up")).await.unwrap();
    proxy.refuse();
    proxy.arm(Cut::AfterTheServerAnswered);
    let error = store.create(&key("k"), text("v")).await.unwrap_err();
    let StorageError::UnknownOutcome { revision, .. } = error else {
        panic!("{error:?}");
    };
    // As the advice says: whoever reads it back knows.
    let other = bed.open().await;
    assert_eq!(other.get(&key("k")).await.unwrap().revision, revision);
    // And nothing happened to what was not sent.
    let error = store.create(&key("l"), text("v")).await.unwrap_err();
    assert!(
        matches!(error, StorageError::Unavailable { .. }),
        "{error:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_said_to_be_away() {
    let mut server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let patience = Duration::from_millis(500);
    let store = bed
        .open_with(PostgresOptions {
            patience,
            ..bed.options()
        })
        .await;
    store.put(&key("k"), text("v")).await.unwrap();
    server.stop();
    let wrote = store.put(&key("k"), text("w")).await.unwrap_err();
    assert!(
        matches!(wrote, StorageError::Unavailable { .. }),
        "{wrote:?}"
    );
    let read = store.get(&key("k")).await.unwrap_err();
    assert!(matches!(read, StorageError::Unavailable { .. }), "{read:?}");
    let opened = PostgresStore::open(bed.options()).await.unwrap_err();
    assert!(
        matches!(opened, StorageError::Unavailable { .. }),
        "{opened:?}"
    );
    server.run_again();
    let mut watch = crate::bed::sequences_of(&store).await;
    let written = store.put(&key("k"), text("w")).await.unwrap();
    assert_eq!(
        crate::bed::next(&mut watch).await.unwrap(),
        written.token.sequence
    );
}
