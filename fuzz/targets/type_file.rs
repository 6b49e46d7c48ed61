//! Type files: any bytes are read or refused, in bounded time, and what was read answers every
//! question.
#![no_main]

use coeval_core::types::{DeclaredPath, PathToken, Position, Schema, TypeVersion, Visibility};
use coeval_core::version::Version;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match TypeVersion::parse_all(text) {
        Ok(all) => {
            assert!(!all.is_empty());
            all.iter().for_each(ask);
        }
        Err(refused) => {
            assert!(!refused.to_string().is_empty());
            let mut problems = refused.problems();
            assert!(problems.all(|problem| problem.position >= Position::START));
        }
    }
});

fn ask(version: &TypeVersion) {
    let schema = &version.schema;
    let declared = schema.declared_paths();
    for field in &declared.paths {
        assert!(schema.declares_some(&field.path), "{}", field.path);
    }
    for (path, since) in version.since.fields() {
        assert!(schema.declares_some(path) && *since <= version.id.version);
    }
    let own = schema.source().clone();
    for content in [json!({}), json!([{}]), own, sample(&declared.paths)] {
        let _ = version.check_since(Version::new(0, 0, 0), &content, None);
        let fits = schema.validate(&content).is_ok();
        let present = schema.without_absent(&content).into_owned();
        assert_eq!(schema.validate(&present).is_ok(), fits);
        laws(schema, present, fits);
    }
}

/// Filling or pruning twice is doing it once, and what fits needs neither.
fn laws(schema: &Schema, content: Value, fits: bool) {
    let _ = schema.redact(&content, Visibility::Public);
    let pruned = schema.prune(content.clone());
    assert!(schema.prune(pruned.content).pruned.is_empty());
    assert!(!fits || pruned.pruned.is_empty());
    if let Ok(filled) = schema.fill_defaults(content) {
        assert!(!fits || filled.filled.is_empty());
        let again = schema.fill_defaults(filled.content.clone());
        let again = again.expect("there is nothing left to fill");
        assert_eq!((again.content, again.filled), (filled.content, vec![]));
    }
}

/// Content with the first fields that are declared.
fn sample(fields: &[DeclaredPath<'_>]) -> Value {
    let mut whole = json!({});
    for field in fields.iter().take(100) {
        if let Some(place) = open(&mut whole, field.path.steps()) {
            *place = value_of(field);
        }
    }
    whole
}

/// A place; what is around it is there already, because parents come first.
fn open<'v>(whole: &'v mut Value, steps: &[PathToken]) -> Option<&'v mut Value> {
    let mut at = whole;
    for step in steps {
        at = match (at, step) {
            (Value::Object(map), PathToken::Key(key)) => map.entry(key).or_insert(Value::Null),
            (Value::Object(map), PathToken::Every) => map.entry("x").or_insert(Value::Null),
            (Value::Array(items), PathToken::Every) => {
                items.resize(1, Value::Null);
                items.first_mut()?
            }
            _ => return None,
        };
    }
    Some(at)
}

fn value_of(field: &DeclaredPath<'_>) -> Value {
    let said = field.values.and_then(<[Value]>::first).or(field.default);
    if let Some(value) = said {
        return value.clone();
    }
    match field.types.first() {
        Some(&"object") => json!({}),
        Some(&"array") => json!([]),
        Some(&"string") => json!("a"),
        Some(&"boolean") => json!(true),
        Some(&"integer" | &"number") => json!(1),
        _ if field.types.contains(&"object") => json!({}),
        _ => Value::Null,
    }
}
