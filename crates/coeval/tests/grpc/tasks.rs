//! Tasks: migrations, how they go, and how they are ended.

use crate::calls::refused;
use crate::world::World;
use coeval_grpc::proto::tasks::v1 as pb;
use serde_json::{Value, json};
use tonic::Code;

fn migrate(dry_run: bool) -> pb::MigrateResourcesRequest {
    pb::MigrateResourcesRequest {
        kind: "app".into(),
        from_version: "v1".into(),
        to_version: "1.1.0".into(),
        dry_run,
        ..Default::default()
    }
}

/// All that is told of a task until it ends.
async fn watched(world: &World, token: &str, id: &str) -> Vec<pb::Task> {
    let asked = pb::WatchTaskRequest { id: id.into() };
    let told = world.by(token).tasks().watch_task(asked).await.unwrap();
    let mut told = told.into_inner();
    let mut all = Vec::new();
    while let Some(one) = told.message().await.unwrap() {
        all.push(one.task.unwrap());
    }
    all
}

pub(crate) async fn resources_are_migrated_by_a_task_that_can_be_watched(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    for number in 0..5 {
        let name = format!("a{number}");
        by.create("v1", &name, json!({"image": "a"})).await.unwrap();
    }
    for dry in [true, false] {
        let task = by.tasks().migrate_resources(migrate(dry)).await.unwrap();
        let task = task.into_inner().task.unwrap();
        assert_eq!((&*task.r#type, &*task.namespace), ("acme:app", "acme"));
        let told = watched(&world, &alice, &task.id).await;
        assert!(
            told.windows(2).all(|pair| pair[0] != pair[1]),
            "only changes"
        );
        let last = told.last().unwrap();
        assert_eq!(last.status(), pb::TaskStatus::Success, "{last:?}");
        let result: Value = serde_json::from_str(&last.result).unwrap();
        assert!(result.is_object(), "{result}");
        let stored = by.get("a0").await.unwrap().status.unwrap().stored_version;
        assert_eq!(stored, if dry { "v1" } else { "v1.1" });
        // Who asks later is told once; a bare UUID will do.
        let bare = task.id.rsplit(':').next().unwrap();
        assert_eq!(watched(&world, &alice, bare).await.len(), 1);
        let cancel = pb::CancelTaskRequest { id: task.id };
        let told = by.tasks().cancel_task(cancel).await;
        refused(told, Code::FailedPrecondition, 6201);
    }
    let mut same = migrate(false);
    same.to_version = "v1".into();
    let told = by.tasks().migrate_resources(same).await;
    refused(told, Code::InvalidArgument, 6205);
}

pub(crate) async fn tasks_come_in_pages_and_are_ended_once(mut world: World) {
    world.add_app();
    let (alice, oscar) = (world.login("alice@acme"), world.login("oscar@other"));
    let by = world.by(&alice);
    let mut ids = Vec::new();
    for _ in 0..5 {
        let task = by.tasks().migrate_resources(migrate(true)).await.unwrap();
        ids.push(task.into_inner().task.unwrap().id);
    }
    for id in &ids {
        watched(&world, &alice, id).await;
    }
    ids.reverse();
    let list = |token: &str, size| pb::ListTasksRequest {
        page_size: size,
        page_token: token.into(),
        ..Default::default()
    };
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let page = by.tasks().list_tasks(list(&token, 2)).await.unwrap();
        let page = page.into_inner();
        assert!(page.tasks.iter().all(|one| one.result.is_empty()));
        found.extend(page.tasks.into_iter().map(|one| one.id));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(found, ids, "newest first, each once");
    let filtered = pb::ListTasksRequest {
        status: pb::TaskStatus::Error.into(),
        ..Default::default()
    };
    let none = by.tasks().list_tasks(filtered).await.unwrap().into_inner();
    assert!(none.tasks.is_empty());
    // Another tenant neither sees, watches nor ends it.
    let others = world.by(&oscar);
    let id = || ids[0].clone();
    let told = others
        .tasks()
        .get_task(pb::GetTaskRequest { id: id() })
        .await;
    refused(told, Code::NotFound, 6200);
    let told = others
        .tasks()
        .watch_task(pb::WatchTaskRequest { id: id() })
        .await;
    assert_eq!(told.unwrap_err().code(), Code::NotFound);
    let told = others
        .tasks()
        .cancel_task(pb::CancelTaskRequest { id: id() })
        .await;
    refused(told, Code::NotFound, 6200);
    let page = others.tasks().list_tasks(list("", 0)).await.unwrap();
    assert!(page.into_inner().tasks.is_empty());
    let told = by
        .tasks()
        .get_task(pb::GetTaskRequest { id: "x".into() })
        .await;
    refused(told, Code::InvalidArgument, 8006);
}
