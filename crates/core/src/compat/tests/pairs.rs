//! Changes as people make them, each with what it must be.

use crate::compat::{
    ChangeKind, CompatFinding, CompatRule, FindingVerdict, SchemaChange, SchemaContainment,
};
use crate::types::Schema;
use serde_json::{Value, json};

pub(super) fn change(old: Value, new: Value) -> SchemaChange {
    let compile = |schema| Schema::compile(schema).unwrap();
    SchemaChange::between(&compile(old), &compile(new))
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn closed(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The rules of the findings that make the change what it is.
fn rules(change: &SchemaChange) -> Vec<(CompatRule, &str)> {
    let decisive = |finding: &&CompatFinding| finding.kind == change.kind;
    let all = change.findings.iter().filter(decisive);
    all.map(|finding| (finding.rule, finding.path.as_str()))
        .collect()
}

#[track_caller]
fn is(
    old: Value,
    new: Value,
    kind: ChangeKind,
    verdict: FindingVerdict,
    rule: CompatRule,
    path: &str,
) -> SchemaChange {
    let change = change(old, new);
    assert_eq!(
        (change.kind, change.verdict),
        (kind, verdict),
        "{change:#?}"
    );
    assert!(rules(&change).contains(&(rule, path)), "{change:#?}");
    change
}

#[test]
fn an_optional_field_in_an_open_object_is_additive_by_policy() {
    let (old, new) = (
        object(json!({"a": {"type": "string"}})),
        object(json!({"a": {"type": "string"}, "b": {"type": "integer"}})),
    );
    let change = is(
        old,
        new,
        ChangeKind::Additive,
        FindingVerdict::ByPolicy,
        CompatRule::FieldAdded,
        "/b",
    );
    let SchemaContainment::No(witness) = &change.old_documents else {
        panic!("{change:#?}")
    };
    assert!(witness.document.get("b").is_some());
    assert_eq!(change.new_documents, SchemaContainment::Yes);
}

#[test]
fn an_optional_field_in_a_closed_object_is_additive_by_proof() {
    let (old, new) = (
        closed(json!({"a": {"type": "string"}})),
        closed(json!({"a": {"type": "string"}, "b": {"type": "integer"}})),
    );
    let change = is(
        old,
        new,
        ChangeKind::Additive,
        FindingVerdict::Proven,
        CompatRule::FieldAdded,
        "/b",
    );
    assert_eq!(change.old_documents, SchemaContainment::Yes);
    assert!(matches!(change.new_documents, SchemaContainment::No(_)));
}

#[test]
fn breaks_are_shown_by_the_smallest_document() {
    let cases = [
        (
            object(json!({"a": {"type": ["string", "integer"]}})),
            object(json!({"a": {"type": "string"}})),
            CompatRule::TypeNarrowed,
            "/a",
            json!({"a": 0}),
        ),
        (
            object(json!({"a": {"type": ["string", "null"]}})),
            object(json!({"a": {"type": "string"}})),
            CompatRule::TypeNarrowed,
            "/a",
            json!({"a": null}),
        ),
        (
            object(json!({"a": {"enum": ["x", "y"]}})),
            object(json!({"a": {"enum": ["x"]}})),
            CompatRule::EnumValueRemoved,
            "/a",
            json!({"a": "y"}),
        ),
        (
            object(json!({"a": {"type": "integer"}})),
            object(json!({"a": {"type": "integer", "minimum": 1}})),
            CompatRule::NumberNarrowed,
            "/a",
            json!({"a": 0}),
        ),
        (
            object(json!({"a": {"type": "string"}})),
            object(json!({"a": {"type": "string", "minLength": 1}})),
            CompatRule::TextNarrowed,
            "/a",
            json!({"a": ""}),
        ),
        (
            object(json!({"a": {"type": "string"}})),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            CompatRule::RequiredAdded,
            "/a",
            json!({}),
        ),
        (
            closed(json!({"a": {"type": "string"}, "b": {}})),
            closed(json!({"a": {"type": "string"}})),
            CompatRule::FieldRemoved,
            "/b",
            json!({"b": ""}),
        ),
        (
            object(json!({"a": {}})),
            closed(json!({"a": {}})),
            CompatRule::ObjectClosed,
            "/*",
            json!({"other": ""}),
        ),
    ];
    for (old, new, rule, path, smallest) in cases {
        let change = is(
            old,
            new,
            ChangeKind::Breaking,
            FindingVerdict::Proven,
            rule,
            path,
        );
        let SchemaContainment::No(witness) = &change.old_documents else {
            panic!("{change:#?}")
        };
        if rule != CompatRule::FieldRemoved && rule != CompatRule::ObjectClosed {
            assert_eq!(witness.document, smallest, "{change:#?}");
        }
    }
}

#[test]
fn a_field_that_is_gone_from_an_open_object_breaks_by_policy() {
    let (old, new) = (
        object(json!({"a": {}, "b": {"type": "string"}})),
        object(json!({"a": {}})),
    );
    let change = is(
        old,
        new,
        ChangeKind::Breaking,
        FindingVerdict::ByPolicy,
        CompatRule::FieldRemoved,
        "/b",
    );
    assert_eq!(change.old_documents, SchemaContainment::Yes);
}

#[test]
fn a_default_that_is_another_breaks() {
    let with = |default: Value| object(json!({"a": {"type": "integer", "default": default}}));
    is(
        with(json!(1)),
        with(json!(2)),
        ChangeKind::Breaking,
        FindingVerdict::ByPolicy,
        CompatRule::DefaultChanged,
        "/a",
    );
    is(
        with(json!(1)),
        object(json!({"a": {"type": "integer"}})),
        ChangeKind::Breaking,
        FindingVerdict::ByPolicy,
        CompatRule::DefaultRemoved,
        "/a",
    );
    is(
        object(json!({"a": {"type": "integer"}})),
        with(json!(1)),
        ChangeKind::Additive,
        FindingVerdict::ByPolicy,
        CompatRule::DefaultAdded,
        "/a",
    );
    assert_eq!(
        change(with(json!(1)), with(json!(1.0))).kind,
        ChangeKind::Identical
    );
}

#[test]
fn words_alone_change_nothing() {
    let old = object(json!({"a": {"type": "string", "description": "x"}}));
    let new = object(json!({"a": {"type": "string", "title": "y", "format": "password"}}));
    let change = change(old, new);
    assert_eq!(
        (change.kind, change.verdict),
        (ChangeKind::Identical, FindingVerdict::Proven)
    );
    assert!(change.findings.is_empty());
}

/// Each answer in both directions.
fn answers(change: &SchemaChange) -> (&'static str, &'static str) {
    let word = |contained: &SchemaContainment| match contained {
        SchemaContainment::Yes => "yes",
        SchemaContainment::No(_) => "no",
        SchemaContainment::Unknown(_) => "undecided",
    };
    (word(&change.old_documents), word(&change.new_documents))
}

#[test]
fn patterns_that_overlap_are_not_taken_apart() {
    let old = json!({"type": "object", "patternProperties": {"^a": {"type": "string"}}, "additionalProperties": {"type": "integer"}});
    let new =
        json!({"type": "object", "patternProperties": {"^ab": {"type": "integer"}, "^a": {}}});
    let change = change(old, new);
    assert_eq!(answers(&change).0, "no", "{change:#?}");
}

#[test]
fn what_is_said_by_a_reference_or_in_place_is_the_same() {
    let node = json!({"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/definitions/n"}}, "s": {"type": "string"}}, "additionalProperties": false});
    let twice = json!({"allOf": [node, node]});
    let with = |node: Value| json!({"definitions": {"n": node}, "properties": {"a": {"$ref": "#/definitions/n"}}});
    assert_eq!(answers(&change(with(twice), with(node))), ("yes", "yes"));
    let inner = |size: Value| {
        json!({"definitions": {"p": {"type": ["string", "boolean"]}, "q": {"type": "null"}},
            "properties": {"n": {"properties": {"size": size}, "patternProperties": {"^x-": {"type": "boolean"}}}}})
    };
    let (old, new) = (
        inner(json!({"type": ["boolean", "string"]})),
        inner(json!({"$ref": "#/definitions/p"})),
    );
    assert_eq!(answers(&change(old, new)), ("yes", "yes"));
}

#[test]
fn alternatives_with_a_tag_are_compared_one_by_one() {
    let one = |tag: &str, size: Value| json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": tag}, "size": size}});
    let with = |size: Value| {
        object(
            json!({"a": {"oneOf": [one("disk", json!({"type": "integer"})), one("net", size), one("gpu", json!({"contains": {"type": "string"}}))]}}),
        )
    };
    let change = change(
        with(json!({"type": "integer"})),
        with(json!({"type": "number"})),
    );
    assert_eq!(answers(&change), ("yes", "no"), "{change:#?}");
    assert_eq!(change.kind, ChangeKind::Additive);
}

#[test]
fn counts_are_shown_by_documents_with_as_many() {
    let list = |most: u64| {
        object(
            json!({"a": {"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}}}, "maxItems": most}}),
        )
    };
    assert_eq!(answers(&change(list(64), list(8))), ("no", "yes"));
    let map = |most: u64| {
        object(
            json!({"a": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": most}}),
        )
    };
    assert_eq!(answers(&change(map(300), map(256))), ("no", "yes"));
    let text = |most: u64| object(json!({"a": {"type": "string", "maxLength": most}}));
    assert_eq!(answers(&change(text(32_768), text(4_096))), ("no", "yes"));
}

#[test]
fn a_default_behind_an_alternative_is_still_there() {
    let fields = json!({"type": "object", "properties": {"a": {"type": "integer", "default": 1}}});
    let change = change(
        object(json!({"o": fields})),
        object(json!({"o": {"anyOf": [fields, {"type": "null"}]}})),
    );
    assert_eq!(
        (change.kind, change.verdict),
        (ChangeKind::Additive, FindingVerdict::Proven),
        "{change:#?}"
    );
}

#[test]
fn the_same_words_in_another_draft_may_say_less() {
    let with = |draft: &str, words: Value| json!({"$schema": draft, "properties": {"a": words}});
    let (four, seven, nineteen) = (
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    );
    let date = json!({"type": "string", "format": "date"});
    let change_of = |old, new| change(old, new);
    assert_eq!(
        answers(&change_of(with(seven, date.clone()), with(nineteen, date))),
        ("yes", "no")
    );
    let one = json!({"const": 1});
    assert_eq!(
        answers(&change_of(with(four, one.clone()), with(seven, one))),
        ("no", "yes")
    );
    let whole = json!({"type": "integer"});
    assert_eq!(
        answers(&change_of(with(four, whole.clone()), with(seven, whole))).0,
        "yes"
    );
}

#[test]
fn many_places_are_cut_and_said_to_be() {
    let with = |least: u64| {
        let field = |number| {
            (
                format!("f{number}"),
                json!({"type": "string", "minLength": least}),
            )
        };
        object(Value::Object((0..3_000).map(field).collect()))
    };
    let change = change(with(0), with(1));
    assert_eq!(
        (change.kind, change.verdict),
        (ChangeKind::Breaking, FindingVerdict::Proven)
    );
    // A hundred places, and one for all the rest.
    assert_eq!(change.findings.len(), 101);
    let unclear = |finding: &CompatFinding| finding.rule == CompatRule::NoLongerFits;
    assert!(change.findings.iter().any(unclear));
}

#[test]
fn a_new_field_that_is_required_is_told_once() {
    let new = json!({"type": "object", "properties": {"x": {}, "a": {"type": "string"}}, "required": ["a"]});
    let change = change(object(json!({"x": {}})), new);
    assert_eq!(rules(&change), [(CompatRule::RequiredAdded, "/a")]);
    assert_eq!(change.findings.len(), 1);
}

#[test]
fn a_name_that_is_forbidden_breaks() {
    let change = change(
        object(json!({"x": {}})),
        object(json!({"x": {}, "a": false})),
    );
    assert_eq!(rules(&change), [(CompatRule::Forbidden, "/a")]);
}

#[test]
fn nothing_fits_what_excludes_everything() {
    for never in [
        json!({"not": {}}),
        json!({"not": true, "type": "string"}),
        json!(false),
    ] {
        let change = change(
            object(json!({"a": never})),
            object(json!({"a": {"type": "string"}})),
        );
        assert_eq!(answers(&change).0, "yes");
    }
}

#[test]
fn names_of_properties_are_shown_by_an_odd_one() {
    let with =
        |most: u64| object(json!({"a": {"type": "object", "propertyNames": {"maxLength": most}}}));
    assert_eq!(answers(&change(with(300), with(8))), ("no", "yes"));
}

#[test]
fn patterns_are_compared_by_what_they_match() {
    let with = |pattern: &str| object(json!({"a": {"type": "string", "pattern": pattern}}));
    let both = |old, new| answers(&change(with(old), with(new)));
    assert_eq!(both("^https://", "^(https://|mailto:)"), ("yes", "no"));
    assert_eq!(
        both("^[a-z]([-a-z0-9]*[a-z0-9])?$", "^[a-z0-9-]+$"),
        ("yes", "no")
    );
    assert_eq!(both("^(a|b)$", "^[ab]$"), ("yes", "yes"));
    assert_eq!(both("^[a-c]+$", "^[b-d]+$"), ("no", "no"));
}

#[test]
fn draft_4_is_left_without_a_word_lost() {
    let old = json!({"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}});
    let new = json!({"properties": {"a": {"type": "integer", "exclusiveMinimum": 0}}});
    assert_eq!(answers(&change(old, new)).0, "yes");
}

#[test]
fn fields_that_become_free_form_are_still_there() {
    let change = change(
        object(json!({"a": {"type": "string"}})),
        json!({"type": "object"}),
    );
    assert_eq!(
        (change.kind, change.verdict),
        (ChangeKind::Additive, FindingVerdict::Proven)
    );
    assert_eq!(rules(&change), [(CompatRule::TypeWidened, "/a")]);
}
