//! The schemas of types, interfaces and behaviors.

use super::shapes::{
    answered, answered_and, any, count, flag, flag_or_null, list, of, or_null, sent, some_object,
    text, text_or_null, texts, texts_or_null,
};
use coeval_api::rest::openapi::NamedSchema;
use serde_json::{Value, json};

/// A type version in a list; `findings` is how many, or all of them.
fn type_version(findings: &Value) -> Value {
    json!({
        "version": text(),
        "title": text_or_null(),
        "description": text_or_null(),
        "interfaces": texts(),
        "builtIn": flag(),
        "unproven": flag(),
        "findings": findings,
    })
}

/// What a type version may have.
fn annotations() -> Value {
    json!({ "deprecated": of("Deprecation"), "columns": list("Column") })
}

fn one_way() -> Value {
    answered_and(
        json!({ "class": text(), "losses": { "type": "array" } }),
        json!({ "why": text() }),
    )
}

fn type_fields() -> Value {
    json!({
        "id": text(),
        "vendor": text(),
        "nss": text(),
        "title": text_or_null(),
        "versions": list("TypeVersionShort"),
    })
}

pub(super) fn types() -> Vec<NamedSchema> {
    let mut shown = type_fields();
    if let Some(map) = shown.as_object_mut() {
        map.insert("kind".into(), text());
        let conversion = or_null(&of("Conversion"));
        map.insert(
            "conversions".into(),
            json!({ "type": "object", "additionalProperties": conversion }),
        );
    }
    let mut whole = type_version(&list("Finding"));
    if let Some(map) = whole.as_object_mut() {
        for (name, schema) in [
            ("type", text()),
            ("file", text()),
            ("schema", any()),
            ("conversion", or_null(&of("Conversion"))),
            ("steps", json!({ "type": ["array", "null"] })),
            ("clients", text_or_null()),
            ("skew", text()),
            ("uniqueNames", flag()),
            ("meaningChanged", texts()),
            ("restrictedView", json!({ "type": ["object", "null"] })),
            ("hooks", some_object()),
            ("indexes", some_object()),
            ("externalId", text_or_null()),
            ("maxImplicitRight", text_or_null()),
        ] {
            map.insert(name.to_owned(), schema);
        }
    }
    vec![
        ("Type", answered(type_fields())),
        ("TypeShown", answered(shown)),
        (
            "TypeVersionShort",
            answered_and(type_version(&count()), annotations()),
        ),
        ("TypeVersion", answered_and(whole, annotations())),
        (
            "TypeCounts",
            answered(json!({
                "type": text(),
                "items": { "type": "array", "items": answered(json!({ "version": text(), "resources": count() })) },
                "nextPageToken": text_or_null(),
            })),
        ),
        (
            "Conversion",
            answered(json!({ "from": text(), "forward": one_way(), "backward": one_way() })),
        ),
        (
            "Finding",
            answered_and(
                json!({ "rule": text(), "path": text(), "message": text(), "refuses": flag() }),
                json!({ "against": text_or_null(), "witness": any() }),
            ),
        ),
        (
            "TypeInput",
            sent(
                &["file"],
                json!({
                    "file": text(),
                    "policy": { "enum": ["refuse", "warn", null] },
                    "acceptUndecided": flag_or_null(),
                }),
            ),
        ),
        (
            "Deprecation",
            answered_and(
                json!({}),
                json!({ "since": text(), "sunset": text(), "message": text() }),
            ),
        ),
        (
            "Column",
            answered(json!({
                "name": text(),
                "path": text(),
                "type": { "enum": ["string", "integer", "number", "boolean", "date"] },
            })),
        ),
        (
            "AnnotationsInput",
            sent(
                &[],
                json!({
                    "deprecated": or_null(&of("DeprecationInput")),
                    "columns": { "type": ["array", "null"], "items": of("ColumnInput") },
                }),
            ),
        ),
        (
            "DeprecationInput",
            sent(
                &[],
                json!({ "since": text_or_null(), "sunset": text_or_null(), "message": text_or_null() }),
            ),
        ),
        (
            "ColumnInput",
            sent(
                &["name", "path"],
                json!({
                    "name": text(),
                    "path": text(),
                    "type": { "enum": ["string", "integer", "number", "boolean", "date", null] },
                }),
            ),
        ),
        (
            "Registered",
            answered(json!({
                "id": text(),
                "type": text(),
                "version": text(),
                "parent": text_or_null(),
                "unproven": flag(),
                "findings": list("Finding"),
            })),
        ),
        (
            "MigrationInput",
            sent(
                &["from", "to"],
                json!({
                    "from": text(),
                    "to": text(),
                    "force": flag_or_null(),
                    "dryRun": flag_or_null(),
                    "meaningChanged": texts_or_null(),
                }),
            ),
        ),
        (
            "Interface",
            answered(json!({
                "id": text(), "vendor": text(), "nss": text(), "version": text(), "name": text(), "builtIn": flag(),
            })),
        ),
        (
            "InterfaceInput",
            sent(
                &["vendor", "nss", "version", "name"],
                json!({ "vendor": text(), "nss": text(), "version": text(), "name": text() }),
            ),
        ),
        ("InterfaceEdit", sent(&["name"], json!({ "name": text() }))),
        (
            "Behavior",
            answered(json!({
                "id": text(),
                "reference": text(),
                "name": text(),
                "description": text_or_null(),
                "execution": any(),
            })),
        ),
    ]
}
