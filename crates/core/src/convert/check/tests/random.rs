//! Random schemas and steps: odd ones, because what people write is tried elsewhere.

use crate::convert::Versions;
use crate::types::TypeVersion;
use fastrand::Rng;
use serde_json::{Value, json};

fn one_of(rng: &mut Rng, values: &[&str]) -> String {
    values[rng.usize(..values.len())].to_owned()
}

fn field(rng: &mut Rng, levels: usize) -> Value {
    let item = json!({
        "type": "object", "required": ["name"],
        "properties": {"name": {"type": "string"}, "value": {"type": ["string", "integer"]}},
    });
    match rng.u8(..if levels == 0 { 13 } else { 18 }) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "maxLength": rng.u8(1..4)}),
        2 => json!({"type": "integer"}),
        3 => json!({"type": "integer", "minimum": rng.i8(-9..0), "maximum": rng.u8(1..9)}),
        4 => json!({"type": "number", "exclusiveMinimum": rng.i8(-9..9)}),
        5 => json!({"enum": ["a", "b", "a:b", 1, "1"]}),
        6 => json!({"enum": ["a", "{}", "[1]", null]}),
        7 => json!({"type": ["string", "null"]}),
        8 => json!({"type": "boolean"}),
        9 => json!({}),
        10 => {
            json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]})
        }
        11 => json!({"$ref": "#/definitions/node"}),
        12 => json!({"type": "array", "items": item, "minItems": rng.u8(..2)}),
        13 => json!({"type": "array", "items": field(rng, levels - 1)}),
        14 => json!({"type": "object", "additionalProperties": field(rng, levels - 1)}),
        15 => json!({"type": "array", "items": [field(rng, levels - 1)], "uniqueItems": true}),
        16 => json!({"type": "object", "patternProperties": {"^[a-c]": field(rng, levels - 1)}}),
        _ => object(rng, levels - 1),
    }
}

fn object(rng: &mut Rng, levels: usize) -> Value {
    let mut properties = json!({});
    let mut required = Vec::new();
    for name in ["a", "b", "c", "x"] {
        if rng.u8(..4) > 0 {
            let mut schema = field(rng, levels);
            if rng.u8(..3) == 0 && schema.get("$ref").is_none() {
                schema["default"] = json!("a");
            }
            properties[name] = schema;
            if rng.bool() {
                required.push(name);
            }
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match rng.u8(..10) {
        0 => schema["additionalProperties"] = json!(false),
        1 => schema["anyOf"] = json!([{"required": ["a"]}, {"required": ["b"]}, {}]),
        2 => schema["minProperties"] = json!(1),
        3 => schema["additionalProperties"] = json!({"type": "string"}),
        4 => schema["allOf"] = json!([{"properties": {"a": {"not": {"const": 3}}}}]),
        5 => schema["if"] = json!({"required": ["c"]}),
        6 => schema["type"] = json!(["object", "string"]),
        _ => {}
    }
    schema
}

fn schema(rng: &mut Rng) -> Value {
    let mut schema = object(rng, 2);
    schema["type"] = json!("object");
    schema["definitions"] = json!({"node": {"type": "object", "properties": {
        "a": {"type": "integer"}, "next": {"$ref": "#/definitions/node"},
    }}});
    schema
}

fn path(rng: &mut Rng) -> String {
    one_of(
        rng,
        &[
            "/a", "/b", "/c", "/x", "/a/a", "/a/b", "/b/x", "/n", "/n/a", "/b/a/c",
        ],
    )
}

fn step(rng: &mut Rng, levels: usize) -> Value {
    let (path_one, other) = (path(rng), path(rng));
    let value = field(rng, 0);
    match rng.u8(..if levels == 0 { 15 } else { 17 }) {
        0 => json!({"rename": {"path": path_one, "to": one_of(rng, &["a", "b", "x", "n"])}}),
        1 => json!({"move": {"from": path_one, "to": other}}),
        2 => json!({"add": {"path": path_one, "value": value}}),
        3 => json!({"remove": {"path": path_one}}),
        4 => json!({"copy": {"from": path_one, "to": other}}),
        5 => json!({"wrap": {"path": path_one}}),
        6 => json!({"unwrap": {"path": path_one}}),
        7 => json!({"nest": {"paths": [path_one, other], "under": one_of(rng, &["/n", "/x"])}}),
        8 => {
            json!({"map": {"path": path_one, "table": {"a": "b", "b": 1}, "otherwise": {"forward": "c", "backward": "a"}}})
        }
        9 => {
            json!({"convert": {"path": path_one, "from": one_of(rng, &["string", "number"]), "to": one_of(rng, &["integer", "string", "boolean"])}})
        }
        10 => json!({"scale": {"path": path_one, "by": one_of(rng, &["2", "1/3", "0.5"])}}),
        11 => json!({"split": {"path": path_one, "at": ":", "into": [other, "/n/p"]}}),
        12 => json!({"join": {"paths": [path_one, other], "with": ":", "into": "/j"}}),
        13 => {
            json!({"pick": {"path": path_one, "key": "name", "equals": "", "field": "value", "into": other}})
        }
        14 => {
            json!({one_of(rng, &["keyed", "parse", "unnest"]): {"path": path_one, "key": "name"}})
        }
        15 => json!({"each": {"path": path_one, "steps": [step(rng, levels - 1)]}}),
        _ => {
            let is = if rng.bool() {
                json!("a")
            } else {
                json!({"type": one_of(rng, &["string", "object", "absent", "integer"])})
            };
            json!({"when": {"path": other, "is": is, "steps": [step(rng, levels - 1)], "otherwise": [step(rng, 0)]}})
        }
    }
}

/// Two versions with random schemas and steps; `None` if the steps can't be made.
pub(super) fn versions(rng: &mut Rng) -> Option<Versions> {
    let mut steps: Vec<Value> = (0..rng.usize(..4)).map(|_| step(rng, 2)).collect();
    for step in &mut steps {
        for name in ["parse", "unnest"] {
            if let Some(arguments) = step.get_mut(name).and_then(Value::as_object_mut) {
                arguments.shift_remove("key");
            }
        }
    }
    let steps = Value::Array(steps);
    let (old, new) = (schema(rng), schema(rng));
    let text = |version: &str, schema: &Value, steps: Option<&Value>| {
        let mut spec =
            json!({"vendor": "acme", "nss": "app", "version": version, "schema": schema});
        if let Some(steps) = steps {
            spec["conversion"] = json!({"from": "1.0.0", "steps": steps});
        }
        let name = format!("acme:app:{version}");
        let file =
            json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
        TypeVersion::parse(&file.to_string()).ok()
    };
    let files = vec![
        text("1.0.0", &old, None)?,
        text("2.0.0", &new, Some(&steps))?,
    ];
    Versions::of_files(files).ok()
}
