//! Writes whose answers are lost: each ends as what happened, or as not known.

use crate::older_server::Passing;
use crate::{apps, stage};
use coeval_client::{ClientErrorKind, Resource};
use serde_json::json;
use tokio::task::block_in_place;

fn new(name: &str) -> Resource {
    Resource::new("app", "v1", name, json!({"image": "a", "replicas": 0}))
}

fn raise(app: &mut Resource) {
    let number = app.spec["replicas"].as_u64().unwrap();
    app.spec["replicas"] = (number + 1).into();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_found_after_its_answer_was_lost() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    let mut web = apps.create(&new("web")).await.unwrap().resource;
    raise(&mut web);
    passing.loses("UpdateResource");
    let written = apps.update(&web).await.unwrap();
    assert!(written.warning.is_some(), "{written:?}");
    assert_eq!(written.resource.spec["replicas"], 1);

    // Setting a field to a value is the same however often it is done.
    passing.loses("UpdateResource");
    let set = |app: &mut Resource| app.spec["image"] = "b".into();
    assert_eq!(
        apps.update_with("web", set).await.unwrap().resource.spec["image"],
        "b"
    );

    // Raising a number is not: it may be that of another client of this user.
    passing.loses("UpdateResource");
    let unknown = apps.update_with("web", raise).await.unwrap_err();
    assert_eq!(
        unknown.kind(),
        ClientErrorKind::UnknownOutcome,
        "{unknown:?}"
    );
    assert_eq!(unknown.said_code(), "COEVAL-4009");

    // A mark tells.
    passing.loses("UpdateResource");
    let marked = apps.clone().marking("write");
    assert_eq!(
        marked
            .update_with("web", raise)
            .await
            .unwrap()
            .resource
            .spec["replicas"],
        3
    );
    let kept = apps.revisions("web").await.unwrap().revisions;
    let numbers: Vec<_> = kept
        .iter()
        .map(|one| one.resource.spec["replicas"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 2, 1, 1, 0], "each once");
    assert_eq!(passing.called("UpdateResource"), 4, "none was sent twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_changes_nothing_is_not_sent() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    let made = apps.create(&new("web")).await.unwrap().resource;
    let same = apps.update_with("web", |_| ()).await.unwrap();
    assert_eq!(same.resource.metadata.revision, made.metadata.revision);
    assert_eq!(passing.called("UpdateResource"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_read_again_and_told_by_a_plain_update() {
    let (world, token) = block_in_place(stage);
    let apps = apps(world.address(), &token);
    let mut stale = apps.create(&new("web")).await.unwrap().resource;
    let mut first = true;
    let other = apps.clone();
    let written = apps.update_with("web", |app| {
        if std::mem::take(&mut first) {
            let raised = other.update_with("web", raise);
            block_in_place(|| tokio::runtime::Handle::current().block_on(raised)).unwrap();
        }
        raise(app);
    });
    assert_eq!(written.await.unwrap().resource.spec["replicas"], 2);
    raise(&mut stale);
    let error = apps.update(&stale).await.unwrap_err();
    assert_eq!(error.kind(), ClientErrorKind::Conflict, "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_whose_answer_was_lost_is_ours_if_it_is_marked() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    passing.loses("CreateResource");
    let unknown = apps.create(&new("plain")).await.unwrap_err();
    assert_eq!(
        unknown.kind(),
        ClientErrorKind::UnknownOutcome,
        "{unknown:?}"
    );
    passing.loses("CreateResource");
    let marked = apps.clone().marking("write");
    assert!(marked.create(&new("marked")).await.unwrap().created);
    let exists = marked.create(&new("marked")).await.unwrap_err();
    assert_eq!(exists.kind(), ClientErrorKind::Exists, "{exists:?}");
    // One that is another's for sure.
    passing.loses("CreateResource");
    let other = Resource::new("app", "v1", "marked", json!({"image": "z"}));
    let exists = apps.create(&other).await.unwrap_err();
    assert_eq!(exists.kind(), ClientErrorKind::Exists, "{exists:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_overwrite_others_is_not_sent_again() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    passing.loses("UpsertResource");
    let unknown = apps.upsert(&new("web")).await.unwrap_err();
    assert_eq!(
        unknown.kind(),
        ClientErrorKind::UnknownOutcome,
        "{unknown:?}"
    );
    assert_eq!(passing.called("UpsertResource"), 1);
    passing.loses("UpdateResource");
    let unknown = apps.update_fields(&new("web"), &["spec.image"]).await;
    assert_eq!(unknown.unwrap_err().kind(), ClientErrorKind::UnknownOutcome);
    assert_eq!(passing.called("UpdateResource"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_is_gone_though_the_answer_was_lost() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    for conditional in [true, false] {
        let made = apps.create(&new("web")).await.unwrap().resource;
        let revision = if conditional {
            made.metadata.revision
        } else {
            String::new()
        };
        passing.loses("DeleteResource");
        assert_eq!(apps.delete("web", &revision).await.unwrap(), None);
        let gone = apps.delete("web", &revision).await.unwrap_err();
        assert_eq!(gone.kind(), ClientErrorKind::NotFound, "{gone:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_are_repeated() {
    let (world, token) = block_in_place(stage);
    let passing = Passing::before(world.address()).await;
    let apps = apps(passing.address(), &token);
    apps.create(&new("web")).await.unwrap();
    for _ in 0..3 {
        passing.loses("GetResource");
    }
    assert_eq!(apps.get("web").await.unwrap().spec["image"], "a");
    assert_eq!(passing.called("GetResource"), 4);
}
