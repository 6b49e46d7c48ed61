//! Which packages there are and for whom: reflection, `.proto` files, versions and watches, on real
//! servers.

use crate::dynamic::{Client, refused};
use crate::typed::{SERVICE, box_file, method};
use crate::world::World;
use serde_json::{Value, json};
use tonic::Code;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

/// The schema of 1.1.0, as the RDE API takes it.
fn old_schema_with_region() -> Value {
    let text = ["string", "integer", "number", "boolean"].map(|name| json!({"type": name}));
    let [string, integer, number, boolean] = text;
    json!({"type": "object", "properties": {
        "imageName": string, "replicas": integer, "weight": number, "sealed": boolean,
        "tags": {"type": "array", "items": string},
        "inner": {"type": "object", "properties": {"size": integer, "color": string}},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"id": string, "n": integer}}},
        "annotations": {"type": "object", "additionalProperties": string},
        "anything": {}, "region": string,
    }})
}

pub(crate) async fn a_new_minor_extends_the_package_without_a_restart(mut world: World) {
    world.add_box();
    let old = world.boxes("alice@acme").await;
    let made = json!({"box": {"metadata": {"name": "b"}, "spec": {"image_name": "x"}}});
    old.call(&method("CreateBox"), made).await.unwrap();
    let token = world.login("alice@acme");
    let before = world.client_of(&token, "acme.box.v1.Box").await;
    let fields = |client: &Client| {
        client
            .file("acme/box/v1/box.proto")
            .messages()
            .nth(1)
            .unwrap()
            .fields()
            .len()
    };

    let schema: Value = old_schema_with_region();
    let version = json!({"vendor": "acme", "nss": "box", "version": "1.1.0", "name": "Box", "schema": schema});
    let registered = world
        .post("/cloudapi/1.0.0/entityTypes")
        .by(&world.admin())
        .json(&version)
        .send();
    assert_eq!(registered.status, 201, "{registered:?}");
    let new = world.boxes("alice@acme").await;
    assert_eq!(fields(&new), fields(&before) + 1);
    let got = new
        .call(&method("GetBox"), json!({"name": "b"}))
        .await
        .unwrap();
    assert_eq!(got["box"]["version"], "v1.1");
    let mut edited = got["box"].clone();
    edited["spec"]["region"] = json!("eu");
    new.call(&method("UpdateBox"), json!({"box": edited}))
        .await
        .unwrap();

    // A client that says that it writes at v1 leaves alone what came later.
    let old = world.boxes("alice@acme").await;
    let written =
        json!({"box": {"version": "v1", "metadata": {"name": "b"}, "spec": {"image_name": "y"}}});
    let done = old.call(&method("UpsertBox"), written).await.unwrap();
    assert_eq!(
        (&done["box"]["version"], &done["box"]["spec"]),
        (&json!("v1+downgraded"), &json!({"image_name": "y"}))
    );
    assert_eq!(done["kept"], json!(["/region"]));
    let got = new
        .call(&method("GetBox"), json!({"name": "b"}))
        .await
        .unwrap();
    assert_eq!(
        got["box"]["spec"],
        json!({"image_name": "y", "region": "eu"})
    );
}

pub(crate) async fn what_is_not_of_the_package_is_refused(mut world: World) {
    world.add_both_boxes();
    let boxes = world.boxes("alice@acme").await;
    let create = method("CreateBox");
    let of = |more: Value| {
        let mut one = json!({"metadata": {"name": "x"}, "spec": {}});
        one.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({"box": one})
    };
    for (more, code) in [
        (json!({"version": "v2"}), 8026),
        (json!({"version": "v0.9"}), 8026),
        (json!({"kind": "app"}), 8026),
        (json!({"kind": "other:box"}), 8026),
        (json!({"version": "1.0.0-alpha"}), 1002),
    ] {
        let outcome = boxes.call(&create, of(more.clone())).await;
        let status = outcome.expect_err("it was not refused");
        assert_eq!(status.code(), Code::InvalidArgument, "{more}: {status:?}");
        assert_eq!(
            crate::dynamic::reason(&status),
            format!("COEVAL-{code}"),
            "{more}"
        );
    }
    refused(
        boxes.call(&create, json!({})).await,
        Code::InvalidArgument,
        8006,
    );
    refused(
        boxes
            .call(&method("ListBoxes"), json!({"page_size": -1}))
            .await,
        Code::InvalidArgument,
        8006,
    );
    boxes
        .call(&create, of(json!({"kind": "acme:box", "version": "v1"})))
        .await
        .unwrap();

    // A server that knows less refuses a field that it does not know, and loses nothing by it.
    world.restart_with(&["--emulate", "acme:box=1.0.0"]);
    let channel = world.client(&world.login("alice@acme"));
    // box { metadata { name: "n" } spec { 10: "eu" } }
    let bytes = b"\x0a\x0b\x22\x03\x0a\x01n\x2a\x04\x52\x02eu".to_vec();
    let outcome = channel
        .send("/acme.box.v1.BoxService/CreateBox", bytes)
        .await;
    refused(outcome, Code::FailedPrecondition, 6074);
}

pub(crate) async fn a_type_is_there_only_for_those_who_see_it(mut world: World) {
    // Published to nobody.
    world.add_types(&[], &[box_file("1.0.0", "")]);
    let get = "/acme.box.v1.BoxService/GetBox";
    let name = b"\x0a\x01x".to_vec();
    let fixed = world.client("").services().await;
    assert!(
        fixed.contains("coeval.resources.v1.ResourceService"),
        "{fixed:?}"
    );
    assert!(fixed.contains("grpc.health.v1.Health"), "{fixed:?}");
    assert!(
        fixed.contains("grpc.reflection.v1.ServerReflection"),
        "{fixed:?}"
    );
    assert!(!fixed.contains(SERVICE), "{fixed:?}");
    refused(
        world.client("").send(get, name.clone()).await,
        Code::Unauthenticated,
        8004,
    );
    // There are no extensions, and what there is none of is not found.
    let strange = world.client("");
    let asked = MessageRequest::AllExtensionNumbersOfType("coeval.header.v1.Metadata".into());
    match strange.reflect(asked).await.unwrap() {
        MessageResponse::AllExtensionNumbersResponse(none) => {
            assert_eq!(none.extension_number, Vec::<i32>::new());
        }
        other => panic!("{other:?}"),
    }
    for asked in [
        MessageRequest::AllExtensionNumbersOfType("none.None".into()),
        MessageRequest::FileByFilename("acme/box/v1/box.proto".into()),
        MessageRequest::FileByFilename("none.proto".into()),
        MessageRequest::FileContainingSymbol(SERVICE.into()),
        MessageRequest::FileContainingExtension(Default::default()),
    ] {
        let answer = strange.reflect(asked.clone()).await.unwrap();
        assert!(
            matches!(answer, MessageResponse::ErrorResponse(_)),
            "{asked:?}"
        );
    }
    // Whether it is there or not.
    let none = "/acme.none.v1.NoneService/GetNone";
    refused(
        world.client("").send(none, name.clone()).await,
        Code::Unauthenticated,
        8004,
    );

    for (user, sees) in [("alice@acme", false), ("administrator@System", true)] {
        let token = world.login(user);
        let mut client = world.client(&token);
        assert_eq!(client.services().await.contains(SERVICE), sees, "{user}");
        assert_eq!(
            client.learn("acme.box.v1.Box").await.is_ok(),
            sees,
            "{user}"
        );
        assert_eq!(client.learn(SERVICE).await.is_ok(), sees, "{user}");
        let outcome = client.send(get, name.clone()).await;
        if sees {
            refused(outcome, Code::NotFound, 6001);
        } else {
            refused(outcome, Code::Unimplemented, 8001);
        }
        let listed = world.get("/protos").by(&token).send();
        let path = "acme/box/v1/box.proto";
        let files = listed.json["files"].as_array().unwrap();
        assert_eq!(files.contains(&json!(path)), sees, "{user}");
        let file = world.get(&format!("/protos/{path}")).by(&token).send();
        if sees {
            assert!(file.text.contains("\npackage acme.box.v1;\n"), "{file:?}");
        } else {
            assert_eq!(
                (file.status, &file.json["code"]),
                (404, &json!("COEVAL-8024"))
            );
        }
    }
    for path in [
        "/acme.box.v1.BoxService/Nothing",
        "/acme.box.v1.Box/GetBox",
        "/acme.box.v2.BoxService/GetBox",
        "/acme.box.v1/GetBox",
        "/x/y",
        "/coeval.resources.v1.ResourceService/Nothing",
    ] {
        let client = world.client(&world.login("alice@acme"));
        refused(
            client.send(path, Vec::new()).await,
            Code::Unimplemented,
            8001,
        );
    }
    refused(
        world.client("wrong").send(get, name).await,
        Code::Unauthenticated,
        5053,
    );
}

pub(crate) async fn our_proto_files_are_given_to_everybody(mut world: World) {
    world.add_box();
    let listed = world.get("/protos").send();
    assert_eq!(listed.status, 200);
    let files = listed.json["files"].as_array().unwrap().clone();
    assert!(
        files.contains(&json!("coeval/header/v1/header.proto")),
        "{files:?}"
    );
    for path in &files {
        let path = path.as_str().unwrap();
        let file = world.get(&format!("/protos/{path}")).send();
        assert_eq!(file.status, 200, "{path}");
        assert!(file.text.starts_with("syntax = \"proto3\";"), "{path}");
    }
    for path in [
        "acme/box/v1/box.proto",
        "../x",
        "none.proto",
        "acme/none/v1/none.proto",
    ] {
        let file = world.get(&format!("/protos/{path}")).send();
        assert!(matches!(file.status, 400 | 404), "{path}: {file:?}");
        assert!(
            file.json["code"].as_str().unwrap().starts_with("COEVAL-"),
            "{file:?}"
        );
    }
    assert_eq!(world.get("/protos").by("wrong").send().status, 401);
}

pub(crate) async fn a_watch_tells_in_the_package_s_messages(mut world: World) {
    world.add_box();
    let boxes = world.boxes("alice@acme").await;
    let mut watch = boxes
        .stream(&method("WatchBoxes"), json!({"name_prefix": "w"}))
        .await
        .unwrap();
    let live = watch.next().await.unwrap().unwrap();
    assert_eq!(live["kind"], "WATCH_KIND_LIVE");
    for name in ["other", "w1"] {
        let made = json!({"box": {"metadata": {"name": name}, "spec": {"replicas": 2}}});
        boxes.call(&method("CreateBox"), made).await.unwrap();
    }
    let told = loop {
        let changes = watch.changes().await;
        if changes[0]["put"].is_object() {
            break changes;
        }
    };
    assert_eq!(told[0]["put"]["spec"], json!({"replicas": 2}));
    boxes
        .call(&method("DeleteBox"), json!({"name": "w1"}))
        .await
        .unwrap();
    let gone = loop {
        let changes = watch.changes().await;
        if changes[0]["deleted"].is_object() {
            break changes;
        }
    };
    assert_eq!(gone[0]["deleted"]["id"], told[0]["put"]["metadata"]["id"]);
    // From where it began, the same again.
    let asked = json!({"name_prefix": "w", "from": live["sequence"]});
    let mut again = boxes.stream(&method("WatchBoxes"), asked).await.unwrap();
    let first = loop {
        let changes = again.changes().await;
        if changes[0]["put"].is_object() {
            break changes;
        }
    };
    assert_eq!(
        first[0]["put"]["metadata"]["id"],
        told[0]["put"]["metadata"]["id"]
    );
    // Who goes away frees what was held for it.
    let open = |world: &World| -> f64 {
        let metrics = world.get("/metrics").at(0).send().text;
        let line = metrics
            .lines()
            .find(|line| line.starts_with("coeval_storage_watches"));
        line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
    };
    let held = open(&world);
    drop((watch, again));
    for _ in 0..100 {
        if open(&world) == held - 2.0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{held} watches were open, and now {}", open(&world));
}
