//! What a leaf of one version is at another: a model of the steps that change values, a few lines for
//! each, which shares nothing with the code of the steps.

use crate::field::{Field, Id, Kind, extensible};
use coeval_core::types::same;
use serde_json::{Value, json};

/// A step that changed what a field's value looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Of this very step: two versions that have it share the way up to here.
    pub id: u32,
    /// What it does.
    pub what: What,
}

/// From the older version to the newer one.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A value for a value, and perhaps what stands for all others, forward and backward.
    Map {
        table: Vec<(String, String)>,
        otherwise: Option<(String, String)>,
    },
    /// Times the first, divided by the second.
    Scale(i64, i64),
    /// A text with a whole number becomes the number.
    ToNumber,
    /// The other way round.
    ToText,
    /// A value becomes a list of it.
    Wrap,
    /// A list becomes its first item.
    Unwrap,
    /// JSON in a text becomes the value.
    Parse,
    /// One of the two parts of a text, which is this field.
    Part { of: Id, number: usize },
}

/// What is to be seen at another version.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This value.
    Value(Value),
    /// A list that begins with this one; the rest of it was kept.
    First(Value),
    /// Nothing: the value has no counterpart, and the document can't be shown.
    Refused,
    /// The model does not tell.
    Unknown,
}

enum Along {
    One(Value),
    List(Vec<Value>),
    First(Value),
}

/// What a value of one version's field is where another version has the same field.
pub fn expected(from: &Field, to: &Field, value: &Value) -> Expected {
    let shared = from.changes.iter().zip(&to.changes);
    let shared = shared.take_while(|(one, other)| one.id == other.id).count();
    let mut along = match value {
        Value::Array(items) if matches!(from.kind, Kind::List(_)) => Along::List(items.clone()),
        Value::Array(_) | Value::Object(_) => return Expected::Unknown,
        value => Along::One(value.clone()),
    };
    let back = from.changes[shared..].iter().rev().map(|one| (one, false));
    let on = to.changes[shared..].iter().map(|one| (one, true));
    for (change, forward) in back.chain(on) {
        along = match step(&change.what, forward, along) {
            Ok(along) => along,
            Err(expected) => return expected,
        };
    }
    match along {
        Along::One(value) => Expected::Value(value),
        Along::List(items) => Expected::Value(Value::Array(items)),
        Along::First(value) => Expected::First(value),
    }
}

fn step(what: &What, forward: bool, along: Along) -> Result<Along, Expected> {
    let wraps = matches!((what, forward), (What::Wrap, true) | (What::Unwrap, false));
    let unwraps = matches!((what, forward), (What::Wrap, false) | (What::Unwrap, true));
    match along {
        Along::One(value) if wraps => Ok(Along::First(value)),
        // An empty list has nothing to show.
        Along::List(items) if unwraps => {
            let first = items.into_iter().next();
            first.map(Along::One).ok_or(Expected::Unknown)
        }
        Along::First(value) if unwraps => Ok(Along::One(value)),
        Along::One(value) => changed(what, forward, &value).map(Along::One),
        Along::List(_) | Along::First(_) => Err(Expected::Unknown),
    }
}

fn changed(what: &What, forward: bool, value: &Value) -> Result<Value, Expected> {
    let whole = || value.as_i64().ok_or(Expected::Unknown);
    let text = || value.as_str().ok_or(Expected::Unknown);
    let to_number = || {
        let number = text()?.trim().parse::<i64>();
        number.map(Value::from).map_err(|_| Expected::Unknown)
    };
    let to_text = || Ok(json!(whole()?.to_string()));
    match (what, forward) {
        (What::Scale(times, over), true) => Ok(json!(whole()? * times / over)),
        (What::Scale(times, over), false) => Ok(json!(whole()? * over / times)),
        (What::ToNumber, true) | (What::ToText, false) => to_number(),
        (What::ToNumber, false) | (What::ToText, true) => to_text(),
        (What::Parse, true) => to_number(),
        (What::Parse, false) => to_text(),
        (What::Map { table, otherwise }, forward) => {
            let from = text()?;
            let mut entries = table
                .iter()
                .map(|(old, new)| if forward { (old, new) } else { (new, old) });
            let found = entries.find(|(key, _)| *key == from).map(|(_, to)| to);
            let fallback = otherwise
                .as_ref()
                .map(|(on, back)| if forward { on } else { back });
            found
                .or(fallback)
                .map(|to| json!(to))
                .ok_or(Expected::Refused)
        }
        (What::Part { number, .. }, true) => {
            let part = text()?.splitn(2, ':').nth(*number);
            part.map(|part| json!(part)).ok_or(Expected::Unknown)
        }
        (What::Part { .. }, false) => Err(Expected::Unknown),
        (What::Wrap | What::Unwrap, _) => Err(Expected::Unknown),
    }
}

/// Whether a field is a part of that text.
pub fn is_part(field: &Field, whole: &Field) -> bool {
    let last = field.changes.last().map(|change| &change.what);
    matches!(last, Some(What::Part { of, .. }) if *of == whole.origin)
}

impl Expected {
    /// Whether that is what is seen.
    pub fn is(&self, seen: &Value) -> bool {
        match self {
            Self::Value(value) => same(value, seen),
            Self::First(value) => {
                let first = seen.as_array().and_then(|items| items.first());
                first.is_some_and(|first| same(value, first))
            }
            Self::Refused => false,
            Self::Unknown => true,
        }
    }

    /// Whether a field can't have it: it is refused, or outside of the values that the field lists, which
    /// `readers` of an extensible enum tolerate. `None` if the model does not tell.
    pub fn is_unfit(&self, field: &Field, readers: bool) -> Option<bool> {
        let value = match self {
            Self::Refused => return Some(true),
            Self::Unknown => return None,
            Self::First(value) => json!([value]),
            Self::Value(value) => value.clone(),
        };
        Some(is_unlisted(field, &value, readers))
    }
}

/// Whether an enum, or a list of them, has a value that it does not list.
fn is_unlisted(field: &Field, value: &Value, readers: bool) -> bool {
    let (kind, values) = match (&field.kind, value) {
        (Kind::List(kind), Value::Array(items)) => (&**kind, items.as_slice()),
        (kind, value) => (kind, std::slice::from_ref(value)),
    };
    let Kind::Enum(listed) = kind else {
        return false;
    };
    // The promise stands beside the enum itself, and not inside of a list.
    if readers && extensible(field.id) && !matches!(field.kind, Kind::List(_)) {
        return false;
    }
    let outside = |value: &Value| listed.iter().all(|one| *value != json!(one));
    values.iter().any(outside)
}

/// Whether a document has a value that its version does not list; `readers` tolerate some.
pub fn has_unlisted(fields: &[Field], document: &Value, readers: bool) -> bool {
    fields.iter().any(|field| {
        let Some(value) = document.get(&field.name) else {
            return false;
        };
        match (&field.kind, value) {
            (Kind::Object(inner), value) => has_unlisted(inner, value, readers),
            (Kind::Keyed(inner) | Kind::Items(inner), Value::Array(items)) => {
                items.iter().any(|item| has_unlisted(inner, item, readers))
            }
            (Kind::Map(inner), Value::Object(map)) => {
                map.values().any(|item| has_unlisted(inner, item, readers))
            }
            (_, value) => is_unlisted(field, value, readers),
        }
    })
}
