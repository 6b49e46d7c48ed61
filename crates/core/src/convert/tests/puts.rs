use super::*;
use crate::convert::ConversionObstacle;

fn types() -> Versions {
    let old = json!({"properties": {"img": {"type": "string"}, "size": {"type": "integer"}}});
    let new = json!({"properties": {
        "image": {"type": "string"}, "size": {"type": "integer"}, "gpu": {"type": "integer"},
        "limits": {"properties": {"cpu": {}}},
    }});
    let steps = json!([
        {"rename": {"path": "/img", "to": "image"}},
        {"scale": {"path": "/size", "by": 1024}},
        {"add": {"path": "/gpu"}},
    ]);
    versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &new, Some(("1.0.0", steps))),
    ])
}

fn stored() -> ContentRecord {
    record(
        "2.0.0",
        json!({"image": "a", "size": 2049, "gpu": 4, "limits": {"cpu": 1}}),
    )
}

#[test]
fn what_is_put_back_as_it_was_read_changes_nothing() {
    let types = types();
    for at in ["1.0.0", "2.0.0"] {
        let view = types.see(&stored(), at);
        let put = types.put(stored(), v(at), view).unwrap();
        assert_eq!(put.record, stored(), "{at}");
        assert!(put.dropped.is_empty());
    }
}

#[test]
fn an_old_body_changes_what_it_can_say_and_nothing_else() {
    let put = types()
        .put(stored(), v("1.0.0"), json!({"img": "b", "size": 2}))
        .unwrap();
    let expected = json!({"image": "b", "size": 2049, "gpu": 4, "limits": {"cpu": 1}});
    assert_eq!(put.record, record("2.0.0", expected));
    assert_eq!(put.kept, ["/gpu", "/limits"]);
    let put = types()
        .put(stored(), v("1.0.0"), json!({"size": 3}))
        .unwrap();
    assert_eq!(
        put.record.content,
        json!({"size": 3072, "gpu": 4, "limits": {"cpu": 1}})
    );
}

#[test]
fn a_refinement_goes_in_the_very_write_that_changes_its_value() {
    let types = types();
    let down = types.moved(stored(), v("1.0.0")).unwrap();
    assert_eq!(down.content["size"], 2);
    let changed = types
        .put(down, v("1.0.0"), json!({"size": 3}))
        .unwrap()
        .record;
    let again = types
        .put(changed, v("1.0.0"), json!({"size": 2}))
        .unwrap()
        .record;
    assert_eq!(types.see(&again, "2.0.0")["size"], 2048);
}

#[test]
fn what_is_deleted_and_made_again_does_not_get_back_what_was_kept_for_the_old_one() {
    let old = json!({"properties": {"nodes": {"additionalProperties": {"properties": {"a": {}}}}}});
    let mut new = old.clone();
    new["properties"]["nodes"]["additionalProperties"]["properties"]["gpu"] = json!({});
    let types = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
    let stored = record("1.1.0", json!({"nodes": {"n1": {"a": 1, "gpu": 1}}}));
    let down = types.moved(stored, v("1.0.0")).unwrap();
    let gone = types.put(down, v("1.0.0"), json!({"nodes": {}})).unwrap();
    assert_eq!(gone.dropped, ["/nodes/n1/gpu"]);
    let again = types
        .put(gone.record, v("1.0.0"), json!({"nodes": {"n1": {}}}))
        .unwrap();
    assert_eq!(
        types.see(&again.record, "1.1.0"),
        json!({"nodes": {"n1": {}}})
    );
}

#[test]
fn a_field_that_the_version_does_not_have_is_refused_unless_it_is_as_stored() {
    let types = types();
    let echo = json!({"img": "a", "size": 2, "gpu": 4});
    assert_eq!(
        types.put(stored(), v("1.0.0"), echo).unwrap().record,
        stored()
    );
    let body = json!({"img": "a", "gpu": 5});
    let refusal = types.put(stored(), v("1.0.0"), body).unwrap_err();
    let fields = vec!["/gpu".to_owned()];
    assert_eq!(
        refusal.reason,
        ConversionObstacle::Unexpressed {
            version: v("1.0.0"),
            fields
        }
    );
}

#[test]
fn a_body_at_a_newer_version_is_carried_onto_the_stored_one() {
    let types = types();
    let stored = record("1.0.0", json!({"img": "a", "size": 2}));
    let body = json!({"image": "b", "size": 2050, "gpu": 1});
    let put = types.put(stored, v("2.0.0"), body.clone()).unwrap();
    assert_eq!(put.record.content, json!({"img": "b", "size": 2}));
    assert_eq!(types.see(&put.record, "2.0.0"), body);
}

#[test]
fn a_default_that_the_view_filled_in_is_not_stored_when_it_comes_back() {
    let old = json!({"properties": {"a": {}}});
    let new = json!({"properties": {"a": {}, "zone": {"default": "x"}}, "required": ["zone"]});
    let types = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
    let stored = record("1.0.0", json!({"a": 1}));
    let view = types.see(&stored, "1.1.0");
    assert_eq!(view, json!({"a": 1, "zone": "x"}));
    assert_eq!(
        types.put(stored.clone(), v("1.1.0"), view).unwrap().record,
        stored
    );
    let put = types
        .put(stored, v("1.1.0"), json!({"a": 1, "zone": "y"}))
        .unwrap();
    assert_eq!(types.see(&put.record, "1.1.0")["zone"], "y");
}

#[test]
fn nulls_that_are_no_values_are_absent() {
    let types = types();
    let body = json!({"img": null, "size": 2});
    let put = types.put(stored(), v("1.0.0"), body).unwrap();
    assert_eq!(
        put.record.content,
        json!({"size": 2049, "gpu": 4, "limits": {"cpu": 1}})
    );
}

#[test]
fn an_object_with_a_default_inside_survives_a_write_at_another_version() {
    let inner = json!({"required": ["x"], "properties": {"x": {"default": 1}}});
    let filled = json!({"properties": {"o": inner}});
    let types = versions(vec![
        file("1.0.0", &filled, None),
        file("2.0.0", &json!({}), None),
    ]);
    let stored = types
        .moved(record("2.0.0", json!({"o": {}})), v("1.0.0"))
        .unwrap();
    assert_eq!(stored.content, json!({"o": {"x": 1}}));
    let view = types.see(&stored, "2.0.0");
    assert_eq!(
        types.put(stored.clone(), v("2.0.0"), view).unwrap().record,
        stored
    );
}

#[test]
fn a_key_that_the_stored_version_has_without_declaring_it_stays_after_keyed() {
    let schema = |name: &str| json!({"properties": {"n": {"items": {"properties": {name: {}}}}}});
    let steps = json!([{"keyed": {"path": "/n", "key": "name"}}]);
    let types = versions(vec![
        file("1.0.0", &schema("x"), None),
        file("1.1.0", &schema("name"), None),
        file("2.0.0", &json!({}), Some(("1.0.0", steps))),
    ]);
    let stored = record("1.0.0", json!({"n": [{"name": "y"}]}));
    let view = types.see(&stored, "2.0.0");
    assert_eq!(
        types.put(stored.clone(), v("2.0.0"), view).unwrap().record,
        stored
    );
}

#[test]
fn content_that_is_too_deep_is_refused_without_a_stack_overflow() {
    let deep = || (0..10_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let at = v("1.0.0");
    let too_deep = |reason: ConversionObstacle| assert_eq!(reason, ConversionObstacle::TooDeep);
    too_deep(
        types()
            .view(record("2.0.0", deep()), at)
            .unwrap_err()
            .reason,
    );
    too_deep(
        types()
            .moved(record("2.0.0", deep()), at)
            .unwrap_err()
            .reason,
    );
    too_deep(types().create(at, deep()).unwrap_err().reason);
    too_deep(types().put(stored(), at, deep()).unwrap_err().reason);
    too_deep(
        types()
            .put(record("2.0.0", deep()), at, deep())
            .unwrap_err()
            .reason,
    );
    let place = json!([{"at": vec!["a"; 20_000], "by": "filled", "while": "same"}]);
    assert_eq!(crate::convert::KeptValues::from_json(&place), None);
}

/// Two versions without a declared conversion whose `status` is open, and an older one that declares
/// a field in it, as real types of clusters have it.
fn open_status() -> Versions {
    let status = |declared: Value| json!({"properties": {"status": {"type": "object", "properties": declared}}});
    versions(vec![
        file("1.0.0", &status(json!({"cpi": {}})), None),
        file("2.0.0", &status(json!({"two": {}})), None),
        file("3.0.0", &status(json!({"three": {}})), None),
    ])
}

#[test]
fn a_field_that_the_stored_version_holds_undeclared_outdates_what_was_kept_of_it() {
    let versions = open_status();
    let at_two = record("2.0.0", json!({"status": {"cpi": "old", "two": 2}}));
    // Moved with a body that says the same field again.
    let moved = versions.moved(at_two, v("3.0.0")).unwrap();
    let body = json!({"status": {"cpi": "old", "three": 3}});
    let put = versions.put(moved, v("3.0.0"), body).unwrap();
    assert_eq!(put.record.content["status"]["cpi"], "old");
    // Changed there, and then read and stored as the version before.
    let body = json!({"status": {"cpi": "new", "three": 3}});
    let changed = versions.put(put.record, v("3.0.0"), body).unwrap().record;
    let seen = versions.see(&changed, "2.0.0");
    assert_eq!(seen, json!({"status": {"cpi": "new", "two": 2}}));
    let back = versions.moved(changed.clone(), v("2.0.0")).unwrap();
    assert_eq!(back.content["status"]["cpi"], "new");
    let again = versions.moved(back, v("3.0.0")).unwrap();
    assert_eq!(again.content["status"]["three"], 3);
    // Taken away there, it stays away.
    let body = json!({"status": {"three": 3}});
    let gone = versions.put(changed, v("3.0.0"), body).unwrap().record;
    assert_eq!(versions.see(&gone, "2.0.0"), json!({"status": {"two": 2}}));
}

#[test]
fn what_is_kept_comes_back_where_the_stored_version_does_not_hold_it() {
    let versions = open_status();
    let at_two = record("2.0.0", json!({"status": {"cpi": "old", "two": 2}}));
    let moved = versions.moved(at_two.clone(), v("3.0.0")).unwrap();
    assert_eq!(moved.content, json!({"status": {}}));
    let body = json!({"status": {"three": 3}});
    let put = versions.put(moved, v("3.0.0"), body).unwrap().record;
    let seen = versions.see(&put, "2.0.0");
    assert_eq!(seen, json!({"status": {"cpi": "old", "two": 2}}));
}

/// What is kept beside a value that a branch brought is no less kept because the value is the usual one.
#[test]
fn the_rest_of_a_list_is_kept_beside_the_usual_value_of_a_branch() {
    let add = |value: u8| json!([{"add": {"path": "/size", "value": value}}]);
    let when = json!({"path": "/kind", "is": "vm", "steps": add(1), "otherwise": add(2)});
    let steps = json!([{"when": when}, {"wrap": {"path": "/size"}}]);
    let old = json!({"properties": {"kind": {}}});
    let new = json!({"properties": {"kind": {}, "size": {"items": {"type": "integer"}}}});
    let versions = versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &new, Some(("1.0.0", steps))),
    ]);
    let stored = record("1.0.0", json!({"kind": "pod"}));
    assert_eq!(versions.see(&stored, "2.0.0")["size"], json!([2]));
    let body = json!({"kind": "pod", "size": [2, 0]});
    let put = versions.put(stored, v("2.0.0"), body.clone()).unwrap();
    assert_eq!(versions.see(&put.record, "2.0.0"), body);
}

/// An object that a step made for a field belongs to the client that then says it is there.
#[test]
fn an_object_that_a_body_empties_stays() {
    let inner = |key: &str| json!({"properties": {key: {}}});
    let old = json!({"properties": {"a": {}, "net": inner("mtu")}});
    let new = json!({"properties": {"net": {"properties": {"a": {}, "mtu": {}}}}});
    let steps = json!([{"move": {"from": "/a", "to": "/net/a"}}]);
    let versions = versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &new, Some(("1.0.0", steps))),
    ]);
    let stored = versions.moved(record("1.0.0", json!({"a": 1})), v("2.0.0"));
    let write = |stored, body: &Value| {
        let put = versions.put(stored, v("1.0.0"), body.clone()).unwrap();
        assert_eq!(versions.see(&put.record, "1.0.0"), *body);
        put.record
    };
    let filled = write(stored.unwrap(), &json!({"a": 1, "net": {"mtu": 9}}));
    write(filled, &json!({"a": 1, "net": {}}));
}
