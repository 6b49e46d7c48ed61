//! I11 with real servers: writers and a watcher go on while servers are killed and started again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod clients;
mod servers;

use clients::{Acknowledged, Seen, call, follow, write};
use coeval_storage_suite::servers::{fresh_name, shared_postgres};
use servers::Servers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often a server is killed.
const KILLS: usize = 10;

async fn killed_again_and_again(mut servers: Servers) {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut draw = fastrand::Rng::with_seed(seed);
    let token = servers.token();
    let addresses = servers.addresses();
    let over = Arc::new(AtomicBool::new(false));
    let acknowledged: Acknowledged = Arc::default();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (end, ended) = tokio::sync::watch::channel(None);
    let following = tokio::spawn(follow(
        Arc::clone(&addresses),
        token.clone(),
        Arc::clone(&seen),
        ended,
        draw.fork(),
    ));
    while !seen.lock().unwrap().has_begun() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut writing = Vec::new();
    for writer in 0..3 {
        writing.push(tokio::spawn(write(
            writer,
            Arc::clone(&addresses),
            token.clone(),
            Arc::clone(&over),
            Arc::clone(&acknowledged),
            draw.fork(),
        )));
    }
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(draw.u64(100..700))).await;
        let which = draw.usize(..servers.count());
        tokio::task::block_in_place(|| servers.kill_and_start(which));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    over.store(true, Ordering::Relaxed);
    for one in writing {
        one.await.unwrap();
    }
    let address = addresses.lock().unwrap()[0].clone();
    let (sequence, listed) = call(&address, &token).list().await.unwrap();
    end.send(Some(sequence)).unwrap();
    following.await.unwrap();
    let seen = seen.lock().unwrap();
    let acknowledged = acknowledged.lock().unwrap();
    let (puts, connections) = (seen.delivered.len(), seen.connections);
    println!(
        "{} acknowledged, {puts} delivered, {connections} connections",
        acknowledged.len()
    );
    assert_eq!(seen.wrong, [""; 0], "seed {seed}");
    let missing: BTreeSet<_> = acknowledged.difference(&seen.delivered).collect();
    assert!(
        missing.is_empty(),
        "seed {seed}: {} missing, {missing:?}",
        missing.len()
    );
    let have: BTreeMap<_, _> = seen
        .have
        .iter()
        .map(|(id, (revision, _))| (id, revision))
        .collect();
    let is: BTreeMap<_, _> = listed.iter().collect();
    assert_eq!(have, is, "seed {seed}");
    assert!(acknowledged.len() > 50 && seen.connections > 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_misses_nothing_though_its_server_is_killed_again_and_again() {
    let servers = tokio::task::block_in_place(|| Servers::start(None, 1));
    killed_again_and_again(servers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_goes_from_one_server_to_the_other_and_misses_nothing() {
    let servers = tokio::task::block_in_place(|| {
        let url = shared_postgres();
        let mark = if url.contains('?') { '&' } else { '?' };
        Servers::start(Some(format!("{url}{mark}schema={}", fresh_name())), 2)
    });
    killed_again_and_again(servers).await;
}
