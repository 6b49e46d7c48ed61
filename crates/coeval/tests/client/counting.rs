//! A counter that several clients raise while connections break and the server is killed: no update
//! is lost, none is made twice.

use crate::flapping::Proxy;
use crate::{apps, stage};
use coeval_client::{ClientErrorKind, Resource, Resources};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::block_in_place;

/// What the clients were told.
#[derive(Debug, Default)]
struct Told {
    done: AtomicU64,
    /// Of those, how many were found out after their answer was lost.
    found: AtomicU64,
    unknown: AtomicU64,
    refused: AtomicU64,
}

async fn raise(apps: Resources, told: Arc<Told>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let raised = apps.update_with("counter", |app| {
            let number = app.spec["replicas"].as_u64().unwrap();
            app.spec["replicas"] = (number + 1).into();
        });
        let count = match raised.await {
            Ok(written) => {
                if written.warning.is_some() {
                    told.found.fetch_add(1, Ordering::Relaxed);
                }
                &told.done
            }
            Err(error) if error.kind() == ClientErrorKind::UnknownOutcome => &told.unknown,
            Err(error) => {
                let expected = [
                    ClientErrorKind::Unavailable,
                    ClientErrorKind::TimedOut,
                    ClientErrorKind::Conflict,
                ];
                assert!(expected.contains(&error.kind()), "{error:?}");
                &told.refused
            }
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

async fn count(mark: Option<&str>, seed: u64) {
    let (mut world, token) = block_in_place(stage);
    let new = Resource::new("app", "v1", "counter", json!({"image": "a", "replicas": 0}));
    let direct = apps(world.address(), &token);
    direct.create(&new).await.unwrap();
    let proxy = Proxy::before(world.address(), seed).await;
    proxy.breaks(true);
    let (told, stop) = (Arc::new(Told::default()), Arc::new(AtomicBool::new(false)));
    let mut raising = Vec::new();
    for _ in 0..4 {
        let mut apps = apps(&proxy.address(), &token);
        if let Some(label) = mark {
            apps = apps.marking(label);
        }
        raising.push(tokio::spawn(raise(apps, told.clone(), stop.clone())));
    }
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        proxy.refuses(true);
        tokio::time::sleep(Duration::from_millis(200)).await;
        proxy.refuses(false);
        tokio::time::sleep(Duration::from_millis(500)).await;
        // With SIGKILL.
        block_in_place(|| world.restart_with(&[]));
        proxy.leads_to(world.address());
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    stop.store(true, Ordering::Relaxed);
    proxy.breaks(false);
    for one in raising {
        one.await.unwrap();
    }
    let there = apps(world.address(), &token).get("counter").await.unwrap();
    let there = there.spec["replicas"].as_u64().unwrap();
    println!("{there} is there; {told:?}; {} broken", proxy.broken());
    let (done, unknown) = (
        told.done.load(Ordering::Relaxed),
        told.unknown.load(Ordering::Relaxed),
    );
    assert!(there >= done, "an update was lost: {there} of {done}");
    assert!(
        there <= done + unknown,
        "an update was made twice: {there} of {done} and {unknown}"
    );
    assert!(proxy.broken() > 20 && done > 20, "{told:?}");
    if mark.is_some() {
        assert!(told.found.load(Ordering::Relaxed) > 0, "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_is_lost_or_made_twice() {
    count(None, fastrand::u64(..)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn marked_updates_are_found_after_their_answers_were_lost() {
    count(Some("write"), fastrand::u64(..)).await;
}
