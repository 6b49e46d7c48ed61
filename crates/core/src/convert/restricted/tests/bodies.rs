use super::*;
use crate::convert::ConversionObstacle;
use Visibility::{Private, Protected};
use coeval_codes::Coded;

fn ordinary(edit: impl FnOnce(&mut Value)) -> Value {
    let mut body = json!({
        "name": "c", "phase": "up",
        "nodes": [{"name": "a", "phase": "on"}, {"name": "b", "size": 3}],
    });
    edit(&mut body);
    body
}

fn after(edit: impl FnOnce(&mut Value)) -> Value {
    let mut content = stored();
    edit(&mut content);
    content
}

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().shift_remove(key);
}

/// A body at 2.0.0 that is accepted, and the content afterwards.
fn accepted(name: &str, sees: Visibility, body: Value, content: &Value) {
    let put = put("2.0.0", body, sees).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    assert_eq!(put.record.content, *content, "{name}");
}

#[test]
fn what_a_writer_does_not_see_is_unchanged() {
    accepted(
        "a visible field changes, hidden ones stay",
        Protected,
        ordinary(|body| body["name"] = json!("d")),
        &after(|content| content["name"] = json!("d")),
    );
    accepted(
        "hidden data follows the item by the key of the list",
        Protected,
        ordinary(|body| {
            body["nodes"] = json!([
                {"name": "new"}, {"name": "b", "size": 4}, {"name": "a", "phase": "on", "size": 9},
            ]);
        }),
        &after(|content| {
            content["nodes"] = json!([
                {"name": "new"}, {"name": "b", "size": 4},
                {"name": "a", "phase": "on", "size": 9, "quota": 2, "token": "ta"},
            ]);
        }),
    );
    accepted(
        "a hidden field that is sent as it is stored is unchanged",
        Protected,
        ordinary(|body| body["quota"] = json!(1.0)),
        &stored(),
    );
    accepted(
        "null for a hidden field counts as absent",
        Protected,
        ordinary(|body| body["quota"] = json!(null)),
        &stored(),
    );
    accepted(
        "full control changes protected and private fields",
        Private,
        json!({"name": "c", "quota": 5, "nodes": [{"name": "a"}]}),
        &json!({
            "name": "c", "quota": 5, "token": "t", "key": "k", "nodes": [{"name": "a", "token": "ta"}],
        }),
    );
}

#[test]
fn a_secure_value_is_kept_removed_or_set() {
    accepted(
        "the mask keeps it, null removes it, another value sets it",
        Protected,
        ordinary(|body| {
            body["token"] = json!(null);
            body["key"] = json!("******");
            body["nodes"][0]["token"] = json!("new");
            body["nodes"][1]["token"] = json!("******");
        }),
        &after(|content| {
            remove(content, "token");
            content["nodes"][0]["token"] = json!("new");
        }),
    );
    let set = |content: &mut Value| {
        content["key"] = json!("new");
        content["token"] = json!("new");
    };
    accepted("full control sets all", Private, after(set), &after(set));
}

#[test]
fn what_a_writer_may_not_change_is_refused_with_its_place() {
    type Edit = fn(&mut Value);
    let cases: [(&str, Edit, &[&str]); 5] = [
        (
            "a hidden field that is sent otherwise than it is stored",
            |body| {
                body["quota"] = json!(2);
                body["nodes"][0]["quota"] = json!(3);
                body["nodes"][1]["quota"] = json!(3);
            },
            &["/nodes/0/quota", "/nodes/1/quota", "/quota"],
        ),
        (
            "a protected field that is left out, changed or added",
            |body| {
                remove(body, "phase");
                body["nodes"][0]["phase"] = json!("off");
                body["nodes"][1]["phase"] = json!("off");
            },
            &["/nodes/0/phase", "/nodes/1/phase", "/phase"],
        ),
        (
            "an item with a protected field that is deleted",
            |body| body["nodes"] = json!([{"name": "b", "size": 3}]),
            &["/nodes/0/phase"],
        ),
        (
            "a secure value that is protected too",
            |body| body["key"] = json!("new"),
            &["/key"],
        ),
        (
            "and its removal",
            |body| body["key"] = json!(null),
            &["/key"],
        ),
    ];
    for (name, edit, fields) in cases {
        let refusal = put("2.0.0", ordinary(edit), Protected).unwrap_err();
        assert_eq!(refusal.code(), coeval_codes::RESTRICTED_FIELDS, "{name}");
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        assert_eq!(
            refusal.reason,
            ConversionObstacle::RestrictedFields(fields),
            "{name}"
        );
    }
}

#[test]
fn the_same_holds_at_another_version() {
    let view = clusters().view_for(record("2.0.0", stored()), v("1.0.0"), Protected);
    let mut body = view.unwrap().content;
    body["hosts"][0]["size"] = json!(1);
    let put = put("1.0.0", body, Protected).unwrap();
    let expected = after(|content| content["nodes"][0]["size"] = json!(1));
    assert_eq!(put.record.content, expected);
}

#[test]
fn hidden_data_goes_with_an_item_that_is_deleted_and_is_listed() {
    let stored = record(
        "2.0.0",
        after(|content| remove(&mut content["nodes"][0], "phase")),
    );
    let body = json!({"name": "c", "phase": "up", "hosts": []});
    let put = clusters()
        .put_for(stored, v("1.0.0"), body, Protected)
        .unwrap();
    assert_eq!(put.record.content["nodes"], json!([]));
    assert_eq!(put.dropped, ["/hosts/0/quota", "/hosts/0/token"]);
    assert!(put.kept.is_empty());
}

#[test]
fn without_a_key_only_equal_items_as_they_were_seen_are_the_same() {
    let content =
        json!({"items": [{"name": "a", "quota": 1}, {"name": "a", "quota": 2}, {"name": "b"}]});
    let write = |items: Value| {
        let stored = record("2.0.0", content.clone());
        clusters().put_for(stored, v("2.0.0"), json!({"items": items}), Protected)
    };
    let moved = write(json!([{"name": "b"}, {"name": "a"}, {"name": "a"}])).unwrap();
    assert_eq!(
        moved.record.content["items"],
        json!([{"name": "b"}, {"name": "a", "quota": 1}, {"name": "a", "quota": 2}])
    );
    for items in [
        json!([{"name": "a"}, {"name": "b"}]),
        json!([{"name": "a"}, {"name": "c"}, {"name": "b"}]),
    ] {
        assert_eq!(
            write(items).unwrap_err().code(),
            coeval_codes::LIST_NEEDS_KEY
        );
    }
}

#[test]
fn items_that_are_restricted_themselves_are_gaps() {
    let item = |mark: &str| json!({"type": "string", "x-vcloud-restricted": mark});
    let list = |mark: &str| json!({"type": "array", "items": item(mark)});
    let schema = json!({"properties": {
        "all": list("private"), "keys": list("secure"), "log": list("protected"),
        "pair": {"type": "array", "items": [item("private"), {"type": "string"}]},
    }});
    let types = versions(vec![file("1.0.0", &schema, None)]);
    let content = json!({"all": ["x", "y"], "pair": ["p", "q"], "keys": ["k", "l"], "log": ["m"]});
    let seen = json!({"all": [], "pair": [null, "q"], "keys": [], "log": ["m"]});
    let stored = record("1.0.0", content);
    let view = types
        .view_for(stored.clone(), v("1.0.0"), Protected)
        .unwrap();
    assert_eq!(
        (&view.content, view.secure.join(" ")),
        (&seen, "/keys/0 /keys/1".to_owned())
    );
    assert_eq!(view.masked()["keys"], json!(["******", "******"]));
    let write = |key: &str, list: Value| {
        let mut body = seen.clone();
        body[key] = list;
        let put = types.put_for(stored.clone(), v("1.0.0"), body, Protected);
        put.map(|put| put.record.content[key].clone())
            .map_err(|refusal| refusal.code().number())
    };
    for (key, list, result) in [
        ("all", json!([]), Ok(json!(["x", "y"]))),
        ("all", json!(["x", "y"]), Ok(json!(["x", "y"]))),
        ("all", json!(["x", "z"]), Err(3204)),
        ("all", json!(["x"]), Err(3204)),
        ("pair", json!([null, "r"]), Ok(json!(["p", "r"]))),
        ("pair", json!(["o", "r"]), Err(3204)),
        ("pair", json!([]), Err(3202)),
        ("keys", json!(["******", "new"]), Ok(json!(["k", "new"]))),
        ("keys", json!(["new"]), Ok(json!(["new"]))),
        ("keys", json!(["******"]), Err(3202)),
        ("log", json!(["m"]), Ok(json!(["m"]))),
        ("log", json!(["m", "n"]), Err(3204)),
        ("log", json!([]), Err(3204)),
    ] {
        assert_eq!(write(key, list.clone()), result, "{key} {list}");
    }
}

#[test]
fn content_that_is_restricted_as_a_whole_is_kept_as_a_whole() {
    for (mark, body, result) in [
        ("private", json!({}), Ok(json!({"a": 1}))),
        ("private", json!({"a": 1}), Ok(json!({"a": 1}))),
        ("private", json!({"a": 2}), Err(3204)),
        ("protected", json!({"a": 1}), Ok(json!({"a": 1}))),
        ("protected", json!({}), Err(3204)),
        ("secure", json!({}), Ok(json!({"a": 1}))),
        ("secure", json!({"a": 2}), Ok(json!({"a": 2}))),
    ] {
        let types = versions(vec![file(
            "1.0.0",
            &json!({"x-vcloud-restricted": mark}),
            None,
        )]);
        let stored = record("1.0.0", json!({"a": 1}));
        let put = types.put_for(stored, v("1.0.0"), body.clone(), Protected);
        let found = put
            .map(|put| put.record.content)
            .map_err(|refusal| refusal.code().number());
        assert_eq!(found, result, "{mark} {body}");
    }
}

#[test]
fn a_new_resource_has_no_mask_in_it() {
    let types = clusters();
    let body = json!({"name": "c", "token": "******", "key": null});
    let made = types.create_for(v("2.0.0"), body, Private).unwrap();
    assert_eq!(made.content, json!({"name": "c"}));
    let refused = types.create_for(v("2.0.0"), json!({"quota": 1, "phase": "x"}), Protected);
    let fields = vec!["/phase".to_owned(), "/quota".to_owned()];
    assert_eq!(
        refused.unwrap_err().reason,
        ConversionObstacle::RestrictedFields(fields)
    );
}

#[test]
fn a_body_that_is_too_deep_is_refused() {
    let mut deep = json!(1);
    for _ in 0..500 {
        deep = json!({"x": deep});
    }
    for sees in [Visibility::Public, Private] {
        let refusal = put("2.0.0", deep.clone(), sees).unwrap_err();
        assert_eq!(refusal.reason, ConversionObstacle::TooDeep);
    }
}
