//! A task in JSON.

use super::view::{TaskReference, TaskView};
use serde_json::{Value, json};

pub(super) fn task(task: &TaskView) -> Value {
    let named = |named: &TaskReference| json!({ "href": named.href, "id": named.id, "name": named.name, "type": named.kind });
    let error = task.error.as_ref().map(|(code, message)| {
        json!({ "majorErrorCode": 400, "minorErrorCode": code, "message": message })
    });
    let result = task
        .result
        .as_ref()
        .map(|text| json!({ "resultContent": text }));
    json!({
        "id": task.id,
        "href": task.href,
        "name": "task",
        "type": "application/vnd.vmware.vcloud.task+json",
        "status": task.status,
        "operation": task.operation,
        "operationName": task.operation_name,
        "startTime": task.started,
        "endTime": task.ended,
        "expiryTime": task.expires,
        "cancelRequested": task.cancel_requested,
        "serviceNamespace": "com.vmware.vcloud",
        "owner": task.owner.as_ref().map(named),
        "error": error,
        "user": named(&task.user),
        "organization": named(&task.org),
        "progress": task.progress,
        "details": task.details,
        "result": result,
    })
}
