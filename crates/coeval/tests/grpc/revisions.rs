//! The kept revisions of a resource: listed, and written again.

use crate::calls::{By, app, meta, refused, spec};
use crate::world::World;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use tonic::{Code, Status};

async fn revisions(by: &By<'_>, version: &str) -> pb::ListRevisionsResponse {
    let asked = pb::ListRevisionsRequest {
        kind: "app".into(),
        name: "web".into(),
        version: version.into(),
        ..Default::default()
    };
    let told = by.resources().list_revisions(asked).await;
    told.unwrap().into_inner()
}

async fn restore(
    by: &By<'_>,
    revision: &str,
    present: &str,
) -> Result<pb::RestoreResourceResponse, Status> {
    let asked = pb::RestoreResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        revision: revision.into(),
        present: present.into(),
        ..Default::default()
    };
    let done = by.resources().restore_resource(asked).await?;
    Ok(done.into_inner())
}

pub(crate) async fn a_kept_revision_is_listed_and_written_again(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "region": "eu"});
    let first = by.create("v1.1", "web", content.clone()).await.unwrap();
    let mut second = first.clone();
    second.spec = json!({"image": "b"}).to_string().into();
    second.metadata.as_mut().unwrap().description = "mine".into();
    let second = by.update(second).await.unwrap().resource.unwrap();

    let all = revisions(&by, "").await;
    assert_eq!(all.quarantined, []);
    let told: Vec<_> = all.revisions.iter().map(|one| one.generation).collect();
    assert_eq!(told, [1, 0]);
    let me = world.user_id(&alice);
    assert!(all.revisions.iter().all(|one| one.modified_by == me));
    let told: Vec<_> = all.revisions.iter().map(|one| &one.resource).collect();
    assert_eq!(told, [&Some(second.clone()), &Some(first.clone())]);
    // Each at a version that is asked for.
    let old = revisions(&by, "v1").await.revisions;
    let old: Vec<_> = old
        .iter()
        .map(|one| one.resource.as_ref().unwrap())
        .collect();
    let contents: Vec<_> = old.iter().map(|one| spec(one)).collect();
    assert_eq!(contents, [json!({"image": "b"}), json!({"image": "a"})]);

    let present = &meta(&second).revision;
    let restored = restore(&by, &meta(&first).revision, present).await.unwrap();
    let restored = restored.resource.unwrap();
    assert_eq!(spec(&restored), content);
    // The content alone: what is said of the resource stays.
    assert_eq!(meta(&restored).description, "mine");
    assert_ne!(meta(&restored).revision, meta(&first).revision);
    assert_eq!(by.get("web").await.unwrap(), restored);
    let all = revisions(&by, "").await.revisions;
    let told: Vec<_> = all.iter().map(|one| one.generation).collect();
    assert_eq!(told, [2, 1, 0]);
}

pub(crate) async fn what_can_t_be_restored_is_refused_and_nothing_changes(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let first = by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let mut second = first.clone();
    second.spec = json!({"image": "b"}).to_string().into();
    let second = by.update(second).await.unwrap().resource.unwrap();
    let (then, now) = (&meta(&first).revision, &meta(&second).revision);
    // Somebody else was faster than the one who read the first.
    let told = refused(restore(&by, then, then).await, Code::Aborted, 6004);
    assert_eq!(&told.current_revision, now);
    refused(restore(&by, then, "nonsense").await, Code::Aborted, 6004);
    for unknown in ["nonsense", &"0".repeat(32)] {
        refused(restore(&by, unknown, now).await, Code::NotFound, 6001);
    }
    let missing = restore(&by, "", now).await.unwrap_err();
    assert_eq!(missing.code(), Code::InvalidArgument);
    let by_other = world.login("oscar@other");
    let by_other = world.by(&by_other);
    refused(restore(&by_other, then, now).await, Code::NotFound, 6001);
    assert_eq!(by.get("web").await.unwrap(), second);
    // A resource of the same name that is made later has no such past.
    by.delete("web", "").await.unwrap();
    refused(restore(&by, then, "").await, Code::NotFound, 6001);
    let again = app("v1", "web", json!({"image": "c"}));
    by.upsert(again).await.unwrap();
    refused(restore(&by, then, "").await, Code::NotFound, 6001);
    assert_eq!(revisions(&by, "").await.revisions.len(), 1);
}
