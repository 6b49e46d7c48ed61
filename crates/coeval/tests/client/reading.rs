//! Listing, versions, and a history that was replaced.

use crate::flapping::Proxy;
use crate::{apps, client, stage};
use coeval_client::{
    ChangedResource, Client, ClientErrorKind, ListItem, Resource, ResourceQuery, Spec, WatchEvent,
};
use futures::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;
use tokio::task::block_in_place;

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_one_stream_and_a_watch_goes_on_from_them() {
    let (world, token) = block_in_place(stage);
    let apps = apps(world.address(), &token);
    let names = ["a", "b", "c", "d", "e"];
    for name in names {
        let new = Resource::new("app", "v1", name, json!({"image": name}));
        apps.create(&new).await.unwrap();
    }
    let query = ResourceQuery {
        page_size: 2,
        order_by: "name".into(),
        filter: "name!=c".into(),
        ..ResourceQuery::default()
    };
    let listed: Vec<_> = apps.list(&query).try_collect().await.unwrap();
    let listed = listed.iter().map(|one| match one {
        ListItem::Resource(app) => app.metadata.name.as_str(),
        ListItem::Quarantined { id, .. } => panic!("{id}"),
    });
    assert_eq!(listed.collect::<Vec<_>>(), ["a", "b", "d", "e"]);
    let all = apps.list_all(&query).await.unwrap();
    assert_eq!(all.resources.len(), 4);
    apps.delete("d", "").await.unwrap();
    let mut watch = apps.watch(&query, Some(all.sequence));
    assert!(matches!(
        watch.next().await,
        Some(Ok(WatchEvent::Live { .. }))
    ));
    loop {
        match watch.next().await.unwrap().unwrap() {
            WatchEvent::Changes { changes, .. } => {
                let gone = &all.resources[2].metadata.id;
                assert!(
                    matches!(&changes[..], [ChangedResource::Deleted { id, .. }] if id == gone)
                );
                break;
            }
            other => assert!(matches!(other, WatchEvent::Bookmark { .. })),
        }
    }
    let bad = ResourceQuery {
        filter: "((".into(),
        ..ResourceQuery::default()
    };
    let all: Vec<_> = apps.list(&bad).collect().await;
    assert_eq!(all.len(), 1, "nothing after an error");
    assert_eq!(
        all[0].as_ref().unwrap_err().kind(),
        ClientErrorKind::Invalid
    );
}

#[derive(Debug, Serialize, Deserialize)]
struct App {
    image: String,
}

impl Spec for App {
    const KIND: &'static str = "acme:app";
    const VERSION: &'static str = "v1";
}

/// The same, of a program that names a version that its type is older than.
#[derive(Debug, Serialize, Deserialize)]
struct Newer {
    image: String,
}

impl Spec for Newer {
    const KIND: &'static str = "acme:app";
    const VERSION: &'static str = "v1.1";
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_program_s_save_keeps_what_it_can_t_see() {
    let (world, token) = block_in_place(stage);
    let client = client(world.address(), &token);
    let apps = client.resources("app");
    let stored = json!({"image": "a", "region": "eu", "replicas": 2});
    let new = Resource::new("app", "v1.1", "web", stored);
    apps.create(&new).await.unwrap();

    let old = client.typed::<App>();
    let seen = old.get("web").await.unwrap();
    assert_eq!(seen.version, "v1+downgraded");
    let written = old.update_with("web", |app| app.spec.image = "b".into());
    assert_eq!(written.await.unwrap().kept, ["/region"]);
    let newer = client.typed::<Newer>();
    newer
        .update_with("web", |app| app.spec.image.push('c'))
        .await
        .unwrap();
    let there = apps.get("web").await.unwrap();
    let expected = json!({"image": "bc", "region": "eu", "replicas": 2});
    assert_eq!((there.version.as_str(), there.spec), ("v1.1", expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_was_replaced_is_told_once() {
    let (world, token) = block_in_place(stage);
    let (restored, _) = block_in_place(stage);
    let proxy = Proxy::before(world.address(), 0).await;
    let client = client(&proxy.address(), &token);
    let apps = client.resources("app");
    let new = Resource::new("app", "v1", "web", json!({"image": "a"}));
    apps.create(&new).await.unwrap();
    let seen = client.sequence().unwrap();
    // The same address leads to another store from now on.
    proxy.leads_to(restored.address());
    drop(world);
    client.log_in("alice", "acme", "secret").await.unwrap();
    let told = apps.get("web").await.unwrap_err();
    assert_eq!(told.kind(), ClientErrorKind::Restored, "{told:?}");
    let gone = apps.get("web").await.unwrap_err();
    assert_eq!(gone.kind(), ClientErrorKind::NotFound, "{gone:?}");
    apps.create(&new).await.unwrap();
    assert_ne!(client.sequence().unwrap()[..32], seen[..32]);
}

#[tokio::test]
async fn no_server_is_an_error_with_a_code_in_time() {
    let client = Client::builder("http://127.0.0.1:9");
    let client = client.timeout(Duration::from_secs(1)).build().unwrap();
    let begun = std::time::Instant::now();
    let error = client.resources("app").get("web").await.unwrap_err();
    assert_eq!(
        (error.kind(), error.said_code().as_str()),
        (ClientErrorKind::Unavailable, "COEVAL-8090")
    );
    assert!(begun.elapsed() < Duration::from_secs(3));
    for address in ["", "127.0.0.1:9", "ftp://a", "http://"] {
        let error = Client::builder(address).build().unwrap_err();
        assert_eq!(error.said_code(), "COEVAL-8093", "{address} {error}");
    }
}

/// A type that not every app fits.
#[derive(Debug, Serialize, Deserialize)]
struct Strict {
    replicas: u32,
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_a_type_can_t_hold_hides_no_other() {
    let (world, token) = block_in_place(stage);
    let client = client(world.address(), &token);
    for (name, spec) in [
        ("a", json!({"image": "a"})),
        ("b", json!({"image": "b"})),
        ("c", json!({"image": "c", "replicas": 3})),
    ] {
        let new = Resource::new("app", "v1", name, spec);
        client.resources("app").create(&new).await.unwrap();
    }
    let query = ResourceQuery {
        page_size: 1,
        order_by: "name".into(),
        ..ResourceQuery::default()
    };
    let strict = client.resources_as::<Strict>("app");
    let listed: Vec<_> = strict.list(&query).try_collect().await.unwrap();
    let [
        ListItem::Quarantined { code, .. },
        ListItem::Quarantined { .. },
        ListItem::Resource(last),
    ] = &listed[..]
    else {
        panic!("{listed:?}");
    };
    assert_eq!((code.as_str(), last.spec.replicas), ("COEVAL-8091", 3));
    let all = strict.list_all(&query).await.unwrap();
    assert_eq!((all.resources.len(), all.quarantined.len()), (1, 2));
}
