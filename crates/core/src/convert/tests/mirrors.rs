use super::*;
use crate::convert::ConversionObstacle;

fn types() -> Versions {
    let old = json!({"properties": {"img": {}}});
    let new = json!({"properties": {"img": {}, "image": {}}});
    let newest = json!({"properties": {"img": {}, "picture": {}}});
    let copy = json!([{"copy": {"from": "/image", "to": "/img"}}]);
    let rename = json!([{"rename": {"path": "/image", "to": "picture"}}]);
    versions(vec![
        file("1.0.0", &old, None),
        file("1.1.0", &new, Some(("1.0.0", copy))),
        file("2.0.0", &newest, Some(("1.1.0", rename))),
    ])
}

#[test]
fn an_old_clients_change_of_the_deprecated_field_sets_the_new_one() {
    let stored = record("1.1.0", json!({"image": "a", "img": "a"}));
    let put = types()
        .put(stored, v("1.0.0"), json!({"img": "b"}))
        .unwrap();
    assert_eq!(put.record.content, json!({"image": "b", "img": "b"}));
}

#[test]
fn the_other_field_follows_the_one_that_was_changed() {
    let stored = record("1.1.0", json!({"image": "a", "img": "a"}));
    for body in [
        json!({"image": "b", "img": "a"}),
        json!({"image": "a", "img": "b"}),
    ] {
        let put = types().put(stored.clone(), v("1.1.0"), body).unwrap();
        assert_eq!(put.record.content, json!({"image": "b", "img": "b"}));
    }
    let put = types()
        .put(stored.clone(), v("1.1.0"), json!({"img": "a"}))
        .unwrap();
    assert_eq!(put.record.content, json!({}));
    let created = types().create(v("1.1.0"), json!({"image": "a"})).unwrap();
    assert_eq!(created.content, json!({"image": "a", "img": "a"}));
}

#[test]
fn a_body_that_changes_the_two_differently_is_refused() {
    let refused = |at: &str, stored: Value, body: Value| {
        let refusal = types().put(record(at, stored), v(at), body).unwrap_err();
        matches!(refusal.reason, ConversionObstacle::Mirrors { .. })
    };
    let both = json!({"image": "a", "img": "a"});
    assert!(refused(
        "1.1.0",
        both.clone(),
        json!({"image": "b", "img": "c"})
    ));
    assert!(refused("1.1.0", both, json!({"image": "b"})));
    // Also where a later version calls it otherwise.
    let renamed = json!({"picture": "a", "img": "a"});
    assert!(refused(
        "2.0.0",
        renamed,
        json!({"picture": "b", "img": "c"})
    ));
    assert!(
        types()
            .create(v("1.1.0"), json!({"image": "a", "img": "b"}))
            .is_err()
    );
}
