//! An edit of an earlier revision onto a later one.

use super::keyed;
use super::three_way::MergeConflict;
use coeval_core::types::pointer::child;
use coeval_core::types::same;
use serde_json::{Map, Value};

/// What was edited from `base` to `mine`, done to `theirs`; and the places where both changed the
/// same thing: there mine is in the result. (`then` is the base, `live` is theirs, `file` is mine.)
pub(crate) fn replay(base: &Value, mine: &Value, theirs: &Value) -> (Value, Vec<MergeConflict>) {
    let mut conflicts = Vec::new();
    let result = merge(
        Some(base),
        Some(mine),
        Some(theirs),
        String::new(),
        &mut conflicts,
    );
    (result.unwrap_or(Value::Null), conflicts)
}

fn equal(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn merge(
    base: Option<&Value>,
    mine: Option<&Value>,
    theirs: Option<&Value>,
    path: String,
    conflicts: &mut Vec<MergeConflict>,
) -> Option<Value> {
    // I changed nothing here, so theirs stays.
    if equal(mine, base) {
        return theirs.cloned();
    }
    // They changed nothing, or the same.
    if equal(theirs, base) || equal(mine, theirs) {
        return mine.cloned();
    }
    match (base, mine, theirs) {
        (Some(Value::Object(base)), Some(Value::Object(mine)), Some(Value::Object(theirs))) => {
            // Keys that only this edit added.
            let new = mine.keys().filter(|key| !theirs.contains_key(*key));
            let mut result = Map::new();
            // In their order, with what is new of mine behind it.
            for key in theirs.keys().chain(new) {
                let at = child(&path, key);
                let parts = (base.get(key), mine.get(key), theirs.get(key));
                if let Some(value) = merge(parts.0, parts.1, parts.2, at, conflicts) {
                    result.insert(key.clone(), value);
                }
            }
            return Some(Value::Object(result));
        }
        (Some(Value::Array(base)), Some(Value::Array(mine)), Some(Value::Array(theirs))) => {
            // By name only if all three are lists of named items, and by the same field.
            let key = keyed::common_key(base, mine);
            if let Some(key) = key.filter(|_| keyed::common_key(base, theirs) == key) {
                return Some(items(key, base, mine, theirs, &path, conflicts));
            }
        }
        _ => {}
    }
    conflicts.push(MergeConflict {
        path,
        then: base.cloned(),
        live: theirs.cloned(),
        file: mine.cloned(),
    });
    // A conflict is resolved in favour of the edit; whoever sees it decides.
    mine.cloned()
}

fn items(
    key: &str,
    base: &[Value],
    mine: &[Value],
    theirs: &[Value],
    path: &str,
    conflicts: &mut Vec<MergeConflict>,
) -> Value {
    let names = |items: &[Value]| -> Vec<String> {
        let names = items.iter().filter_map(|item| keyed::name(item, key));
        names.map(str::to_owned).collect()
    };
    // Their items in their order; new ones of this edit follow.
    let mut all = names(theirs);
    all.extend(
        names(mine)
            .into_iter()
            .filter(|name| keyed::find(theirs, key, name).is_none()),
    );
    let merged = all.iter().filter_map(|name| {
        let of = |items| keyed::find(items, key, name);
        let at = child(path, &keyed::token(key, name));
        merge(of(base), of(mine), of(theirs), at, conflicts)
    });
    merged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_edits_are_in_the_result() {
        let base = json!({"image": "a", "size": {"cpu": 1, "mem": 1}, "old": 1});
        let mine = json!({"image": "b", "size": {"cpu": 1, "mem": 1}});
        let theirs = json!({"image": "a", "size": {"cpu": 2, "mem": 1}, "old": 1, "new": 1});
        let (result, conflicts) = replay(&base, &mine, &theirs);
        let both = json!({"image": "b", "size": {"cpu": 2, "mem": 1}, "new": 1});
        assert_eq!((result, conflicts), (both, vec![]));
    }

    #[test]
    fn where_both_changed_the_same_thing_mine_wins_and_it_is_told() {
        let base = json!({"image": "a", "gone": 1});
        let mine = json!({"image": "b"});
        let theirs = json!({"image": "c", "gone": 2});
        let (result, conflicts) = replay(&base, &mine, &theirs);
        assert_eq!(result, mine);
        let told: Vec<_> = conflicts
            .iter()
            .map(|c| (c.path.as_str(), c.live.clone(), c.file.clone()))
            .collect();
        assert_eq!(
            told,
            [
                ("/image", Some(json!("c")), Some(json!("b"))),
                ("/gone", Some(json!(2)), None)
            ]
        );
    }

    #[test]
    fn items_with_names_are_merged_one_by_one() {
        let base = json!([{"name": "a", "x": 1}, {"name": "b", "x": 1}]);
        let mine = json!([{"name": "a", "x": 2}, {"name": "b", "x": 1}, {"name": "m"}]);
        let theirs = json!([{"name": "a", "x": 1, "y": 1}, {"name": "t"}]);
        let (result, conflicts) = replay(&base, &mine, &theirs);
        let both = json!([{"name": "a", "x": 2, "y": 1}, {"name": "t"}, {"name": "m"}]);
        assert_eq!((result, conflicts), (both, vec![]));
    }
}
