//! A file onto what is there. What the file says is set; what it said before and says no longer is
//! removed; all else is others' and stays.

use super::differences::{ContentChange, differences};
use super::{keyed, paths};
use coeval_core::types::pointer::{child, tokens};
use coeval_core::types::same;
use serde_json::Value;

/// What is known of the time when the file was applied last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MergeBase<'b> {
    /// What the file declared then.
    pub(crate) paths: &'b [String],
    /// The content right after that, if it is still known.
    pub(crate) then: Option<&'b Value>,
}

/// A place that the merge would change and that somebody else changed since the last apply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MergeConflict {
    /// Where.
    pub(crate) path: String,
    /// What was there right after the last apply.
    pub(crate) then: Option<Value>,
    /// What is there.
    pub(crate) live: Option<Value>,
    /// What would be there.
    pub(crate) file: Option<Value>,
}

/// What comes out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MergeResult {
    /// The content to be stored.
    pub(crate) result: Value,
    /// Where it differs from what is there. What is removed has no `to`.
    pub(crate) changes: Vec<ContentChange>,
    /// Those of the changes that override somebody else's.
    pub(crate) conflicts: Vec<MergeConflict>,
}

/// A file onto what is there.
pub(crate) fn three_way(base: MergeBase<'_>, live: &Value, file: &Value) -> MergeResult {
    // First everything that the file says, then what it no longer says goes.
    let mut result = overlay(live, file);
    // A path that can't be parsed is of a newer release: what it names stays.
    let gone: Vec<_> = base.paths.iter().filter_map(|path| tokens(path)).collect();
    let gone = gone.iter().filter(|path| !paths::says(file, path));
    // An item is its key as long as there is more in it.
    let (mut keys, fields): (Vec<_>, Vec<_>) = gone.partition(|path| is_key(path));
    // Items inside of items go first.
    keys.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in fields {
        remove(&mut result, path, String::new(), file);
    }
    for path in keys {
        remove_item(&mut result, path, file);
    }
    let changes = differences(live, &result);
    // Without the content of then nobody can say who changed a field, so there are no conflicts.
    let conflicts = match base.then {
        Some(then) => changes
            .iter()
            .filter_map(|change| conflict(then, change))
            .collect(),
        None => Vec::new(),
    };
    MergeResult {
        result,
        changes,
        conflicts,
    }
}

fn conflict(then: &Value, change: &ContentChange) -> Option<MergeConflict> {
    let then = paths::at(then, &change.path);
    // Compared with the content right after the last apply: what differs is somebody else's.
    let unchanged = match (then, &change.from) {
        (Some(then), Some(live)) => same(then, live),
        (None, None) => true,
        _ => false,
    };
    (!unchanged).then(|| MergeConflict {
        path: change.path.clone(),
        then: then.cloned(),
        live: change.from.clone(),
        file: change.to.clone(),
    })
}

/// What is there with all that the file says.
fn overlay(live: &Value, file: &Value) -> Value {
    match (live, file) {
        (Value::Object(live), Value::Object(file)) => {
            let mut result = live.clone();
            for (key, value) in file {
                // Recursively, so that fields that the file does not mention stay.
                let merged = match live.get(key) {
                    Some(live) => overlay(live, value),
                    None => value.clone(),
                };
                result.insert(key.clone(), merged);
            }
            Value::Object(result)
        }
        (Value::Array(live), Value::Array(file)) => match keyed::common_key(live, file) {
            Some(key) => {
                let named = |items: &[Value], item: &Value| {
                    let name = keyed::name(item, key)?;
                    keyed::find(items, key, name).cloned()
                };
                let merged = live.iter().map(|item| match named(file, item) {
                    Some(said) => overlay(item, &said),
                    None => item.clone(),
                });
                // New items come last; where in the list they were in the file has no meaning for
                // named ones.
                let new = file.iter().filter(|item| named(live, item).is_none());
                merged.chain(new.cloned()).collect()
            }
            None => other(live, file),
        },
        (live, file) if same(live, file) => live.clone(),
        (_, file) => file.clone(),
    }
}

fn other(live: &[Value], file: &[Value]) -> Value {
    let (live, file) = (Value::from(live.to_vec()), Value::from(file.to_vec()));
    if same(&live, &file) { live } else { file }
}

/// Whether a path ends with the field that its item is told apart by.
fn is_key(path: &[String]) -> bool {
    match path {
        [.., item, last] => keyed::parse(item).is_some_and(|(key, _)| key == last),
        _ => false,
    }
}

/// Takes a field away, and what is empty without it, unless the file says that. Objects with others'
/// fields in them stay.
fn remove(value: &mut Value, path: &[String], at: String, file: &Value) {
    let Some((token, rest)) = path.split_first() else {
        return;
    };
    let here = child(&at, token);
    match value {
        Value::Object(map) => {
            let Some(inner) = map.get_mut(token) else {
                return;
            };
            if !rest.is_empty() {
                // What was empty before is not emptied by this.
                let before = is_empty(inner);
                remove(inner, rest, here.clone(), file);
                if before || !is_empty(inner) {
                    return;
                }
            }
            // Others' fields are in it: only the file's own go.
            let others = inner.as_object().is_some_and(|inner| !inner.is_empty());
            let said = !rest.is_empty() && says(file, &here);
            if !others && !said {
                map.shift_remove(token);
            }
        }
        Value::Array(items) => {
            let Some((key, name)) = keyed::parse(token) else {
                return;
            };
            let mut items = items.iter_mut();
            // Found by its name: it may be at another place by now.
            let item = items.find(|item| keyed::name(item, key) == Some(name));
            if let Some(item) = item {
                remove(item, rest, here, file);
            }
        }
        _ => {}
    }
}

/// Takes an item away of which only the key is left.
fn remove_item(value: &mut Value, path: &[String], file: &Value) {
    let [list @ .., item, _] = path else { return };
    let Some((key, name)) = keyed::parse(item) else {
        return;
    };
    let Some(Value::Array(items)) = at_mut(value, list) else {
        return;
    };
    // With more than its key the item belongs to others too.
    items.retain(|item| {
        let alone = item.as_object().is_some_and(|item| item.len() == 1);
        !(alone && keyed::name(item, key) == Some(name))
    });
    if items.is_empty() {
        remove(value, list, String::new(), file);
    }
}

fn at_mut<'v>(value: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    let mut value = value;
    for token in path {
        value = match value {
            Value::Object(map) => map.get_mut(token)?,
            Value::Array(items) => {
                let (key, name) = keyed::parse(token)?;
                let mut items = items.iter_mut();
                items.find(|item| keyed::name(item, key) == Some(name))?
            }
            _ => return None,
        };
    }
    Some(value)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn says(file: &Value, pointer: &str) -> bool {
    tokens(pointer).is_some_and(|path| paths::says(file, &path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// (declared before, live, file, result)
    fn table() -> Vec<(&'static [&'static str], Value, Value, Value)> {
        vec![
            // A controller's field stays.
            (
                &["/image"],
                json!({"image": "a", "ip": "1"}),
                json!({"image": "b"}),
                json!({"image": "b", "ip": "1"}),
            ),
            // What the file said before is taken back, with what is empty then.
            (
                &["/image", "/size/cpu"],
                json!({"image": "a", "size": {"cpu": 1}}),
                json!({"image": "a"}),
                json!({"image": "a"}),
            ),
            // Not where others have put something.
            (
                &["/image", "/size/cpu"],
                json!({"image": "a", "size": {"cpu": 1, "mem": 2}}),
                json!({"image": "a"}),
                json!({"image": "a", "size": {"mem": 2}}),
            ),
            (
                &["/size"],
                json!({"size": {"mem": 2}}),
                json!({}),
                json!({"size": {"mem": 2}}),
            ),
            // An empty object that the file says is no reason to remove it.
            (
                &["/size/cpu"],
                json!({"size": {"cpu": 1}}),
                json!({"size": {}}),
                json!({"size": {}}),
            ),
            // What was empty before is somebody else's.
            (
                &["/size/cpu"],
                json!({"size": {}}),
                json!({}),
                json!({"size": {}}),
            ),
            // What the file never said is not removed.
            (
                &[],
                json!({"a": 1}),
                json!({"b": 1}),
                json!({"a": 1, "b": 1}),
            ),
            // Lists are one value.
            (
                &["/ports"],
                json!({"ports": [1, 2]}),
                json!({"ports": [3]}),
                json!({"ports": [3]}),
            ),
            (&["/ports"], json!({"ports": [1, 2]}), json!({}), json!({})),
            // Unless their items have names.
            (
                &[
                    "/n/[name=a]/name",
                    "/n/[name=a]/x",
                    "/n/[name=b]/name",
                    "/n/[name=b]/x",
                ],
                json!({"n": [{"name": "a", "x": 1, "ip": 7}, {"name": "b", "x": 1}, {"name": "z"}]}),
                json!({"n": [{"name": "a", "x": 2}, {"name": "c", "x": 3}]}),
                json!({"n": [{"name": "a", "x": 2, "ip": 7}, {"name": "z"}, {"name": "c", "x": 3}]}),
            ),
            // An item in which others have something stays with its name.
            (
                &["/n/[name=a]/name", "/n/[name=a]/x"],
                json!({"n": [{"name": "a", "x": 1, "ip": 7}]}),
                json!({}),
                json!({"n": [{"name": "a", "ip": 7}]}),
            ),
            (
                &["/n/[name=a]/name", "/n/[name=a]/x"],
                json!({"n": [{"name": "a", "x": 1}]}),
                json!({}),
                json!({}),
            ),
            // Another type.
            (
                &["/a"],
                json!({"a": 1}),
                json!({"a": {"b": 2}}),
                json!({"a": {"b": 2}}),
            ),
            (
                &["/a/b"],
                json!({"a": {"b": 1}}),
                json!({"a": 2}),
                json!({"a": 2}),
            ),
            // Paths that lead nowhere.
            (
                &["/x/y", "no pointer", "", "/a/[name=q]/name"],
                json!({"a": 1}),
                json!({}),
                json!({"a": 1}),
            ),
        ]
    }

    #[test]
    fn what_is_said_is_set_what_was_said_is_taken_back_the_rest_stays() {
        for (before, live, file, result) in table() {
            let paths: Vec<_> = before.iter().map(|&path| path.to_owned()).collect();
            let base = MergeBase {
                paths: &paths,
                then: None,
            };
            let merged = three_way(base, &live, &file);
            assert_eq!(merged.result, result, "{before:?} {live} {file}");
            assert_eq!(merged.changes, differences(&live, &result));
        }
    }

    #[test]
    fn what_somebody_else_changed_since_is_a_conflict_where_the_file_says_something_else() {
        let then = json!({"image": "a", "size": 1, "replicas": 1, "old": 1});
        let live = json!({"image": "hacked", "size": 2, "replicas": 1, "old": 2, "ip": 7});
        let file = json!({"image": "a", "size": 2, "replicas": 3});
        let paths = ["/image", "/size", "/replicas", "/old"].map(str::to_owned);
        let base = MergeBase {
            paths: &paths,
            then: Some(&then),
        };
        let merged = three_way(base, &live, &file);
        let conflicts: Vec<_> = merged.conflicts.iter().map(|c| c.path.as_str()).collect();
        // The size is what the file says already, and the replicas only the file changes.
        assert_eq!(conflicts, ["/image", "/old"]);
        assert_eq!(merged.conflicts[0].then, Some(json!("a")));
        assert_eq!(merged.conflicts[0].live, Some(json!("hacked")));
        assert_eq!(merged.conflicts[1].file, None);
    }

    #[test]
    fn a_field_that_somebody_removed_is_a_conflict_too() {
        let then = json!({"image": "a"});
        let base = MergeBase {
            paths: &["/image".to_owned()],
            then: Some(&then),
        };
        let merged = three_way(base, &json!({}), &json!({"image": "a", "new": 1}));
        let conflicts: Vec<_> = merged.conflicts.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(conflicts, ["/image"]);
    }
}
