//! What is sent: the invocation in the documented form, without anything secret of the definition.

use bytes::Bytes;
use coeval_engine::lifecycle::Invocation;
use serde_json::{Map, Value, json};

/// Keys of a definition that nobody is sent.
fn is_secret(key: &str) -> bool {
    key.starts_with("_internal_") || key.starts_with("_secure_") || key == "key"
}

pub(crate) fn of(invocation: &Invocation) -> Bytes {
    let execution = &invocation.execution;
    let properties = execution.get("execution_properties");
    let properties = properties.and_then(Value::as_object);
    let shown: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .filter(|(key, _)| !is_secret(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let task = invocation.task.to_string();
    let mut body = json!({
        "entityId": invocation.entity_id,
        "typeId": invocation.type_id,
        "arguments": invocation.arguments,
        "_execution_properties": shown,
        "_metadata": {
            "behaviorId": invocation.behavior,
            "executionId": execution.get("id"),
            "executionType": "WebHook",
            "execution": {"href": execution.get("href")},
            "invocation": invocation.metadata,
            "invocationId": task,
            "requestId": task,
            "taskId": task,
            "attempt": invocation.attempt,
        },
        "entity": invocation.entity,
    });
    if let (Some(hook), Some(Value::Object(metadata))) =
        (invocation.hook, body.get_mut("_metadata"))
    {
        metadata.insert("hook".into(), json!(hook));
    }
    body.to_string().into()
}
