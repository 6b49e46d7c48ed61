//! Packages of made-up types.

mod bytes;
mod files;
mod laws;
mod masks;
mod messages;

use super::compiled::CompiledPackage;
use coeval_core::types::TypeVersion;
use coeval_typed::{Ledger, PackageCandidate, PackageLayout, PackageName};
use serde_json::{Value, json};
use std::sync::Arc;

fn version(of: (&str, &str), number: &str, schema: &Value) -> TypeVersion {
    let (vendor, nss) = of;
    let file = json!({"kind": "type", "version": "v1", "metadata": {"name": format!("{vendor}:{nss}:{number}")},
        "spec": {"vendor": vendor, "nss": nss, "version": number, "description": "What is deployed.\n\nAnywhere.", "schema": schema}});
    TypeVersion::parse(&file.to_string()).unwrap()
}

fn layout_of(of: (&str, &str), versions: &[(&str, Value)]) -> PackageLayout {
    let name = PackageName::of(of.0, of.1).unwrap();
    let versions: Vec<_> = versions
        .iter()
        .map(|(number, schema)| version(of, number, schema))
        .collect();
    let candidates: Vec<_> = versions
        .iter()
        .map(|version| PackageCandidate {
            version,
            unproven: false,
        })
        .collect();
    let ledger = Ledger::default().extended(&candidates);
    PackageLayout::of(&name, &ledger, &candidates).0.unwrap()
}

fn package(schema: Value) -> CompiledPackage {
    let layout = layout_of(("acme", "app"), &[("1.0.0", schema)]);
    CompiledPackage::new(Arc::new(layout)).unwrap()
}

/// Every kind of field.
fn everything() -> Value {
    let node = json!({"type": "object", "properties": {"nodeName": {"type": "string"}, "cpu": {"type": "integer"},
        "disks": {"type": "array", "items": {"type": "object", "properties": {"size": {"type": "number"}, "any": {}}}}}});
    json!({"type": "object", "properties": {
        "name": {"type": "string", "description": "How it is called."}, "size": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}}, "ports": {"type": "array", "items": {"type": "integer"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "Free-Form": {"type": "object"}, "any": {}, "nullable": {"type": ["string", "null"]},
        "1st": {"type": "string"}, "free_form": {"type": "integer"}, "extra": {"type": "array"},
        "net": {"type": "object", "properties": {"cidr": {"type": "string"}, "$x": {"type": "integer"}}},
        "nodes": {"type": "array", "items": node}, "byName": {"type": "object", "additionalProperties": node},
        "frees": {"type": "array", "items": {"type": "object"}},
    }})
}

/// Types that have led to trouble, or might.
fn schemas() -> Vec<Value> {
    let tree = json!({"$ref": "#/definitions/t", "definitions": {"t": {"type": "object", "properties": {
        "value": {"type": "integer"}, "left": {"$ref": "#/definitions/t"}, "all": {"type": "array", "items": {"$ref": "#/definitions/t"}}}}}});
    let deep = (0..15).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"in": inner, "n": {"type": "integer"}}}),
    );
    vec![
        everything(),
        tree,
        deep,
        json!({"type": "object"}),
        json!({"type": "object", "properties": {
            "app_spec": {"type": "object", "properties": {"appSpec": {"type": "string"}, "google": {"type": "object"}}},
            "google": {"type": "object"}, "coeval": {"type": "string"}, "message": {"type": "string"}, "optional": {"type": "boolean"},
            "reserved": {"type": "array", "items": {"type": "number"}}, "map": {"type": "object", "additionalProperties": {"type": "number"}},
            "mapEntry": {"type": "string"}, "value": {}, "string": {"type": "string"}, "import": {"enum": ["a", "b"]}}}),
    ]
}
