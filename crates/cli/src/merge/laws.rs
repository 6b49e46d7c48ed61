//! The laws of merging, for any content.

use super::*;
use coeval_core::types::same;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Contents with few names, so that they meet often.
fn content() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (0..3).prop_map(|n| json!(n)),
        Just(Value::Null),
        Just(json!("x")),
        Just(json!({})),
        Just(json!([])),
    ];
    let value = leaf.prop_recursive(4, 32, 4, |inner| {
        let item = (prop::sample::select(vec!["p", "q", "r"]), inner.clone());
        prop_oneof![
            3 => map(inner.clone()),
            1 => prop::collection::vec(inner, 0..3).prop_map(Value::from),
            2 => prop::collection::vec(item, 0..4).prop_map(items),
        ]
    });
    map(value)
}

fn map(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec!["a", "b", "c", "name"]);
    let pairs = prop::collection::vec((key, value), 0..4);
    pairs.prop_map(|pairs| {
        let pairs = pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Object(pairs.collect::<Map<_, _>>())
    })
}

/// Mostly with unique names.
fn items(named: Vec<(&str, Value)>) -> Value {
    let items = named
        .into_iter()
        .map(|(name, value)| json!({"name": name, "v": value}));
    items.collect()
}

/// Whether a result has all that a file says.
fn contains(result: &Value, file: &Value) -> bool {
    match (result, file) {
        (Value::Object(result), Value::Object(file)) => file
            .iter()
            .all(|(key, value)| result.get(key).is_some_and(|inner| contains(inner, value))),
        (Value::Array(a), Value::Array(b)) => match keyed::common_key(a, b) {
            Some(key) => b.iter().all(|item| {
                let name = keyed::name(item, key).unwrap_or_default();
                keyed::find(a, key, name).is_some_and(|own| contains(own, item))
            }),
            None => same(result, file),
        },
        (result, file) => same(result, file),
    }
}

fn base(paths: &[String]) -> MergeBase<'_> {
    MergeBase { paths, then: None }
}

/// The leaves of what is there that are neither in the file nor declared before, nor inside of such.
fn others(live: &Value, file: &Value, before: &[String]) -> Vec<String> {
    let parts = |path: &str| coeval_core::types::pointer::tokens(path).unwrap();
    let related = |path: &[String]| {
        before.iter().any(|said| {
            let said = parts(said);
            path.starts_with(&said) || said.starts_with(path)
        })
    };
    let leaves = declared(live).into_iter();
    let leaves = leaves.filter(|leaf| {
        let path = parts(leaf);
        !path.is_empty() && !paths::says(file, &path) && !related(&path)
    });
    leaves.collect()
}

proptest! {
    #[test]
    fn the_result_has_all_that_the_file_says(
        live in content(), file in content(), before in content()
    ) {
        let paths = declared(&before);
        let merged = three_way(base(&paths), &live, &file);
        prop_assert!(contains(&merged.result, &file), "{}", merged.result);
    }

    #[test]
    fn the_same_file_again_changes_nothing(
        live in content(), file in content(), before in content()
    ) {
        let paths = declared(&before);
        let once = three_way(base(&paths), &live, &file).result;
        let paths = declared(&file);
        let then = MergeBase { paths: &paths, then: Some(&once) };
        let twice = three_way(then, &once, &file);
        prop_assert_eq!(&twice.result, &once);
        prop_assert_eq!(twice.changes, vec![]);
        prop_assert_eq!(twice.conflicts, vec![]);
    }

    #[test]
    fn what_is_neither_in_the_file_nor_declared_before_never_changes(
        live in content(), file in content(), before in content()
    ) {
        let before = declared(&before);
        let merged = three_way(base(&before), &live, &file);
        for path in others(&live, &file, &before) {
            prop_assert_eq!(
                paths::at(&merged.result, &path), paths::at(&live, &path), "{}", path
            );
        }
    }

    #[test]
    fn what_a_file_made_alone_it_takes_back_alone(live in content(), file in content()) {
        // Made by the file, nobody else came: an empty file leaves nothing.
        let _ = live;
        let paths = declared(&file);
        let made = three_way(base(&[]), &json!({}), &file).result;
        let gone = three_way(base(&paths), &made, &json!({})).result;
        prop_assert_eq!(gone, json!({}));
    }

    #[test]
    fn an_edit_of_what_nobody_else_changed_is_the_edit(a in content(), b in content()) {
        prop_assert_eq!(replay(&a, &b, &a), (b.clone(), vec![]));
        prop_assert_eq!(replay(&a, &a, &b), (b, vec![]));
    }

    #[test]
    fn differences_are_none_exactly_for_the_same(a in content(), b in content()) {
        prop_assert_eq!(differences(&a, &b).is_empty(), same(&a, &b));
    }
}
