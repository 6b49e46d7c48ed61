//! Update, its revision, the status, and Delete.

use crate::calls::{app, meta, refused, spec};
use crate::stage::at;
use crate::world::World;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use tonic::Code;

pub(crate) async fn an_update_needs_a_revision_or_a_mask_and_a_stale_one_is_aborted(
    mut world: World,
) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "replicas": 1});
    let first = by.create("v1", "web", content).await.unwrap();
    let mut bare = app("v1", "web", json!({"image": "b"}));
    let told = refused(by.update(bare.clone()).await, Code::InvalidArgument, 6009);
    for word in ["Read", "revision", "upsert", "mask"] {
        assert!(told.advice.contains(word), "{told:?}");
    }
    let mut second = first.clone();
    second.spec = json!({"image": "b", "replicas": 1}).to_string().into();
    let second = by.update(second).await.unwrap().resource.unwrap();
    assert_eq!(spec(&second), json!({"image": "b", "replicas": 1}));
    assert_ne!(meta(&second).revision, meta(&first).revision);
    assert_eq!(by.get("web").await.unwrap(), second);
    // Whoever read the first is told what happened since.
    let mut late = first.clone();
    late.spec = json!({"image": "a", "replicas": 5}).to_string().into();
    let told = refused(by.update(late).await, Code::Aborted, 6004);
    assert_eq!(told.current_revision, meta(&second).revision);
    assert_eq!(told.differing_paths, ["/image", "/replicas"]);
    for revision in ["nonsense", "\u{e9}", &"r".repeat(5_000)] {
        bare.metadata.as_mut().unwrap().revision = revision.into();
        refused(by.update(bare.clone()).await, Code::Aborted, 6004);
    }
    assert_eq!(by.get("web").await.unwrap(), second);
    // By its id it can get another name, unless that is taken.
    let mut renamed = second;
    renamed.metadata.as_mut().unwrap().name = "site".into();
    let renamed = by.update(renamed).await.unwrap().resource.unwrap();
    assert_eq!(meta(&renamed).name, "site");
    refused(by.get("web").await, Code::NotFound, 6001);
    by.create("v1", "web", json!({"image": "x"})).await.unwrap();
    let mut taken = renamed;
    taken.metadata.as_mut().unwrap().name = "web".into();
    refused(by.update(taken).await, Code::AlreadyExists, 6002);
}

pub(crate) async fn delete_answers_nothing_and_is_conditional_on_a_revision(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let first = by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let mut second = first.clone();
    second.spec = json!({"image": "b"}).to_string().into();
    let second = by.update(second).await.unwrap().resource.unwrap();
    let told = by.delete("web", &meta(&first).revision).await;
    let told = refused(told, Code::Aborted, 6004);
    assert_eq!(told.current_revision, meta(&second).revision);
    assert!(by.get("web").await.is_ok());
    by.delete("web", &meta(&second).revision).await.unwrap();
    refused(by.get("web").await, Code::NotFound, 6001);
    refused(by.delete("web", "").await, Code::NotFound, 6001);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    by.delete("web", "").await.unwrap();
}

pub(crate) async fn status_is_written_by_its_own_method(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let made = by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let say = async |message: &str, revision: &str| {
        let asked = pb::UpdateResourceStatusRequest {
            kind: "app".into(),
            name: "web".into(),
            message: message.into(),
            revision: revision.into(),
            ..Default::default()
        };
        let told = by.resources().update_resource_status(asked).await;
        told.map(|told| told.into_inner().resource.unwrap())
    };
    let revision = &meta(&made).revision;
    let told = say("Two of three run.", revision).await.unwrap();
    assert_eq!(told.status.as_ref().unwrap().message, "Two of three run.");
    assert_eq!(told.spec, made.spec);
    refused(say("late", revision).await, Code::Aborted, 6004);
    // An update of the content leaves it, whatever the body says of the status.
    let mut body = told;
    body.status.as_mut().unwrap().message = "mine".into();
    body.status.as_mut().unwrap().state = "IN_DELETION".into();
    body.spec = json!({"image": "b"}).to_string().into();
    let changed = by.update(body).await.unwrap().resource.unwrap();
    let status = changed.status.unwrap();
    assert_eq!(
        (&*status.message, &*status.state),
        ("Two of three run.", "RESOLVED")
    );
    assert_eq!(say("", "").await.unwrap().status.unwrap().message, "");
}

pub(crate) async fn a_state_that_forbids_it_is_a_failed_precondition(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    // Made through cloudapi it is not resolved yet.
    let id = world.make(&alice, "1.0.0", "raw", &json!({"replicas": 1}));
    let by = world.by(&alice);
    let told = refused(by.delete("raw", "").await, Code::FailedPrecondition, 6006);
    assert!(told.message.contains("PRE_CREATED"), "{told:?}");
    assert_eq!(meta(&by.get("raw").await.unwrap()).id, id);
    let forced = by.saying("coeval-force", "true");
    forced.delete("raw", "").await.unwrap();
    refused(world.by(&alice).get("raw").await, Code::NotFound, 6001);
}

pub(crate) async fn what_cloudapi_can_t_say_it_leaves_alone(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let mut new = app("v1", "web", json!({"image": "a"}));
    new.sub_kind = "blue".into();
    let about = new.metadata.as_mut().unwrap();
    about.description = "d".into();
    about.labels.insert("a".into(), "b".into());
    let made = by.upsert(new).await.unwrap().resource.unwrap();
    let body = json!({"name": "web", "entity": {"image": "rest"}});
    let path = at(&meta(&made).id);
    let put = world.put(&path).by(&alice).json(&body).send();
    assert_eq!(put.status, 200, "{put:?}");
    let after = by.get("web").await.unwrap();
    assert_eq!(spec(&after), json!({"image": "rest"}));
    assert_eq!(
        (&*after.sub_kind, &*meta(&after).description),
        ("blue", "d")
    );
    assert_eq!(meta(&after).labels, meta(&made).labels);
}
