//! The schemas of sessions, organizations, users, roles and bundles.

use super::shapes::{
    answered, answered_and, flag, flag_or_null, list, of, sent, text, text_or_null, texts,
    texts_or_null,
};
use coeval_api::rest::openapi::NamedSchema;
use serde_json::{Value, json};

pub(super) fn answers() -> Vec<NamedSchema> {
    let session = json!({
        "id": text(),
        "kind": { "enum": ["session", "apiToken"] },
        "user": text(),
        "name": text_or_null(),
        "created": text(),
        "expires": text_or_null(),
        "source": text_or_null(),
    });
    vec![
        (
            "Session",
            answered_and(
                json!({
                    "user": of("Named"),
                    "organization": of("Named"),
                    "provider": flag(),
                    "roles": list("Named"),
                    "rights": texts(),
                    "expires": text_or_null(),
                    "release": text(),
                }),
                json!({ "csrf": text(), "token": text() }),
            ),
        ),
        ("SessionInfo", answered(session.clone())),
        ("Token", answered_and(session, json!({ "token": text() }))),
        (
            "Organization",
            answered(json!({
                "id": text(),
                "name": text(),
                "displayName": text_or_null(),
                "description": text_or_null(),
                "enabled": flag(),
                "vdcs": texts(),
                "revision": text(),
            })),
        ),
        (
            "User",
            answered(json!({
                "id": text(),
                "name": text(),
                "organization": of("Named"),
                "fullName": text_or_null(),
                "email": text_or_null(),
                "description": text_or_null(),
                "enabled": flag(),
                "roles": list("Named"),
                "revision": text(),
            })),
        ),
        (
            "Right",
            answered(json!({ "id": text(), "name": text(), "about": text_or_null() })),
        ),
        (
            "Role",
            answered(json!({
                "id": text(),
                "name": text(),
                "organization": text_or_null(),
                "description": text_or_null(),
                "rights": texts(),
                "predefined": flag(),
                "revision": text(),
            })),
        ),
        (
            "Bundle",
            answered(json!({
                "id": text(),
                "name": text(),
                "description": text_or_null(),
                "rights": texts(),
                "published": answered(json!({ "all": flag(), "organizations": texts() })),
                "type": text_or_null(),
                "predefined": flag(),
                "revision": text(),
            })),
        ),
    ]
}

pub(super) fn bodies() -> Vec<NamedSchema> {
    let names = |more: Value| {
        let mut all = json!({ "description": text_or_null(), "rights": texts_or_null() });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
        all
    };
    let edit = || names(json!({ "name": text_or_null(), "revision": text_or_null() }));
    let user = json!({
        "name": text(),
        "fullName": text_or_null(),
        "email": text_or_null(),
        "description": text_or_null(),
        "enabled": flag_or_null(),
        "roles": texts_or_null(),
    });
    let (mut new_user, mut edit_user) = (user.clone(), user);
    if let (Some(new), Some(edit)) = (new_user.as_object_mut(), edit_user.as_object_mut()) {
        new.insert("organization".into(), text_or_null());
        new.insert("password".into(), text_or_null());
        edit.insert("name".into(), text_or_null());
        edit.insert("revision".into(), text_or_null());
    }
    vec![
        (
            "LoginInput",
            sent(
                &["user", "org", "password"],
                json!({ "user": text(), "org": text(), "password": text(), "cookie": flag_or_null() }),
            ),
        ),
        (
            "TokenInput",
            sent(
                &["name"],
                json!({ "name": text(), "expires": text_or_null() }),
            ),
        ),
        (
            "PasswordInput",
            sent(&["password"], json!({ "password": text() })),
        ),
        (
            "OwnPasswordInput",
            sent(&["old", "new"], json!({ "old": text(), "new": text() })),
        ),
        (
            "OrganizationInput",
            sent(
                &["name"],
                json!({
                    "name": text(),
                    "displayName": text_or_null(),
                    "description": text_or_null(),
                    "vdcs": texts_or_null(),
                }),
            ),
        ),
        (
            "OrganizationEdit",
            sent(
                &[],
                json!({
                    "displayName": text_or_null(),
                    "description": text_or_null(),
                    "enabled": flag_or_null(),
                    "vdcs": texts_or_null(),
                    "revision": text_or_null(),
                }),
            ),
        ),
        ("UserInput", sent(&["name"], new_user)),
        ("UserEdit", sent(&[], edit_user)),
        (
            "RoleInput",
            sent(
                &["name"],
                names(json!({
                    "name": text(), "organization": text_or_null(), "forAll": flag_or_null(),
                })),
            ),
        ),
        ("RoleEdit", sent(&[], edit())),
        (
            "BundleInput",
            sent(&["name"], names(json!({ "name": text() }))),
        ),
        ("BundleEdit", sent(&[], edit())),
        (
            "Publication",
            sent(
                &[],
                json!({ "all": flag_or_null(), "organizations": texts_or_null() }),
            ),
        ),
    ]
}
