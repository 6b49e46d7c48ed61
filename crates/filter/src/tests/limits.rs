//! What is more than a filter may be is refused, and told which limit it was.

use super::resource::{at, text};
use crate::limits::{DEPTH, NODES, OPERAND_BYTES, ORDER_FIELDS, WILDCARDS};
use crate::{
    FieldComparison, Filter, FilterError, FilterField, FilterLimit, Operand, SortDirection,
    SortOrder,
};
use serde_json::{Value, json};

fn limit<T: std::fmt::Debug>(outcome: Result<T, FilterError>) -> Option<FilterLimit> {
    match outcome {
        Ok(_) => None,
        Err(FilterError::TooMuch { limit, .. }) => Some(limit),
        Err(other) => panic!("{other:?}"),
    }
}

fn one() -> Filter {
    Filter::test(FilterField::Name, FieldComparison::Exists)
}

#[test]
fn each_limit_is_inclusive() {
    let nested = |levels: usize| (1..levels).fold(one(), |inner, _| Filter::Not(Box::new(inner)));
    assert_eq!(limit(nested(DEPTH).compile()), None);
    assert_eq!(limit(nested(DEPTH + 1).compile()), Some(FilterLimit::Depth));

    let wide = |nodes: usize| Filter::Or(vec![one(); nodes - 1]);
    assert_eq!(limit(wide(NODES).compile()), None);
    assert_eq!(limit(wide(NODES + 1).compile()), Some(FilterLimit::Nodes));

    let list = |items: usize| {
        Filter::test(
            FilterField::Name,
            FieldComparison::In(vec![text("a"); items]),
        )
    };
    assert_eq!(limit(list(NODES - 1).compile()), None);
    assert_eq!(limit(list(NODES).compile()), Some(FilterLimit::Nodes));

    let long = |bytes: usize| {
        Filter::test(
            FilterField::Name,
            FieldComparison::Equal(Operand::Text("a".repeat(bytes))),
        )
    };
    assert_eq!(limit(long(OPERAND_BYTES).compile()), None);
    assert_eq!(
        limit(long(OPERAND_BYTES + 1).compile()),
        Some(FilterLimit::OperandBytes)
    );

    let stars = |count: usize| Operand::from_escaped(&"*a".repeat(count));
    assert_eq!(limit(stars(WILDCARDS)), None);
    assert_eq!(limit(stars(WILDCARDS + 1)), Some(FilterLimit::Wildcards));

    let order =
        |fields: usize| SortOrder::new(vec![(FilterField::Name, SortDirection::Ascending); fields]);
    assert_eq!(limit(order(ORDER_FIELDS)), None);
    assert_eq!(
        limit(order(ORDER_FIELDS + 1)),
        Some(FilterLimit::OrderFields)
    );
}

#[test]
fn large_and_deep_values_are_refused_as_operands() {
    let deep = (0..300).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let keys: serde_json::Map<_, _> = (0..2_000).map(|n| (n.to_string(), json!(n))).collect();
    for value in [
        deep,
        json!("a".repeat(5_000)),
        json!(vec![0; 5_000]),
        Value::Object(keys),
    ] {
        let filter = Filter::test(at("a"), FieldComparison::Equal(Operand::Json(value)));
        assert_eq!(limit(filter.compile()), Some(FilterLimit::OperandBytes));
    }
    assert_eq!(
        limit(Operand::from_escaped(&"a".repeat(100_000))),
        Some(FilterLimit::OperandBytes)
    );
}

#[test]
fn a_filter_reads_back_from_what_is_kept_of_it() {
    let texts = [
        "name==web*;labels.tier!=gold",
        "created=gt=2024-01-01T00:00:00.000Z,spec.a\\.b.*.c==x",
        "spec.size=le=3;(state==RESOLVED,owner.name==ann)",
    ];
    for text in texts {
        let filter = crate::fiql::parse(text, |key| FilterField::parse(key, "spec"));
        let Ok(filter) = filter else {
            panic!("{text}: {filter:?}");
        };
        let mut read: Filter = serde_json::from_str(&filter.fingerprint().unwrap()).unwrap();
        assert_eq!(read.fingerprint().unwrap(), filter.fingerprint().unwrap());
        read = Filter::Not(Box::new(read));
        assert_ne!(read.fingerprint().unwrap(), filter.fingerprint().unwrap());
    }
    let one_piece = r#"{"test":{"field":"name","compare":{"equal":{"pattern":["a"]}}}}"#;
    assert!(serde_json::from_str::<Filter>(one_piece).is_err());
}
