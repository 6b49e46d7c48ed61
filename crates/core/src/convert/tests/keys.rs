use super::*;
use crate::convert::{ConversionObstacle, KeyOrigin, KeyRemedy};
use crate::types::Visibility;
use coeval_codes::Coded;

fn text() -> Value {
    json!({"type": "string"})
}

/// A list of objects with these fields, of which some are required, and more said of the list.
fn list(fields: Value, required: &[&str], more: Value) -> Value {
    let mut list = json!({"type": "array", "items": {
        "type": "object", "properties": fields, "required": required,
    }});
    let map = list.as_object_mut().unwrap();
    map.extend(more.as_object().unwrap().clone());
    list
}

fn nodes(list: Value) -> Value {
    json!({"type": "object", "properties": {"nodes": list}})
}

fn with_gpu(mut list: Value) -> Value {
    list["items"]["properties"]["gpu"] = json!({"type": "integer"});
    list
}

/// Two versions, of which the newer has a field more in its nodes.
fn two(list: Value) -> Versions {
    versions(vec![
        file("1.0.0", &nodes(list.clone()), None),
        file("1.1.0", &nodes(with_gpu(list)), None),
    ])
}

/// Each list of a version with its key.
fn told(types: &Versions, version: &str) -> Vec<String> {
    let lists = types.keyed_lists(v(version)).into_iter();
    lists
        .map(|one| match one.origin {
            None => format!("{} none", one.list),
            Some(origin) => format!("{} {} {}", one.list, one.fields.join("+"), origin.word()),
        })
        .collect()
}

#[test]
fn the_first_likely_field_that_both_versions_require_is_inferred() {
    let number = json!({"type": "integer"});
    let maybe = json!({"type": ["string", "null"]});
    for (fields, required, expected) in [
        (
            json!({"name": text(), "id": number}),
            &["name", "id"][..],
            "/nodes id inferred",
        ),
        (
            json!({"name": text(), "id": number}),
            &["name"],
            "/nodes name inferred",
        ),
        (
            json!({"key": text(), "uuid": text(), "uid": text()}),
            &["key", "uuid", "uid"],
            "/nodes uid inferred",
        ),
        (json!({"name": text()}), &[], "/nodes none"),
        (json!({"name": {}}), &["name"], "/nodes none"),
        (json!({"name": maybe}), &["name"], "/nodes none"),
        (
            json!({"name": {"type": "object"}}),
            &["name"],
            "/nodes none",
        ),
        (json!({"title": text()}), &["title"], "/nodes none"),
    ] {
        let types = two(list(fields.clone(), required, json!({})));
        for version in ["1.0.0", "1.1.0"] {
            assert_eq!(told(&types, version), [expected], "{fields} {required:?}");
        }
    }
    // One version alone does not make a key, in whichever direction.
    let loose = list(json!({"name": text(), "zone": text()}), &[], json!({}));
    let strict = list(json!({"name": text()}), &["name"], json!({}));
    for (old, new) in [(&loose, &strict), (&strict, &loose)] {
        let types = versions(vec![
            file("1.0.0", &nodes(old.clone()), None),
            file("2.0.0", &nodes(new.clone()), None),
        ]);
        assert_eq!(told(&types, "1.0.0"), ["/nodes none"]);
        assert_eq!(told(&types, "2.0.0"), ["/nodes none"]);
    }
}

#[test]
fn a_list_that_one_version_has_alone_is_inferred_from_it() {
    let strict = list(json!({"name": text()}), &["name"], json!({}));
    let types = versions(vec![
        file("1.0.0", &json!({"properties": {"a": {}}}), None),
        file("1.1.0", &nodes(strict.clone()), None),
    ]);
    assert_eq!(told(&types, "1.1.0"), ["/nodes name inferred"]);
    let alone = versions(vec![file("1.0.0", &nodes(strict), None)]);
    assert_eq!(told(&alone, "1.0.0"), ["/nodes name inferred"]);
}

#[test]
fn a_step_beats_a_schema_and_a_schema_what_is_inferred() {
    let fields = json!({"id": text(), "name": text(), "zone": text()});
    let required = &["id", "name"];
    let declared = list(
        fields.clone(),
        required,
        json!({"x-coeval-list-key": "zone"}),
    );
    assert_eq!(
        told(&two(declared.clone()), "1.0.0"),
        ["/nodes zone declared"]
    );
    let each =
        json!([{"each": {"path": "/nodes", "key": "name", "steps": [{"add": {"path": "/gpu"}}]}}]);
    let types = versions(vec![
        file("1.0.0", &nodes(declared.clone()), None),
        file("1.1.0", &nodes(with_gpu(declared)), Some(("1.0.0", each))),
    ]);
    for version in ["1.0.0", "1.1.0"] {
        assert_eq!(told(&types, version), ["/nodes name step"]);
    }
    assert_eq!(KeyOrigin::Step.to_string(), "named by a step");
}

#[test]
fn what_one_version_declares_holds_for_all_under_their_names() {
    let old = list(json!({"name": text(), "zone": text()}), &[], json!({}));
    let new = list(
        json!({"title": text(), "zone": text(), "gpu": {}}),
        &[],
        json!({"x-coeval-list-key": ["title", "zone"]}),
    );
    let each = json!([
        {"each": {"path": "/nodes", "steps": [{"rename": {"path": "/name", "to": "title"}}, {"add": {"path": "/gpu"}}]}},
    ]);
    let types = versions(vec![
        file("1.0.0", &nodes(old), None),
        file("2.0.0", &nodes(new), Some(("1.0.0", each))),
    ]);
    assert_eq!(told(&types, "1.0.0"), ["/nodes name+zone declared"]);
    let stored = record(
        "2.0.0",
        json!({"nodes": [{"title": "a", "zone": "x", "gpu": 1}, {"title": "a", "zone": "y", "gpu": 2}]}),
    );
    let body =
        json!({"nodes": [{"name": "a", "zone": "y"}, {"name": "b"}, {"name": "a", "zone": "x"}]});
    let put = types.put(stored, v("1.0.0"), body).unwrap();
    let expected = json!([{"title": "a", "zone": "y", "gpu": 2}, {"title": "b"}, {"title": "a", "zone": "x", "gpu": 1}]);
    assert_eq!(put.record.content["nodes"], expected);
}

#[test]
fn a_key_is_inferred_through_a_rename() {
    let old = list(json!({"name": text()}), &["name"], json!({}));
    let new = list(json!({"title": text(), "gpu": {}}), &["title"], json!({}));
    let steps = json!([{"rename": {"path": "/name", "to": "title"}}, {"add": {"path": "/gpu"}}]);
    let types = versions(vec![
        file("1.0.0", &nodes(old), None),
        file(
            "2.0.0",
            &nodes(new),
            Some((
                "1.0.0",
                json!([{"each": {"path": "/nodes", "steps": steps}}]),
            )),
        ),
    ]);
    assert_eq!(told(&types, "2.0.0"), ["/nodes title inferred"]);
}

#[test]
fn a_later_version_never_changes_the_key_that_a_list_has() {
    let fields = json!({"id": text(), "name": text()});
    let by_name = list(fields.clone(), &["name"], json!({}));
    let both = list(fields, &["id", "name"], json!({}));
    let mut all = vec![
        file("1.0.0", &nodes(by_name), None),
        file("2.0.0", &nodes(both.clone()), None),
    ];
    let types = versions(vec![
        file(
            "1.0.0",
            &nodes(all[0].schema.source()["properties"]["nodes"].clone()),
            None,
        ),
        file("2.0.0", &nodes(both.clone()), None),
    ]);
    assert_eq!(told(&types, "2.0.0"), ["/nodes name inferred"]);
    all.push(file("3.0.0", &nodes(with_gpu(both)), None));
    let types = versions(all);
    assert_eq!(told(&types, "1.0.0"), ["/nodes name inferred"]);
    assert_eq!(told(&types, "2.0.0"), ["/nodes name inferred"]);
    assert_eq!(told(&types, "3.0.0"), ["/nodes id inferred"]);
}

#[test]
fn items_are_inserted_deleted_moved_and_edited_by_an_inferred_key() {
    let types = two(list(
        json!({"name": text(), "size": {}}),
        &["name"],
        json!({}),
    ));
    let stored = record(
        "1.1.0",
        json!({"nodes": [{"name": "a", "size": 1, "gpu": 1}, {"name": "b", "size": 1, "gpu": 2}]}),
    );
    let body =
        json!({"nodes": [{"name": "b", "size": 9}, {"name": "new"}, {"name": "a", "size": 1}]});
    let put = types.put(stored.clone(), v("1.0.0"), body).unwrap();
    let expected = json!([{"name": "b", "size": 9, "gpu": 2}, {"name": "new"}, {"name": "a", "size": 1, "gpu": 1}]);
    assert_eq!(put.record.content["nodes"], expected);
    let body = json!({"nodes": [{"name": "c", "size": 1}, {"name": "b", "size": 1}]});
    let put = types.put(stored, v("1.0.0"), body).unwrap();
    assert_eq!(put.dropped, ["/nodes/0/gpu"]);
    assert_eq!(
        put.record.content["nodes"][0],
        json!({"name": "c", "size": 1})
    );
}

#[test]
fn a_field_of_a_key_that_is_omitted_has_its_default() {
    let fields = json!({"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "note": {}});
    let keys = json!({"x-kubernetes-list-map-keys": ["port", "protocol"]});
    let types = two(list(fields, &["port"], keys));
    let stored = record(
        "1.1.0",
        json!({"nodes": [{"port": 80, "protocol": "TCP", "gpu": 1}, {"port": 80, "protocol": "UDP", "gpu": 2}]}),
    );
    let body =
        json!({"nodes": [{"port": 80, "protocol": "UDP", "note": "x"}, {"port": 80, "note": "y"}]});
    let put = types.put(stored, v("1.0.0"), body).unwrap();
    let gpus: Vec<_> = [0, 1]
        .map(|at| put.record.content["nodes"][at]["gpu"].clone())
        .into();
    assert_eq!(gpus, [json!(2), json!(1)]);
}

#[test]
fn items_with_one_value_of_an_inferred_key_are_told_apart_by_being_equal_or_not_at_all() {
    let types = two(list(
        json!({"name": text(), "size": {}}),
        &["name"],
        json!({}),
    ));
    let stored = record(
        "1.1.0",
        json!({"nodes": [{"name": "a", "size": 1, "gpu": 1}, {"name": "a", "size": 2, "gpu": 2}]}),
    );
    let body = json!({"nodes": [{"name": "a", "size": 2}, {"name": "a", "size": 1}]});
    let put = types.put(stored.clone(), v("1.0.0"), body).unwrap();
    assert_eq!(put.record.content["nodes"][0]["gpu"], 2);
    let body = json!({"nodes": [{"name": "a", "size": 3}, {"name": "a", "size": 1}]});
    let refusal = types.put(stored, v("1.0.0"), body).unwrap_err();
    assert_eq!(refusal.pointer, "/nodes");
    assert!(
        refusal
            .advice()
            .contains("give every item a name of its own"),
        "{}",
        refusal.advice()
    );
}

#[test]
fn a_refusal_names_the_list_and_the_key_to_declare() {
    let fields = json!({"size": {"type": "integer"}, "label": text(), "name": text()});
    let types = two(list(fields, &["label"], json!({})));
    let refuse = |nodes: Value, edited: Value| {
        let stored = record("1.1.0", json!({"nodes": nodes}));
        let refusal = types.put(stored, v("1.0.0"), json!({"nodes": edited}));
        refusal.unwrap_err()
    };
    let remedy = |field: Option<&str>| ConversionObstacle::Ambiguous {
        remedy: Some(KeyRemedy::Declare {
            version: "acme:app:1.0.0".to_owned(),
            place: "/properties/nodes".to_owned(),
            field: field.map(str::to_owned),
        }),
    };
    // The likely name where it tells the items apart, else what does.
    let named = refuse(
        json!([{"name": "a", "label": "x", "gpu": 1}, {"name": "b", "label": "x"}]),
        json!([{"name": "a", "label": "y"}, {"name": "b", "label": "x"}]),
    );
    assert_eq!(named.reason, remedy(Some("name")));
    assert_eq!(
        named.advice(),
        "Write at the version that the resource is stored at, or have the type's author declare \
         `x-coeval-list-key: name` at /properties/nodes of acme:app:1.0.0, or of a later version: a key \
         holds for all versions of the type."
    );
    let labelled = refuse(
        json!([{"label": "x", "size": 1, "gpu": 1}, {"label": "y", "size": 1}]),
        json!([{"label": "x", "size": 2}, {"label": "y", "size": 1}]),
    );
    assert_eq!(labelled.reason, remedy(Some("label")));
    let nothing = refuse(
        json!([{"label": "x", "size": 1, "gpu": 1}, {"label": "x", "size": 1}]),
        json!([{"label": "x", "size": 2}, {"label": "x", "size": 2}]),
    );
    assert_eq!(nothing.reason, remedy(None));
    assert!(nothing.advice().contains("x-coeval-list-key: FIELD"));
    // What it advises helps.
    let fields = json!({"size": {"type": "integer"}, "label": text(), "name": text()});
    let types = two(list(
        fields,
        &["label"],
        json!({"x-coeval-list-key": "label"}),
    ));
    let stored = json!({"nodes": [{"label": "x", "size": 1, "gpu": 1}, {"label": "y", "size": 1}]});
    let edited = json!({"nodes": [{"label": "x", "size": 2}, {"label": "y", "size": 1}]});
    let put = types
        .put(record("1.1.0", stored), v("1.0.0"), edited)
        .unwrap();
    assert_eq!(put.record.content["nodes"][0]["gpu"], 1);
}

/// Without a key: a zone that the newer version requires and has a default for.
fn zoned() -> Versions {
    let old = list(json!({"port": {}, "note": {}}), &[], json!({}));
    let mut new = old.clone();
    new["items"]["properties"]["zone"] = json!({"default": "eu"});
    new["items"]["properties"]["gpu"] = json!({});
    new["items"]["required"] = json!(["zone"]);
    versions(vec![
        file("1.0.0", &nodes(old), None),
        file("2.0.0", &nodes(new), None),
    ])
}

fn save_as(
    types: &Versions,
    stored: &ContentRecord,
    to: &str,
    body: Value,
) -> crate::convert::PutOutcome {
    let put = types.put_moved(stored.clone(), v(to), body, Visibility::Private);
    put.unwrap()
}

#[test]
fn defaults_are_filled_into_a_body_before_its_items_are_matched() {
    let types = zoned();
    let body = json!({"nodes": [{"port": 1}, {"port": 2}]});
    let stored = record("1.0.0", body.clone());
    let moved = types.moved(stored.clone(), v("2.0.0")).unwrap();
    let put = save_as(&types, &stored, "2.0.0", body);
    assert_eq!(put.record, moved, "saved as it was is moved");
    assert_eq!(types.moved(put.record, v("1.0.0")).unwrap(), stored);
    // That a default was filled in is no reason to refuse an edit.
    for body in [
        json!([{"port": 9}, {"port": 2}]),
        json!([{"port": 2}, {"port": 3}, {"port": 1}]),
    ] {
        let put = save_as(&types, &stored, "2.0.0", json!({"nodes": body}));
        let zones = put.record.content["nodes"].as_array().unwrap().iter();
        assert!(zones.map(|item| &item["zone"]).all(|zone| zone == "eu"));
        let edited = types.put(moved.clone(), v("2.0.0"), json!({"nodes": body}));
        assert_eq!(edited.unwrap().record.content["nodes"], body);
    }
}

#[test]
fn a_body_that_returns_what_is_hidden_is_the_item_that_it_was() {
    let types = zoned();
    let items = json!([
        {"port": 1, "zone": "us", "gpu": 1}, {"port": 1, "zone": "us", "gpu": 2}, {"port": 3, "zone": "eu"},
    ]);
    let stored = record("2.0.0", json!({"nodes": items}));
    let above = |record: &ContentRecord| types.see(record, "2.0.0")["nodes"].clone();
    let mut reversed = items.clone();
    reversed.as_array_mut().unwrap().reverse();
    let mut edited = items.clone();
    edited[0]["port"] = json!(9);
    let mut fewer = items.clone();
    fewer.as_array_mut().unwrap().remove(0);
    for body in [items, reversed, edited, fewer] {
        let put = save_as(&types, &stored, "1.0.0", json!({"nodes": body}));
        assert_eq!(above(&put.record), body);
    }
    // One that omits it is another matter: it can't be told which it is.
    let moved = types.moved(stored, v("1.0.0")).unwrap();
    let body = json!({"nodes": [{"port": 9}, {"port": 1}, {"port": 3}]});
    let refusal = types.put(moved, v("1.0.0"), body).unwrap_err();
    assert_eq!(refusal.code(), coeval_codes::LIST_NEEDS_KEY);
}

#[test]
fn what_the_lower_version_forbids_is_kept_and_what_nobody_has_is_not() {
    let mut old = list(json!({"port": {}}), &[], json!({}));
    let mut new = old.clone();
    new["items"]["properties"]["gpu"] = json!({});
    old["items"]["additionalProperties"] = json!(false);
    let types = versions(vec![
        file("1.0.0", &nodes(old), None),
        file("2.0.0", &nodes(new), None),
    ]);
    let stored = record(
        "2.0.0",
        json!({"nodes": [{"port": 1, "gpu": 1}, {"port": 2, "gpu": 2}]}),
    );
    let body = json!({"nodes": [{"port": 9, "gpu": 7, "gup": 1}, {"port": 2, "gpu": 2}]});
    let put = save_as(&types, &stored, "1.0.0", body);
    let content = json!({"nodes": [{"port": 9, "gup": 1}, {"port": 2}]});
    assert_eq!(put.record.content, content);
    assert!(put.dropped.is_empty());
    let above = types.see(&put.record, "2.0.0");
    assert_eq!(above["nodes"][0]["gpu"], 7);
    assert_eq!(above["nodes"][1]["gpu"], 2);
}

#[test]
fn whoever_registers_a_version_is_warned_of_lists_that_need_a_key() {
    let fields = json!({"label": text(), "size": {}});
    let types = two(list(fields.clone(), &["label"], json!({})));
    let lists = types.keyless_lists(v("1.1.0"));
    let [one] = lists.as_slice() else {
        panic!("{lists:?}");
    };
    assert_eq!(
        one.to_string(),
        "the items of /nodes have no key, and /nodes/*/gpu has no place in version 1.0.0: a write at 1.0.0 \
         that changes such an item is refused (COEVAL-3202); declare `x-coeval-list-key: label` at \
         /properties/nodes of acme:app:1.1.0, or of a later version: a key holds for all versions of the type"
    );
    assert!(types.keyless_lists(v("1.0.0")).is_empty());
    // With a key, or with nothing to be kept, there is nothing to say.
    let keyed = two(list(
        fields.clone(),
        &[],
        json!({"x-coeval-list-key": "label"}),
    ));
    assert!(keyed.keyless_lists(v("1.1.0")).is_empty());
    let same = list(fields.clone(), &[], json!({}));
    let mut more = nodes(same.clone());
    more["properties"]["other"] = json!({});
    let types = versions(vec![
        file("1.0.0", &nodes(same.clone()), None),
        file("1.1.0", &more, None),
    ]);
    assert!(types.keyless_lists(v("1.1.0")).is_empty());
    // What a step of a conversion can't carry over counts too.
    let mut narrow = same.clone();
    narrow["items"]["properties"]["size"] = json!({"type": "integer"});
    let scale =
        json!([{"each": {"path": "/nodes", "steps": [{"scale": {"path": "/size", "by": 1024}}]}}]);
    let types = versions(vec![
        file("1.0.0", &nodes(narrow.clone()), None),
        file("2.0.0", &nodes(narrow), Some(("1.0.0", scale))),
    ]);
    let lists = types.keyless_lists(v("2.0.0"));
    assert_eq!(lists[0].kept, "/nodes/*/size", "{lists:?}");
}

#[test]
fn an_item_that_a_body_adds_elsewhere_gets_what_the_stored_version_requires() {
    let types = zoned();
    let stored = record("2.0.0", json!({"nodes": [{"port": 1, "zone": "us"}]}));
    let body = json!({"nodes": [{"port": 2}, {"port": 1}]});
    let put = types.put(stored.clone(), v("1.0.0"), body.clone()).unwrap();
    let filled = types.with_defaults(put.record).unwrap();
    let expected = json!([{"port": 2, "zone": "eu"}, {"port": 1, "zone": "us"}]);
    assert_eq!(filled.content["nodes"], expected);
    assert_eq!(types.see(&filled, "1.0.0"), body);
    // What lacks nothing stays as it is.
    assert_eq!(types.with_defaults(stored.clone()).unwrap(), stored);
}

#[test]
fn what_a_body_could_not_have_comes_back_when_it_is_saved_as_the_version_that_has_it() {
    let types = zoned();
    let items = json!([{"port": 1, "zone": "us", "gpu": 1}, {"port": 2, "zone": "eu", "gpu": 2}]);
    let stored = types
        .moved(record("2.0.0", json!({"nodes": items})), v("1.0.0"))
        .unwrap();
    assert_eq!(stored.content, json!({"nodes": [{"port": 1}, {"port": 2}]}));
    let put = save_as(
        &types,
        &stored,
        "2.0.0",
        json!({"nodes": [{"port": 2}, {"port": 1}]}),
    );
    let expected =
        json!([{"port": 2, "gpu": 2, "zone": "eu"}, {"port": 1, "zone": "us", "gpu": 1}]);
    assert_eq!(put.record.content["nodes"], expected);
    assert!(
        put.kept.contains(&"/nodes/0/gpu".to_owned()),
        "{:?}",
        put.kept
    );
    // What the body sets itself rules.
    let body = json!({"nodes": [{"port": 1, "gpu": 9, "zone": "x"}, {"port": 2}]});
    let put = save_as(&types, &stored, "2.0.0", body);
    assert_eq!(
        put.record.content["nodes"][0],
        json!({"port": 1, "gpu": 9, "zone": "x"})
    );
    assert_eq!(put.record.content["nodes"][1]["gpu"], 2);
}
