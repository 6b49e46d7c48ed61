//! The schemas that operations refer to.

use super::shapes::{
    answered, answered_and, any, count, flag, list, of, or_null, sent, some_object, text,
    text_or_null, texts, texts_or_null,
};
use super::{definitions, identity, migrations};
use coeval_api::rest::openapi::NamedSchema;
use serde_json::{Map, Value, json};

/// All of them.
pub(super) fn all() -> Map<String, Value> {
    let all = general()
        .into_iter()
        .chain(resources())
        .chain(definitions::types());
    let all = all.chain(identity::answers()).chain(identity::bodies());
    let all = all.chain(migrations::answers()).chain(migrations::bodies());
    all.map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

fn general() -> Vec<NamedSchema> {
    vec![
        ("Any", some_object()),
        (
            "Error",
            answered_and(
                json!({ "code": text(), "message": text(), "advice": text() }),
                json!({ "release": text(), "details": some_object() }),
            ),
        ),
        (
            "Page",
            answered_and(
                json!({ "items": { "type": "array" }, "nextPageToken": text_or_null() }),
                json!({ "total": count() }),
            ),
        ),
        (
            "Named",
            answered(json!({ "id": text(), "name": text_or_null() })),
        ),
        (
            "Quarantined",
            answered(json!({ "id": text(), "code": text(), "reason": text() })),
        ),
        ("Release", answered(json!({ "release": text() }))),
        (
            "Deprecated",
            answered(json!({
                "id": text(),
                "what": text(),
                "name": text(),
                "deprecation": answered(json!({
                    "since": text(), "lastUsedIn": text(), "removedIn": text(), "instead": text(),
                })),
            })),
        ),
        (
            "Server",
            answered(json!({
                "release": text(),
                "publicUrl": text(),
                "healthy": flag(),
                "draining": flag(),
                "store": or_null(&answered(json!({
                    "kind": text(),
                    "incarnation": text(),
                    "sequence": count(),
                    "compactedTo": count(),
                    "bytes": or_null(&count()),
                }))),
            })),
        ),
        (
            "Task",
            answered(json!({
                "id": text(),
                "operation": text(),
                "description": text(),
                "status": text(),
                "user": text(),
                "organization": text(),
                "about": some_object(),
                "created": text(),
                "started": text_or_null(),
                "ended": text_or_null(),
                "progress": answered(json!({
                    "done": count(), "total": or_null(&count()), "percent": count(),
                })),
                "message": text_or_null(),
                "error": or_null(&answered(json!({ "code": text(), "message": text() }))),
                "result": any(),
                "cancelRequested": flag(),
                "attempts": count(),
            })),
        ),
        (
            "TaskPage",
            answered(json!({
                "items": list("Task"),
                "nextPageToken": text_or_null(),
                "quarantined": list("Quarantined"),
            })),
        ),
        (
            "AuditRecord",
            answered(json!({
                "at": text(),
                "user": text(),
                "userOrganization": text(),
                "what": text(),
                "type": text(),
                "version": text_or_null(),
                "storedVersion": text_or_null(),
                "resource": text_or_null(),
                "name": text_or_null(),
                "organization": text_or_null(),
                "owner": text_or_null(),
                "before": text_or_null(),
                "after": text(),
                "note": text_or_null(),
            })),
        ),
    ]
}

/// What every resource has, as it is answered.
fn metadata() -> Value {
    answered(json!({
        "name": text(),
        "namespace": text(),
        "description": text_or_null(),
        "labels": { "type": "object", "additionalProperties": text() },
        "expires": text_or_null(),
        "revision": text(),
        "id": text(),
        "created": text(),
        "modified": text(),
        "owner": of("Named"),
        "access": { "enum": ["ReadOnly", "ReadWrite", "FullControl"] },
    }))
}

fn resource_fields() -> Value {
    json!({
        "kind": text(),
        "subKind": text_or_null(),
        "version": text(),
        "metadata": metadata(),
        "spec": some_object(),
        "status": answered(json!({
            "state": text(),
            "message": text_or_null(),
            "storedVersion": text(),
            "restricted": text_or_null(),
        })),
    })
}

/// As it is sent: what only the server sets is taken and not looked at.
fn sent_resource(needed: &[&str], more: Value) -> Value {
    let mut properties = json!({
        "kind": text_or_null(),
        "subKind": text_or_null(),
        "version": text_or_null(),
        "metadata": { "anyOf": [
            sent(&[], json!({
                "name": text_or_null(),
                "namespace": text_or_null(),
                "description": text_or_null(),
                "labels": { "type": ["object", "null"], "additionalProperties": text() },
                "expires": text_or_null(),
                "revision": text_or_null(),
                "id": text_or_null(),
                "created": any(),
                "modified": any(),
                "owner": any(),
                "access": any(),
            })),
            { "type": "null" },
        ] },
        "spec": { "type": ["object", "null"] },
        "status": any(),
        "leftOut": any(),
        "secure": any(),
    });
    if let (Value::Object(properties), Value::Object(more)) = (&mut properties, more) {
        properties.extend(more);
    }
    sent(needed, properties)
}

fn resources() -> Vec<NamedSchema> {
    let secure = || json!({ "secure": texts() });
    vec![
        ("Resource", answered_and(resource_fields(), secure())),
        (
            "ResourceShown",
            json!({ "type": "object", "allOf": [of("Resource"), answered(json!({ "leftOut": texts() }))] }),
        ),
        (
            "ResourcePage",
            answered_and(
                json!({
                    "items": list("Resource"),
                    "nextPageToken": text_or_null(),
                    "quarantined": list("Quarantined"),
                    "sequence": text(),
                }),
                json!({ "total": count() }),
            ),
        ),
        (
            "ResourceHistory",
            answered(json!({
                "items": list("Resource"),
                "nextPageToken": text_or_null(),
                "quarantined": list("Quarantined"),
            })),
        ),
        (
            "ResourceWritten",
            answered(json!({
                "resource": of("Resource"),
                "kept": texts(),
                "dropped": texts(),
                "overrode": text_or_null(),
                "task": text_or_null(),
            })),
        ),
        (
            "ResourceDeleted",
            answered(json!({ "task": text_or_null(), "sequence": text_or_null() })),
        ),
        (
            "ResourceInput",
            sent_resource(&["version", "spec"], json!({})),
        ),
        (
            "ResourcePatch",
            sent_resource(&["mask"], json!({ "mask": texts() })),
        ),
        (
            "StatusInput",
            sent(
                &[],
                json!({ "message": text_or_null(), "revision": text_or_null() }),
            ),
        ),
        (
            "UpgradeInput",
            sent(
                &[],
                json!({ "version": text_or_null(), "revision": text_or_null(), "dryRun": { "type": "boolean" } }),
            ),
        ),
        (
            "UpgradeManyInput",
            sent(
                &[],
                json!({ "version": text_or_null(), "dryRun": { "type": "boolean" } }),
            ),
        ),
        (
            "RestoreInput",
            sent(
                &["revision"],
                json!({ "revision": text(), "present": text_or_null() }),
            ),
        ),
        (
            "Grant",
            answered(json!({ "id": text(), "kind": text(), "name": text(), "level": text() })),
        ),
        (
            "GrantInput",
            sent(
                &["member", "level"],
                json!({ "member": text(), "level": { "enum": ["ReadOnly", "ReadWrite", "FullControl"] } }),
            ),
        ),
        (
            "Access",
            answered(json!({
                "user": text(),
                "level": text_or_null(),
                "actions": { "type": "array", "items": answered(json!({
                    "action": text(), "allowed": flag(), "requirements": { "type": "array" },
                })) },
            })),
        ),
        (
            "SecretsInput",
            sent(&[], json!({ "names": texts_or_null() })),
        ),
        ("Secrets", answered(json!({ "secrets": some_object() }))),
        (
            "InvocationInput",
            sent(
                &[],
                json!({
                    "arguments": { "type": ["object", "null"] },
                    "metadata": { "type": ["object", "null"] },
                }),
            ),
        ),
        (
            "WatchEvent",
            answered(json!({
                "sequence": text(),
                "changes": { "type": "array", "items": { "type": "object", "properties": {
                    "put": of("Resource"),
                    "deleted": answered(json!({ "id": text(), "revision": text_or_null() })),
                    "left": answered(json!({ "id": text() })),
                    "quarantined": of("Quarantined"),
                } } },
            })),
        ),
    ]
}
