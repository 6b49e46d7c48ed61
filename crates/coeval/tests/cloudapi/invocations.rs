//! Invocations of behaviors over HTTP. What they need is made by an engine before the server starts.

use crate::world::{Reply, World};
use coeval_access::{AccessLevel, AccessSubject, Rights};
use coeval_core::types::InterfaceId;
use coeval_core::version::{Uuid, Version};
use coeval_engine::behaviors::{Behavior, BehaviorAccess};
use coeval_engine::tasks::{Status, Task};
use coeval_engine::types::{Interface, Registration};
use coeval_engine::write::{Checking, Create};
use coeval_engine::{Caller, Engine, SYSTEM_ORG, TypeKey};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const FILE: &str = r#"
kind: type
version: v1
metadata: {name: "acme:app:1.0.0"}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  interfaces: ["acme:doing:1.0.0"]
  schema: {type: object, required: [image], properties: {image: {type: string}}}
"#;

fn behavior(name: &str) -> String {
    format!("urn:vcloud:behavior-interface:{name}:acme:doing:1.0.0")
}

fn somebody() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

/// The interface with these behaviors, a type that implements it and lets readers invoke them, and
/// two entities: one resolved, one not.
async fn prepare(engine: &Engine, executions: &[(&str, Value)]) -> [String; 2] {
    let (caller, of) = (somebody(), TypeKey::new("acme", "app"));
    let version = Version::new(1, 0, 0);
    let id = InterfaceId {
        vendor: "acme".into(),
        nss: "doing".into(),
        version,
    };
    let mut interface = Interface::new(&id, "Doing");
    let mut access = Vec::new();
    for (name, execution) in executions {
        interface.behaviors.push(Behavior {
            name: (*name).to_owned(),
            description: None,
            execution: execution.clone(),
        });
        if !name.starts_with("hidden") {
            access.push(BehaviorAccess {
                behavior: behavior(name),
                level: AccessLevel::ReadOnly,
            });
        }
    }
    engine.define_interface(&caller, &interface).await.unwrap();
    engine
        .register(&caller, Registration::of(FILE))
        .await
        .unwrap();
    engine
        .set_behavior_access(&caller, &of, version, access)
        .await
        .unwrap();
    let mut made = Vec::new();
    for checking in [Checking::Resolve, Checking::Later] {
        let mut create = Create::new(version, "one", json!({"image": "web"}));
        create.checking = checking;
        create.unique = false;
        let one = engine.create(&caller, &of, create).await.unwrap();
        made.push(one.resource.urn());
    }
    made.try_into().unwrap()
}

fn invoke(world: &World, entity: &str, name: &str, body: Option<Value>) -> Reply {
    let id = behavior(name);
    let path = format!("/cloudapi/1.0.0/entities/{entity}/behaviors/{id}/invocations");
    let sending = world.post(&path).by(&world.admin()).version("37.0");
    match body {
        None => sending.send(),
        Some(body) => sending.json(&body).send(),
    }
}

/// The task that an answer names, as the store has it.
fn task(world: &mut World, reply: &Reply) -> Task {
    assert_eq!(reply.status, 202, "{reply:?}");
    assert_eq!(reply.text, "");
    let location = reply.header("location");
    let begins = format!("{}/api/task/", world.url());
    assert!(location.starts_with(&begins), "{location}");
    let id = Uuid::parse(location.rsplit('/').next().unwrap()).unwrap();
    world.offline(async |engine| engine.task(&somebody(), id).await.unwrap())
}

pub(crate) fn a_noop_has_ended_when_its_location_is_first_read(mut world: World) {
    let echo = [("echo", json!({"type": "noop"}))];
    let [entity, _] = world.offline(async |engine| prepare(&engine, &echo).await);
    // A body, one with nulls, none at all.
    for (body, arguments) in [
        (
            Some(json!({"arguments": {"x": 7}, "metadata": {}})),
            json!({"x": 7}),
        ),
        (Some(json!({"arguments": null})), json!({})),
        (None, json!({})),
    ] {
        let reply = invoke(&world, &entity, "echo", body);
        let task = task(&mut world, &reply);
        assert_eq!(task.status, Status::Success);
        assert_eq!(task.operation, "executeBehavior");
        let result = task.result.unwrap();
        assert_eq!(result["entityId"], entity);
        assert_eq!(result["typeId"], "urn:vcloud:type:acme:app:1.0.0");
        assert_eq!(result["arguments"], arguments);
        assert_eq!(result["entity"], json!({"image": "web"}));
    }
}

pub(crate) fn what_can_not_be_invoked_is_told_with_the_code_that_clients_know(mut world: World) {
    let all = [
        ("echo", json!({"type": "noop"})),
        ("hidden", json!({"type": "noop"})),
        ("mqtt", json!({"type": "MQTT"})),
        (
            "plain",
            json!({"type": "WebHook", "href": "http://x", "_internal_key": "k"}),
        ),
    ];
    let [entity, new] = world.offline(async |engine| prepare(&engine, &all).await);
    let absent = "urn:vcloud:entity:acme:app:56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
    let forbidden = "ACCESS_TO_RESOURCE_IS_FORBIDDEN";
    for (entity, name, status, minor, code) in [
        (
            entity.as_str(),
            "nothing",
            400,
            "RDE_INVALID_BEHAVIOR_SCOPE",
            "COEVAL-2313",
        ),
        (&entity, "hidden", 403, forbidden, "COEVAL-6321"),
        (&entity, "mqtt", 400, "BAD_REQUEST", "COEVAL-6323"),
        (&entity, "plain", 400, "BAD_REQUEST", "COEVAL-6330"),
        (&new, "echo", 400, "RDE_ENTITY_NOT_RESOLVED", "COEVAL-6006"),
        (absent, "echo", 403, forbidden, "COEVAL-6001"),
        ("rubbish", "echo", 400, "BAD_REQUEST", "COEVAL-8007"),
    ] {
        let reply = invoke(&world, entity, name, Some(json!({})));
        assert_eq!(reply.status, status, "{name}: {reply:?}");
        assert_eq!(reply.json["minorErrorCode"], minor, "{name}");
        assert_eq!(reply.json["code"], code, "{name}");
    }
    let bad = invoke(&world, &entity, "echo", Some(json!({"arguments": []})));
    assert_eq!(bad.status, 400, "{bad:?}");
    let log = format!(
        "/cloudapi/1.0.0/entities/{entity}/behaviors/{}/invocations/1/log",
        behavior("echo")
    );
    let reply = world.get(&log).by(&world.admin()).version("37.0").send();
    assert_eq!(
        (reply.status, &reply.json["code"]),
        (403, &json!("COEVAL-6326"))
    );
    let early = world.get(&log).by(&world.admin()).version("36.0").send();
    assert_eq!(early.status, 406);
}

pub(crate) fn a_behavior_of_an_interface_is_invoked_on_nothing(mut world: World) {
    let echo = [("echo", json!({"type": "noop"}))];
    world.offline(async |engine| prepare(&engine, &echo).await);
    let interface = "urn:vcloud:interface:acme:doing:1.0.0";
    let path = format!(
        "/cloudapi/1.0.0/interfaces/{interface}/behaviors/{}/invocations",
        behavior("echo")
    );
    let alice = world.login("alice@acme");
    let refused = world.post(&path).by(&alice).json(&json!({})).send();
    assert_eq!(refused.status, 403, "{refused:?}");
    let body = json!({"arguments": {"x": 1}});
    let reply = world.post(&path).by(&world.admin()).json(&body).send();
    assert_eq!(
        task(&mut world, &reply).result,
        Some(json!({"arguments": {"x": 1}}))
    );
}

/// A server that says nothing to the first request and `done` to all others.
fn receiver() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, heard) = channel();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut text = String::new();
            let mut part = [0; 8192];
            while !text.contains("\"_metadata\"") {
                let read = stream.read(&mut part).unwrap();
                text.push_str(&String::from_utf8_lossy(&part[..read]));
            }
            let _ = told.send(text);
            if held.is_empty() {
                held.push(stream);
                continue;
            }
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (port, heard)
}

fn line<'t>(text: &'t str, name: &str) -> &'t str {
    let mut lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(own, _)| *own == name).unwrap().1
}

pub(crate) fn a_webhook_of_a_killed_server_is_sent_again_under_the_same_key(mut world: World) {
    let (port, heard) = receiver();
    let href = format!("http://127.0.0.1:{port}/hook");
    let call = [(
        "call",
        json!({"type": "WebHook", "href": href, "_internal_key": "my own key"}),
    )];
    let [entity, _] = world.offline(async |engine| prepare(&engine, &call).await);
    // Not allowed unless it is said.
    let refused = invoke(&world, &entity, "call", None);
    assert_eq!(refused.status, 400, "{refused:?}");
    let flags = [
        "--webhooks-allow-private=true",
        "--webhooks-allow-http=true",
    ];
    world.restart_with(&flags);
    let reply = invoke(
        &world,
        &entity,
        "call",
        Some(json!({"arguments": {"x": 1}})),
    );
    let location = reply.header("location").to_owned();
    let long = Duration::from_secs(50);
    let first = heard.recv_timeout(long).unwrap();
    // The server is killed while it waits, and another one goes on.
    world.restart_with(&flags);
    let second = heard.recv_timeout(long).unwrap();
    let id = location.rsplit('/').next().unwrap();
    for (text, attempt) in [(&first, "1"), (&second, "2")] {
        assert_eq!(line(text, "idempotency-key"), id);
        assert_eq!(line(text, "coeval-attempt"), attempt);
        assert!(!text.contains("my own key"), "{text}");
    }
    // Some time to write what it was answered.
    std::thread::sleep(Duration::from_millis(500));
    assert!(!world.log().contains("my own key"));
    let id = Uuid::parse(id).unwrap();
    let task = world.offline(async |engine| engine.task(&somebody(), id).await.unwrap());
    assert_eq!(
        (task.status, task.attempts()),
        (Status::Success, 2),
        "{task:?}"
    );
    assert_eq!(task.result, Some(json!("done")));
}
