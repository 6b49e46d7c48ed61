//! With more than one kept release: what was judged once is not told again, and what comes back as
//! something else is.

use crate::surfaces::{empty, grpc, kept, listed, of_items};
use coeval_release_check::{
    ReleaseRule, ReleaseSurface, RuleSet, RuleViolation, check, read_errors,
};
use coeval_releases::Release;
use serde_json::json;

const FIRST: Release = Release::new(0, 1, 0);
const SECOND: Release = Release::new(0, 2, 0);
const THIRD: Release = Release::new(0, 3, 0);

fn message(release: Release, fields: &str) -> ReleaseSurface {
    let text = format!(
        r#"syntax = "proto3";
        package coeval.foos.v1;
        import "coeval/options/v1/options.proto";
        message Request {{}}
        message Foo {{ string name = 1; {fields} }}
        service FooService {{ rpc GetFoo(Request) returns (Foo); }}"#
    );
    grpc(release, &text)
}

fn found(all: &[&ReleaseSurface], served: &ReleaseSurface) -> Vec<RuleViolation> {
    let all: Vec<_> = all.iter().map(|one| kept(one)).collect();
    check(&all, served, &RuleSet::all())
}

#[test]
fn what_a_newer_kept_release_no_longer_has_is_not_told_again() {
    let (first, second) = (message(FIRST, "int32 size = 2;"), message(SECOND, ""));
    let served = message(THIRD, "");
    assert_eq!(found(&[&first, &second], &served).len(), 0);
    assert_eq!(found(&[&first], &served).len(), 1);
}

#[test]
fn the_newest_release_that_has_it_says_whether_it_may_go() {
    let note = r#"[(coeval.options.v1.field) = {deprecated: {
        since: "0.2.0" last_used_in: "0.1.0" removed_in: "0.3.0" instead: "weight"}}];"#;
    let first = message(FIRST, "int32 size = 2;");
    let second = message(SECOND, &format!("int32 size = 2 {note}"));
    let served = message(THIRD, "reserved 2;");
    let violations = found(&[&first, &second], &served);
    assert!(violations.is_empty(), "{}", listed(&violations));
}

#[test]
fn a_number_that_comes_back_as_another_field_is_told_though_only_an_old_release_had_it() {
    let (first, second) = (message(FIRST, "int32 size = 2;"), message(SECOND, ""));
    let served = message(THIRD, "int32 weight = 2;");
    let violations = found(&[&first, &second], &served);
    assert_eq!(violations.len(), 1, "{}", listed(&violations));
    assert_eq!(violations[0].rule, ReleaseRule::NumberStays);
    assert_eq!(violations[0].release, Some(FIRST));
}

#[test]
fn an_error_code_that_comes_back_with_another_meaning_is_told() {
    let codes = |release, codes: serde_json::Value| of_items(release, read_errors(&codes).unwrap());
    let first = codes(
        FIRST,
        json!({ "A": { "name": "OLD" }, "B": { "name": "B" } }),
    );
    let second = codes(SECOND, json!({ "B": { "name": "B" } }));
    let served = codes(
        THIRD,
        json!({ "A": { "name": "NEW" }, "B": { "name": "B" } }),
    );
    let violations = found(&[&second, &first], &served);
    assert_eq!(violations.len(), 1, "{}", listed(&violations));
    assert_eq!(violations[0].release, Some(FIRST));
}

#[test]
fn a_change_that_every_kept_release_shows_is_told_once_with_the_newest() {
    let (first, second) = (
        message(FIRST, "int32 size = 2;"),
        message(SECOND, "int32 size = 2;"),
    );
    let served = message(THIRD, "string size = 2;");
    let violations = found(&[&first, &second], &served);
    assert_eq!(violations.len(), 1, "{}", listed(&violations));
    assert_eq!(violations[0].release, Some(SECOND));
}

#[test]
fn a_change_that_was_already_so_when_the_next_release_was_kept_is_not_told_again() {
    let (first, second) = (
        message(FIRST, "int32 size = 2;"),
        message(SECOND, "string size = 2;"),
    );
    let served = message(THIRD, "string size = 2;");
    assert_eq!(found(&[&first, &second], &served).len(), 0);
}

#[test]
fn without_kept_releases_only_what_is_new_is_judged() {
    assert!(check(&[], &empty(FIRST), &RuleSet::all()).is_empty());
    let text = r#"syntax = "proto3"; package coeval.foos; message A {}
        service FooService { rpc GetFoo(A) returns (A); }"#;
    let violations = check(&[], &grpc(FIRST, text), &RuleSet::all());
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].rule, ReleaseRule::VersionedRoute);
    assert_eq!(violations[0].release, None);
}
