//! The examples of RFD 179, executed.

use crate::surfaces::{kept, listed, rest};
use coeval_release_check::{ApiStyle, ReleaseRule, ReleaseSurface, RuleSet, RuleViolation, check};
use coeval_releases::Release;
use serde_json::{Value, json};

const FOOS: &str = "/v1/webapi/foos";

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

/// A console's API of that release with these paths.
fn webapi(number: &str, paths: &Value) -> ReleaseSurface {
    rest(
        release(number),
        ApiStyle::Webapi,
        &json!({ "paths": paths }),
    )
}

fn found(old: &ReleaseSurface, new: &ReleaseSurface) -> Vec<RuleViolation> {
    check(&[kept(old)], new, &RuleSet::all())
}

fn rules(old: &ReleaseSurface, new: &ReleaseSurface) -> Vec<ReleaseRule> {
    found(old, new).iter().map(|one| one.rule).collect()
}

fn accepted(old: &ReleaseSurface, new: &ReleaseSurface) {
    let found = found(old, new);
    assert!(found.is_empty(), "{}", listed(&found));
}

fn get(schema: Value) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    json!({ "get": { "responses": { "200": { "description": "Done.", "content": content } } } })
}

fn access_request() -> Value {
    json!({ "type": "object", "properties": { "id": { "type": "string" } } })
}

fn all_requests() -> Value {
    get(json!({ "type": "array", "items": access_request() }))
}

fn page_of_requests() -> Value {
    let mut page = get(json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": access_request() },
            "nextPageToken": { "type": ["string", "null"] },
        },
    }));
    page["get"]["parameters"] = json!([
        { "name": "pageSize", "in": "query", "schema": { "type": "integer" } },
        { "name": "pageToken", "in": "query", "schema": { "type": "string" } },
    ]);
    page
}

#[test]
fn access_requests_get_pages_by_a_new_version_of_the_route() {
    let path = "/v1/webapi/accessRequests";
    let old = webapi("0.1.0", &json!({ path: all_requests() }));
    let both = json!({ path: all_requests(), "/v2/webapi/accessRequests": page_of_requests() });
    accepted(&old, &webapi("0.2.0", &both));
}

#[test]
fn access_requests_that_become_pages_in_place_break_clients_that_expect_a_list() {
    let path = "/v1/webapi/accessRequests";
    let old = webapi("0.1.0", &json!({ path: all_requests() }));
    let violations = found(&old, &webapi("0.2.0", &json!({ path: page_of_requests() })));
    let refused: Vec<ReleaseRule> = violations.iter().map(|one| one.rule).collect();
    // The answer is another type, and an older server drops the size and the token.
    assert!(
        refused.contains(&ReleaseRule::FieldKeepsType),
        "{}",
        listed(&violations)
    );
    assert!(
        refused.contains(&ReleaseRule::NewFieldIgnorable),
        "{}",
        listed(&violations)
    );
    let text = violations[0].to_string();
    assert!(
        text.contains("it was list in answers; clients don't know object"),
        "{text}"
    );
    assert!(text.contains("new version of the route"), "{text}");
}

#[test]
fn a_new_list_of_texts_is_refused_and_an_object_with_the_list_in_it_is_not() {
    let old = webapi("0.1.0", &json!({}));
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let bad = webapi("0.2.0", &json!({ FOOS: get(texts.clone()) }));
    assert_eq!(rules(&old, &bad), [ReleaseRule::ObjectAnswer]);
    let properties = json!({
        "foos": texts,
        "nextKey": { "type": "string" },
        "containsDuplicates": { "type": "boolean" },
    });
    let good = json!({ "type": "object", "properties": properties });
    accepted(&old, &webapi("0.2.0", &json!({ FOOS: get(good) })));
}

/// The answer with these fields, all of them always populated.
fn foos(fields: &[&str], note: Option<Value>) -> Value {
    let mut properties = json!({});
    for name in fields {
        properties[name] = json!({ "type": ["boolean", "integer"] });
    }
    if let Some(note) = note {
        properties["containsDuplicates"]["x-deprecated"] = note;
    }
    get(json!({ "type": "object", "required": fields, "properties": properties }))
}

#[test]
fn contains_duplicates_stays_beside_duplicate_count_and_goes_in_its_time() {
    let (old_field, new_field) = ("containsDuplicates", "duplicateCount");
    let note = json!({
        "since": "0.2.0", "lastUsedIn": "0.1.0", "removedIn": "0.3.0", "instead": new_field,
    });
    let first = webapi("0.1.0", &json!({ FOOS: foos(&[old_field], None) }));
    let instead = |number: &str| webapi(number, &json!({ FOOS: foos(&[new_field], None) }));
    assert_eq!(rules(&first, &instead("0.2.0")), [ReleaseRule::FieldStays]);
    let both = webapi(
        "0.2.0",
        &json!({ FOOS: foos(&[old_field, new_field], Some(note)) }),
    );
    accepted(&first, &both);
    // Declared, it may go two releases after it was used last, and not before.
    assert_eq!(rules(&both, &instead("0.2.1")), [ReleaseRule::FieldStays]);
    accepted(&both, &instead("0.3.0"));
    // And when its time has come it does not stay for ever.
    let overdue = ReleaseSurface {
        release: release("0.3.0"),
        ..both.clone()
    };
    assert_eq!(rules(&both, &overdue), [ReleaseRule::RemovalDue]);
}

/// `MyRequest` with its new field.
fn my_request(new_thing: Option<Value>, required: bool) -> Value {
    let mut properties = json!({ "limit": { "type": "integer" }, "query": { "type": "string" } });
    if let Some(thing) = new_thing {
        properties["myNewThing"] = thing;
    }
    let needed: &[&str] = if required { &["myNewThing"] } else { &[] };
    let schema = json!({ "type": "object", "required": needed, "properties": properties });
    json!({ "post": {
        "requestBody": { "content": { "application/json": { "schema": schema } } },
        "responses": { "200": {
            "description": "Done.",
            "content": { "application/json": { "schema": { "type": "object" } } },
        } },
    } })
}

#[test]
fn my_new_thing_is_refused_if_required_and_fine_if_older_servers_may_ignore_it() {
    let old = webapi("0.1.0", &json!({ FOOS: my_request(None, false) }));
    let with = |thing: Value, required| {
        webapi("0.2.0", &json!({ FOOS: my_request(Some(thing), required) }))
    };
    let text = json!({ "type": "string" });
    let ignorable = json!({ "type": "string", "x-ignorable": true });
    assert_eq!(
        rules(&old, &with(text.clone(), true)),
        [ReleaseRule::NoNewRequiredField]
    );
    assert_eq!(
        rules(&old, &with(text.clone(), false)),
        [ReleaseRule::NewFieldIgnorable]
    );
    accepted(&old, &with(ignorable, false));
    // Required in a new version of the route.
    let both =
        json!({ FOOS: my_request(None, false), "/v2/webapi/foos": my_request(Some(text), true) });
    accepted(&old, &webapi("0.2.0", &both));
}

#[test]
fn connected_only_says_that_an_older_server_lists_all_foos() {
    let list = |more: Option<Value>| {
        let mut operation = get(json!({ "type": "object" }));
        let key = json!({ "name": "startKey", "in": "query", "schema": { "type": "string" } });
        let parameters: Vec<Value> = [key].into_iter().chain(more).collect();
        operation["get"]["parameters"] = json!(parameters);
        json!({ FOOS: operation })
    };
    let old = webapi("0.1.0", &list(None));
    let mut only =
        json!({ "name": "connectedOnly", "in": "query", "schema": { "type": "boolean" } });
    assert_eq!(
        rules(&old, &webapi("0.2.0", &list(Some(only.clone())))),
        [ReleaseRule::NewFieldIgnorable]
    );
    only["x-ignorable"] = json!("all foos are listed");
    accepted(&old, &webapi("0.2.0", &list(Some(only))));
}

/// `GET /foos`, with when it goes.
fn deprecated(since: &str, last_used_in: &str, removed_in: &str) -> Value {
    let mut operation = get(json!({ "type": "object" }));
    operation["get"]["x-deprecated"] = json!({
        "since": since, "lastUsedIn": last_used_in, "removedIn": removed_in, "instead": "bars",
    });
    json!({ FOOS: operation })
}

#[test]
fn what_v16_used_last_may_go_in_v18() {
    let v17 = webapi("17.0.0", &deprecated("17.0.0", "16.0.0", "18.0.0"));
    accepted(&v17, &webapi("18.0.0", &json!({})));
    let violations = found(&v17, &webapi("17.4.0", &json!({})));
    assert_eq!(violations.len(), 1);
    let text = violations[0].to_string();
    assert!(
        text.contains("too early, it may go in 18.0.0 and this is 17.4.0"),
        "{text}"
    );
}

#[test]
fn what_4_1_3_used_last_may_go_in_6_0_and_not_in_5_0() {
    let used_last = webapi("5.0.0", &deprecated("4.2.0", "4.1.3", "6.0.0"));
    accepted(&used_last, &webapi("6.0.0", &json!({})));
    assert_eq!(
        rules(&used_last, &webapi("5.3.0", &json!({}))),
        [ReleaseRule::OperationStays]
    );
    // A promise that is too short is no licence, and is refused where it is made.
    let hasty = webapi("4.2.0", &deprecated("4.2.0", "4.1.3", "5.0.0"));
    assert_eq!(
        rules(&hasty, &webapi("5.0.0", &json!({}))),
        [ReleaseRule::OperationStays]
    );
    let made = found(&hasty, &hasty);
    assert_eq!(made.len(), 1, "{}", listed(&made));
    assert_eq!(made[0].rule, ReleaseRule::DeprecationSound);
    assert!(made[0].what.contains("keep it until 6.0.0"), "{}", made[0]);
}
