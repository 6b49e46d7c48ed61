//! The table of comparisons, row by row.

use super::resource::{Resource, at, matches, text};
use crate::{FieldComparison, Filter, FilterError, FilterField, Operand};
use coeval_codes::Coded;
use coeval_core::version::Version;
use serde_json::{Value, json};

fn equal(value: &Value, operand: Operand) -> bool {
    let resource = Resource::with(json!({"a": value}));
    let negated = matches(
        &at("a"),
        FieldComparison::NotEqual(operand.clone()),
        &resource,
    );
    let equal = matches(&at("a"), FieldComparison::Equal(operand.clone()), &resource);
    assert_ne!(equal, negated, "NotEqual is the opposite of Equal");
    assert_eq!(
        equal,
        matches(&at("a"), FieldComparison::In(vec![operand]), &resource)
    );
    equal
}

#[test]
fn a_text_equals_every_value_that_it_can_mean() {
    for (operand, value, expected) in [
        ("5", json!(5), true),
        ("5", json!(5.0), true),
        ("5.0", json!(5), true),
        ("5", json!("5"), true),
        ("5.0", json!("5"), false),
        ("5", json!(6), false),
        ("18446744073709551615", json!(u64::MAX), true),
        (
            "18446744073709551616",
            json!(18_446_744_073_709_551_616.0),
            false,
        ),
        ("9007199254740993", json!(9_007_199_254_740_992_u64), false),
        ("0.1", json!(0.1), true),
        (" 5", json!(5), false),
        ("+5", json!(5), false),
        ("05", json!(5), false),
        ("true", json!(true), true),
        ("true", json!("true"), true),
        ("True", json!(true), false),
        ("false", json!(true), false),
        ("null", json!(null), true),
        ("null", json!("null"), true),
        ("", json!(null), false),
        ("", json!(""), true),
        ("abc", json!("ABC"), false),
        ("a", json!(["b", "a"]), true),
        ("5", json!([4, 5]), true),
        ("a", json!(["b", ["a"]]), false),
        ("a", json!({"a": "a"}), false),
    ] {
        assert_eq!(
            equal(&value, text(operand)),
            expected,
            "{operand} and {value}"
        );
    }
}

#[test]
fn a_typed_operand_equals_values_of_its_type_only() {
    for (operand, value, expected) in [
        (json!(5), json!(5.0), true),
        (json!(5), json!("5"), false),
        (json!("5"), json!(5), false),
        (json!("5"), json!("5"), true),
        (json!("*"), json!("x"), false),
        (json!(true), json!(true), true),
        (json!(true), json!("true"), false),
        (json!(null), json!(null), true),
        (json!(null), json!("null"), false),
        (json!([1, 2]), json!([1.0, 2]), true),
        (json!([1, 2]), json!([2, 1]), false),
        (json!([1]), json!([[1], 2]), true),
        (json!({"x": 1, "y": 2}), json!({"y": 2, "x": 1}), true),
        (json!({"x": 1}), json!({"x": 1, "y": 2}), false),
    ] {
        assert_eq!(
            equal(&value, Operand::Json(operand.clone())),
            expected,
            "{operand} and {value}"
        );
    }
}

#[test]
fn a_missing_field_passes_not_equal_and_nothing_else() {
    let operand = || text("x");
    for field in [
        at("no"),
        at("a.no"),
        FilterField::Name,
        FilterField::Label("tier".into()),
    ] {
        let resource = Resource::with(json!({"a": 1}));
        for (compare, expected) in [
            (FieldComparison::NotEqual(operand()), true),
            (FieldComparison::Equal(operand()), false),
            (FieldComparison::Less(operand()), false),
            (FieldComparison::LessOrEqual(operand()), false),
            (FieldComparison::Greater(operand()), false),
            (FieldComparison::GreaterOrEqual(operand()), false),
            (FieldComparison::In(vec![operand()]), false),
            (FieldComparison::Equal(text("*")), false),
            (FieldComparison::Equal(Operand::Json(json!(null))), false),
            (FieldComparison::Exists, false),
        ] {
            assert_eq!(
                matches(&field, compare.clone(), &resource),
                expected,
                "{field:?} {compare:?}"
            );
        }
    }
    let null = Resource::with(json!({"a": null}));
    assert!(matches(&at("a"), FieldComparison::Exists, &null));
}

/// Which of <, <=, >, >= hold.
fn relations(field: &FilterField, operand: &Operand, resource: &Resource) -> [bool; 4] {
    [
        matches(field, FieldComparison::Less(operand.clone()), resource),
        matches(
            field,
            FieldComparison::LessOrEqual(operand.clone()),
            resource,
        ),
        matches(field, FieldComparison::Greater(operand.clone()), resource),
        matches(
            field,
            FieldComparison::GreaterOrEqual(operand.clone()),
            resource,
        ),
    ]
}

const BEFORE: [bool; 4] = [true, true, false, false];
const SAME: [bool; 4] = [false, true, false, true];
const AFTER: [bool; 4] = [false, false, true, true];
const UNORDERED: [bool; 4] = [false; 4];

#[test]
fn numbers_come_in_their_own_order_and_everything_else_by_bytes() {
    let typed = Operand::Json;
    for (value, operand, expected) in [
        (json!(9), text("10"), BEFORE),
        (json!(10.0), text("10"), SAME),
        (json!("9"), text("10"), BEFORE),
        (json!("1e1"), text("10"), SAME),
        (json!("abc"), text("10"), AFTER),
        (json!("9"), text("10a"), AFTER),
        (json!(9), text("x"), UNORDERED),
        (json!(true), text("false"), UNORDERED),
        (json!(null), text("0"), UNORDERED),
        (json!({"a": 1}), text("0"), UNORDERED),
        (
            json!(u64::MAX),
            typed(json!(18_446_744_073_709_551_616.0)),
            BEFORE,
        ),
        (json!("9"), typed(json!("10")), AFTER),
        (json!("9"), typed(json!(10)), UNORDERED),
        (json!(9), typed(json!("10")), UNORDERED),
        (json!("B"), text("a"), BEFORE),
        (json!("é"), text("z"), AFTER),
    ] {
        let resource = Resource::with(json!({"a": value}));
        assert_eq!(
            relations(&at("a"), &operand, &resource),
            expected,
            "{value} and {operand:?}"
        );
    }
}

#[test]
fn times_and_versions_are_compared_as_what_they_are() {
    let resource = Resource {
        created: Some(1_000),
        version: Some(Version::new(1, 10, 0)),
        ..Resource::default()
    };
    for (field, operand, expected) in [
        (FilterField::Created, "1970-01-01T00:00:01Z", SAME),
        (FilterField::Created, "1970-01-01T01:00:01.000+01:00", SAME),
        (FilterField::Created, "1970-01-01T00:00:01.0000001Z", BEFORE),
        (FilterField::Created, "1970-01-01T00:00:00.9999Z", AFTER),
        (FilterField::Version, "1.9.0", AFTER),
        (FilterField::Version, "v1.10", SAME),
        (FilterField::Version, "2", BEFORE),
    ] {
        assert_eq!(
            relations(&field, &text(operand), &resource),
            expected,
            "{operand}"
        );
    }
    assert!(matches(
        &FilterField::Version,
        FieldComparison::Equal(text("1.*")),
        &resource
    ));
    assert!(!matches(
        &FilterField::Version,
        FieldComparison::Equal(text("2.*")),
        &resource
    ));
}

#[test]
fn operands_that_can_not_be_meant_are_refused_with_their_place() {
    let operand = |text: &str| Operand::from_escaped(text).unwrap();
    for (field, compare) in [
        (
            FilterField::Created,
            FieldComparison::Less(operand("yesterday")),
        ),
        (
            FilterField::Created,
            FieldComparison::Equal(operand("2030*")),
        ),
        (
            FilterField::Created,
            FieldComparison::Equal(Operand::Json(json!(5))),
        ),
        (FilterField::Version, FieldComparison::Equal(operand("one"))),
        (at("a"), FieldComparison::Less(operand("a*"))),
        (at("a"), FieldComparison::Less(Operand::Json(json!(true)))),
        (at("a"), FieldComparison::Greater(Operand::Json(json!([1])))),
    ] {
        let mut filter = Filter::test(field, compare);
        if let Filter::Test(test) = &mut filter {
            test.at = Some(7);
        }
        let error = Filter::Not(Box::new(filter)).compile().unwrap_err();
        assert!(
            matches!(error, FilterError::Operand { at: Some(7), .. }),
            "{error:?}"
        );
        assert!(error.to_string().ends_with("(at position 7)"), "{error}");
        assert_eq!(error.code(), coeval_codes::FILTER_OPERAND_INVALID);
    }
}

#[test]
fn connectives_are_those_of_logic_and_of_nothing_they_are_neutral() {
    let resource = Resource::with(json!({"a": 1}));
    let yes = || Filter::test(at("a"), FieldComparison::Exists);
    let no = || Filter::test(at("b"), FieldComparison::Exists);
    for (filter, expected) in [
        (Filter::And(vec![yes(), no()]), false),
        (Filter::And(vec![yes(), yes()]), true),
        (Filter::Or(vec![no(), yes()]), true),
        (Filter::Or(vec![no(), no()]), false),
        (Filter::Not(Box::new(no())), true),
        (Filter::And(vec![]), true),
        (Filter::Or(vec![]), false),
    ] {
        assert_eq!(
            filter.compile().unwrap().matches(&resource),
            expected,
            "{filter:?}"
        );
    }
}

#[test]
fn the_content_is_not_asked_for_where_the_header_decides() {
    let resource = Resource {
        name: Some("a".into()),
        ..Resource::default()
    };
    let name = |is: &str| Filter::test(FilterField::Name, FieldComparison::Equal(text(is)));
    let content = || Filter::test(at("a"), FieldComparison::Exists);
    let header_only = Filter::Or(vec![name("b"), Filter::Not(Box::new(name("a")))])
        .compile()
        .unwrap();
    assert!(!header_only.needs_content());
    assert!(!header_only.matches(&resource));
    let decided = Filter::And(vec![content(), name("b")]).compile().unwrap();
    assert!(decided.needs_content());
    assert!(!decided.matches(&resource));
    assert_eq!(resource.asked_for_content.get(), 0);
    let undecided = Filter::And(vec![content(), name("a")]).compile().unwrap();
    assert!(!undecided.matches(&resource));
    assert_eq!(resource.asked_for_content.get(), 1);
}

#[test]
fn a_fingerprint_tells_filters_apart_and_not_where_they_were_written() {
    let filter = |operand: Operand, at| {
        Filter::Test(crate::FieldTest {
            field: FilterField::Label("k".into()),
            compare: FieldComparison::Equal(operand),
            at,
        })
    };
    let text_5 = filter(Operand::Text("5".into()), None)
        .fingerprint()
        .unwrap();
    assert_eq!(
        text_5,
        r#"{"test":{"field":{"label":"k"},"compare":{"equal":{"text":"5"}}}}"#
    );
    assert_eq!(
        text_5,
        filter(Operand::Text("5".into()), Some(3))
            .fingerprint()
            .unwrap()
    );
    assert_ne!(
        text_5,
        filter(Operand::Json(json!("5")), None)
            .fingerprint()
            .unwrap()
    );
}
