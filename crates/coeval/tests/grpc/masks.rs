//! Update with a field mask: it merges on the server.

use crate::calls::{app, meta, refused, spec};
use crate::stage::type_file;
use crate::world::World;
use serde_json::{Value, json};
use tonic::Code;

const FIELDS: &str = "  schema: {type: object, required: [image], properties: {image: {type: string}, a.b: {type: string}, x/y: {type: integer}, deep: {type: object, properties: {one: {type: integer}, two: {type: integer}}}}}\n";

pub(crate) async fn a_mask_changes_its_fields_and_no_others(mut world: World) {
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", FIELDS)]);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let before = json!({"image": "a", "a.b": "dot", "x/y": 1, "deep": {"one": 1, "two": 2}});
    let back = || {
        let mut back = app("v1", "web", before.clone());
        back.metadata.as_mut().unwrap().description = "d".into();
        back
    };
    by.upsert(back()).await.unwrap();
    let sent = json!({"image": "b", "a.b": "dash", "x/y": 2, "deep": {"one": 10, "two": 20}});
    let changed = |changes: &[(&str, Value)]| {
        let mut expected = before.clone();
        for (pointer, value) in changes {
            *expected.pointer_mut(pointer).unwrap() = value.clone();
        }
        expected
    };
    let deep = ("/deep", json!({"one": 10, "two": 20}));
    for (paths, expected) in [
        (&["spec.image"][..], changed(&[("/image", json!("b"))])),
        (&["spec.`a.b`"], changed(&[("/a.b", json!("dash"))])),
        (&["spec.`x/y`"], changed(&[("/x~1y", json!(2))])),
        (&["spec.deep.one"], changed(&[("/deep/one", json!(10))])),
        (
            &["spec.image", "spec.deep"],
            changed(&[("/image", json!("b")), deep]),
        ),
        (&["spec"], sent.clone()),
        (&["metadata.description"], before.clone()),
    ] {
        let body = app("v1", "web", sent.clone());
        let done = by.patch(body, paths).await.unwrap().resource.unwrap();
        assert_eq!(spec(&done), expected, "{paths:?}");
        let described = if paths[0].starts_with("metadata") {
            ""
        } else {
            "d"
        };
        assert_eq!(meta(&done).description, described, "{paths:?}");
        let all = ["spec", "metadata.description"];
        by.patch(back(), &all).await.unwrap();
    }
    // What the mask names and the body lacks goes; the version can be left out: it is the view's.
    let mut body = app("", "web", json!({}));
    let gone = by.patch(body.clone(), &["spec.deep.two"]).await.unwrap();
    let gone = gone.resource.unwrap();
    assert_eq!(spec(&gone)["deep"], json!({"one": 1}));
    let required = by.patch(body.clone(), &["spec.image"]).await;
    refused(required, Code::InvalidArgument, 2207);
    // With a revision it is conditional too.
    body.metadata.as_mut().unwrap().revision = "stale".into();
    let stale = by.patch(body, &["spec.deep.one"]).await;
    refused(stale, Code::Aborted, 6004);
    let mut about = app("", "web", json!({}));
    about.sub_kind = "green".into();
    about
        .metadata
        .as_mut()
        .unwrap()
        .labels
        .insert("a".into(), "b".into());
    let done = by.patch(about, &["sub_kind", "metadata.labels"]).await;
    let done = done.unwrap().resource.unwrap();
    assert_eq!((&*done.sub_kind, meta(&done).labels.len()), ("green", 1));
    assert_eq!(spec(&done), spec(&gone));
}

pub(crate) async fn a_mask_of_an_old_client_leaves_newer_fields_alone(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "region": "eu"});
    by.create("v1.1", "web", content).await.unwrap();
    let body = app("v1", "web", json!({"image": "b"}));
    let done = by.patch(body, &["spec"]).await.unwrap();
    assert_eq!(done.kept, ["/region"]);
    let now = by.get("web").await.unwrap();
    assert_eq!(now.version, "v1.1");
    assert_eq!(spec(&now), json!({"image": "b", "region": "eu"}));
    // A field that the body's version does not have is none of its fields.
    let sets = app("v1", "web", json!({"region": "us"}));
    let told = by.patch(sets, &["spec.region"]).await;
    assert!(told.is_err(), "{told:?}");
    assert_eq!(spec(&by.get("web").await.unwrap())["region"], "eu");
    // Without a version the mask is about what the caller is shown.
    let old = world.by(&alice).saying("coeval-accept", "app=1.0");
    let body = app("", "web", json!({"image": "c"}));
    old.patch(body, &["spec.image"]).await.unwrap();
    let now = by.get("web").await.unwrap();
    assert_eq!(spec(&now), json!({"image": "c", "region": "eu"}));
}

pub(crate) async fn null_is_a_value_or_absent_as_the_schema_says(mut world: World) {
    let file = type_file(
        "acme:app",
        "1.0.0",
        "  schema: {type: object, properties: {maybe: {type: [string, 'null']}, text: {type: string}}}\n",
    );
    world.add_types(&["acme:app"], &[file]);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let nulls = || json!({"maybe": null, "text": null});
    let made = by.create("v1", "n", nulls()).await.unwrap();
    assert_eq!(spec(&made)["maybe"], Value::Null);
    let texts = app("v1", "n", json!({"text": "t", "maybe": "m"}));
    by.patch(texts, &["spec"]).await.unwrap();
    let paths = ["spec.text", "spec.maybe"];
    let done = by.patch(app("v1", "n", nulls()), &paths).await.unwrap();
    let content = spec(&done.resource.unwrap());
    assert_eq!(content["maybe"], Value::Null);
    assert!(content["text"].is_null(), "{content}");
    // What the body lacks is absent, and so is what it says nothing of.
    by.patch(app("v1", "n", json!({})), &paths).await.unwrap();
    assert_eq!(spec(&by.get("n").await.unwrap()), json!({}));
}

pub(crate) async fn a_mask_that_leads_nowhere_is_refused(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let body = || app("v1", "web", json!({"image": "b"}));
    let bad = [
        "",
        ".",
        "spec.",
        "spec..a",
        "kind",
        "status.state",
        "metadata.id",
        "spec.`a",
        "image",
    ];
    for path in bad {
        refused(by.patch(body(), &[path]).await, Code::InvalidArgument, 8006);
    }
    refused(by.patch(body(), &[]).await, Code::InvalidArgument, 8006);
    let deep = format!("spec{}", ".a".repeat(10_000));
    assert!(by.patch(body(), &[&deep]).await.is_err());
    let many: Vec<String> = (0..20_000).map(|n| format!("spec.f{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let _ = by.patch(body(), &many).await;
    assert_eq!(spec(&by.get("web").await.unwrap()), json!({"image": "a"}));
}
