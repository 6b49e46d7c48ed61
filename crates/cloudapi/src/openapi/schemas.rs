//! The forms of what is sent and answered. Bodies that are sent may have more: what is not known is
//! ignored.

use super::around;
use coeval_api::rest::openapi::NamedSchema;
use serde_json::{Map, Value, json};

pub(super) fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn level() -> Value {
    json!({ "type": "string", "pattern": "^urn:vcloud:accessLevel:(ReadOnly|ReadWrite|FullControl)$" })
}

fn state() -> Value {
    json!({ "enum": ["PRE_CREATED", "RESOLVED", "RESOLUTION_ERROR", "IN_DELETION"] })
}

pub(super) fn of(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

pub(super) fn list_of(name: &str) -> Value {
    json!({ "type": "array", "items": of(name) })
}

/// All of them, by name.
pub(super) fn all() -> Map<String, Value> {
    let first = [
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
                &["message", "code", "advice"],
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
        (
            "BehaviorInvocation",
            object(
                &[],
                json!({
                    "arguments": { "type": ["object", "null"] },
                    "metadata": { "type": ["object", "null"] },
                }),
            ),
        ),
        (
            "DefinedEntitiesVersionMigrate",
            object(
                &["targetEntityType"],
                json!({
                    "targetEntityType": text(),
                    "forceMigrate": { "type": ["boolean", "null"] },
                    "dryRun": { "type": ["boolean", "null"] },
                    "meaningChanged": { "type": ["array", "null"], "items": text() },
                }),
            ),
        ),
        (
            "EntityAccess",
            object(
                &["user", "accessLevelId"],
                json!({
                    "user": text(),
                    "accessLevelId": { "anyOf": [level(), { "type": "null" }] },
                    "actions": { "type": "array", "items": object(
                        &["action", "allowed", "requirements"],
                        json!({
                            "action": text(),
                            "allowed": { "type": "boolean" },
                            "requirements": { "type": "array" },
                        }),
                    ) },
                }),
            ),
        ),
        (
            "AccessSynced",
            object(
                &["granted"],
                json!({ "granted": { "type": "integer", "minimum": 0 } }),
            ),
        ),
        (
            "MetadataEntry",
            object(
                &["keyValue"],
                json!({
                    "id": text(),
                    "persistent": { "type": "boolean" },
                    "readOnly": { "type": "boolean" },
                    "keyValue": object(
                        &["key", "value"],
                        json!({
                            "domain": { "enum": ["TENANT", "PROVIDER"] },
                            "namespace": text_or_null(),
                            "key": text(),
                            "value": object(&["type", "value"], json!({
                                "type": { "enum": ["StringEntry", "NumberEntry", "BoolEntry"] },
                                "value": { "type": ["string", "number", "boolean"] },
                            })),
                        }),
                    ),
                }),
            ),
        ),
    ];
    let all = first.into_iter().chain(definitions).chain(entities);
    let all = all.chain(around::all()).chain(sent());
    all.map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

/// What is sent where less is needed than is answered: `NameInput` for `Name`.
fn sent() -> Vec<NamedSchema> {
    let named = |name| {
        (
            name,
            object(
                &["name"],
                json!({ "name": text(), "description": text_or_null() }),
            ),
        )
    };
    vec![
        (
            "DefinedEntityInput",
            object(
                &[],
                json!({
                    "entityType": text_or_null(),
                    "name": text_or_null(),
                    "externalId": text_or_null(),
                    "entity": { "type": ["object", "null"] },
                    "entityState": text_or_null(),
                    "owner": { "type": ["object", "null"], "properties": { "id": text_or_null() } },
                }),
            ),
        ),
        (
            "OrgInput",
            object(
                &["name"],
                json!({
                    "name": text(),
                    "displayName": text_or_null(),
                    "description": text_or_null(),
                    "isEnabled": { "type": ["boolean", "null"] },
                }),
            ),
        ),
        (
            "UserInput",
            object(
                &["username"],
                json!({
                    "username": text(),
                    "password": text_or_null(),
                    "fullName": text_or_null(),
                    "email": text_or_null(),
                    "description": text_or_null(),
                    "enabled": { "type": ["boolean", "null"] },
                    "roleEntityRefs": { "type": ["array", "null"], "items": { "type": "object" } },
                    "orgEntityRef": { "type": ["object", "null"] },
                }),
            ),
        ),
        named("RightsBundleInput"),
        named("GlobalRoleInput"),
        named("RoleInput"),
    ]
}

/// The form of what is sent, if it is another than what is answered.
pub(super) fn input(name: &str) -> Option<String> {
    let input = format!("{name}Input");
    let there = sent().into_iter().any(|(name, _)| name == input);
    there.then_some(input)
}
