//! Watches while connections break and the server is killed: no gap, no duplicate.

use crate::flapping::Proxy;
use crate::{apps, stage};
use coeval_client::{
    ChangedResource, ClientErrorKind, FollowEvent, Resource, ResourceQuery, Resources, WatchEvent,
};
use futures::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::block_in_place;

/// Raises the number of one again and again; the number that it has then.
async fn raise(
    apps: Resources,
    name: &'static str,
    stop: Arc<AtomicBool>,
    raised: Arc<AtomicU64>,
) -> u64 {
    loop {
        let written = apps.update_with(name, |app| {
            let number = app.spec["replicas"].as_u64().unwrap();
            app.spec["replicas"] = (number + 1).into();
        });
        match written.await {
            Ok(_) => {
                raised.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => assert_ne!(error.kind(), ClientErrorKind::Invalid, "{error:?}"),
        }
        if stop.load(Ordering::Relaxed) {
            let there = apps.get(name).await.unwrap();
            return there.spec["replicas"].as_u64().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn number(resource: &Resource) -> u64 {
    resource.spec["replicas"].as_u64().unwrap()
}

fn new(name: &str) -> Resource {
    Resource::new("app", "v1", name, json!({"image": "a", "replicas": 0}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_watch_has_no_gap_and_no_duplicate_over_breaks_and_restarts() {
    let (mut world, token) = block_in_place(stage);
    let steady = Proxy::before(world.address(), 0).await;
    let proxy = Proxy::before(world.address(), fastrand::u64(..)).await;
    proxy.breaks(true);
    let writer = apps(&steady.address(), &token);
    writer.create(&new("web")).await.unwrap();
    let mut watch = apps(&proxy.address(), &token).watch(&ResourceQuery::default(), None);
    let first = watch.next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Live { .. }), "{first:?}");
    let (stop, raised) = (Arc::new(AtomicBool::new(false)), Arc::default());
    let last = tokio::spawn(raise(writer, "web", stop.clone(), Arc::clone(&raised)));
    let told = tokio::spawn(async move {
        let mut told = Vec::new();
        loop {
            match watch.next().await.unwrap().unwrap() {
                WatchEvent::Live { .. } => panic!("told twice that it is live"),
                WatchEvent::Bookmark { .. } => {}
                WatchEvent::Changes { changes, .. } => {
                    for change in changes {
                        let ChangedResource::Put(app) = change else {
                            panic!("{change:?}");
                        };
                        told.push(number(&app));
                        if app.metadata.labels.contains_key("last") {
                            return told;
                        }
                    }
                }
            }
        }
    });
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        block_in_place(|| world.restart_with(&[]));
        steady.leads_to(world.address());
        proxy.leads_to(world.address());
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    stop.store(true, Ordering::Relaxed);
    let last = last.await.unwrap();
    proxy.breaks(false);
    let direct = apps(world.address(), &token);
    let end = direct.update_with("web", |app| {
        app.metadata.labels.insert("last".into(), "yes".into());
    });
    end.await.unwrap();
    let told = tokio::time::timeout(Duration::from_secs(10), told);
    let told = told.await.unwrap().unwrap();
    println!("{} told, {} broken", told.len(), proxy.broken());
    let mut expected: Vec<_> = (1..=last).collect();
    expected.push(last);
    assert_eq!(told, expected);
    assert!(last > 20 && proxy.broken() > 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn following_begins_with_all_and_tells_every_change_once() {
    let (world, token) = block_in_place(stage);
    let direct = apps(world.address(), &token);
    let names = ["a", "b", "c", "d", "e"];
    for name in names {
        direct.create(&new(name)).await.unwrap();
    }
    let proxy = Proxy::before(world.address(), fastrand::u64(..)).await;
    proxy.breaks(true);
    let (stop, raised) = (Arc::new(AtomicBool::new(false)), Arc::default());
    let raising = names.map(|name| {
        let raising = raise(direct.clone(), name, stop.clone(), Arc::clone(&raised));
        tokio::spawn(raising)
    });
    // Pages that others write between.
    let query = ResourceQuery {
        page_size: 1,
        ..ResourceQuery::default()
    };
    let mut followed = apps(&proxy.address(), &token).follow(&query);
    let mut there: BTreeMap<String, u64> = BTreeMap::new();
    let (mut resets, mut last) = (0, None);
    let begun = std::time::Instant::now();
    let mut raising = Some(raising);
    loop {
        let next = tokio::time::timeout(Duration::from_secs(10), followed.next());
        match next.await.unwrap().unwrap().unwrap() {
            FollowEvent::Reset { resources, .. } => {
                resets += 1;
                let all = resources
                    .iter()
                    .map(|app| (app.metadata.name.clone(), number(app)));
                there = all.collect();
            }
            FollowEvent::Bookmark { .. } => {}
            FollowEvent::Changes { changes, .. } => {
                for change in changes {
                    let ChangedResource::Put(app) = change else {
                        panic!("{change:?}");
                    };
                    let before = there.insert(app.metadata.name.clone(), number(&app));
                    assert_eq!(before, Some(number(&app) - 1), "{}", app.metadata.name);
                }
            }
        }
        if begun.elapsed() > Duration::from_secs(3)
            && let Some(raising) = raising.take()
        {
            stop.store(true, Ordering::Relaxed);
            let mut end = BTreeMap::new();
            for (name, one) in names.into_iter().zip(raising) {
                end.insert(name.to_owned(), one.await.unwrap());
            }
            last = Some(end);
        }
        if last.as_ref() == Some(&there) {
            break;
        }
    }
    println!("{resets} resets, {} broken, {there:?}", proxy.broken());
    assert_eq!(resets, 1);
}
