//! Create: what is made, what is answered, what is refused.

use crate::calls::{app, detail, meta, refused, spec};
use crate::stage::type_file;
use crate::world::World;
use coeval_grpc::proto::header::v1::Metadata;
use coeval_grpc::proto::resources::v1 as pb;
use coeval_grpc::proto::tasks::v1 as tasks;
use prost_types::{Struct, Timestamp, value::Kind};
use serde_json::json;
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tonic::Code;

pub(crate) async fn create_answers_what_the_server_filled_in(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let mut new = app("v1.1", "web", json!({"image": "web:1"}));
    new.sub_kind = "blue".into();
    let about = new.metadata.as_mut().unwrap();
    about.description = "The site.".into();
    about.labels = HashMap::from([("tier".into(), "gold".into())]);
    let asked = pb::CreateResourceRequest {
        resource: Some(new.clone()),
        ..Default::default()
    };
    let answer = world.by(&alice).resources().create_resource(asked).await;
    let answer = answer.unwrap();
    assert!(answer.metadata().get("coeval-sequence").is_some());
    assert!(answer.metadata().get("coeval-release").is_some());
    let made = answer.into_inner().resource.unwrap();
    let filled = meta(&made).clone();
    assert!(filled.id.starts_with("urn:vcloud:entity:acme:app:"));
    assert!(!filled.revision.is_empty() && filled.owner.starts_with("urn:vcloud:user:"));
    assert!(filled.created.is_some() && filled.modified == filled.created);
    let status = made.status.clone().unwrap();
    assert_eq!(
        (&*status.state, &*status.stored_version),
        ("RESOLVED", "v1.1")
    );
    // Nothing but that differs from what was sent.
    let expected = pb::Resource {
        metadata: Some(Metadata {
            name: "web".into(),
            namespace: "acme".into(),
            description: "The site.".into(),
            labels: HashMap::from([("tier".into(), "gold".into())]),
            ..filled
        }),
        status: made.status.clone(),
        ..new
    };
    assert_eq!(made, expected);
    assert_eq!(world.by(&alice).get("web").await.unwrap(), made);
    assert_eq!(world.by(&alice).get(&meta(&made).id).await.unwrap(), made);
}

pub(crate) async fn a_name_is_made_once_through_whichever_api(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let content = || json!({"image": "a"});
    world.make_resolved(&alice, "1.0.0", "rest", &content());
    for version in ["v1", "v1.1"] {
        let again = world.by(&alice).create(version, "rest", content()).await;
        refused(again, Code::AlreadyExists, 6002);
    }
    world
        .by(&alice)
        .create("v1", "mine", content())
        .await
        .unwrap();
    let again = world.by(&alice).create("v1", "mine", content()).await;
    refused(again, Code::AlreadyExists, 6002);
    // In another organization it is another name.
    let oscar = world.login("oscar@other");
    world
        .by(&oscar)
        .create("v1", "mine", content())
        .await
        .unwrap();
    world.by(&alice).delete("mine", "").await.unwrap();
    world
        .by(&alice)
        .create("v1", "mine", content())
        .await
        .unwrap();
}

pub(crate) async fn the_content_is_kept_as_it_was_sent(mut world: World) {
    let open = type_file("acme:app", "1.0.0", "  schema: {type: object}\n");
    world.add_types(&["acme:app"], &[open]);
    let alice = world.login("alice@acme");
    let create = async |resource, spec_form| {
        let asked = pb::CreateResourceRequest {
            resource: Some(resource),
            spec_form,
            ..Default::default()
        };
        let made = world.by(&alice).resources().create_resource(asked).await;
        made.map(|made| made.into_inner().resource.unwrap())
    };
    let text = r#"{"z":9007199254740993,"a":18446744073709551615,"m":-9223372036854775808,"f":0.1,"s":"é"}"#;
    let mut new = app("v1", "exact", json!({}));
    new.spec = text.into();
    let made = create(new, 0).await.unwrap();
    assert_eq!(made.spec, text, "every number, and the order of keys");
    assert_eq!(world.by(&alice).get("exact").await.unwrap().spec, text);
    // For convenience.
    let number = |number: f64| prost_types::Value {
        kind: Some(Kind::NumberValue(number)),
    };
    let mut new = app("v1", "easy", json!({}));
    new.spec = Default::default();
    new.spec_struct = Some(Struct {
        fields: [("n".to_owned(), number(3.0)), ("x".to_owned(), number(0.5))].into(),
    });
    let form = pb::SpecForm::Struct.into();
    let made = create(new.clone(), form).await.unwrap();
    assert_eq!((&made.spec_struct, made.spec.len()), (&new.spec_struct, 0));
    let read = world.by(&alice).get("easy").await.unwrap();
    assert_eq!(
        spec(&read),
        json!({"n": 3, "x": 0.5}),
        "whole numbers are integers"
    );
    assert!(read.spec_struct.is_none());
    // Said twice, or in a form that there is not: nothing is made.
    let mut both = new.clone();
    both.spec = "{}".into();
    both.metadata.as_mut().unwrap().name = "both".into();
    let mut form = new;
    form.metadata.as_mut().unwrap().name = "form".into();
    for (resource, spec_form) in [(both, 0), (form, 99)] {
        let name = meta(&resource).name.clone();
        refused(
            create(resource, spec_form).await,
            Code::InvalidArgument,
            8006,
        );
        refused(world.by(&alice).get(&name).await, Code::NotFound, 6001);
    }
}

pub(crate) async fn a_content_that_can_t_be_taken_literally_is_refused(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    for (text, code) in [
        (&br#"{"image":"a","image":"b"}"#[..], 2205),
        (br#"{"image":"a","n":1e999}"#, 2206),
        (br#"{"image":"a","n":123456789012345678901234567890}"#, 2206),
        (b"{", 2201),
        (b"{\"image\":\"\xff\"}", 2202),
        (deep.as_bytes(), 2204),
        (b"[]", 8006),
        (b"null", 8006),
        (br#"{"image":1}"#, 2207),
        (b"{}", 2207),
    ] {
        let mut new = app("v1", "bad", json!({}));
        new.spec = text.to_vec().into();
        let asked = pb::CreateResourceRequest {
            resource: Some(new),
            ..Default::default()
        };
        let made = world.by(&alice).resources().create_resource(asked).await;
        let status = made.expect_err("it was not refused");
        let (told, shown) = (detail(&status), String::from_utf8_lossy(text));
        assert_eq!(status.code(), Code::InvalidArgument, "{shown}");
        assert_eq!(told.code, format!("COEVAL-{code}"), "{shown}");
        if text == br#"{"image":1}"# {
            assert_eq!(told.violations[0].path, "/image", "{told:?}");
        }
    }
    refused(world.by(&alice).get("bad").await, Code::NotFound, 6001);
}

pub(crate) async fn what_is_missing_or_does_not_belong_is_refused_and_nothing_is_made(
    mut world: World,
) {
    type Spoil = fn(&mut pb::Resource);
    fn about(one: &mut pb::Resource) -> &mut Metadata {
        one.metadata.as_mut().unwrap()
    }
    const FAR: Timestamp = Timestamp {
        seconds: i64::MAX,
        nanos: 0,
    };
    world.add_app();
    let alice = world.login("alice@acme");
    let good = app("v1", "x", json!({"image": "a"}));
    let invalid = Code::InvalidArgument;
    let table: [(Spoil, Code, u16); 14] = [
        (|one| one.kind.clear(), invalid, 8006),
        (|one| one.kind = "nothing".into(), Code::NotFound, 8016),
        (|one| one.kind = "a:b:c".into(), Code::NotFound, 8016),
        (|one| one.kind = "acme:nothing".into(), Code::NotFound, 2301),
        (|one| one.version.clear(), invalid, 8006),
        (|one| one.version = "v1.0.0-alpha".into(), invalid, 1002),
        (|one| one.version = "one".into(), invalid, 1001),
        (|one| one.version = "v7".into(), Code::NotFound, 2302),
        (|one| one.spec = Default::default(), invalid, 8006),
        (|one| one.metadata = None, invalid, 8006),
        (|one| about(one).revision = "r".into(), invalid, 8006),
        (|one| about(one).id = "urn:x".into(), invalid, 8006),
        (|one| about(one).expires = Some(FAR), invalid, 8006),
        (
            |one| {
                let key = "coeval.internal/downgraded".to_owned();
                about(one).labels.insert(key, "no".into());
            },
            invalid,
            6007,
        ),
    ];
    for (number, (spoil, code, ours)) in table.into_iter().enumerate() {
        let mut bad = good.clone();
        spoil(&mut bad);
        let asked = pb::CreateResourceRequest {
            resource: Some(bad),
            ..Default::default()
        };
        let made = world.by(&alice).resources().create_resource(asked).await;
        let status = made.expect_err(&number.to_string());
        assert_eq!(
            (status.code(), detail(&status).code),
            (code, format!("COEVAL-{ours}")),
            "{number}: {status:?}"
        );
    }
    let nothing = pb::CreateResourceRequest::default();
    let made = world.by(&alice).resources().create_resource(nothing).await;
    refused(made, invalid, 8006);
    let page = world.by(&alice).list(Default::default()).await.unwrap();
    assert_eq!(page.resources, []);
}

fn in_seconds(seconds: u64) -> Timestamp {
    let at = SystemTime::now() + Duration::from_secs(seconds);
    let at = at.duration_since(UNIX_EPOCH).unwrap();
    Timestamp {
        seconds: i64::try_from(at.as_secs()).unwrap(),
        nanos: 0,
    }
}

pub(crate) async fn a_resource_vanishes_when_it_expires(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let mut soon = app("v1", "soon", json!({"image": "a"}));
    let at = in_seconds(2);
    soon.metadata.as_mut().unwrap().expires = Some(at);
    let made = by.upsert(soon).await.unwrap().resource.unwrap();
    assert_eq!(meta(&made).expires, Some(at));
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    refused(by.get("soon").await, Code::NotFound, 6001);
    let page = by.list(Default::default()).await.unwrap();
    assert_eq!(page.resources, []);
    // The name is free again, and what was to vanish can stay after all.
    let content = json!({"image": "a"});
    let mut stays = by.create("v1", "soon", content).await.unwrap();
    stays.metadata.as_mut().unwrap().expires = Some(in_seconds(3_600));
    let mut stays = by.update(stays).await.unwrap().resource.unwrap();
    assert!(meta(&stays).expires.is_some());
    stays.metadata.as_mut().unwrap().expires = None;
    let stays = by.update(stays).await.unwrap().resource.unwrap();
    assert_eq!(meta(&stays).expires, None);
}

pub(crate) async fn a_hook_s_task_is_in_the_answer(world: World) {
    let admin = world.admin();
    let post = |path: &str, body: &serde_json::Value| {
        let path = format!("/cloudapi/1.0.0/{path}");
        let reply = world.post(&path).by(&admin).json(body).send();
        assert!(reply.status < 300, "{reply:?}");
    };
    let interface = json!({"name": "I", "vendor": "acme", "nss": "hooked", "version": "1.0.0"});
    post("interfaces", &interface);
    let behavior = json!({"name": "well", "execution": {"type": "noop", "id": "well"}});
    let behaviors = "interfaces/urn:vcloud:interface:acme:hooked:1.0.0/behaviors";
    post(behaviors, &behavior);
    let well = "urn:vcloud:behavior-interface:well:acme:hooked:1.0.0";
    let new = json!({"name": "app", "vendor": "acme", "nss": "app", "version": "1.0.0",
        "schema": {"type": "object"}, "hooks": {"PostCreate": well, "PostUpdate": well, "PreDelete": well},
        "interfaces": ["urn:vcloud:interface:acme:hooked:1.0.0"]});
    post("entityTypes", &new);
    let by = world.by(&admin);
    let asked = pb::CreateResourceRequest {
        resource: Some(app("v1", "web", json!({"a": 1}))),
        ..Default::default()
    };
    let made = by.resources().create_resource(asked).await;
    ended(&world, &admin, &made.unwrap().into_inner().task).await;
    let mut there = by.get("web").await.unwrap();
    assert_eq!(there.status.as_ref().unwrap().state, "RESOLVED");
    there.spec = "{\"a\":2}".into();
    let changed = by.update(there).await.unwrap();
    ended(&world, &admin, &changed.task).await;
    let asked = pb::DeleteResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        ..Default::default()
    };
    let deleted = by.resources().delete_resource(asked).await.unwrap();
    let task = deleted.metadata().get("coeval-task").unwrap();
    ended(&world, &admin, task.to_str().unwrap()).await;
    refused(by.get("web").await, Code::NotFound, 6001);
}

async fn ended(world: &World, token: &str, id: &str) {
    let asked = tasks::WatchTaskRequest { id: id.into() };
    let told = world.by(token).tasks().watch_task(asked).await.unwrap();
    let mut told = told.into_inner();
    let mut last = None;
    while let Some(one) = told.message().await.unwrap() {
        last = one.task;
    }
    let last = last.unwrap();
    assert_eq!(last.status(), tasks::TaskStatus::Success, "{last:?}");
}
