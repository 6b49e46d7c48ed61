//! Which resource is meant: names, ids, namespaces and kinds.

use crate::calls::{app, meta, names, refused};
use crate::stage::type_file;
use crate::world::World;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use tonic::Code;

const NO_ID: &str = "urn:vcloud:entity:acme:app:00000000-0000-4000-8000-000000000000";

pub(crate) async fn what_is_not_there_is_not_found_by_any_method(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    for name in ["nobody", NO_ID] {
        refused(by.get(name).await, Code::NotFound, 6001);
        refused(by.get_at(name, "v1").await, Code::NotFound, 6001);
        refused(by.delete(name, "").await, Code::NotFound, 6001);
        let mut body = app("v1", name, json!({"image": "a"}));
        refused(
            by.patch(body.clone(), &["spec"]).await,
            Code::NotFound,
            6001,
        );
        body.metadata.as_mut().unwrap().revision = "r".into();
        refused(by.update(body).await, Code::NotFound, 6001);
        let status = pb::UpdateResourceStatusRequest {
            kind: "app".into(),
            name: name.into(),
            ..Default::default()
        };
        let status = by.resources().update_resource_status(status).await;
        refused(status, Code::NotFound, 6001);
    }
    // An id is made by the server, so what has one and is not there is not made.
    let made = by.upsert(app("v1", NO_ID, json!({"image": "a"}))).await;
    refused(made, Code::NotFound, 6001);
    let other = NO_ID.replace(":app:", ":job:");
    for name in ["", other.as_str()] {
        refused(by.get(name).await, Code::InvalidArgument, 8006);
    }
}

pub(crate) async fn a_name_that_fits_several_is_refused_with_their_ids(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let content = json!({"image": "a"});
    world.make_resolved(&alice, "1.0.0", "twin", &content);
    let path = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.0.0";
    let body = json!({"name": "twin", "entity": content});
    assert_eq!(world.post(path).by(&alice).json(&body).send().status, 202);
    let by = world.by(&alice);
    let told = refused(by.get("twin").await, Code::FailedPrecondition, 6003);
    assert_eq!(told.ids.len(), 2, "{told:?}");
    let made = by.create("v1", "twin", content.clone()).await;
    refused(made, Code::AlreadyExists, 6002);
    let twin = || app("v1", "twin", content.clone());
    refused(by.upsert(twin()).await, Code::FailedPrecondition, 6003);
    let masked = by.patch(twin(), &["spec"]).await;
    refused(masked, Code::FailedPrecondition, 6003);
    refused(by.delete("twin", "").await, Code::FailedPrecondition, 6003);
    // Each is read and changed by its id.
    for id in &told.ids {
        let mut one = by.get(id).await.unwrap();
        assert_eq!((&*meta(&one).name, &meta(&one).id), ("twin", id));
        one.metadata.as_mut().unwrap().description = "d".into();
        by.update(one).await.unwrap();
    }
}

pub(crate) async fn namesakes_that_may_not_be_seen_make_no_name_ambiguous(mut world: World) {
    world.add_app();
    world.add_workers();
    let (wanda, walter) = (world.login("wanda@acme"), world.login("walter@acme"));
    let content = json!({"image": "a"});
    let mine = world.make_resolved(&wanda, "1.0.0", "twin", &content);
    let other = world.make_resolved(&walter, "1.0.0", "twin", &content);
    let seen = world.by(&wanda).get("twin").await.unwrap();
    assert_eq!(meta(&seen).id, mine);
    let bob = world.login("bob@acme");
    let told = refused(world.by(&bob).get("twin").await, Code::NotFound, 6001);
    assert!(told.ids.is_empty(), "{told:?}");
    // By its id it is as if it were not there, whoever asks.
    for who in [&wanda, &bob] {
        let hidden = refused(world.by(who).get(&other).await, Code::NotFound, 6001);
        let absent = refused(world.by(who).get(NO_ID).await, Code::NotFound, 6001);
        let uuid = |text: &str| text.rsplit(':').next().unwrap().to_owned();
        let same = hidden.message.replace(&uuid(&other), &uuid(NO_ID));
        assert_eq!((same, hidden.advice), (absent.message, absent.advice));
    }
    let alice = world.login("alice@acme");
    let told = world.by(&alice).get("twin").await;
    refused(told, Code::FailedPrecondition, 6003);
}

pub(crate) async fn namespaces_are_one_s_own_or_the_provider_s_to_name(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let get = async |token: &str, namespace: &str| {
        let asked = pb::GetResourceRequest {
            kind: "app".into(),
            name: "web".into(),
            namespace: namespace.into(),
            ..Default::default()
        };
        let found = world.by(token).resources().get_resource(asked).await;
        found.map(|found| found.into_inner().resource.unwrap())
    };
    let mut new = app("v1", "web", json!({"image": "a"}));
    new.metadata.as_mut().unwrap().namespace = "acme".into();
    let made = world.by(&admin).upsert(new.clone()).await.unwrap();
    assert_eq!(meta(&made.resource.unwrap()).namespace, "acme");
    for (token, namespace) in [(&alice, ""), (&alice, "acme"), (&admin, "acme")] {
        let found = get(token, namespace).await.unwrap();
        assert_eq!(meta(&found).namespace, "acme");
    }
    refused(get(&admin, "").await, Code::NotFound, 6001);
    refused(get(&admin, "other").await, Code::NotFound, 6001);
    refused(get(&admin, "nowhere").await, Code::NotFound, 5056);
    // A tenant is not told which others there are.
    let there = refused(get(&alice, "other").await, Code::NotFound, 5056);
    let absent = refused(get(&alice, "nowhere").await, Code::NotFound, 5056);
    assert_eq!(there.message.replace("other", "nowhere"), absent.message);
    new.metadata.as_mut().unwrap().namespace = "other".into();
    refused(world.by(&alice).upsert(new).await, Code::NotFound, 5056);
    let list = async |token: &str, namespace: &str| {
        let asked = pb::ListResourcesRequest {
            namespace: namespace.into(),
            ..Default::default()
        };
        world.by(token).list(asked).await
    };
    assert_eq!(names(&list(&admin, "-").await.unwrap()), ["web"]);
    assert!(list(&admin, "").await.unwrap().resources.is_empty());
    refused(list(&alice, "other").await, Code::NotFound, 5056);
}

pub(crate) async fn a_kind_of_two_types_is_refused_until_it_is_said_in_full(mut world: World) {
    let open = "  schema: {type: object}\n";
    let of = ["acme:app", "zeta:app", "zeta:job"];
    let files = of.map(|of| type_file(of, "1.0.0", open));
    world.add_types(&of, &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let told = refused(by.get("x").await, Code::FailedPrecondition, 8017);
    assert!(told.message.contains("acme:app") && told.message.contains("zeta:app"));
    for (kind, of) in [("zeta:app", "zeta:app"), ("job", "zeta:job")] {
        let mut new = app("v1", "x", json!({}));
        new.kind = kind.into();
        let made = by.upsert(new).await.unwrap().resource.unwrap();
        assert_eq!(made.kind, kind);
        assert!(
            meta(&made)
                .id
                .starts_with(&format!("urn:vcloud:entity:{of}:"))
        );
    }
}
