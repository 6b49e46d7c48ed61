//! Field masks: which fields of a body are meant.

use coeval_core::types::pointer;
use coeval_records::error::EngineError;
use serde_json::{Map, Value};

/// The most fields that a mask names, and the most levels of one.
const MOST: usize = 256;
const DEEPEST: usize = 64;

/// Fields of the content, as JSON pointers. What a mask names and the body lacks is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMask(Vec<Vec<String>>);

impl FieldMask {
    /// Reads JSON pointers.
    ///
    /// # Errors
    /// If there is none, or one is no pointer.
    pub fn parse<'a>(pointers: impl IntoIterator<Item = &'a str>) -> Result<Self, EngineError> {
        let refuse = |what: String| Err(EngineError::MaskInvalid { what });
        let mut paths = Vec::new();
        for text in pointers {
            let Some(tokens) = pointer::tokens(text) else {
                return refuse(format!("{text:?} is no JSON pointer"));
            };
            if tokens.len() > DEEPEST {
                return refuse(format!("a field is more than {DEEPEST} levels deep"));
            }
            paths.push(tokens);
            if paths.len() > MOST {
                return refuse(format!("it names more than {MOST} fields"));
            }
        }
        if paths.is_empty() {
            return refuse("it names no field".to_owned());
        }
        Ok(Self(paths))
    }

    /// As it is kept with a task.
    pub fn paths(&self) -> Vec<Vec<String>> {
        self.0.clone()
    }

    /// From what was kept.
    pub(crate) const fn of_paths(paths: Vec<Vec<String>>) -> Self {
        Self(paths)
    }

    /// The view with the masked fields of the body.
    pub fn apply(&self, view: Value, body: &Value) -> Result<Value, EngineError> {
        let mut result = view;
        for path in &self.0 {
            let from = find(body, path);
            if path.is_empty() {
                result = from.cloned().unwrap_or_default();
                continue;
            }
            set(&mut result, path, from)?;
        }
        Ok(result)
    }
}

fn find<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |at, token| match at {
        Value::Object(map) => map.get(token),
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    })
}

fn set(result: &mut Value, path: &[String], value: Option<&Value>) -> Result<(), EngineError> {
    let Some((last, containers)) = path.split_last() else {
        return Ok(());
    };
    let mut at = result;
    for token in containers {
        if at.is_null() && value.is_some() {
            *at = Value::Object(Map::new());
        }
        at = match at {
            Value::Object(map) if value.is_some() || map.contains_key(token) => {
                map.entry(token.clone()).or_insert(Value::Null)
            }
            // There is nothing to remove.
            Value::Object(_) => return Ok(()),
            Value::Array(items) => match token.parse().ok().and_then(|n: usize| items.get_mut(n)) {
                Some(item) => item,
                None => return Err(no_such(path)),
            },
            _ => return Err(no_such(path)),
        };
    }
    if at.is_null() && value.is_some() {
        *at = Value::Object(Map::new());
    }
    match (at, value) {
        (Value::Object(map), Some(value)) => {
            map.insert(last.clone(), value.clone());
        }
        (Value::Object(map), None) => {
            map.shift_remove(last);
        }
        (Value::Array(items), value) => {
            // An item is not removed by its number: those behind it would become others.
            let slot = last.parse().ok().and_then(|n: usize| items.get_mut(n));
            match (slot, value) {
                (Some(slot), Some(value)) => *slot = value.clone(),
                _ => return Err(no_such(path)),
            }
        }
        (_, None) => {}
        (_, Some(_)) => return Err(no_such(path)),
    }
    Ok(())
}

fn no_such(path: &[String]) -> EngineError {
    EngineError::MaskInvalid {
        what: format!("there is no place for /{}", path.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn applied(mask: &[&str], view: Value, body: Value) -> Value {
        let mask = FieldMask::parse(mask.iter().copied()).unwrap();
        mask.apply(view, &body).unwrap()
    }

    #[test]
    fn only_what_is_named_changes() {
        let view = json!({"a": 1, "b": {"c": 2, "d": 3}});
        let body = json!({"a": 9, "b": {"c": 8}});
        assert_eq!(
            applied(&["/b/c"], view.clone(), body.clone()),
            json!({"a": 1, "b": {"c": 8, "d": 3}})
        );
        assert_eq!(
            applied(&["/b/d"], view.clone(), body.clone()),
            json!({"a": 1, "b": {"c": 2}})
        );
        assert_eq!(
            applied(&["/b"], view.clone(), body.clone()),
            json!({"a": 1, "b": {"c": 8}})
        );
        assert_eq!(applied(&[""], view, body.clone()), body);
    }

    #[test]
    fn missing_objects_are_made_and_nothing_is_removed_from_them() {
        assert_eq!(
            applied(&["/x/y"], json!({}), json!({"x": {"y": 1}})),
            json!({"x": {"y": 1}})
        );
        assert_eq!(applied(&["/x/y"], json!({}), json!({})), json!({}));
        assert_eq!(
            applied(&["/l/1"], json!({"l": [1, 2]}), json!({"l": [7, 8]})),
            json!({"l": [1, 8]})
        );
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let mask = FieldMask::parse(["/a/b"]).unwrap();
        assert!(
            mask.apply(json!({"a": 1}), &json!({"a": {"b": 2}}))
                .is_err()
        );
        assert!(FieldMask::parse([]).is_err());
        assert!(FieldMask::parse(["a"]).is_err());
    }
}
