use crate::types::{DOWNGRADED_LABEL, TypeVersion, same};
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::json;

fn role() -> TypeVersion {
    TypeVersion::parse(
        r#"
kind: type
version: v1
metadata: {name: "acme:role:7.0.0"}
spec:
  vendor: acme
  nss: role
  version: 7.0.0
  schema:
    properties:
      allow: {type: object}
      deny: {type: string}
      nodes: {type: array, items: {properties: {gpu: {type: integer}}}}
  since: {/deny: 7.0.0, /nodes/*/gpu: 6.1.0}
  restrictedView: {below: 7.0.0, content: {allow: {}}, reason: needs release 14}
"#,
    )
    .unwrap()
}

#[test]
fn a_body_at_v6_that_sets_a_v7_field_is_refused_and_told_which() {
    let body = json!({"allow": {}, "deny": "x", "nodes": [{}, {"gpu": 1}]});
    let v6 = Version::new(6, 0, 0);
    let error = role().check_since(v6, &body, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a body at version 6.0.0 sets /deny (since 7.0.0), /nodes/1/gpu (since 6.1.0)"
    );
    assert_eq!(error.code(), coeval_codes::FIELD_TOO_NEW);
    assert!(error.advice().contains("7.0.0"));
    let error = role()
        .check_since(Version::new(6, 1, 0), &body, None)
        .unwrap_err();
    assert_eq!(error.fields.len(), 1);
    assert_eq!(
        role().check_since(Version::new(7, 0, 0), &body, None),
        Ok(())
    );
}

#[test]
fn what_equals_the_stored_value_is_unchanged_and_a_null_sets_nothing() {
    let v6 = Version::new(6, 0, 0);
    let stored = json!({"deny": "x", "nodes": [{"gpu": 1}]});
    assert_eq!(
        role().check_since(
            v6,
            &json!({"deny": "x", "nodes": [{"gpu": 1.0}]}),
            Some(&stored)
        ),
        Ok(())
    );
    assert_eq!(role().check_since(v6, &json!({"deny": null}), None), Ok(()));
    assert!(
        role()
            .check_since(v6, &json!({"deny": "y"}), Some(&stored))
            .is_err()
    );
}

#[test]
fn an_older_client_is_shown_the_restricted_view_with_its_label() {
    let role = role();
    let view = role.restricted_view.as_ref().unwrap();
    let shown = view.shown_to(Version::new(6, 9, 9)).unwrap();
    assert_eq!(shown.content, &json!({"allow": {}}));
    assert_eq!(shown.label, (DOWNGRADED_LABEL, "needs release 14"));
    assert_eq!(view.shown_to(Version::new(7, 0, 0)), None);
}

#[test]
fn equality_is_of_json_values() {
    for (a, b, equal) in [
        (json!(1), json!(1.0), true),
        (json!(u64::MAX), json!(-1), false),
        (json!(u64::MAX), json!(u64::MAX as f64), false),
        (
            json!(9007199254740993_i64),
            json!(9007199254740992.0),
            false,
        ),
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), true),
        (json!({"a": 1}), json!({"b": 1}), false),
        (json!([1]), json!([1, 1]), false),
        (json!(null), json!(false), false),
        (json!("1"), json!(1), false),
    ] {
        assert_eq!(same(&a, &b), equal, "{a} {b}");
        assert_eq!(same(&b, &a), equal, "{b} {a}");
    }
}
