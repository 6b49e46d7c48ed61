//! What the methods of typed services do, on real servers.

use crate::dynamic::{Client, refused, said};
use crate::stage::type_file;
use crate::world::World;
use coeval_grpc::proto::resources::v1 as generic;
use generic::resource_service_client::ResourceServiceClient;
use serde_json::{Value, json};
use tonic::Code;

pub(crate) const SERVICE: &str = "acme.box.v1.BoxService";

/// `acme:box`: an open schema with a bit of everything.
pub(crate) fn box_file(version: &str, more: &str) -> String {
    let spec = format!(
        "  description: What things are in.
  schema:
    type: object
    properties:
      imageName: {{type: string, description: What it looks like.}}
      replicas: {{type: integer}}
      weight: {{type: number}}
      sealed: {{type: boolean}}
      tags: {{type: array, items: {{type: string}}}}
      inner: {{type: object, properties: {{size: {{type: integer}}, color: {{type: string}}}}}}
      rows: {{type: array, items: {{type: object, properties: {{id: {{type: string}}, n: {{type: integer}}}}}}}}
      annotations: {{type: object, additionalProperties: {{type: string}}}}
      anything: {{}}
{more}"
    );
    type_file("acme:box", version, &spec)
}

fn newer_box() -> String {
    let region = "      region: {type: string, description: Where.}\n  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}\n";
    box_file("1.1.0", region)
}

impl World {
    pub(crate) fn add_box(&mut self) {
        self.add_types(&["acme:box"], &[box_file("1.0.0", "")]);
    }

    pub(crate) fn add_both_boxes(&mut self) {
        self.add_types(&["acme:box"], &[box_file("1.0.0", ""), newer_box()]);
    }

    pub(crate) async fn boxes(&self, user: &str) -> Client {
        self.client_of(&self.login(user), SERVICE).await
    }

    /// The whole content, by the generic service.
    async fn whole(&self, user: &str, name: &str) -> (generic::Resource, Value) {
        let token = self.login(user);
        let mut client = ResourceServiceClient::new(self.channel_to_first());
        let mut request = tonic::Request::new(generic::GetResourceRequest {
            kind: "acme:box".into(),
            name: name.into(),
            ..Default::default()
        });
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        let resource = client
            .get_resource(request)
            .await
            .unwrap()
            .into_inner()
            .resource
            .unwrap();
        let spec = serde_json::from_slice(&resource.spec).unwrap();
        (resource, spec)
    }

    /// Makes one by the generic service.
    async fn make_whole(&self, user: &str, name: &str, version: &str, spec: &Value) {
        let token = self.login(user);
        let mut client = ResourceServiceClient::new(self.channel_to_first());
        let mut request = tonic::Request::new(generic::CreateResourceRequest {
            resource: Some(generic::Resource {
                kind: "acme:box".into(),
                version: version.into(),
                metadata: Some(coeval_grpc::proto::header::v1::Metadata {
                    name: name.into(),
                    ..Default::default()
                }),
                spec: spec.to_string().into(),
                ..Default::default()
            }),
            ..Default::default()
        });
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        client.create_resource(request).await.unwrap();
    }
}

pub(crate) fn method(name: &str) -> String {
    format!("{SERVICE}/{name}")
}

pub(crate) async fn a_type_gives_a_service_that_reflection_tells_of(mut world: World) {
    world.add_box();
    let boxes = world.boxes("alice@acme").await;
    let spec = json!({"image_name": "x", "replicas": 0, "tags": ["a"], "inner": {"size": 3}, "anything": ["a", null]});
    let asked = json!({"box": {"metadata": {"name": "one"}, "spec": spec}});
    let made = boxes
        .call_whole(&method("CreateBox"), asked.clone())
        .await
        .unwrap();
    assert!(!said(made.metadata(), "coeval-sequence").is_empty());
    let made = made.into_inner()["box"].clone();
    assert_eq!(
        (&made["kind"], &made["version"]),
        (&json!("box"), &json!("v1"))
    );
    assert_eq!(made["spec"], spec);
    assert_eq!(made["metadata"]["namespace"], "acme");
    refused(
        boxes.call(&method("CreateBox"), asked).await,
        Code::AlreadyExists,
        6002,
    );

    // Another server, another connection.
    let boxes = world.boxes("alice@acme").await;
    let got = boxes
        .call(&method("GetBox"), json!({"name": "one"}))
        .await
        .unwrap();
    assert_eq!(got["box"], made);
    let mut changed = made.clone();
    changed["spec"]["replicas"] = json!(5);
    let updated = boxes
        .call(&method("UpdateBox"), json!({"box": changed}))
        .await
        .unwrap();
    assert_eq!(updated["box"]["spec"]["replicas"], 5);
    let stale = boxes
        .call(&method("UpdateBox"), json!({"box": changed}))
        .await;
    refused(stale, Code::Aborted, 6004);

    for name in ["two", "three"] {
        let asked = json!({"box": {"metadata": {"name": name}, "spec": {}}});
        boxes.call(&method("UpsertBox"), asked).await.unwrap();
    }
    let mut names = Vec::new();
    let mut token = json!("");
    loop {
        let asked = json!({"page_size": 2, "page_token": token, "order_by": "name"});
        let page = boxes.call(&method("ListBoxes"), asked).await.unwrap();
        let all = page["boxes"].as_array().unwrap();
        assert!(all.len() <= 2);
        names.extend(
            all.iter()
                .map(|one| one["metadata"]["name"].as_str().unwrap().to_owned()),
        );
        token = page["next_page_token"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(names, ["one", "three", "two"]);
    let deleted = boxes
        .call(&method("DeleteBox"), json!({"name": "one"}))
        .await
        .unwrap();
    assert_eq!(deleted, json!({}));
    refused(
        boxes.call(&method("GetBox"), json!({"name": "one"})).await,
        Code::NotFound,
        6001,
    );
}

pub(crate) async fn an_update_keeps_what_the_message_can_t_say(mut world: World) {
    world.add_box();
    let whole = json!({
        "imageName": "x", "unknown": {"deep": [1, 2.5, null]}, "replicas": 1,
        "inner": {"size": 1, "unsaid": true}, "tags": [], "rows": [{"id": "a", "more": 1}, {"id": "b"}],
        "annotations": {"k": "v"}, "anything": {"n": 9_007_199_254_740_993_i64},
    });
    world.make_whole("alice@acme", "w", "1.0.0", &whole).await;
    let boxes = world.boxes("alice@acme").await;
    let got = boxes
        .call(&method("GetBox"), json!({"name": "w"}))
        .await
        .unwrap();
    let mut edited = got["box"].clone();
    assert_eq!(edited["spec"]["anything"], Value::Null);
    // As it was read: nothing changes.
    boxes
        .call(&method("UpdateBox"), json!({"box": edited}))
        .await
        .unwrap();
    assert_eq!(world.whole("alice@acme", "w").await.1, whole);

    let (read, _) = world.whole("alice@acme", "w").await;
    edited["metadata"]["revision"] = json!(read.metadata.unwrap().revision);
    edited["spec"]["replicas"] = json!(0);
    edited["spec"]["inner"]["color"] = json!("red");
    edited["spec"]["rows"] = json!([{"id": "a"}]);
    boxes
        .call(&method("UpdateBox"), json!({"box": edited}))
        .await
        .unwrap();
    let mut expected = whole.clone();
    expected["replicas"] = json!(0);
    expected["inner"]["color"] = json!("red");
    expected["rows"] = json!([{"id": "a", "more": 1}]);
    assert_eq!(world.whole("alice@acme", "w").await.1, expected);

    // Nobody knows whether the one became the other.
    let (read, _) = world.whole("alice@acme", "w").await;
    edited["metadata"]["revision"] = json!(read.metadata.unwrap().revision);
    edited["spec"]["rows"] = json!([{"id": "c"}]);
    let outcome = boxes
        .call(&method("UpdateBox"), json!({"box": edited}))
        .await;
    refused(outcome, Code::FailedPrecondition, 6070);
    // That it is stale says more.
    edited["metadata"]["revision"] = json!("other");
    let outcome = boxes
        .call(&method("UpdateBox"), json!({"box": edited}))
        .await;
    refused(outcome, Code::Aborted, 6004);

    let upserted = json!({"box": {"metadata": {"name": "w"}, "spec": {"image_name": "y"}}});
    boxes.call(&method("UpsertBox"), upserted).await.unwrap();
    let (_, after) = world.whole("alice@acme", "w").await;
    assert_eq!(after["imageName"], "y");
    assert_eq!(after["unknown"], whole["unknown"]);
    assert_eq!(after["anything"], whole["anything"]);
    assert_eq!(after.get("replicas"), None);
}

pub(crate) async fn a_mask_changes_its_fields_and_no_others(mut world: World) {
    world.add_box();
    let whole = json!({"imageName": "x", "replicas": 1, "inner": {"size": 1, "unsaid": true}, "tags": ["a"]});
    world.make_whole("alice@acme", "m", "1.0.0", &whole).await;
    let boxes = world.boxes("alice@acme").await;
    let mask = |paths: &str, spec: Value| json!({"box": {"metadata": {"name": "m", "description": "d"}, "spec": spec}, "update_mask": paths});
    let update = method("UpdateBox");
    // In JSON a mask has the names of JSON; on the wire it has those of the file.
    let asked = mask(
        "spec.imageName,metadata.description",
        json!({"image_name": "z", "replicas": 9}),
    );
    boxes.call(&update, asked).await.unwrap();
    let mut expected = whole.clone();
    expected["imageName"] = json!("z");
    let (read, spec) = world.whole("alice@acme", "m").await;
    assert_eq!(spec, expected);
    assert_eq!(read.metadata.unwrap().description, "d");

    // What is inside and can't be said stays, and what is not said goes.
    boxes
        .call(
            &update,
            mask("spec.inner", json!({"inner": {"color": "red"}})),
        )
        .await
        .unwrap();
    expected["inner"] = json!({"unsaid": true, "color": "red"});
    assert_eq!(world.whole("alice@acme", "m").await.1, expected);
    boxes
        .call(&update, mask("spec.replicas", json!({})))
        .await
        .unwrap();
    expected.as_object_mut().unwrap().remove("replicas");
    assert_eq!(world.whole("alice@acme", "m").await.1, expected);

    refused(
        boxes.call(&update, mask("spec.nothing", json!({}))).await,
        Code::InvalidArgument,
        6075,
    );
    refused(
        boxes.call(&update, mask("metadata.id", json!({}))).await,
        Code::InvalidArgument,
        6075,
    );
    let neither = json!({"box": {"metadata": {"name": "m"}, "spec": {}}});
    refused(
        boxes.call(&update, neither).await,
        Code::InvalidArgument,
        6009,
    );
    assert_eq!(world.whole("alice@acme", "m").await.1, expected);
}

pub(crate) async fn many_who_upsert_or_mask_at_once_lose_nothing(mut world: World) {
    world.add_box();
    let boxes = std::sync::Arc::new(world.boxes("alice@acme").await);
    let mut tasks = Vec::new();
    for number in 0..8 {
        let boxes = std::sync::Arc::clone(&boxes);
        tasks.push(tokio::spawn(async move {
            let spec = json!({"annotations": {format!("k{number}"): "v"}});
            let upsert = json!({"box": {"metadata": {"name": "u"}, "spec": {}}});
            boxes.call(&method("UpsertBox"), upsert).await.unwrap();
            let paths = format!("spec.annotations.k{number}");
            let mask =
                json!({"box": {"metadata": {"name": "n"}, "spec": spec}, "update_mask": paths});
            loop {
                // The resource of that name comes with one of them.
                let made = json!({"box": {"metadata": {"name": "n"}, "spec": {"image_name": "x"}}});
                let _ = boxes.call(&method("CreateBox"), made).await;
                match boxes.call(&method("UpdateBox"), mask.clone()).await {
                    Ok(_) => break,
                    Err(status) => assert_eq!(status.code(), Code::NotFound, "{status:?}"),
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let got = boxes
        .call(&method("GetBox"), json!({"name": "n"}))
        .await
        .unwrap();
    assert_eq!(
        got["box"]["spec"]["annotations"].as_object().unwrap().len(),
        8,
        "{got}"
    );
}
