//! A type of yours is modelled by what it shows: fields whose names begin with `k`.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// What the type shows of a document.
fn shown(document: &Value) -> Value {
    match document {
        Value::Object(all) => all
            .iter()
            .filter(|(name, _)| name.starts_with('k'))
            .map(|(name, value)| (name.clone(), shown(value)))
            .collect(),
        Value::Array(items) => items.iter().map(shown).collect(),
        other => other.clone(),
    }
}

/// All that the type does not show, with the places that objects have.
fn hidden(document: &Value) -> Vec<(String, Value)> {
    fn walk(at: &str, document: &Value, all: &mut Vec<(String, Value)>) {
        if let Value::Object(fields) = document {
            for (name, value) in fields {
                if name.starts_with('k') {
                    walk(&format!("{at}/{name}"), value, all);
                } else {
                    all.push((format!("{at}/{name}"), value.clone()));
                }
            }
        }
    }
    let mut all = Vec::new();
    walk("", document, &mut all);
    all
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4_i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ku][ab]", inner, 0..5)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn read_and_saved_unchanged_it_is_the_same(read in documents()) {
        let was = shown(&read);
        prop_assert_eq!(merge_edit(&read, &was, &was), read);
    }

    #[test]
    fn what_is_written_shows_what_the_program_meant(read in documents(), now in documents()) {
        let now = shown(&now);
        prop_assert_eq!(shown(&merge_edit(&read, &shown(&read), &now)), now);
    }

    #[test]
    fn a_change_of_one_field_changes_only_that(
        read in prop::collection::btree_map("[ku][a-e]", documents(), 1..6),
        new in 100..200_i64,
        at in any::<prop::sample::Index>(),
    ) {
        let read = Value::Object(read.into_iter().collect());
        let was = shown(&read);
        let names: Vec<_> = was.as_object().unwrap().keys().cloned().collect();
        prop_assume!(!names.is_empty());
        let name = at.get(&names);
        let mut now = was.clone();
        now[name] = new.into();
        let mut expected = read.clone();
        expected[name] = new.into();
        prop_assert_eq!(merge_edit(&read, &was, &now), expected);
    }

    #[test]
    fn nothing_hidden_goes_with_an_edit_of_other_fields(read in documents(), new in 100..200_i64) {
        let was = shown(&read);
        let mut now = was.clone();
        prop_assume!(now.is_object());
        now["kz"] = new.into();
        prop_assert_eq!(hidden(&merge_edit(&read, &was, &now)), hidden(&read));
    }

    #[test]
    fn items_keep_what_is_hidden_however_they_are_ordered(order in Just([0, 1, 2, 3]).prop_shuffle()) {
        let item = |n: i32| json!({"k": n, "u": n * 10});
        let read = Value::from((0..4).map(item).collect::<Vec<_>>());
        let was = shown(&read);
        let now = order.iter().map(|n| json!({"k": n})).collect::<Value>();
        let expected = order.iter().map(|n| item(*n)).collect::<Value>();
        prop_assert_eq!(merge_edit(&read, &was, &now), expected);
    }
}

#[test]
fn lists() {
    let read = json!([{"k": 1, "u": 10}, {"k": 2, "u": 20}, {"k": 3, "u": 30}]);
    let was = shown(&read);
    for (what, now, expected) in [
        (
            "one is edited",
            json!([{"k": 1}, {"k": 9}, {"k": 3}]),
            json!([{"k": 1, "u": 10}, {"k": 9, "u": 20}, {"k": 3, "u": 30}]),
        ),
        (
            "one goes",
            json!([{"k": 1}, {"k": 3}]),
            json!([{"k": 1, "u": 10}, {"k": 3, "u": 30}]),
        ),
        (
            "one comes first",
            json!([{"k": 0}, {"k": 1}, {"k": 2}, {"k": 3}]),
            json!([{"k": 0}, {"k": 1, "u": 10}, {"k": 2, "u": 20}, {"k": 3, "u": 30}]),
        ),
        (
            "one is edited and one goes: nobody knows which",
            json!([{"k": 1}, {"k": 9}]),
            json!([{"k": 1, "u": 10}, {"k": 9}]),
        ),
        ("all go", json!([]), json!([])),
    ] {
        assert_eq!(merge_edit(&read, &was, &now), expected, "{what}");
    }
}

#[test]
fn a_default_that_the_type_fills_in_is_not_written() {
    let (read, was) = (json!({}), json!({"replicas": 1, "image": ""}));
    let now = json!({"replicas": 1, "image": "web"});
    assert_eq!(merge_edit(&read, &was, &now), json!({"image": "web"}));
}

#[test]
fn a_field_that_the_program_takes_away_goes() {
    let (read, was) = (json!({"ka": 1, "kb": 2, "u": 3}), json!({"ka": 1, "kb": 2}));
    assert_eq!(
        merge_edit(&read, &was, &json!({"kb": 2})),
        json!({"kb": 2, "u": 3})
    );
}
