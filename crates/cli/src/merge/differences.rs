//! What changed between two contents, field by field.

use super::keyed;
use coeval_core::types::pointer::child;
use coeval_core::types::same;
use serde_json::Value;

/// A place that changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContentChange {
    /// Where.
    pub(crate) path: String,
    /// What was there; nothing: it is new.
    pub(crate) from: Option<Value>,
    /// What is there; nothing: it is gone.
    pub(crate) to: Option<Value>,
}

/// The smallest places that differ, in the first one's order, then those that are new.
pub(crate) fn differences(before: &Value, after: &Value) -> Vec<ContentChange> {
    let mut changes = Vec::new();
    compare(Some(before), Some(after), String::new(), &mut changes);
    changes
}

fn compare(
    before: Option<&Value>,
    after: Option<&Value>,
    path: String,
    changes: &mut Vec<ContentChange>,
) {
    match (before, after) {
        // Equal as JSON: `1` and `1.0` are the same number.
        (Some(a), Some(b)) if same(a, b) => {}
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            // In the order of the first, so that the report reads like the file.
            for (key, inner) in a {
                compare(Some(inner), b.get(key), child(&path, key), changes);
            }
            for (key, inner) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                compare(None, Some(inner), child(&path, key), changes);
            }
        }
        // Item by item only if the items have names; otherwise the list is one value.
        (Some(Value::Array(a)), Some(Value::Array(b))) => match in_order(a, b) {
            Some(key) => {
                let at = |name: &str| child(&path, &keyed::token(key, name));
                for item in a {
                    let name = keyed::name(item, key).unwrap_or_default();
                    compare(Some(item), keyed::find(b, key, name), at(name), changes);
                }
                for item in b {
                    let name = keyed::name(item, key).unwrap_or_default();
                    if keyed::find(a, key, name).is_none() {
                        compare(None, Some(item), at(name), changes);
                    }
                }
            }
            None => changes.push(change(path, before, after)),
        },
        _ => changes.push(change(path, before, after)),
    }
}

fn change(path: String, from: Option<&Value>, to: Option<&Value>) -> ContentChange {
    ContentChange {
        path,
        from: from.cloned(),
        to: to.cloned(),
    }
}

/// The key of two lists whose common items are in the same order. Another order is another list.
fn in_order(a: &[Value], b: &[Value]) -> Option<&'static str> {
    let key = keyed::common_key(a, b)?;
    let names = |of: &[Value], other: &[Value]| -> Vec<String> {
        let names = of.iter().filter_map(|item| keyed::name(item, key));
        let common = names.filter(|name| keyed::find(other, key, name).is_some());
        common.map(str::to_owned).collect()
    };
    // In another order it is shown whole: item by item a move would look like no change.
    (names(a, b) == names(b, a)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(before: &Value, after: &Value) -> Vec<String> {
        let changes = differences(before, after).into_iter();
        changes.map(|change| change.path).collect()
    }

    #[test]
    fn the_smallest_places_are_named() {
        let before = json!({"a": 1, "b": {"c": 1, "d": 2}, "gone": 0, "list": [1, 2]});
        let after = json!({"a": 1.0, "b": {"c": 1, "d": 3}, "new": 0, "list": [1, 3]});
        assert_eq!(paths(&before, &after), ["/b/d", "/gone", "/list", "/new"]);
    }

    #[test]
    fn items_with_names_are_compared_by_name_unless_their_order_is_another() {
        let before = json!([{"name": "a", "x": 1}, {"name": "b"}]);
        let after = json!([{"name": "a", "x": 2}, {"name": "c"}, {"name": "b"}]);
        assert_eq!(paths(&before, &after), ["/[name=a]/x", "/[name=c]"]);
        let turned = json!([{"name": "b"}, {"name": "a", "x": 1}]);
        assert_eq!(paths(&before, &turned), [""]);
    }
}
