use super::*;
use crate::convert::{ConversionObstacle, KeyRemedy};

/// Which field would be a good key the schema does not tell.
fn no_key() -> ConversionObstacle {
    ConversionObstacle::Ambiguous {
        remedy: Some(KeyRemedy::Declare {
            version: "acme:app:1.0.0".to_owned(),
            place: "/properties/nodes".to_owned(),
            field: None,
        }),
    }
}

fn same_key() -> ConversionObstacle {
    ConversionObstacle::Ambiguous {
        remedy: Some(KeyRemedy::Distinct {
            fields: vec!["name".to_owned()],
        }),
    }
}

fn types(key: Option<&str>) -> Versions {
    let item = json!({"properties": {"name": {}, "size": {}}});
    let old = json!({"properties": {"nodes": {"type": "array", "items": item}}});
    let mut new = old.clone();
    new["properties"]["nodes"]["items"]["properties"]["gpu"] = json!({});
    let mut each = json!({"path": "/nodes", "steps": [{"add": {"path": "/gpu"}}]});
    if let Some(key) = key {
        each["key"] = json!(key);
    }
    versions(vec![
        file("1.0.0", &old, None),
        file("1.1.0", &new, Some(("1.0.0", json!([{"each": each}])))),
    ])
}

fn stored() -> ContentRecord {
    record(
        "1.1.0",
        json!({"nodes": [
            {"name": "a", "size": 1, "gpu": 1}, {"name": "b", "size": 1, "gpu": 2}, {"name": "c", "size": 1},
        ]}),
    )
}

fn put(types: &Versions, nodes: Value) -> Result<(Value, Vec<String>), ConversionObstacle> {
    let put = types.put(stored(), v("1.0.0"), json!({"nodes": nodes}));
    let put = put.map_err(|refusal| refusal.reason)?;
    Ok((put.record.content["nodes"].clone(), put.dropped))
}

fn node(name: &str, size: u32) -> Value {
    json!({"name": name, "size": size})
}

#[test]
fn items_with_a_key_are_inserted_deleted_moved_and_edited() {
    let types = types(Some("name"));
    let nodes = json!([node("b", 9), node("new", 1), node("a", 1)]);
    let (nodes, dropped) = put(&types, nodes).unwrap();
    let expected = json!([
        {"name": "b", "size": 9, "gpu": 2}, {"name": "new", "size": 1}, {"name": "a", "size": 1, "gpu": 1},
    ]);
    assert_eq!(nodes, expected);
    assert!(dropped.is_empty());
    let (_, dropped) = put(&types, json!([node("a", 1)])).unwrap();
    assert_eq!(dropped, ["/nodes/1/gpu"]);
}

#[test]
fn without_a_key_equal_items_match_wherever_they_stand() {
    let types = types(None);
    let (nodes, _) = put(
        &types,
        json!([node("c", 1), node("b", 1), node("x", 1), node("a", 1)]),
    )
    .unwrap();
    assert_eq!(nodes[1], json!({"name": "b", "size": 1, "gpu": 2}));
    assert_eq!(nodes[3], json!({"name": "a", "size": 1, "gpu": 1}));
    let (_, dropped) = put(&types, json!([node("c", 1), node("b", 1)])).unwrap();
    assert_eq!(dropped, ["/nodes/0/gpu"]);
}

#[test]
fn an_edited_item_that_something_is_kept_for_needs_a_key() {
    let edited = json!([node("a", 2), node("b", 1), node("c", 1)]);
    assert_eq!(put(&types(None), edited), Err(no_key()));
    let nothing_kept = json!([node("a", 1), node("b", 1), node("c", 2)]);
    assert!(put(&types(None), nothing_kept).is_ok());
}

#[test]
fn equal_items_with_different_things_kept_can_not_become_fewer() {
    let types = types(None);
    let twins = json!([{"name": "a", "gpu": 1}, {"name": "a", "gpu": 2}]);
    let stored = record("1.1.0", json!({"nodes": twins}));
    let one = types.put(
        stored.clone(),
        v("1.0.0"),
        json!({"nodes": [{"name": "a"}]}),
    );
    assert_eq!(one.unwrap_err().reason, no_key());
    let body = json!({"nodes": [{"name": "x"}, {"name": "a"}, {"name": "a"}]});
    let put = types.put(stored, v("1.0.0"), body).unwrap();
    let expected = json!([{"name": "x"}, {"name": "a", "gpu": 1}, {"name": "a", "gpu": 2}]);
    assert_eq!(put.record.content["nodes"], expected);
}

#[test]
fn two_items_with_one_key_are_told_apart_by_being_equal_or_not_at_all() {
    let types = types(Some("name"));
    let two = json!([node("a", 1), node("a", 2), node("b", 1), node("c", 1)]);
    let (nodes, _) = put(&types, two).unwrap();
    assert_eq!(nodes[0]["gpu"], 1);
    let two = json!([node("a", 3), node("a", 2), node("b", 1), node("c", 1)]);
    assert_eq!(put(&types, two), Err(same_key()));
}

#[test]
fn a_key_that_is_renamed_by_a_version_is_still_the_key_there() {
    let item = |key: &str| json!({"properties": {key: {}, "size": {}, "gpu": {}}});
    let schema = |key: &str| json!({"properties": {"nodes": {"items": item(key)}}});
    let mut old = schema("name");
    old["properties"]["nodes"]["items"]["properties"]
        .as_object_mut()
        .unwrap()
        .remove("gpu");
    let steps = json!([{"rename": {"path": "/name", "to": "id"}}, {"add": {"path": "/gpu"}}]);
    let each = json!([{"each": {"path": "/nodes", "key": "name", "steps": steps}}]);
    let keyed = json!([{"keyed": {"path": "/nodes", "key": "id"}}]);
    let map = json!({"properties": {"nodes": {"additionalProperties": item("size")}}});
    let types = versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &schema("id"), Some(("1.0.0", each))),
        file("3.0.0", &map, Some(("2.0.0", keyed))),
    ]);
    let stored = record(
        "3.0.0",
        json!({"nodes": {"a": {"size": 1, "gpu": 1}, "b": {"size": 1}}}),
    );
    let body = json!({"nodes": [{"name": "b", "size": 2}, {"name": "a", "size": 2}]});
    let put = types.put(stored, v("1.0.0"), body).unwrap();
    assert_eq!(
        put.record.content,
        json!({"nodes": {"b": {"size": 2}, "a": {"size": 2, "gpu": 1}}})
    );
    assert_eq!(put.kept, ["/nodes/a/gpu"]);
}
