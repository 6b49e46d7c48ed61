//! A resource to look at, and ways to make many.

use crate::{ContentPath, FieldComparison, Filter, FilterField, FilterView, Operand};
use coeval_core::version::Version;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cell::Cell;

#[derive(Clone, Debug, Default)]
pub(super) struct Resource {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    pub(super) created: Option<i64>,
    pub(super) version: Option<Version>,
    pub(super) content: Value,
    pub(super) asked_for_content: Cell<usize>,
}

impl Resource {
    pub(super) fn with(content: Value) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }
}

impl FilterView for Resource {
    fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.id)
    }
    fn name(&self) -> Option<Cow<'_, str>> {
        self.name.as_deref().map(Cow::Borrowed)
    }
    fn label(&self, key: &str) -> Option<Cow<'_, str>> {
        let label = self.label.as_deref().filter(|_| key == "tier");
        label.map(Cow::Borrowed)
    }
    fn created(&self) -> Option<i64> {
        self.created
    }
    fn version(&self) -> Option<Version> {
        self.version
    }
    fn content(&self) -> Option<&Value> {
        self.asked_for_content.set(self.asked_for_content.get() + 1);
        Some(&self.content)
    }
}

pub(super) fn at(path: &str) -> FilterField {
    FilterField::Content(ContentPath::from_dotted(path).unwrap())
}

pub(super) fn text(text: &str) -> Operand {
    Operand::from_escaped(text).unwrap()
}

pub(super) fn matches(field: &FilterField, compare: FieldComparison, resource: &Resource) -> bool {
    let filter = Filter::test(field.clone(), compare).compile().unwrap();
    filter.matches(resource)
}

/// Texts that meet each other: numbers, words of JSON, beginnings of each other, long ones, zero bytes.
pub(super) fn texts() -> impl Strategy<Value = String> {
    let long = "é".repeat(120);
    let low = "\u{1}".repeat(90);
    let some = [
        "", "5", "5.0", "10", "9", "-1", "true", "false", "null", "a", "ab", "abc", "a*", "a\0",
        "a\0b", "\0", "\u{ff}", "2", "1e1",
    ];
    let mut some: Vec<String> = some.iter().map(ToString::to_string).collect();
    for end in ["", "a", "b", "\0", "~"] {
        some.push(format!("{long}{end}"));
        some.push(format!("{low}{end}"));
    }
    prop_oneof![6 => select(some), 1 => any::<String>()]
}

pub(super) fn numbers() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec![
            json!(0),
            json!(-0.0),
            json!(1),
            json!(1.0),
            json!(5),
            json!(5.0),
            json!(10),
            json!(-1),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(i64::MAX),
            json!(f64::MAX),
            json!(f64::MIN),
            json!(5e-324),
            json!(-5e-324),
            json!(f64::MIN_POSITIVE),
            json!(18_446_744_073_709_551_616.0),
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992.0),
            json!(-9_223_372_036_854_775_808.0),
            json!(0.1),
        ]),
        any::<u64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_filter_map("finite", |bits| {
            serde_json::Number::from_f64(f64::from_bits(bits)).map(Value::Number)
        }),
    ]
}

pub(super) fn scalars() -> impl Strategy<Value = Value> {
    let few = vec![
        json!(5),
        json!("5"),
        json!(7.0),
        json!("7"),
        json!("a"),
        json!(true),
        json!("true"),
        json!("null"),
    ];
    prop_oneof![
        // So few that filters and resources often meet.
        12 => select(few),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        3 => numbers(),
        4 => texts().prop_map(Value::String),
    ]
}

/// Scalars, lists and objects, of few keys, so that paths lead somewhere.
pub(super) fn values() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..7).prop_map(Value::Array),
            prop::collection::vec((select(vec!["a", "b", "0"]), inner), 0..4).prop_map(|entries| {
                let entries = entries
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value));
                Value::Object(entries.collect())
            }),
        ]
    })
}

pub(super) fn resources() -> impl Strategy<Value = Resource> {
    let optional = || prop::option::of(texts());
    let version = (0..3_u32, 0..12_u32).prop_map(|(major, minor)| Version::new(major, minor, 0));
    let created = prop::option::of(-3..4_i64);
    let content = prop_oneof![
        values(),
        (values(), scalars()).prop_map(|(a, b)| json!({"a": a, "b": b}))
    ];
    let fields = (
        optional(),
        optional(),
        created,
        prop::option::of(version),
        content,
    );
    fields.prop_map(|(name, label, created, version, content)| Resource {
        name,
        label,
        created,
        version,
        content,
        ..Resource::default()
    })
}
