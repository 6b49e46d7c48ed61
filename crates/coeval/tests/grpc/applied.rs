//! What a file declared last: who sets it, what leaves it alone, and who is told.

use crate::calls::{By, app, meta, refused, spec};
use crate::stage::at;
use crate::world::World;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use tonic::{Code, Status};

fn declaring(paths: &[&str]) -> Option<pb::Applied> {
    Some(pb::Applied {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        // The server's own to say.
        generation: 99,
        version: "v9".to_owned(),
    })
}

/// The paths and the generation, if there are any.
async fn declared(by: &By<'_>) -> Option<(Vec<String>, u64)> {
    let found = by.found("web", "").await.unwrap();
    let applied = found.applied?;
    assert_eq!(applied.version, "v1", "that of the body");
    Some((applied.paths, applied.generation))
}

fn of(paths: &[&str], generation: u64) -> Option<(Vec<String>, u64)> {
    let paths = paths.iter().map(|&path| path.to_owned());
    Some((paths.collect(), generation))
}

async fn create(by: &By<'_>, applied: Option<pb::Applied>) -> Result<pb::Resource, Status> {
    let asked = pb::CreateResourceRequest {
        resource: Some(app("v1", "web", json!({"image": "a"}))),
        applied,
        ..Default::default()
    };
    let made = by.resources().create_resource(asked).await?;
    Ok(made.into_inner().resource.unwrap())
}

async fn update(
    by: &By<'_>,
    resource: pb::Resource,
    mask: &[&str],
    applied: Option<pb::Applied>,
) -> Result<pb::Resource, Status> {
    let paths: Vec<_> = mask.iter().map(|&path| path.to_owned()).collect();
    let asked = pb::UpdateResourceRequest {
        resource: Some(resource),
        update_mask: (!paths.is_empty()).then_some(prost_types::FieldMask { paths }),
        applied,
        ..Default::default()
    };
    let done = by.resources().update_resource(asked).await?;
    Ok(done.into_inner().resource.unwrap())
}

pub(crate) async fn what_a_file_declared_stays_until_a_file_declares_again(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let made = create(&by, declaring(&["/image"])).await.unwrap();
    assert_eq!(declared(&by).await, of(&["/image"], 0));
    // Others change it, by whatever way: what was declared stays.
    let mut other = made.clone();
    other.spec = json!({"image": "a", "replicas": 2}).to_string().into();
    let other = by.update(other).await.unwrap().resource.unwrap();
    let masked = app("v1", "web", json!({"replicas": 3}));
    by.patch(masked, &["spec.replicas"]).await.unwrap();
    by.upsert(app("v1.1", "web", json!({"image": "a", "region": "eu"})))
        .await
        .unwrap();
    let status = pb::UpdateResourceStatusRequest {
        kind: "app".into(),
        name: "web".into(),
        message: "m".into(),
        ..Default::default()
    };
    by.resources().update_resource_status(status).await.unwrap();
    let body = json!({"name": "web", "entity": {"image": "rest"}});
    let path = at(&meta(&made).id);
    let put = world.put(&path).by(&alice).json(&body).send();
    assert_eq!(put.status, 200, "{put:?}");
    assert!(!put.text.contains("applied"), "{put:?}");
    let restore = pb::RestoreResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        revision: meta(&other).revision.clone(),
        ..Default::default()
    };
    by.resources().restore_resource(restore).await.unwrap();
    assert_eq!(declared(&by).await, of(&["/image"], 0));
    // With a mask and without one it is declared anew, at the generation that this makes.
    let masked = app("v1", "web", json!({"replicas": 5}));
    let masked = update(
        &by,
        masked,
        &["spec.replicas"],
        declaring(&["/replicas", ""]),
    )
    .await
    .unwrap();
    assert_eq!(declared(&by).await, of(&["/replicas", ""], 7));
    update(&by, masked, &[], declaring(&[])).await.unwrap();
    assert_eq!(declared(&by).await, of(&[], 8));
}

pub(crate) async fn who_may_only_read_is_not_told_what_was_declared(mut world: World) {
    world.add_app();
    world.add_workers();
    let (alice, wanda) = (world.login("alice@acme"), world.login("wanda@acme"));
    let by = world.by(&alice);
    create(&by, None).await.unwrap();
    assert_eq!(declared(&by).await, None);
    let there = by.get("web").await.unwrap();
    update(&by, there, &[], declaring(&["/image"]))
        .await
        .unwrap();
    let member = world.user_id(&wanda);
    for (level, told) in [
        (access::AccessLevel::ReadOnly, None),
        (access::AccessLevel::ReadWrite, of(&["/image"], 1)),
        (access::AccessLevel::FullControl, of(&["/image"], 1)),
    ] {
        let grant = access::GrantAccessRequest {
            kind: "app".into(),
            name: "web".into(),
            member: member.clone(),
            level: level.into(),
            ..Default::default()
        };
        by.access().grant_access(grant).await.unwrap();
        assert_eq!(declared(&world.by(&wanda)).await, told, "{level:?}");
    }
}

pub(crate) async fn what_is_declared_has_limits(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let many = vec!["/a"; 10_001];
    let long = format!("/{}", "a".repeat(256 * 1024));
    for bad in [&many[..], &[&long], &["image"], &["/fine", "/~"]] {
        let told = refused(
            create(&by, declaring(bad)).await,
            Code::InvalidArgument,
            6307,
        );
        // It says which, and does not send it all back.
        assert!(told.message.len() < 200, "{told:?}");
    }
    refused(by.get("web").await, Code::NotFound, 6001);
    create(&by, declaring(&many[1..])).await.unwrap();
    let there = by.get("web").await.unwrap();
    for bad in [&many[..], &[&long], &["image"]] {
        for mask in [&[][..], &["spec.image"]] {
            let mut body = there.clone();
            body.spec = json!({"image": "b"}).to_string().into();
            let outcome = update(&by, body, mask, declaring(bad)).await;
            refused(outcome, Code::InvalidArgument, 6307);
        }
    }
    assert_eq!(spec(&by.get("web").await.unwrap()), json!({"image": "a"}));
    assert_eq!(
        by.found("web", "")
            .await
            .unwrap()
            .applied
            .unwrap()
            .paths
            .len(),
        10_000
    );
    update(&by, there, &[], declaring(&[&long[..long.len() - 1]]))
        .await
        .unwrap();
}
