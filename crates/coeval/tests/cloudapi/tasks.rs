//! Tasks as clients poll them.

use crate::markup::Element;
use crate::rights::TYPE;
use crate::world::World;
use coeval_access::{AccessSubject, Rights};
use coeval_core::version::Version;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create};
use coeval_engine::{Caller, Engine, SYSTEM_ORG, TypeKey};
use serde_json::json;
use std::sync::Arc;

/// Tasks of three entities that the provider made: waiting, resolved, wrong.
async fn made(engine: Arc<Engine>) -> Vec<(String, String)> {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    let admin = Caller::new(Arc::new(subject));
    let registered = engine.register(&admin, Registration::of(TYPE)).await;
    registered.unwrap();
    let of = TypeKey::new("vmware", "testType");
    let mut all = Vec::new();
    for (checking, content) in [
        (Checking::Later, json!({ "foo": "a" })),
        (Checking::Resolve, json!({ "foo": "a" })),
        (Checking::Resolve, json!({ "foo": 1 })),
    ] {
        let mut create = Create::new(Version::new(1, 0, 0), "e <1> & more", content);
        create.checking = checking;
        create.announced = true;
        create.unique = false;
        let changed = engine.create(&admin, &of, create).await.unwrap();
        let task = changed.task.unwrap();
        all.push((task.id.to_string(), changed.resource.urn()));
    }
    all
}

pub(crate) fn a_task_tells_what_it_is_about_and_how_it_ended(mut world: World) {
    let tasks = world.offline(made);
    let admin = world.admin();
    for ((uuid, entity), (status, progress)) in
        tasks
            .iter()
            .zip([("running", "1"), ("success", "100"), ("error", "100")])
    {
        for path in [
            format!("/api/task/{uuid}"),
            format!("/api/task/urn:vcloud:task:{uuid}"),
        ] {
            let reply = world.get(&path).by(&admin);
            let reply = reply
                .header("accept", "application/*+xml;version=36.0")
                .send();
            assert_eq!(reply.status, 200, "{reply:?}");
            let task = Element::read(&reply.text);
            assert_eq!(task.name, "Task");
            assert_eq!(task.get("status"), status);
            assert_eq!(task.get("operationName"), "createDefinedEntity");
            let operation = format!("Creating e <1> & more({entity})");
            assert_eq!(task.get("operation"), operation);
            assert_eq!(task.get("id"), format!("urn:vcloud:task:{uuid}"));
            assert_eq!(task.get("href"), format!("{}/api/task/{uuid}", world.url()));
            assert_eq!(
                task.get("startTime").len(),
                "2024-01-01T00:00:00.000Z".len()
            );
            assert_eq!(task.get("endTime").is_empty(), status == "running");
            assert_eq!(task.child("Owner").get("id"), entity);
            assert_eq!(task.child("Progress").text, progress);
            assert_eq!(task.child("Organization").get("name"), "System");
            assert_eq!(task.all("Error").len(), usize::from(status == "error"));
            if status == "error" {
                let error = task.child("Error");
                assert_eq!(error.get("majorErrorCode"), "400");
                assert!(error.get("message").contains("foo"), "{error:?}");
            }
        }
        let reply = world.get(&format!("/api/task/{uuid}")).by(&admin);
        let reply = reply.version("37.2").send();
        assert_eq!(reply.json["status"], status, "{reply:?}");
        assert_eq!(reply.json["owner"]["id"], entity.as_str());
        let alice = world.login("alice@acme");
        let hidden = world.get(&format!("/api/task/{uuid}")).by(&alice).send();
        assert_eq!(hidden.status, 403, "{hidden:?}");
    }
    let cancel = |uuid: &str| {
        let path = format!("/api/task/{uuid}/action/cancel");
        world.post(&path).by(&admin).send().status
    };
    assert_eq!(cancel(&tasks[0].0), 204);
    assert_eq!(cancel(&tasks[1].0), 400, "it has ended");
    assert_eq!(cancel("56bacbaa-8ddc-4bef-b7a5-e8f6758aff25"), 403);
}
