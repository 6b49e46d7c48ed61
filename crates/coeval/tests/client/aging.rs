//! Servers that give up connections for their age, and stop: a client with watches open, whose calls
//! go on over other connections.

use crate::{client, stage};
use coeval_client::proto::access::v1::WhoAmIRequest;
use coeval_client::{Client, Resource, ResourceQuery, WatchEvent};
use futures::StreamExt;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::block_in_place;

/// Opens a watch, which holds its connection, and counts what it tells.
async fn watched(client: &Client, told: &Arc<AtomicUsize>) {
    let mut watch = client
        .resources("app")
        .watch(&ResourceQuery::default(), None);
    let first = watch.next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Live { .. }), "{first:?}");
    let told = Arc::clone(told);
    tokio::spawn(async move {
        while let Some(next) = watch.next().await {
            if let WatchEvent::Changes { changes, .. } = next.unwrap() {
                told.fetch_add(changes.len(), Ordering::Relaxed);
            }
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_where_connections_are_given_up_for_their_age() {
    let (mut world, token) = block_in_place(stage);
    block_in_place(|| world.restart_with(&["--max-connection-age-seconds", "0.1"]));
    let client = client(world.address(), &token);
    let apps = client.resources("app");
    let told = Arc::default();
    let end = Instant::now() + Duration::from_secs(4);
    let (mut done, mut expected) = (0, 0);
    let mut watches = 0;
    while Instant::now() < end {
        if done % 50 == 0 {
            watched(&client, &told).await;
            watches += 1;
        }
        let name = format!("short-{done}");
        let new = Resource::new("app", "v1", &name, json!({"image": "a", "replicas": 0}));
        apps.create(&new).await.unwrap();
        // Without a revision and by a stub: neither would be tried again if a server could have it.
        apps.delete(&name, "").await.unwrap();
        let me = client.access().who_am_i(WhoAmIRequest::default()).await;
        me.unwrap();
        done += 1;
        expected += 2 * watches;
    }
    let aged = world.get("/metrics").send().text;
    let aged = aged
        .lines()
        .find_map(|line| line.strip_prefix("coeval_http_connections_aged_total "));
    let aged: u64 = aged.unwrap().parse().unwrap();
    println!("{done} rounds over {aged} connections, {watches} watches");
    assert!(aged > 5, "{aged}");
    let late = Instant::now() + Duration::from_secs(10);
    while told.load(Ordering::Relaxed) < expected && Instant::now() < late {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(told.load(Ordering::Relaxed), expected);
}
