//! Tasks: look, cancel, and begin a migration.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::resources::represent::quarantined;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{RestAnswer, rfc3339};
use coeval_core::version::Uuid;
use coeval_engine::tasks::{Status, Task, TaskQuery};
use serde_json::{Value, json};
use std::sync::Arc;

const STATUSES: [Status; 6] = [
    Status::Queued,
    Status::Running,
    Status::Success,
    Status::Error,
    Status::Canceled,
    Status::Aborted,
];

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/tasks", handler!(list))
            .about("The tasks of the organization, newest first: one's own, and with the right those of others.")
            .text("status", "queued, running, success, error, canceled or aborted")
            .text("operation", "Of this operation, such as migrateEntities")
            .text("resource", "About the resource with this id")
            .ignorable("the server lists tasks of all resources")
            .pages()
            .answers(200, WebBody::One("TaskPage")),
        WebRoute::get("/tasks/{id}", handler!(get))
            .about("One task, with its result.")
            .gives("Task"),
        WebRoute::post("/tasks/{id}/cancel", handler!(cancel))
            .about("Asks for a task to end.")
            .gives("Task"),
    ]
}

/// A task as it is answered.
pub(crate) fn shown(task: &Task) -> Value {
    let error = task.error.as_ref();
    let error = error.map(|error| json!({ "code": error.code, "message": error.message }));
    json!({
        "id": task.urn(),
        "operation": task.operation,
        "description": task.description,
        "status": task.status.name(),
        "user": task.user(),
        "organization": task.org(),
        "about": {
            "type": task.about.of,
            "version": task.about.version,
            "resource": task.about.resource,
        },
        "created": rfc3339(task.created),
        "started": task.started.map(rfc3339),
        "ended": task.ended.map(rfc3339),
        "progress": {
            "done": task.progress.done,
            "total": task.progress.total,
            "percent": task.progress.percent(),
        },
        "message": task.message,
        "error": error,
        "result": task.result,
        "cancelRequested": task.cancel_requested,
        "attempts": task.attempts(),
    })
}

/// By its id, or by the bare part of it.
fn id(text: &str) -> Result<Uuid, WebError> {
    let bare = text.strip_prefix("urn:vcloud:task:").unwrap_or(text);
    let bad = || WebError::invalid("that is no id of a task");
    Uuid::parse(bare).ok_or_else(bad)
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let size = lists::page_size(&call)?;
    let status = match call.query.said("status") {
        None => None,
        Some(text) => {
            let found = STATUSES.into_iter().find(|status| status.name() == text);
            let bad = || WebError::query("status", "there is no such status");
            Some(found.ok_or_else(bad)?)
        }
    };
    let before = call.query.said("pageToken").map(id).transpose();
    let query = TaskQuery {
        status,
        operation: call.said("operation"),
        resource: call.said("resource"),
        before: before.map_err(|_| WebError::query("pageToken", "it is of no page"))?,
        // One more than fits on the page says that there is a next one.
        limit: size.saturating_add(1),
    };
    let mut page = api.engine().tasks(call.caller()?, &query).await?;
    let more = page.tasks.len() > size;
    page.tasks.truncate(size);
    let next = page.tasks.last().filter(|_| more).map(Task::urn);
    let items: Vec<Value> = page.tasks.iter().map(shown).collect();
    Ok(RestAnswer::ok(&json!({
        "items": items,
        "nextPageToken": next,
        "quarantined": quarantined(&page.quarantined),
    })))
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let id = id(call.param("id"))?;
    let task = api.engine().task(call.caller()?, id).await?;
    Ok(RestAnswer::ok(&shown(&task)))
}

async fn cancel(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let id = id(call.param("id"))?;
    let task = api.engine().cancel_task(call.caller()?, id).await?;
    Ok(RestAnswer::ok(&shown(&task)))
}
