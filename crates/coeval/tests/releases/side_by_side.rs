//! Servers of both releases at once on one store: writers and watches through either.

use crate::installation::{Installation, Server, register_types};
use crate::release::{BOTH, Release};
use coeval_client::{ChangedResource, Client, Resource, ResourceQuery, WatchEvent};
use futures::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::task::{JoinHandle, block_in_place};

/// Resources that have one writer each, which alternates between the servers.
const WRITERS: usize = 4;
/// Changes of each of them.
const CHANGES: i64 = 25;
/// The resource that ends every watch.
const LAST: &str = "last";

/// What a watch told: the sequence, and each change as `name number` or `id gone`.
type Told = Vec<(String, Vec<String>)>;

/// Watches until the last resource is there.
async fn watched(client: Client) -> JoinHandle<Told> {
    let mut watch = client
        .resources("app")
        .watch(&ResourceQuery::default(), None);
    let first = watch.next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Live { .. }), "{first:?}");
    tokio::spawn(async move {
        let mut names = BTreeMap::new();
        let mut told = Told::new();
        while let Some(next) = watch.next().await {
            let WatchEvent::Changes { sequence, changes } = next.unwrap() else {
                continue;
            };
            let said = changes.into_iter().map(|change| match change {
                ChangedResource::Put(app) => {
                    let name = app.metadata.name.clone();
                    names.insert(app.metadata.id.clone(), name.clone());
                    format!("{name} {}", app.spec["replicas"])
                }
                ChangedResource::Deleted { id, .. } => format!("{} gone", names[&id]),
                other => panic!("{other:?}"),
            });
            let said: Vec<String> = said.collect();
            let is_last = said.iter().any(|one| one.starts_with(LAST));
            told.push((sequence, said));
            if is_last {
                return told;
            }
        }
        panic!("the watch ended");
    })
}

/// Creates one, changes it by turns through both servers and at both versions, and deletes it.
async fn write(clients: [Client; 2], number: usize) {
    let apps = |turn: usize| {
        let version = ["1.0", "1.1"][turn / 2 % 2];
        clients[turn % 2].resources("app").understanding(version)
    };
    let name = format!("app-{number}");
    let spec = json!({"image": "a", "replicas": 0, "region": "eu"});
    let new = Resource::new("app", "v1.1", &name, spec);
    apps(number).create(&new).await.unwrap();
    let mut turn = number;
    for value in 1..=CHANGES {
        turn += 1;
        let apps = apps(turn);
        let changed = apps.update_with(&name, |app| {
            assert_eq!(app.spec["replicas"], value - 1, "a read that is too old");
            app.spec["replicas"] = value.into();
        });
        changed.await.unwrap();
    }
    let whole = clients[turn % 2].resources("app").get(&name).await.unwrap();
    assert_eq!(whole.spec["region"], "eu", "a field was lost");
    apps(turn + 1)
        .delete(&name, &whole.metadata.revision)
        .await
        .unwrap();
}

/// Raises what all raise.
async fn raise(client: Client, raised: Arc<AtomicI64>) {
    let apps = client.resources("app");
    for _ in 0..CHANGES {
        let changed = apps.update_with("shared", |app| {
            let number = app.spec["replicas"].as_i64().unwrap();
            app.spec["replicas"] = (number + 1).into();
        });
        changed.await.unwrap();
        raised.fetch_add(1, Ordering::Relaxed);
    }
}

async fn write_and_watch(on: Installation) {
    let servers: Vec<Server> = block_in_place(|| BOTH.map(|release| on.start(release)).into());
    let (admin, alice) = block_in_place(|| {
        for (server, release) in servers.iter().zip(BOTH) {
            server.is_of(release);
        }
        let admin = servers[0].log_in("administrator", "System");
        register_types(&on, Release::Current, &servers[0], &admin);
        // A session of one server is one of the other.
        (admin, servers[1].log_in("alice", "acme"))
    });
    let clients = || [servers[0].client(&alice), servers[1].client(&alice)];
    let shared = json!({"image": "a", "replicas": 0});
    let shared = Resource::new("app", "v1", "shared", shared);
    clients()[0].resources("app").create(&shared).await.unwrap();
    let [first, second] = clients();
    let watches = [watched(first).await, watched(second).await];
    let raised = Arc::new(AtomicI64::new(0));
    let mut working = Vec::new();
    for number in 0..WRITERS {
        working.push(tokio::spawn(write(clients(), number)));
    }
    for client in clients() {
        working.push(tokio::spawn(raise(client, Arc::clone(&raised))));
    }
    for work in working {
        work.await.unwrap();
    }
    let last = Resource::new("app", "v1", LAST, json!({"image": "a", "replicas": 0}));
    clients()[1].resources("app").create(&last).await.unwrap();
    let mut told = Vec::new();
    for watch in watches {
        let one = tokio::time::timeout(Duration::from_secs(20), watch).await;
        told.push(one.expect("a watch does not come to its end").unwrap());
    }
    assert_eq!(told[0], told[1], "the servers tell different histories");
    let said: Vec<&String> = told[0].iter().flat_map(|(_, said)| said).collect();
    let of = |name: &str| -> Vec<String> {
        let own = said.iter().filter_map(|one| one.strip_prefix(name));
        own.map(|one| one.trim().to_owned()).collect()
    };
    for number in 0..WRITERS {
        let mut expected: Vec<String> = (0..=CHANGES).map(|value| value.to_string()).collect();
        expected.push("gone".to_owned());
        assert_eq!(of(&format!("app-{number} ")), expected);
    }
    let raised = raised.load(Ordering::Relaxed);
    let expected: Vec<String> = (1..=raised).map(|value| value.to_string()).collect();
    assert_eq!(of("shared "), expected);
    println!("{} changes told by both", said.len());
    for client in clients() {
        let shared = client.resources("app").get("shared").await.unwrap();
        assert_eq!(shared.spec["replicas"], raised);
    }
    block_in_place(|| {
        for server in &servers {
            let alive = server.get("servers", &admin);
            let alive = alive["items"].as_array().unwrap().iter();
            let mut releases: Vec<_> = alive.map(|one| one["release"].clone()).collect();
            releases.sort_by_key(ToString::to_string);
            assert_eq!(releases, BOTH.map(|release| json!(release.number())));
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn previous_and_current_servers_tell_one_history_on_postgres() {
    write_and_watch(Installation::on_postgres()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn previous_and_current_servers_tell_one_history_on_etcd() {
    write_and_watch(Installation::on_etcd()).await;
}
