//! Conversions: hostile documents at one version of a type are refused or come through every other
//! version unharmed.
//!
//! An input is three lines. The first chooses the stored version and the one that is asked for, the
//! schemas of three versions and the steps between them (`13abcFD`), or has the steps itself
//! (`13abc[[…],[…]]`). The second is the stored document, the third a body.
#![no_main]

use coeval_core::convert::{ContentRecord, KeptValues, Versions};
use coeval_core::types::{BodyLimits, TypeVersion, read_body, same};
use coeval_core::version::Version;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (choice, document, body) = (line(), line(), line());
    let Some((versions, home, at)) = chosen(choice) else {
        return;
    };
    let Ok(document) = read_body(document, BodyLimits::default()) else {
        return;
    };
    let body = read_body(body, BodyLimits::default()).ok();
    let Ok(stored) = versions.create(home, document) else {
        return;
    };
    laws(&versions, &stored, at, body.as_ref());
    // The same resource, with something kept.
    for version in versions.iter().map(|version| version.id.version) {
        if let Ok(moved) = versions.moved(stored.clone(), version) {
            laws(&versions, &moved, at, body.as_ref());
        }
    }
});

/// The versions of a type, by the bytes that choose them. Most inputs choose alike.
fn chosen(choice: &[u8]) -> Option<(Rc<Versions>, Version, Version)> {
    thread_local! {
        static MADE: RefCell<HashMap<Vec<u8>, Option<Rc<Versions>>>> = RefCell::default();
    }
    let (ends, rest) = choice.split_at_checked(2)?;
    let version = |at: usize| numbered(ends[at].wrapping_sub(b'1') % 3);
    let made = MADE.with_borrow_mut(|all| {
        if all.len() > 10_000 {
            all.clear();
        }
        let made = all.entry(rest.to_vec());
        made.or_insert_with(|| make(rest).map(Rc::new)).clone()
    });
    made.map(|versions| (versions, version(0), version(1)))
}

fn make(choice: &[u8]) -> Option<Versions> {
    let (schemas, steps) = choice.split_at_checked(3)?;
    let steps: Vec<Value> = match steps {
        [b'[', ..] => match read_body(steps, BodyLimits::default()).ok()? {
            Value::Array(lists) => lists,
            _ => return None,
        },
        letters => letters
            .iter()
            .map(|letter| of(CONVERSIONS, *letter))
            .collect(),
    };
    let mut file = String::new();
    for (at, schema) in (0..).zip(schemas) {
        let version = numbered(at).to_string();
        let mut spec = json!({
            "vendor": "acme", "nss": "app", "version": version, "schema": of(SCHEMAS, *schema),
        });
        let parent = at
            .checked_sub(1)
            .map(|parent| (parent, usize::from(parent)));
        if let Some((parent, steps)) = parent.and_then(|(one, at)| Some((one, steps.get(at)?))) {
            let from = numbered(parent).to_string();
            spec["conversion"] = json!({"from": from, "steps": steps});
        }
        let name = format!("acme:app:{version}");
        let one = json!({
            "kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec,
        });
        file.push_str(&format!("---\n{one}\n"));
    }
    let versions = TypeVersion::parse_all(&file).ok()?;
    Versions::of_files(versions).ok()
}

fn numbered(at: u8) -> Version {
    Version::new(1 + u32::from(at), 0, 0)
}

fn of(list: &[&str], letter: u8) -> Value {
    let at = usize::from(letter.wrapping_sub(b'a')) % list.len();
    serde_json::from_str(list[at]).expect("JSON")
}

/// What does not fit its version is refused elsewhere; here it must only not do any harm.
fn fits(versions: &Versions, version: Version, content: &Value) -> bool {
    let version = versions.get(version).expect("a version of the type");
    version.schema.validate(content).is_ok()
}

fn laws(versions: &Versions, stored: &ContentRecord, at: Version, body: Option<&Value>) {
    kept_is_read_again(&stored.kept);
    if !fits(versions, stored.version, &stored.content) {
        let _ = versions.view(stored.clone(), at);
        let _ = versions.moved(stored.clone(), at);
        let _ = body.map(|body| versions.put(stored.clone(), at, body.clone()));
        return;
    }
    let Ok(view) = versions.view(stored.clone(), at) else {
        return;
    };
    let moved = versions.moved(stored.clone(), at);
    let moved = moved.expect("what can be seen can be moved");
    assert!(same(&view.content, &moved.content), "{view:?}\n{moved:?}");
    kept_is_read_again(&moved.kept);
    let back = versions.moved(moved, stored.version);
    is(&back.expect("what was moved moves back"), stored);
    let unchanged = versions.put(stored.clone(), at, view.content);
    let unchanged = unchanged.expect("what was read can be written");
    is(&unchanged.record, stored);
    assert_eq!(unchanged.dropped, Vec::<String>::new());
    let Some(body) = body else {
        return;
    };
    let Ok(put) = versions.put(stored.clone(), at, body.clone()) else {
        return;
    };
    if !fits(versions, at, body) {
        return;
    }
    kept_is_read_again(&put.record.kept);
    let read = versions.view(put.record.clone(), at);
    let read = read.expect("what was written can be read");
    let again = versions.put(put.record.clone(), at, read.content);
    is(&again.expect("and written again").record, &put.record);
}

fn kept_is_read_again(kept: &KeptValues) {
    let json = kept.to_json();
    assert_eq!(KeptValues::from_json(&json).as_ref(), Some(kept));
    let printed = json.to_string();
    let limits = BodyLimits {
        bytes: printed.len(),
        depth: 1024,
    };
    assert_eq!(read_body(printed.as_bytes(), limits), Ok(json));
}

/// The same record, whatever the order of what is kept and of keys.
fn is(found: &ContentRecord, expected: &ContentRecord) {
    let differ = || format!("{found:#?}\nand not\n{expected:#?}");
    assert_eq!(found.version, expected.version);
    assert!(same(&found.content, &expected.content), "{}", differ());
    assert!(
        entries(&found.kept) == entries(&expected.kept),
        "{}",
        differ()
    );
}

fn entries(kept: &KeptValues) -> Vec<String> {
    let Value::Array(entries) = kept.to_json() else {
        return Vec::new();
    };
    let plain = |mut entry: Value| {
        // By which version something came here is a remark.
        if entry["by"] == "hidden" {
            entry["version"] = Value::Null;
        }
        sorted(&entry).to_string()
    };
    let mut entries: Vec<_> = entries.into_iter().map(plain).collect();
    entries.sort();
    entries
}

/// Equal values in one form.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (key.clone(), sorted(value)));
            let pairs: BTreeMap<_, _> = pairs.collect();
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() == 0.0 && double.abs() < 1e15 => {
                Value::from(double as i64)
            }
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

const SCHEMAS: &[&str] = &[
    "{}",
    r#"{"properties": {"a": {}, "b": {}, "o": {"properties": {"x": {}, "y": {}}},
        "n": {"items": {"properties": {"name": {}, "x": {}}}}}}"#,
    r#"{"properties": {"a": {}, "c": {}, "n": {"items": {"properties": {"name": {}, "y": {}}}}},
        "additionalProperties": false}"#,
    r#"{"properties": {"a": {"type": "string"}, "d": {"type": "string", "default": "z"},
        "o": {"required": ["x"], "properties": {"x": {"default": [1, {}]}}}}, "required": ["d"]}"#,
    r#"{"properties": {"m": {"additionalProperties": {"properties": {"x": {}}}},
        "n": {"prefixItems": [{"properties": {"name": {}}}]}}, "patternProperties": {"^[a-c]$": {}}}"#,
    r##"{"properties": {"a": {"$ref": "#"}, "n": {"items": {"$ref": "#"}}, "b": {"type": "integer"}}}"##,
];

/// Every step is in one of them.
const CONVERSIONS: &[&str] = &[
    r#"[]"#,
    r#"[{"rename": {"path": "/a", "to": "b"}}, {"rename": {"path": "/b", "to": "c"}}]"#,
    r#"[{"move": {"from": "/a", "to": "/o/x"}}, {"move": {"from": "/n", "to": "/o/n"}}]"#,
    r#"[{"move": {"from": "/a", "to": "/a/x"}}]"#,
    r#"[{"add": {"path": "/a", "value": {"x": 1}}}, {"add": {"path": "/o/y"}}]"#,
    r#"[{"remove": {"path": "/a", "value": 0}}, {"remove": {"path": "/n"}}]"#,
    r#"[{"copy": {"from": "/b", "to": "/a"}}]"#,
    r#"[{"copy": {"from": "/o/x", "to": "/o/y"}}, {"rename": {"path": "/o", "to": "a"}}]"#,
    r#"[{"wrap": {"path": "/a"}}, {"wrap": {"path": "/o/x"}}]"#,
    r#"[{"unwrap": {"path": "/n"}}, {"unwrap": {"path": "/a"}}]"#,
    r#"[{"nest": {"paths": ["/a", "/b"], "under": "/o"}}]"#,
    r#"[{"unnest": {"path": "/o"}}]"#,
    r#"[{"map": {"path": "/a", "table": {"x": "y", "y": "x", "z": "x"},
        "otherwise": {"forward": 1, "backward": "z"}}}]"#,
    r#"[{"map": {"path": "/a", "table": [[1, true], [0, "no"], ["x", 2]]}}]"#,
    r#"[{"convert": {"path": "/a", "to": "integer"}}, {"convert": {"path": "/b", "to": "number"}}]"#,
    r#"[{"convert": {"path": "/a", "from": "integer", "to": "boolean"}},
        {"convert": {"path": "/b", "from": "number", "to": "string"}}]"#,
    r#"[{"scale": {"path": "/a", "by": 1000}}, {"scale": {"path": "/b", "by": "3/7", "whole": false}}]"#,
    r#"[{"split": {"path": "/a", "at": ":", "into": ["/b", "/o/x", "/a"]}}]"#,
    r#"[{"join": {"paths": ["/a", "/o/y"], "with": "-", "into": "/b"}}]"#,
    r#"[{"pick": {"path": "/n", "key": "name", "equals": "x", "field": "x", "into": "/a"}}]"#,
    r#"[{"keyed": {"path": "/n", "key": "name"}}, {"rename": {"path": "/n", "to": "m"}}]"#,
    r#"[{"parse": {"path": "/a"}}]"#,
    r#"[{"parse": {"path": "/a"}}, {"each": {"path": "/a", "steps": [{"parse": {"path": "/x"}}]}}]"#,
    r#"[{"each": {"path": "/n", "key": "name", "steps": [{"rename": {"path": "/x", "to": "y"}},
        {"add": {"path": "/a", "value": 1}}, {"scale": {"path": "/b", "by": "1/2"}}]}}]"#,
    r#"[{"each": {"path": "/m", "steps": [{"wrap": {"path": "/x"}},
        {"each": {"path": "/x", "steps": [{"rename": {"path": "/a", "to": "b"}}]}}]}}]"#,
    r#"[{"when": {"path": "/a", "is": "x", "steps": [{"rename": {"path": "/b", "to": "c"}},
        {"add": {"path": "/o", "value": {}}}], "otherwise": [{"remove": {"path": "/b", "value": 1}}]}}]"#,
    r#"[{"when": {"path": "/a", "is": {"type": "string"}, "steps": [{"wrap": {"path": "/a"}}],
        "otherwise": [{"when": {"path": "/a", "is": {"type": "integer"},
            "steps": [{"convert": {"path": "/a", "from": "integer", "to": "string"}}]}}]}}]"#,
    r#"[{"each": {"path": "/n", "key": "name", "steps": [{"when": {"path": "/x", "is": {"type": "absent"},
        "steps": [{"add": {"path": "/x", "value": 0}}], "otherwise": [{"move": {"from": "/x", "to": "/y/x"}}]}}]}}]"#,
];
