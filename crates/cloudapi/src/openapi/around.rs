//! The forms of what stands around entities and their definitions.

use super::schemas::{list_of, object, of, text, text_or_null};
use coeval_api::rest::openapi::NamedSchema;
use serde_json::json;

fn flag() -> serde_json::Value {
    json!({ "type": "boolean" })
}

pub(super) fn all() -> Vec<NamedSchema> {
    let held = |name| {
        (
            name,
            object(
                &["id", "name"],
                json!({
                    "id": text(),
                    "name": text(),
                    "description": text_or_null(),
                    "bundleKey": text(),
                    "readOnly": flag(),
                    "publishAll": flag(),
                }),
            ),
        )
    };
    vec![
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
        (
            "OAuthClient",
            object(
                &["client_name"],
                json!({ "client_name": text(), "client_id": text() }),
            ),
        ),
        (
            "OAuthToken",
            object(
                &["access_token", "token_type", "expires_in"],
                json!({
                    "access_token": text(),
                    "token_type": text(),
                    "expires_in": { "type": ["integer", "null"] },
                    "refresh_token": text_or_null(),
                }),
            ),
        ),
        (
            "Token",
            object(
                &["id", "name", "type"],
                json!({
                    "id": text(),
                    "name": text_or_null(),
                    "type": text(),
                    "expirationTimestamp": text_or_null(),
                    "createdTimestamp": text(),
                    "issued": flag(),
                }),
            ),
        ),
        (
            "Org",
            object(
                &["id", "name"],
                json!({
                    "id": text(),
                    "name": text(),
                    "displayName": text(),
                    "description": text_or_null(),
                    "isEnabled": flag(),
                    "orgVdcCount": { "type": "integer" },
                }),
            ),
        ),
        (
            "User",
            object(
                &[
                    "id",
                    "username",
                    "enabled",
                    "roleEntityRefs",
                    "orgEntityRef",
                ],
                json!({
                    "id": text(),
                    "username": text(),
                    "fullName": text_or_null(),
                    "email": text_or_null(),
                    "description": text_or_null(),
                    "enabled": flag(),
                    "locked": flag(),
                    "providerType": text(),
                    "roleEntityRefs": list_of("Reference"),
                    "orgEntityRef": of("Reference"),
                }),
            ),
        ),
        (
            "Right",
            object(
                &["id", "name", "rightType"],
                json!({
                    "id": text(),
                    "name": text(),
                    "description": text_or_null(),
                    "bundleKey": text(),
                    "category": text(),
                    "serviceNamespace": text_or_null(),
                    "rightType": { "enum": ["VIEW", "MODIFY"] },
                    "impliedRights": list_of("Reference"),
                }),
            ),
        ),
        (
            "RightsCategory",
            object(
                &["id", "name"],
                json!({ "id": text(), "name": text(), "parent": text_or_null() }),
            ),
        ),
        held("RightsBundle"),
        held("GlobalRole"),
        held("Role"),
        (
            "References",
            object(
                &[],
                json!({ "values": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "name": text_or_null(), "id": text_or_null() },
                } } }),
            ),
        ),
    ]
}
