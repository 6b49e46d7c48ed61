//! One comparison, made ready: operands read once, for the class of the field.
//!
//! | operand | null | bool | number | string | list | object |
//! |---|---|---|---|---|---|---|
//! | text, equal | `null` | `true`, `false` | if it is that number | same bytes | any item | never |
//! | text, before or after | never | never | if it is a number | as numbers if both are, else by bytes | any item | never |
//! | typed, equal | null | same | same number | same bytes | same list, or any item | same object |
//! | typed, before or after | never | never | a number | a string, by bytes | any item | never |
//! | pattern | never | never | never | if it matches | any item | never |
//!
//! Times are compared with RFC 3339 texts as times, versions with versions number by number.

use crate::encoding::{NumberBytes, number_bytes, put_value};
use crate::error::FilterError;
use crate::field::{FieldClass, FilterField};
use crate::filter::FieldComparison;
use crate::operand::{Operand, number_of};
use crate::pattern::WildcardPattern;
use crate::view::{FieldValue, FilterView, visit};
use coeval_core::version::Version;
use jiff::Timestamp;
use serde_json::Value;
use std::cmp::Ordering;

const NANOS_PER_MILLI: i128 = 1_000_000;

/// A comparison that is ready to be evaluated.
#[derive(Clone, Debug)]
pub(crate) enum FieldCheck {
    Exists,
    /// Some value is one of these, or, negated, none is.
    OneOf {
        wanted: Vec<WantedValue>,
        negated: bool,
    },
    /// Some value stands so to it.
    Stands(Relation, WantedValue),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    const fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// An operand, read.
#[derive(Clone, Debug)]
pub(crate) enum WantedValue {
    Text {
        text: String,
        number: Option<NumberBytes>,
    },
    Number(NumberBytes),
    String(String),
    /// null, a bool, a list or an object, as bytes.
    Other {
        value: Value,
        bytes: Vec<u8>,
    },
    Pattern(WildcardPattern),
    /// Nanoseconds: an operand can be finer than what is seen.
    Time(i128),
    Version(Version),
}

impl FieldCheck {
    pub(crate) fn of(field: &FilterField, compare: &FieldComparison) -> Result<Self, FilterError> {
        let class = field.class();
        // Equal, unequal and one of several are one check, with a list of operands.
        let one_of = |operands: &[Operand], negated| {
            let wanted = operands
                .iter()
                .map(|operand| WantedValue::of(class, operand));
            Ok(Self::OneOf {
                wanted: wanted.collect::<Result<_, _>>()?,
                negated,
            })
        };
        // An order needs operands that come before or after each other.
        let stands = |relation, operand: &Operand| {
            let wanted = WantedValue::of(class, operand)?;
            match wanted {
                WantedValue::Pattern(_) => Err(FilterError::operand(
                    &operand.shown(),
                    "a pattern has no place in an order",
                )),
                WantedValue::Other { .. } => Err(FilterError::operand(
                    &operand.shown(),
                    "only numbers, strings, times and versions come before or after each other",
                )),
                _ => Ok(Self::Stands(relation, wanted)),
            }
        };
        match compare {
            FieldComparison::Equal(operand) => one_of(std::slice::from_ref(operand), false),
            FieldComparison::NotEqual(operand) => one_of(std::slice::from_ref(operand), true),
            FieldComparison::In(operands) => one_of(operands, false),
            FieldComparison::Less(operand) => stands(Relation::Less, operand),
            FieldComparison::LessOrEqual(operand) => stands(Relation::LessOrEqual, operand),
            FieldComparison::Greater(operand) => stands(Relation::Greater, operand),
            FieldComparison::GreaterOrEqual(operand) => stands(Relation::GreaterOrEqual, operand),
            FieldComparison::Exists => Ok(Self::Exists),
        }
    }

    pub(crate) fn passes(&self, field: &FilterField, seen: &(impl FilterView + ?Sized)) -> bool {
        match self {
            Self::Exists => visit(field, seen, &mut |_| true),
            Self::OneOf { wanted, negated } => {
                let equal =
                    // A field with several values is equal if one of them is; unequal is the
                    // opposite of that, not of each.
                    |value: &FieldValue<'_>| wanted.iter().any(|wanted| wanted.equals(value));
                any(field, seen, &equal) != *negated
            }
            Self::Stands(relation, wanted) => any(field, seen, &|value| {
                wanted
                    .compare(value)
                    .is_some_and(|ordering| relation.accepts(ordering))
            }),
        }
    }
}

/// Whether a value of the field passes, or an item of a list that is such a value.
fn any(
    field: &FilterField,
    seen: &(impl FilterView + ?Sized),
    passes: &dyn Fn(&FieldValue<'_>) -> bool,
) -> bool {
    visit(field, seen, &mut |value| {
        // A list passes if one of its items does, as people expect of tags.
        passes(&value)
            || match value {
                FieldValue::Json(Value::Array(items)) => {
                    items.iter().any(|item| passes(&FieldValue::Json(item)))
                }
                _ => false,
            }
    })
}

impl WantedValue {
    fn of(class: FieldClass, operand: &Operand) -> Result<Self, FilterError> {
        operand.bounded()?;
        let refuse = |why| Err(FilterError::operand(&operand.shown(), why));
        match (class, operand) {
            // Read once, so that no resource is compared by parsing.
            (FieldClass::Time, Operand::Text(text) | Operand::Json(Value::String(text))) => {
                match text.parse::<Timestamp>() {
                    Ok(time) => Ok(Self::Time(time.as_nanosecond())),
                    Err(_) => refuse("a time is written like 2030-01-31T12:00:00Z"),
                }
            }
            (FieldClass::Time, Operand::Pattern(_)) => {
                refuse("a time is compared with a whole time, not a pattern")
            }
            (FieldClass::Version, Operand::Text(text) | Operand::Json(Value::String(text))) => {
                // As headers write it: a short form is enough.
                match Version::parse_header(text) {
                    Ok(version) => Ok(Self::Version(version)),
                    Err(_) => refuse("a version is written like 1.1.0"),
                }
            }
            (FieldClass::Time | FieldClass::Version, Operand::Json(_)) => {
                refuse("the field has another type")
            }
            // Kept as a number as well: whether the field holds numbers is known only when a value
            // is looked at.
            (_, Operand::Text(text)) => Ok(Self::Text {
                number: number_of(text).as_ref().map(number_bytes),
                text: text.clone(),
            }),
            (_, Operand::Pattern(pattern)) => Ok(Self::Pattern(pattern.clone())),
            (_, Operand::Json(value)) => Ok(Self::of_json(value)),
        }
    }

    fn of_json(value: &Value) -> Self {
        match value {
            Value::Number(number) => Self::Number(number_bytes(number)),
            Value::String(text) => Self::String(text.clone()),
            other => Self::Other {
                value: other.clone(),
                bytes: encoded(other),
            },
        }
    }

    fn equals(&self, shown: &FieldValue<'_>) -> bool {
        match (self, shown) {
            (Self::Time(wanted), FieldValue::Time(time)) => *wanted == nanos(*time),
            (Self::Version(wanted), FieldValue::Version(version)) => wanted == version,
            // A pattern on a version is one on its text.
            (Self::Pattern(pattern), FieldValue::Version(version)) => {
                pattern.matches(&version.to_string())
            }
            (_, FieldValue::Text(text)) => self.equals_string(text),
            (_, FieldValue::Json(Value::String(text))) => self.equals_string(text),
            // Words of JSON, because a text operand has no quotes that would tell them apart.
            (Self::Text { text, .. }, FieldValue::Json(Value::Null)) => text == "null",
            (Self::Text { text, .. }, FieldValue::Json(Value::Bool(value))) => {
                text == if *value { "true" } else { "false" }
            }
            (
                Self::Text {
                    number: Some(wanted),
                    ..
                }
                | Self::Number(wanted),
                FieldValue::Json(Value::Number(number)),
            ) => *wanted == number_bytes(number),
            // The same kind first: encoding a large object to compare it with null would be a waste.
            (Self::Other { value, bytes }, FieldValue::Json(shown)) => {
                std::mem::discriminant(value) == std::mem::discriminant(*shown)
                    && *bytes == encoded(shown)
            }
            _ => false,
        }
    }

    fn equals_string(&self, shown: &str) -> bool {
        match self {
            Self::Text { text, .. } | Self::String(text) => text == shown,
            Self::Pattern(pattern) => pattern.matches(shown),
            _ => false,
        }
    }

    /// How what is shown stands to what is wanted; `None` where the two have no order.
    fn compare(&self, shown: &FieldValue<'_>) -> Option<Ordering> {
        match (self, shown) {
            (Self::Time(wanted), FieldValue::Time(time)) => Some(nanos(*time).cmp(wanted)),
            (Self::Version(wanted), FieldValue::Version(version)) => Some(version.cmp(wanted)),
            (_, FieldValue::Text(text)) => self.compare_string(text),
            (_, FieldValue::Json(Value::String(text))) => self.compare_string(text),
            (
                Self::Text {
                    number: Some(wanted),
                    ..
                }
                | Self::Number(wanted),
                FieldValue::Json(Value::Number(number)),
            ) => Some(number_bytes(number).cmp(wanted)),
            _ => None,
        }
    }

    fn compare_string(&self, shown: &str) -> Option<Ordering> {
        match self {
            Self::Text { text, number } => {
                // As numbers only if both are: as texts, `10` would come before `9`.
                let numbers = number.zip(number_of_shown(number.is_some(), shown));
                Some(match numbers {
                    Some((wanted, shown)) => shown.cmp(&wanted),
                    None => shown.cmp(text.as_str()),
                })
            }
            Self::String(text) => Some(shown.cmp(text.as_str())),
            _ => None,
        }
    }
}

fn number_of_shown(needed: bool, shown: &str) -> Option<NumberBytes> {
    needed
        .then(|| number_of(shown).as_ref().map(number_bytes))
        .flatten()
}

fn nanos(time: i64) -> i128 {
    i128::from(time) * NANOS_PER_MILLI
}

/// The last whole millisecond that is not after it.
pub(crate) fn millis_of(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(NANOS_PER_MILLI)).unwrap_or(i64::MAX)
}

pub(crate) fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_value(value, &mut bytes);
    bytes
}
