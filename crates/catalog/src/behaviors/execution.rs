//! How a behavior is done, as it is kept and as it is shown. Keys that begin with `_internal_` or
//! `_secure_` are written and never shown; a write that leaves them out keeps them.

use crate::behaviors::Behavior;
use coeval_records::error::EngineError;
use serde_json::{Map, Value};

const HIDDEN: [&str; 2] = ["_internal_", "_secure_"];
const LONGEST_NAME: usize = 128;
/// Levels that are looked at; bodies have about as many at most.
const DEEPEST: usize = 256;

fn is_hidden(key: &str) -> bool {
    HIDDEN.iter().any(|prefix| key.starts_with(prefix))
}

/// An execution without what is never shown.
#[must_use]
pub fn shown(execution: &Value) -> Value {
    without_hidden(execution, DEEPEST)
}

fn without_hidden(value: &Value, levels: usize) -> Value {
    match value {
        // What is too deep to be looked at is not shown.
        _ if levels == 0 => Value::Null,
        Value::Object(map) => {
            let seen = map.iter().filter(|(key, _)| !is_hidden(key));
            let seen = seen.map(|(key, inner)| (key.clone(), without_hidden(inner, levels - 1)));
            Value::Object(seen.collect())
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| without_hidden(item, levels - 1));
            items.collect()
        }
        other => other.clone(),
    }
}

/// A new execution with what its sender could not see of the one before; a null takes it away.
/// Another type of execution begins anew: what is secret to one is not for another.
#[must_use]
pub fn keeping_hidden(mut new: Value, before: &Value) -> Value {
    if let (Value::Object(new), Value::Object(before)) = (&mut new, before) {
        if new.get("type") == before.get("type") {
            keep(new, before, DEEPEST);
        }
        // Last, so that a null that was sent takes away what would be kept.
        drop_nulls(new, DEEPEST);
    }
    new
}

fn keep(new: &mut Map<String, Value>, before: &Map<String, Value>, levels: usize) {
    if levels == 0 {
        return;
    }
    for (key, value) in before {
        if is_hidden(key) {
            // Only where the sender said nothing of it.
            new.entry(key.clone()).or_insert_with(|| value.clone());
            continue;
        }
        // Items of lists have no names to find them by: nothing is kept in them.
        let Value::Object(before) = value else {
            continue;
        };
        match new.get_mut(key) {
            Some(Value::Object(new)) => keep(new, before, levels - 1),
            Some(_) => {}
            None => {
                // What was shown and is left out goes; what was not shown stays.
                let mut only_hidden = Map::new();
                keep(&mut only_hidden, before, levels - 1);
                if !only_hidden.is_empty() {
                    new.insert(key.clone(), Value::Object(only_hidden));
                }
            }
        }
    }
}

fn drop_nulls(map: &mut Map<String, Value>, levels: usize) {
    if levels == 0 {
        return;
    }
    map.retain(|key, value| !(is_hidden(key) && value.is_null()));
    for value in map.values_mut() {
        if let Value::Object(inner) = value {
            drop_nulls(inner, levels - 1);
        }
    }
}

impl Behavior {
    /// Whether it can be one: its name is part of ids, and its execution says of which type it is.
    pub fn check(&self) -> Result<(), EngineError> {
        let refuse = |what: String| Err(EngineError::BehaviorInvalid { what });
        let stranger = |c: char| c.is_control() || matches!(c, ':' | '/' | '?' | '#' | '%' | '\\');
        let length = self.name.chars().count();
        if length == 0 || length > LONGEST_NAME || self.name.contains(stranger) {
            return refuse(format!(
                "its name must have 1 to {LONGEST_NAME} characters, and none of : / \\ ? # %"
            ));
        }
        match self.execution.get("type") {
            Some(Value::String(kind)) if !kind.is_empty() => Ok(()),
            _ => refuse("its execution must be an object with a type".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_begins_with_internal_or_secure_is_shown_at_no_depth() {
        let execution = json!({
            "type": "WebHook",
            "_secure_a": 1,
            "list": [{ "_internal_b": 2, "c": 3 }],
            "execution_properties": { "_secure_d": { "e": 4 }, "f": 5, "secure_": 6 },
        });
        let seen = json!({
            "type": "WebHook",
            "list": [{ "c": 3 }],
            "execution_properties": { "f": 5, "secure_": 6 },
        });
        assert_eq!(shown(&execution), seen);
    }

    #[test]
    fn what_is_not_shown_is_kept_when_absent_changed_when_sent_and_gone_with_a_null() {
        let before =
            json!({ "type": "WebHook", "execution_properties": { "_secure_key": "k", "x": 1 } });
        for (sent, kept) in [
            (json!({}), json!("k")),
            (json!({ "execution_properties": {} }), json!("k")),
            (
                json!({ "execution_properties": { "_secure_key": "n" } }),
                json!("n"),
            ),
            (
                json!({ "execution_properties": { "_secure_key": null } }),
                Value::Null,
            ),
        ] {
            let mut sent = sent;
            sent["type"] = json!("WebHook");
            let after = keeping_hidden(sent.clone(), &before);
            let properties = &after["execution_properties"];
            assert_eq!(properties["_secure_key"], kept, "{sent}");
            assert_eq!(
                properties["x"],
                Value::Null,
                "what was shown and left out goes: {sent}"
            );
        }
        let other = keeping_hidden(json!({ "type": "noop" }), &before);
        assert_eq!(other, json!({ "type": "noop" }));
    }

    #[test]
    fn showing_and_saving_again_changes_nothing() {
        let before = json!({
            "type": "T", "_internal_": 0,
            "execution_properties": { "_secure_key": "k", "deep": { "_secure_x": [1], "y": 2 } },
        });
        assert_eq!(keeping_hidden(shown(&before), &before), before);
    }

    #[test]
    fn a_name_that_no_id_could_have_and_an_execution_without_a_type_are_refused() {
        let of = |name: &str, execution: Value| Behavior {
            name: name.to_owned(),
            description: None,
            execution,
        };
        let noop = || json!({ "type": "noop" });
        assert!(of("createKubeConfig", noop()).check().is_ok());
        assert!(of("my behavior_1", noop()).check().is_ok());
        for name in ["", "a:b", "a/b", "a\n", "a%20", &"x".repeat(129)] {
            assert!(of(name, noop()).check().is_err(), "{name:?}");
        }
        for execution in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "type": 1 }),
            json!({ "type": "" }),
        ] {
            assert!(of("a", execution.clone()).check().is_err(), "{execution}");
        }
    }
}
