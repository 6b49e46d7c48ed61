//! The generic watch: what is told, to whom, from where, and how it ends.

use crate::calls::{app, refused};
use crate::world::World;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::header::v1::WatchKind;
use coeval_grpc::proto::resources::v1 as pb;
use coeval_grpc::proto::tasks::v1 as tasks;
use pb::resource_change::Change;
use serde_json::json;
use std::time::Duration;
use tonic::{Code, Status, Streaming};

type Told = Streaming<pb::WatchResourcesResponse>;

async fn watch(world: &World, token: &str, asked: pb::WatchResourcesRequest) -> Told {
    let asked = pb::WatchResourcesRequest {
        kind: "app".into(),
        ..asked
    };
    let told = world.by(token).resources().watch_resources(asked).await;
    let mut told = told.unwrap().into_inner();
    let first = told.message().await.unwrap().unwrap();
    assert_eq!(first.kind(), WatchKind::Live, "always first");
    told
}

/// The next that is no bookmark: the sequence, and what happened.
async fn next(told: &mut Told) -> Result<(String, Vec<Change>), Status> {
    let waiting = async {
        loop {
            let Some(one) = told.message().await? else {
                return Err(Status::cancelled("ended without a word"));
            };
            if one.kind() == WatchKind::Changes {
                let changes = one.changes.into_iter().map(|one| one.change.unwrap());
                return Ok((one.sequence, changes.collect()));
            }
        }
    };
    let limit = Duration::from_secs(20);
    tokio::time::timeout(limit, waiting).await.unwrap()
}

/// Its name and version, if it is one put.
fn put(changes: &[Change]) -> (&str, &str) {
    let [Change::Put(resource)] = changes else {
        panic!("{changes:?}");
    };
    (&resource.metadata.as_ref().unwrap().name, &resource.version)
}

pub(crate) async fn a_watch_tells_each_change_once_and_resumes_from_its_sequence(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let mut told = watch(&world, &alice, Default::default()).await;
    let at_one = pb::WatchResourcesRequest {
        version: "v1".into(),
        ..Default::default()
    };
    let mut old = watch(&world, &alice, at_one).await;
    let made = by.create("v1.1", "web", json!({"image": "a", "region": "eu"}));
    let made = made.await.unwrap();
    let (first, changes) = next(&mut told).await.unwrap();
    assert_eq!(put(&changes), ("web", "v1.1"));
    let Change::Put(shown) = &changes[0] else {
        panic!("{changes:?}");
    };
    assert_eq!(*shown, made, "as an answer to a read says it");
    let (_, changes) = next(&mut old).await.unwrap();
    let (name, version) = put(&changes);
    let lowered = "v1+downgraded";
    assert_eq!(
        (name, version),
        ("web", lowered),
        "at the version asked for"
    );
    by.create("v1", "other", json!({"image": "b"}))
        .await
        .unwrap();
    by.delete("web", "").await.unwrap();
    // Another watch, of another server where there are two, goes on from the first change.
    let resumed = pb::WatchResourcesRequest {
        from: first,
        ..Default::default()
    };
    let mut resumed = watch(&world, &alice, resumed).await;
    for told in [&mut told, &mut resumed] {
        let (_, changes) = next(told).await.unwrap();
        assert_eq!(put(&changes), ("other", "v1"));
        let (_, changes) = next(told).await.unwrap();
        let id = made.metadata.as_ref().unwrap().id.clone();
        assert!(
            matches!(&changes[..], [Change::Deleted(gone)] if gone.id == id),
            "{changes:?}"
        );
    }
}

pub(crate) async fn what_no_longer_matches_is_told_as_left(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let asked = pb::WatchResourcesRequest {
        filter: "spec.image==a*".into(),
        name_prefix: "w".into(),
        ..Default::default()
    };
    let mut told = watch(&world, &alice, asked).await;
    by.create("v1", "other", json!({"image": "a"}))
        .await
        .unwrap();
    let made = by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    assert_eq!(put(&next(&mut told).await.unwrap().1), ("web", "v1"));
    let mut changed = made.clone();
    changed.spec = "{\"image\":\"b\"}".into();
    by.update(changed).await.unwrap();
    let (_, changes) = next(&mut told).await.unwrap();
    let id = made.metadata.unwrap().id;
    assert!(
        matches!(&changes[..], [Change::Left(left)] if left.id == id),
        "{changes:?}"
    );
}

pub(crate) async fn a_watch_ends_with_the_session_that_it_was_opened_with(mut world: World) {
    world.add_app();
    let (alice, again) = (world.login("alice@acme"), world.login("alice@acme"));
    let mut told = watch(&world, &alice, Default::default()).await;
    let mut other = watch(&world, &again, Default::default()).await;
    // A task that does not end: one of a creation that nobody resolves.
    let path = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.0.0";
    let new = json!({"name": "slow", "entity": {"image": "a"}});
    let reply = world.post(path).by(&alice).json(&new).send();
    let task = reply.header("location").rsplit('/').next().unwrap();
    let asked = tasks::WatchTaskRequest { id: task.into() };
    let going = world.by(&alice).tasks().watch_task(asked).await;
    let mut going = going.unwrap().into_inner();
    going.message().await.unwrap().unwrap();
    for told in [&mut told, &mut other] {
        assert_eq!(put(&next(told).await.unwrap().1).0, "slow");
    }
    let sessions = world
        .by(&alice)
        .sessions()
        .logout(access::LogoutRequest {})
        .await;
    sessions.unwrap();
    let limit = Duration::from_secs(20);
    let ended = tokio::time::timeout(limit, next(&mut told)).await.unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::Unauthenticated);
    let ended = tokio::time::timeout(limit, going.message()).await.unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::Unauthenticated);
    world
        .by(&again)
        .create("v1", "web", json!({"image": "a"}))
        .await
        .unwrap();
    assert_eq!(
        put(&next(&mut other).await.unwrap().1).0,
        "web",
        "others go on"
    );
}

pub(crate) async fn a_sequence_of_nowhere_is_refused(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    for (from, code, number) in [
        ("nonsense".to_owned(), Code::InvalidArgument, 8006),
        (
            format!("{}{:016x}", "0".repeat(32), 1),
            Code::OutOfRange,
            6081,
        ),
    ] {
        let asked = pb::WatchResourcesRequest {
            kind: "app".into(),
            from,
            ..Default::default()
        };
        let told = world.by(&alice).resources().watch_resources(asked).await;
        // Refused at once, or with the first that is told.
        let told = match told {
            Err(status) => Err(status),
            Ok(told) => told.into_inner().message().await,
        };
        refused(told, code, number);
    }
    let none = pb::WatchResourcesRequest {
        kind: app("v1", "x", json!({})).kind + "s",
        ..Default::default()
    };
    let told = world.by(&alice).resources().watch_resources(none).await;
    refused(told.map(|_| ()), Code::NotFound, 8016);
}
