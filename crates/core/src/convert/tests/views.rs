use super::*;
use crate::convert::ConversionClass;
use crate::types::Visibility;

fn additive() -> Versions {
    let node = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let old = json!({"type": "object", "properties": {
        "nodes": {"type": "array", "items": node}, "size": {"type": "integer"},
    }});
    let mut new = old.clone();
    new["properties"]["gpu"] = json!({"type": "integer"});
    new["properties"]["nodes"]["items"]["properties"]["gpu"] = json!({"type": "integer"});
    versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)])
}

#[test]
fn a_view_does_not_show_what_only_another_version_declares_although_the_schema_is_open() {
    let stored = record(
        "1.1.0",
        json!({"size": 1, "gpu": 2, "nodes": [{"name": "a", "gpu": 3}]}),
    );
    let view = additive().view(stored, v("1.0.0")).unwrap();
    assert_eq!(view.content, json!({"size": 1, "nodes": [{"name": "a"}]}));
    let entries = view.kept.entries();
    let kept: Vec<_> = entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.value))
        .collect();
    assert_eq!(kept, [("/gpu", &json!(2)), ("/nodes/0/gpu", &json!(3))]);
    assert!(entries.iter().all(|entry| entry.version == v("1.1.0")));
}

#[test]
fn what_no_version_declares_is_shown_by_all() {
    let stored = record("1.1.0", json!({"x-note": {"gpu": 1}}));
    assert_eq!(
        additive().see(&stored, "1.0.0"),
        json!({"x-note": {"gpu": 1}})
    );
}

#[test]
fn down_and_up_again_is_exact() {
    let versions = additive();
    let stored = record("1.1.0", json!({"gpu": 2, "nodes": [{"gpu": 3}, {}]}));
    let down = versions.moved(stored.clone(), v("1.0.0")).unwrap();
    assert_eq!(down.content, json!({"nodes": [{}, {}]}));
    assert_eq!(versions.moved(down, v("1.1.0")).unwrap(), stored);
}

#[test]
fn the_stored_version_shows_all_that_is_in_its_record() {
    let versions = additive();
    let stored = record("1.0.0", json!({"gpu": "early"}));
    assert_eq!(versions.see(&stored, "1.0.0"), json!({"gpu": "early"}));
    let up = versions.moved(stored.clone(), v("1.1.0")).unwrap();
    assert_eq!(up.content, json!({"gpu": "early"}));
    assert_eq!(versions.moved(up, v("1.0.0")).unwrap(), stored);
}

#[test]
fn required_fields_are_filled_in_and_gone_on_the_way_back() {
    let old = json!({"properties": {"a": {}}});
    let new = json!({
        "properties": {"a": {}, "zone": {"type": "object", "default": {}, "required": ["name"],
            "properties": {"name": {"type": "string", "default": "x"}}}},
        "required": ["zone"],
    });
    let versions = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
    let stored = record("1.0.0", json!({"a": 1}));
    let up = versions.moved(stored.clone(), v("1.1.0")).unwrap();
    assert_eq!(up.content, json!({"a": 1, "zone": {"name": "x"}}));
    assert_eq!(versions.moved(up.clone(), v("1.0.0")).unwrap(), stored);
    let body = json!({"a": 1, "zone": {"name": "y"}});
    let changed = versions.put(up, v("1.1.0"), body).unwrap().record;
    let down = versions.moved(changed, v("1.0.0")).unwrap();
    assert_eq!(down.content, json!({"a": 1}));
    assert_eq!(down.kept.entries()[0].path, "/zone");
}

#[test]
fn what_a_version_forbids_is_kept() {
    let open = json!({"properties": {"a": {}}});
    let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
    let versions = versions(vec![
        file("1.0.0", &open, None),
        file("2.0.0", &closed, None),
    ]);
    let stored = record("1.0.0", json!({"a": 1, "b": 2}));
    let up = versions.moved(stored.clone(), v("2.0.0")).unwrap();
    assert_eq!(up.content, json!({"a": 1}));
    assert_eq!(versions.moved(up, v("1.0.0")).unwrap(), stored);
}

#[test]
fn what_is_kept_above_names_the_version_that_has_it_wherever_the_record_goes() {
    let with = |names: &[&str]| {
        let properties = names.iter().map(|name| ((*name).to_owned(), json!({})));
        json!({"properties": serde_json::Map::from_iter(properties)})
    };
    let rename = json!([{"rename": {"path": "/a", "to": "b"}}]);
    let versions = versions(vec![
        file("1.0.0", &with(&["a"]), None),
        file("1.1.0", &with(&["a", "region"]), None),
        file(
            "2.0.0",
            &with(&["b", "region", "zone"]),
            Some(("1.1.0", rename)),
        ),
    ]);
    let stored = record("1.0.0", json!({"a": 1}));
    let body = json!({"b": 1, "region": "eu", "zone": "x"});
    let mut record = versions.put(stored, v("2.0.0"), body).unwrap().record;
    for (to, kept) in [
        ("1.1.0", &["/zone"][..]),
        ("1.0.0", &["/region", "/zone"]),
        ("1.1.0", &["/zone"]),
        ("2.0.0", &[]),
        ("1.0.0", &["/region", "/zone"]),
    ] {
        record = versions.moved(record, v(to)).unwrap();
        let places = versions.kept_above(v(to), &record.kept, Visibility::Private);
        let places: Vec<(String, Version)> = places
            .unwrap()
            .into_iter()
            .map(|place| (place.path, place.version))
            .collect();
        let had = |path: &&str| match *path {
            "/region" => ("/region".to_owned(), v("1.1.0")),
            path => (path.to_owned(), v("2.0.0")),
        };
        assert_eq!(places, kept.iter().map(had).collect::<Vec<_>>(), "{to}");
    }
}

fn chain() -> Versions {
    let schema = |name: &str| json!({"properties": {name: {"type": "string"}}});
    let rename = |from: &str, to: &str| json!([{"rename": {"path": format!("/{from}"), "to": to}}]);
    versions(vec![
        file("1.0.0", &schema("a"), None),
        file("2.0.0", &schema("b"), Some(("1.0.0", rename("a", "b")))),
        file("3.0.0", &schema("c"), Some(("2.0.0", rename("b", "c")))),
        file("2.1.0", &schema("d"), Some(("1.0.0", rename("a", "d")))),
    ])
}

#[test]
fn any_two_versions_convert_along_the_path_between_them() {
    let versions = chain();
    let names = [
        ("1.0.0", "a"),
        ("2.0.0", "b"),
        ("3.0.0", "c"),
        ("2.1.0", "d"),
    ];
    for (from, name) in names {
        for (to, other) in names {
            let stored = record(from, json!({name: "x"}));
            assert_eq!(
                versions.see(&stored, to),
                json!({other: "x"}),
                "{from} to {to}"
            );
        }
    }
    assert_eq!(versions.parent(v("2.1.0")), Some(v("1.0.0")));
    assert_eq!(versions.parent(v("1.0.0")), None);
    assert!(
        versions
            .view(record("1.0.0", json!({})), v("9.0.0"))
            .is_err()
    );
}

#[test]
fn a_version_without_a_conversion_has_the_nearest_older_one_as_its_parent() {
    let schema = json!({"properties": {"a": {}}});
    let types = ["1.0.0", "2.0.0", "1.5.0", "0.9.0"].map(|at| file(at, &schema, None));
    let versions = Versions::new(types.into_iter().map(std::sync::Arc::new).collect()).unwrap();
    assert_eq!(versions.parent(v("2.0.0")), Some(v("1.0.0")));
    assert_eq!(versions.parent(v("1.5.0")), Some(v("1.0.0")));
    assert_eq!(versions.parent(v("0.9.0")), Some(v("1.0.0")));
}

#[test]
fn the_class_of_a_conversion_is_told_with_reasons() {
    let schema = json!({});
    let steps = json!([{"rename": {"path": "/a", "to": "b"}}, {"add": {"path": "/gpu"}}]);
    let parse = json!([{"parse": {"path": "/config"}}]);
    let versions = versions(vec![
        file("1.0.0", &schema, None),
        file("2.0.0", &schema, Some(("1.0.0", steps))),
        file("3.0.0", &schema, Some(("2.0.0", parse))),
    ]);
    let class = |from: &str, to: &str| versions.class(v(from), v(to)).unwrap();
    assert_eq!(class("1.0.0", "2.0.0").0, ConversionClass::Exact);
    assert_eq!(class("2.0.0", "1.0.0").0, ConversionClass::Keeps);
    assert_eq!(class("1.0.0", "3.0.0").0, ConversionClass::MayRefuse);
    assert_eq!(class("3.0.0", "2.0.0").0, ConversionClass::Exact);
    let (_, losses) = class("2.0.0", "1.0.0");
    assert_eq!(losses.len(), 1);
    assert_eq!(
        (losses[0].path.as_str(), losses[0].what.as_str()),
        ("/gpu", "has no place there and is kept")
    );
}

#[test]
fn recursive_schemas_and_patterns_are_understood() {
    let old = json!({
        "definitions": {"tree": {"properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}}},
        "$ref": "#/definitions/tree",
    });
    let mut new = old.clone();
    new["definitions"]["tree"]["properties"]["label"] = json!({});
    new["definitions"]["tree"]["patternProperties"] = json!({"^x-": {"properties": {"a": {}}}});
    let versions = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
    let leaf = json!({"label": 1, "x-1": {"a": 1}, "free": 1});
    let stored = record("1.1.0", json!({"children": [leaf, {"children": [leaf]}]}));
    let plain = json!({"free": 1});
    let expected = json!({"children": [plain, {"children": [plain]}]});
    assert_eq!(versions.see(&stored, "1.0.0"), expected);
    let down = versions.moved(stored.clone(), v("1.0.0")).unwrap();
    assert_eq!(versions.moved(down, v("1.1.0")).unwrap(), stored);
}
