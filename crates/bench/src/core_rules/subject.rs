//! What is measured: a type whose versions differ by ten steps each, and a document of 4 KiB.

use coeval_core::convert::Versions;
use coeval_core::types::TypeVersion;
use coeval_core::version::Version;
use serde_json::{Map, Value, json};

pub(crate) struct RuleSubject {
    pub(crate) versions: Versions,
    pub(crate) document: Value,
}

const NODES: usize = 20;

/// The steps to a version: of fields at the top, in objects, and in every item of a list.
fn steps(number: u32) -> Value {
    let (old, new) = (number - 1, number);
    json!([
        {"rename": {"path": format!("/image_{old}"), "to": format!("image_{new}")}},
        {"rename": {"path": format!("/spec/zone_{old}"), "to": format!("zone_{new}")}},
        {"add": {"path": format!("/added_{new}"), "value": 0}},
        {"remove": {"path": format!("/old_{new}")}},
        {"scale": {"path": "/spec/memory", "by": if number % 2 == 1 { json!(1024) } else { json!("1/1024") }}},
        {"map": {"path": "/tier", "table": if number % 2 == 1 {
            json!({"small": "S", "large": "L"})
        } else {
            json!({"S": "small", "L": "large"})
        }}},
        {"move": {"from": format!("/spec/owner_{old}"), "to": format!("/spec/owner_{new}")}},
        if number % 2 == 1 {
            json!({"wrap": {"path": "/spec/network"}})
        } else {
            json!({"unwrap": {"path": "/spec/network"}})
        },
        {"each": {"path": "/nodes", "key": "name", "steps": [
            {"rename": {"path": format!("/size_{old}"), "to": format!("size_{new}")}},
        ]}},
        {"add": {"path": format!("/spec/flag_{new}"), "value": false}},
    ])
}

fn schema(number: u32) -> Value {
    let text = || json!({"type": "string"});
    let mut properties = Map::new();
    let mut spec = Map::new();
    properties.insert("name".into(), text());
    properties.insert(format!("image_{number}"), text());
    properties.insert(
        "tier".into(),
        if number % 2 == 1 {
            json!({"enum": ["S", "L"]})
        } else {
            json!({"enum": ["small", "large"]})
        },
    );
    for added in 1..=number {
        properties.insert(format!("added_{added}"), json!({"type": "integer"}));
        spec.insert(format!("flag_{added}"), json!({"type": "boolean"}));
    }
    for old in number + 1..=10 {
        properties.insert(format!("old_{old}"), text());
    }
    spec.insert(format!("zone_{number}"), text());
    spec.insert(format!("owner_{number}"), text());
    spec.insert("memory".into(), json!({"type": "integer"}));
    spec.insert(
        "network".into(),
        if number % 2 == 1 {
            json!({"type": "array", "items": text()})
        } else {
            text()
        },
    );
    let node = json!({"type": "object", "required": ["name"], "properties": {
        "name": text(), format!("size_{number}"): {"type": "integer"},
        "address": text(), "labels": {"type": "object", "additionalProperties": text()},
        "disks": {"type": "array", "items": {"type": "object", "properties": {
            "id": text(), "gib": {"type": "integer"},
        }}},
    }});
    properties.insert("nodes".into(), json!({"type": "array", "items": node}));
    properties.insert("spec".into(), json!({"type": "object", "properties": spec}));
    json!({"type": "object", "properties": properties})
}

fn document() -> Value {
    let node = |number: usize| {
        json!({
            "name": format!("node-{number}"), "size_0": number, "address": format!("10.0.0.{number}"),
            "labels": {"rack": format!("r{}", number / 4), "role": "worker"},
            "disks": [{"id": format!("disk-{number}-a"), "gib": 100}, {"id": format!("disk-{number}-b"), "gib": 20}],
        })
    };
    let mut document = json!({
        "name": "app", "image_0": "registry/app:1.2.3", "tier": "small",
        "spec": {"zone_0": "north", "owner_0": "team-a", "memory": 8, "network": "10.0.0.0/16"},
        "nodes": (0..NODES).map(node).collect::<Vec<_>>(),
    });
    for old in 1..=10 {
        document[format!("old_{old}")] = json!("something that went");
    }
    document
}

impl RuleSubject {
    pub(crate) fn new() -> Self {
        let file = |number: u32| {
            let version = Version::new(number + 1, 0, 0).to_string();
            let mut spec = json!({
                "vendor": "acme", "nss": "app", "version": version, "schema": schema(number),
            });
            if number > 0 {
                let from = Version::new(number, 0, 0).to_string();
                spec["conversion"] = json!({"from": from, "steps": steps(number)});
            }
            let name = format!("acme:app:{version}");
            let file =
                json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
            TypeVersion::parse(&file.to_string()).unwrap()
        };
        Self {
            versions: Versions::of_files((0..=10).map(file).collect()).unwrap(),
            document: document(),
        }
    }

    pub(crate) fn version(&self, number: u32) -> Version {
        Version::new(number + 1, 0, 0)
    }
}
