use super::*;

#[test]
fn a_caller_sees_what_its_class_allows_at_every_version() {
    let content = |sees, at: &str| {
        let view = clusters().view_for(record("2.0.0", stored()), v(at), sees);
        view.unwrap().content
    };
    assert_eq!(
        content(Visibility::Protected, "1.0.0"),
        json!({"name": "c", "phase": "up", "hosts": [{"name": "a", "phase": "on"}, {"name": "b", "size": 3}]})
    );
    assert_eq!(
        content(Visibility::Private, "2.0.0"),
        json!({
            "name": "c", "phase": "up", "quota": 1,
            "nodes": [{"name": "a", "phase": "on", "quota": 2}, {"name": "b", "size": 3}],
        })
    );
    assert_eq!(
        content(Visibility::Public, "2.0.0"),
        json!({"name": "c", "nodes": [{"name": "a"}, {"name": "b", "size": 3}]})
    );
}

#[test]
fn secure_fields_are_named_in_the_views_terms_and_can_be_masked() {
    let view = clusters().view_for(record("2.0.0", stored()), v("1.0.0"), Visibility::Protected);
    let view = view.unwrap();
    let mut secure = view.secure.clone();
    secure.sort();
    assert_eq!(secure, ["/hosts/0/token", "/key", "/token"]);
    let masked = view.masked();
    assert_eq!(masked["token"], json!("******"));
    assert_eq!(masked["hosts"][0]["token"], json!("******"));
    assert_eq!(masked["hosts"][1], json!({"name": "b", "size": 3}));
}

#[test]
fn a_mark_of_the_stored_version_holds_where_the_shown_version_has_none() {
    let private = json!({"x-vcloud-restricted": "private"});
    let node = json!({"properties": {"secret": private, "next": {"$ref": "#/definitions/n"}}});
    let old = json!({
        "properties": {"a": private, "n": {"$ref": "#/definitions/n"}}, "definitions": {"n": node},
    });
    let new = json!({"properties": {"b": {}, "n": {"properties": {
        "secret": private, "next": {"properties": {"secret": {}, "next": {"type": "object"}}},
    }}}});
    let steps = json!([{"rename": {"path": "/a", "to": "b"}}]);
    let types = versions(vec![
        file("1.0.0", &old, None),
        file("2.0.0", &new, Some(("1.0.0", steps))),
    ]);
    let content = |x: u8| json!({"a": 1, "n": {"secret": 2, "next": {"secret": 3, "x": x, "next": {"secret": 4}}}});
    let stored = record("1.0.0", content(5));
    let sees = Visibility::Protected;
    let view = types.view_for(stored.clone(), v("2.0.0"), sees).unwrap();
    assert_eq!(view.content, json!({"n": {"next": {"x": 5, "next": {}}}}));
    let body = json!({"n": {"next": {"x": 6, "next": {}}}});
    let put = types.put_for(stored, v("2.0.0"), body, sees).unwrap();
    assert_eq!(put.record.content, content(6));
}

#[test]
fn a_mark_of_the_version_that_can_hold_it_holds_for_what_is_kept() {
    let old = json!({"properties": {"image": {}}});
    let new = json!({"properties": {"image": {}, "cost": {"x-vcloud-restricted": "private"}, "zone": {}}});
    let types = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
    let newer = record("1.1.0", json!({"image": "web", "cost": 7, "zone": "a"}));
    let stored = types.moved(newer, v("1.0.0")).unwrap();
    let kept = |sees| {
        let view = types.view_for(stored.clone(), v("1.0.0"), sees).unwrap();
        let entries = view.kept.entries().into_iter();
        entries.map(|entry| entry.path).collect::<Vec<_>>()
    };
    assert_eq!(kept(Visibility::Protected), ["/zone"]);
    assert_eq!(kept(Visibility::Private).len(), 2);
    let view = types.view_for(stored, v("1.1.0"), Visibility::Protected);
    assert_eq!(view.unwrap().content, json!({"image": "web", "zone": "a"}));
}

#[test]
fn nothing_is_different_where_nothing_is_restricted() {
    let types = versions(vec![
        file("1.0.0", &json!({"properties": {"a": {}}}), None),
        file("1.1.0", &json!({"properties": {"a": {}, "b": {}}}), None),
    ]);
    assert!(!types.restricts());
    let stored = record("1.1.0", json!({"a": "******", "b": null}));
    let plain = types.view(stored.clone(), v("1.0.0")).unwrap();
    let seen = types.view_for(stored.clone(), v("1.0.0"), Visibility::Public);
    let seen = seen.unwrap();
    assert_eq!((seen.content, seen.kept), (plain.content, plain.kept));
    let body = json!({"a": null});
    assert_eq!(
        types.put(stored.clone(), v("1.0.0"), body.clone()),
        types.put_for(stored, v("1.0.0"), body, Visibility::Public)
    );
}

#[test]
fn content_of_a_version_that_is_not_known_is_pruned_to_one_that_is() {
    let mut content = stored();
    content["gpu"] = json!(4);
    content["nodes"][0]["gpu"] = json!(5);
    let mut expected = stored();
    expected["nodes"][1] = json!({"name": "b"});
    let pruned = clusters().pruned(content.clone(), v("2.0.0"));
    assert_eq!(pruned, Ok(expected));
    assert!(clusters().pruned(content, v("2.1.0")).is_err());
}
