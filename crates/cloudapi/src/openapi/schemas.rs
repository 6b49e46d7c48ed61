//! The forms of what is sent and answered. Bodies that are sent may have more: what is not known is
//! ignored.

use serde_json::{Map, Value, json};

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn level() -> Value {
    json!({ "type": "string", "pattern": "^urn:vcloud:accessLevel:(ReadOnly|ReadWrite|FullControl)$" })
}

fn state() -> Value {
    json!({ "enum": ["PRE_CREATED", "RESOLVED", "RESOLUTION_ERROR", "IN_DELETION"] })
}

fn of(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list_of(name: &str) -> Value {
    json!({ "type": "array", "items": of(name) })
}

/// All of them, by name.
pub(super) fn all() -> Map<String, Value> {
    let around = [
        ("Any", json!(true)),
        (
            "Page",
            object(
                &[
                    "resultTotal",
                    "pageCount",
                    "page",
                    "pageSize",
                    "associations",
                    "values",
                ],
                json!({
                    "resultTotal": { "type": "integer", "minimum": 0 },
                    "pageCount": { "type": "integer", "minimum": 0 },
                    "page": { "type": "integer", "minimum": 1 },
                    "pageSize": { "type": "integer", "minimum": 0, "maximum": 128 },
                    "associations": { "type": "null" },
                    "values": { "type": "array" },
                    "quarantined": list_of("Quarantined"),
                }),
            ),
        ),
        (
            "Quarantined",
            object(
                &["id", "code", "reason"],
                json!({ "id": text(), "code": text(), "reason": text() }),
            ),
        ),
        (
            "Error",
            object(
                &["minorErrorCode", "message", "stackTrace", "code", "advice"],
                json!({
                    "minorErrorCode": text(),
                    "message": text(),
                    "stackTrace": { "type": "null" },
                    "code": { "type": "string", "pattern": "^COEVAL-[0-9]{4}$" },
                    "advice": text(),
                    "details": { "type": "object" },
                }),
            ),
        ),
        (
            "Reference",
            object(&["name", "id"], json!({ "name": text(), "id": text() })),
        ),
        (
            "Session",
            object(
                &["id", "user", "org", "roles", "roleRefs"],
                json!({
                    "id": text(),
                    "user": of("Reference"),
                    "org": of("Reference"),
                    "location": text_or_null(),
                    "roles": { "type": "array", "items": text() },
                    "roleRefs": list_of("Reference"),
                    "sessionIdleTimeoutMinutes": { "type": "integer" },
                }),
            ),
        ),
    ];
    let definitions = [
        (
            "DefinedInterface",
            object(
                &["name", "version", "vendor", "nss"],
                json!({
                    "id": text(),
                    "name": text(),
                    "version": text(),
                    "vendor": text(),
                    "nss": text(),
                    "readonly": { "type": "boolean" },
                }),
            ),
        ),
        (
            "Behavior",
            object(
                &["name", "execution"],
                json!({
                    "id": text_or_null(),
                    "ref": text_or_null(),
                    "name": text(),
                    "description": text_or_null(),
                    "execution": { "type": "object" },
                }),
            ),
        ),
        (
            "BehaviorAccess",
            object(
                &["behaviorId", "accessLevelId"],
                json!({ "behaviorId": text(), "accessLevelId": level() }),
            ),
        ),
        (
            "DefinedEntityType",
            object(
                &["name", "vendor", "nss", "version", "schema"],
                json!({
                    "id": text_or_null(),
                    "name": text(),
                    "description": text_or_null(),
                    "vendor": text(),
                    "nss": text(),
                    "version": text(),
                    "inheritedVersion": text_or_null(),
                    "externalId": text_or_null(),
                    "schema": { "type": "object" },
                    "interfaces": { "type": ["array", "null"], "items": text() },
                    "hooks": { "type": ["object", "null"], "additionalProperties": text() },
                    "readonly": { "type": ["boolean", "null"] },
                    "maxImplicitRight": text_or_null(),
                }),
            ),
        ),
        (
            "AccessControlGrant",
            object(
                &["accessLevelId", "memberId"],
                json!({
                    "id": text_or_null(),
                    "tenant": { "type": ["object", "null"] },
                    "grantType": text(),
                    "objectId": text_or_null(),
                    "accessLevelId": level(),
                    "memberId": text(),
                }),
            ),
        ),
        (
            "AccessLevel",
            object(
                &["id", "name"],
                json!({ "id": level(), "name": text(), "description": text_or_null() }),
            ),
        ),
    ];
    let entities = [
        (
            "DefinedEntity",
            object(
                &[
                    "id",
                    "entityType",
                    "name",
                    "entity",
                    "state",
                    "owner",
                    "org",
                ],
                json!({
                    "id": text(),
                    "entityType": text(),
                    "name": text(),
                    "externalId": text_or_null(),
                    "entity": { "type": "object" },
                    "state": state(),
                    "entityState": state(),
                    "owner": of("Reference"),
                    "org": of("Reference"),
                    "creationDate": text(),
                    "lastModificationDate": text(),
                }),
            ),
        ),
        (
            "EntityState",
            object(
                &["id", "entity", "state", "message"],
                json!({
                    "id": text(),
                    "entity": { "type": "object" },
                    "state": state(),
                    "entityState": state(),
                    "message": text_or_null(),
                }),
            ),
        ),
    ];
    let all = around.into_iter().chain(definitions).chain(entities);
    all.map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}
