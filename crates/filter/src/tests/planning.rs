//! An index never makes a match disappear, and is used where it helps.

use super::resource::{Resource, at, resources, scalars, text, texts, values};
use crate::limits::{KEY_BYTES, KEY_WEIGHT};
use crate::{
    FieldComparison, Filter, FilterField, IndexInfo, IndexPlan, Operand, index_keys, index_value,
    may_be_cut,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const MOST: usize = 4;

fn index(name: &str, field: FilterField, single: bool) -> IndexInfo {
    IndexInfo {
        name: name.into(),
        field,
        single,
    }
}

fn indexes() -> Vec<IndexInfo> {
    vec![
        index("name", FilterField::Name, true),
        index("tier", FilterField::Label("tier".into()), true),
        index("created", FilterField::Created, true),
        index("version", FilterField::Version, true),
        index("a", at("a"), false),
        index("b", at("b"), false),
        index("deep", at("a.b"), false),
    ]
}

fn plan(filter: &Filter) -> IndexPlan {
    filter.compile().unwrap().plan(&indexes())
}

fn key(value: &Value) -> Vec<u8> {
    index_value(value).unwrap()
}

fn test(field: FilterField, compare: FieldComparison) -> Filter {
    Filter::test(field, compare)
}

#[test]
fn each_comparison_reads_as_little_as_it_can() {
    let typed = Operand::Json;
    let point = |index: &str, value: Value| IndexPlan::Point {
        index: index.into(),
        value: key(&value),
    };
    let points = |index: &str, values: &[Value]| IndexPlan::Points {
        index: index.into(),
        values: values.iter().map(key).collect(),
    };
    for (filter, expected) in [
        (
            test(FilterField::Name, FieldComparison::Equal(text("5"))),
            point("name", json!("5")),
        ),
        (
            test(at("b"), FieldComparison::Equal(text("5"))),
            points("b", &[json!(5), json!("5")]),
        ),
        (
            test(at("b"), FieldComparison::Equal(text("true"))),
            points("b", &[json!(true), json!("true")]),
        ),
        (
            test(at("b"), FieldComparison::Equal(text("x"))),
            point("b", json!("x")),
        ),
        (
            test(at("b"), FieldComparison::Equal(typed(json!(5)))),
            point("b", json!(5.0)),
        ),
        (
            test(
                at("b"),
                FieldComparison::In(vec![typed(json!(7)), typed(json!(5))]),
            ),
            points("b", &[json!(5), json!(7)]),
        ),
        (
            test(at("b"), FieldComparison::NotEqual(text("x"))),
            IndexPlan::Scan,
        ),
        (
            test(at("c"), FieldComparison::Equal(text("x"))),
            IndexPlan::Scan,
        ),
        (
            test(at("b"), FieldComparison::Equal(text("*x"))),
            IndexPlan::Scan,
        ),
        (
            test(at("b"), FieldComparison::Less(text("5"))),
            IndexPlan::Scan,
        ),
        (
            test(at("b"), FieldComparison::Equal(typed(json!([5])))),
            IndexPlan::Scan,
        ),
        (
            test(FilterField::Version, FieldComparison::Equal(text("1.*"))),
            IndexPlan::Scan,
        ),
        (
            Filter::Not(Box::new(test(at("b"), FieldComparison::Equal(text("x"))))),
            IndexPlan::Scan,
        ),
        (
            Filter::Or(vec![
                test(at("b"), FieldComparison::Equal(text("x"))),
                test(at("b"), FieldComparison::Equal(text("y"))),
            ]),
            points("b", &[json!("x"), json!("y")]),
        ),
        (
            Filter::Or(vec![
                test(at("b"), FieldComparison::Equal(text("x"))),
                test(at("a"), FieldComparison::Equal(text("y"))),
            ]),
            IndexPlan::Scan,
        ),
        (
            Filter::And(vec![
                test(at("b"), FieldComparison::Greater(text("x"))),
                test(at("c"), FieldComparison::Exists),
                test(FilterField::Name, FieldComparison::Equal(text("n"))),
            ]),
            point("name", json!("n")),
        ),
        (Filter::And(vec![]), IndexPlan::Scan),
    ] {
        assert_eq!(plan(&filter), expected, "{filter:?}");
    }
    let many = (0..100).map(|n| typed(json!(n))).collect();
    assert_eq!(
        plan(&test(at("b"), FieldComparison::In(many))),
        IndexPlan::Scan
    );
}

#[test]
fn patterns_and_orders_read_a_part_of_the_index() {
    let prefix = plan(&test(
        FilterField::Name,
        FieldComparison::Equal(text("ab*c")),
    ));
    assert_eq!(
        prefix,
        IndexPlan::Prefix {
            index: "name".into(),
            bytes: b"\x36ab".to_vec()
        }
    );
    let number = || Operand::Json(json!(5));
    let [range, _] = &plan(&test(at("b"), FieldComparison::GreaterOrEqual(number()))).ranges()[..]
    else {
        panic!("one range and that of the many");
    };
    for (value, inside) in [
        (json!(5), true),
        (json!(1e300), true),
        (json!(4.9), false),
        (json!("5"), false),
    ] {
        assert_eq!(range.contains(&key(&value)), inside, "{value}");
    }
}

#[test]
fn two_bounds_of_one_value_are_one_span_and_of_several_are_not() {
    let between = |field: FilterField, from: &str, to: &str| {
        Filter::And(vec![
            test(field.clone(), FieldComparison::GreaterOrEqual(text(from))),
            test(field, FieldComparison::Less(text(to))),
        ])
    };
    let ranges = plan(&between(FilterField::Name, "b", "d")).ranges();
    for (name, inside) in [("a", false), ("b", true), ("c", true), ("e", false)] {
        assert_eq!(ranges[0].contains(&key(&json!(name))), inside, "{name}");
    }
    let ranges = plan(&between(at("b"), "b", "d")).ranges();
    assert!(
        ranges[0].contains(&key(&json!("z"))),
        "another value of the list may be in between"
    );
    let contradiction = plan(&between(FilterField::Name, "d", "b"));
    assert_eq!(
        contradiction.ranges().len(),
        1,
        "only those with too many values"
    );
}

#[test]
fn a_long_operand_is_a_prefix_of_what_a_key_keeps() {
    let long = "x".repeat(500);
    let IndexPlan::Prefix { bytes, .. } = plan(&test(
        FilterField::Name,
        FieldComparison::Equal(text(&long)),
    )) else {
        panic!("a prefix");
    };
    assert_eq!(bytes.len(), KEY_BYTES);
    assert!(key(&json!(long)).starts_with(&bytes));
}

#[test]
fn a_key_of_low_bytes_is_cut_so_that_a_store_can_escape_it() {
    for text in ["\u{1}".repeat(300), " a".repeat(300), "-".repeat(300)] {
        let resource = Resource {
            name: Some(text.clone()),
            ..Resource::default()
        };
        let keys = index_keys(&FilterField::Name, &resource, MOST);
        let escaped: usize = keys[0].iter().map(|b| if *b < b'0' { 3 } else { 1 }).sum();
        assert!(
            (KEY_WEIGHT - 3..=KEY_WEIGHT).contains(&escaped),
            "{escaped}"
        );
        assert!(key(&json!(text)).starts_with(&keys[0]));
        assert!(may_be_cut(&keys[0]));
    }
}

#[test]
fn a_list_has_a_key_for_each_item_until_there_are_too_many() {
    let keys = |content: Value| index_keys(&at("a"), &Resource::with(content), MOST);
    assert_eq!(
        keys(json!({"a": ["x", "y", "x", "x", "x", "x", "z"]})).len(),
        3
    );
    let many = keys(json!({"a": [1, 2, 3, 4, 5]}));
    assert_eq!(many.len(), 1);
    let plan = plan(&test(
        at("a"),
        FieldComparison::Equal(Operand::Json(json!(5))),
    ));
    assert!(plan.ranges().iter().any(|range| range.contains(&many[0])));
    assert_eq!(keys(json!({})).len(), 1, "a missing field has a key too");
}

fn operands() -> impl Strategy<Value = Operand> {
    let few = vec!["5", "7", "a", "true", "null"];
    prop_oneof![
        3 => select(few).prop_map(|word| Operand::Text(word.into())),
        1 => texts().prop_map(Operand::Text),
        1 => scalars().prop_map(Operand::Json),
        1 => values().prop_map(Operand::Json),
        1 => texts().prop_map(|t| crate::WildcardPattern::of_pieces(vec![t, String::new()])
            .map(Operand::Pattern)
            .unwrap()),
        1 => (texts(), texts()).prop_map(|(a, b)| crate::WildcardPattern::of_pieces(vec![a, b])
            .map(Operand::Pattern)
            .unwrap()),
    ]
}

fn tests() -> impl Strategy<Value = Filter> {
    let general = select(vec![
        FilterField::Name,
        FilterField::Label("tier".into()),
        at("a"),
        at("b"),
        at("a.b"),
        at("a.*"),
        at("b.0"),
    ]);
    let general = (general, operands());
    let time = select(vec![
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00.0015Z",
        "1969-12-31T23:59:59.999Z",
        "1969-12-31T23:59:59.9985Z",
    ]);
    let version = select(vec!["1", "0.9.0", "1.10.0", "2.3.0"]);
    let whole = prop_oneof![
        6 => general,
        1 => time.prop_map(|t| (FilterField::Created, Operand::Text(t.into()))),
        1 => version.prop_map(|v| (FilterField::Version, Operand::Text(v.into()))),
    ];
    (
        whole,
        0..8,
        prop::collection::vec(scalars().prop_map(Operand::Json), 0..3),
    )
        .prop_map(|((field, operand), which, mut more)| {
            let compare = match which {
                0 => FieldComparison::NotEqual(operand),
                1 => FieldComparison::Less(operand),
                2 => FieldComparison::LessOrEqual(operand),
                3 => FieldComparison::Greater(operand),
                4 => FieldComparison::GreaterOrEqual(operand),
                5 => FieldComparison::Exists,
                6 => {
                    if matches!(field, FilterField::Created | FilterField::Version) {
                        more.clear();
                    }
                    more.push(operand);
                    FieldComparison::In(more)
                }
                _ => FieldComparison::Equal(operand),
            };
            Filter::test(field, compare)
        })
}

/// Two bounds on one field, which different items of a list may meet.
fn between() -> impl Strategy<Value = Filter> {
    let field = select(vec![at("a"), at("b"), FilterField::Name]);
    (field, scalars(), scalars()).prop_filter_map("ordered", |(field, from, to)| {
        let filter = Filter::And(vec![
            test(field.clone(), FieldComparison::Greater(Operand::Json(from))),
            test(field, FieldComparison::Less(Operand::Json(to))),
        ]);
        filter.compile().is_ok().then_some(filter)
    })
}

fn filters() -> impl Strategy<Value = Filter> {
    let leaves = prop_oneof![4 => tests(), 1 => between()];
    leaves.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(Filter::And),
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(Filter::Or),
            1 => inner.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_a_plan_finds_and_the_filter_keeps_is_what_a_scan_finds(
        some in prop::collection::vec(resources(), 1..12),
        filter in filters(),
    ) {
        let Ok(compiled) = filter.compile() else {
            return Ok(()); // an order of patterns or of lists
        };
        let scanned: BTreeSet<_> = (0..some.len()).filter(|n| compiled.matches(&some[*n])).collect();
        // Each index alone, so that each is used; then all of them.
        let single = indexes().into_iter().map(|index| vec![index]);
        for known in single.chain([indexes()]) {
            let plan = compiled.plan(&known);
            let Some(name) = plan.index() else { continue };
            let used = known.iter().find(|index| index.name == name).unwrap();
            let mut entries: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
            for (number, resource) in some.iter().enumerate() {
                for key in index_keys(&used.field, resource, MOST) {
                    entries.entry(key).or_default().push(number);
                }
            }
            let mut read = BTreeSet::new();
            for range in plan.ranges() {
                read.extend(entries.range(range.from..range.to).flat_map(|(_, numbers)| numbers.clone()));
            }
            read.retain(|number| compiled.matches(&some[*number]));
            prop_assert_eq!(&read, &scanned, "{:?}", plan);
        }
    }

    #[test]
    fn every_resource_is_in_every_index(resource in resources()) {
        for index in indexes() {
            prop_assert!(!index_keys(&index.field, &resource, MOST).is_empty());
        }
    }
}
