//! What a leaf of one version is at another: a model of the steps that change values, a few lines for
//! each, which shares nothing with the code of the steps.

use crate::field::{FieldId, FieldKind, WorldField, extensible};
use coeval_core::types::same;
use serde_json::{Value, json};

/// A step that changed what a field's value looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    /// Of this very step: two versions that have it share the way up to here.
    pub id: u32,
    /// What it does.
    pub what: ValueTransform,
}

/// From the older version to the newer one.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTransform {
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
    Part { of: FieldId, number: usize },
}

/// What is to be seen at another version.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedView {
    /// This value.
    Value(Value),
    /// A list that begins with this one; the rest of it was kept.
    First(Value),
    /// Nothing: the value has no counterpart, and the document can't be shown.
    Refused,
    /// The model does not tell.
    Unknown,
}

enum CarriedValue {
    One(Value),
    List(Vec<Value>),
    First(Value),
}

/// What a value of one version's field is where another version has the same field.
pub fn expected(from: &WorldField, to: &WorldField, value: &Value) -> ExpectedView {
    // Changes that both versions share have happened to the value already.
    let shared = from.changes.iter().zip(&to.changes);
    let shared = shared.take_while(|(one, other)| one.id == other.id).count();
    let mut along = match value {
        Value::Array(items) if matches!(from.kind, FieldKind::List(_)) => {
            CarriedValue::List(items.clone())
        }
        // Only leaves are modelled; what is inside of them has places of its own.
        Value::Array(_) | Value::Object(_) => return ExpectedView::Unknown,
        value => CarriedValue::One(value.clone()),
    };
    // Back to the common ancestor, the last change first, then on to the other version.
    let back = from.changes[shared..].iter().rev().map(|one| (one, false));
    let on = to.changes[shared..].iter().map(|one| (one, true));
    for (change, forward) in back.chain(on) {
        along = match step(&change.what, forward, along) {
            // Refused or not known: no later step makes it known again.
            Ok(along) => along,
            Err(expected) => return expected,
        };
    }
    match along {
        CarriedValue::One(value) => ExpectedView::Value(value),
        CarriedValue::List(items) => ExpectedView::Value(Value::Array(items)),
        CarriedValue::First(value) => ExpectedView::First(value),
    }
}

fn step(
    what: &ValueTransform,
    forward: bool,
    along: CarriedValue,
) -> Result<CarriedValue, ExpectedView> {
    // Read backwards, each of the two is the other.
    let wraps = matches!(
        (what, forward),
        (ValueTransform::Wrap, true) | (ValueTransform::Unwrap, false)
    );
    let unwraps = matches!(
        (what, forward),
        (ValueTransform::Wrap, false) | (ValueTransform::Unwrap, true)
    );
    match along {
        // Wrapped, only the first item is known: more of them may have been kept.
        CarriedValue::One(value) if wraps => Ok(CarriedValue::First(value)),
        // An empty list has nothing to show.
        CarriedValue::List(items) if unwraps => {
            let first = items.into_iter().next();
            first.map(CarriedValue::One).ok_or(ExpectedView::Unknown)
        }
        CarriedValue::First(value) if unwraps => Ok(CarriedValue::One(value)),
        CarriedValue::One(value) => changed(what, forward, &value).map(CarriedValue::One),
        CarriedValue::List(_) | CarriedValue::First(_) => Err(ExpectedView::Unknown),
    }
}

fn changed(what: &ValueTransform, forward: bool, value: &Value) -> Result<Value, ExpectedView> {
    // A value that is no whole number is beyond the model.
    let whole = || value.as_i64().ok_or(ExpectedView::Unknown);
    let text = || value.as_str().ok_or(ExpectedView::Unknown);
    let to_number = || {
        let number = text()?.trim().parse::<i64>();
        number.map(Value::from).map_err(|_| ExpectedView::Unknown)
    };
    let to_text = || Ok(json!(whole()?.to_string()));
    match (what, forward) {
        // Towards zero, like the step itself.
        (ValueTransform::Scale(times, over), true) => Ok(json!(whole()? * times / over)),
        (ValueTransform::Scale(times, over), false) => Ok(json!(whole()? * over / times)),
        (ValueTransform::ToNumber, true) | (ValueTransform::ToText, false) => to_number(),
        (ValueTransform::ToNumber, false) | (ValueTransform::ToText, true) => to_text(),
        (ValueTransform::Parse, true) => to_number(),
        (ValueTransform::Parse, false) => to_text(),
        (ValueTransform::Map { table, otherwise }, forward) => {
            let from = text()?;
            let mut entries = table
                .iter()
                .map(|(old, new)| if forward { (old, new) } else { (new, old) });
            // The first row wins, as in the step.
            let found = entries.find(|(key, _)| *key == from).map(|(_, to)| to);
            let fallback = otherwise
                .as_ref()
                .map(|(on, back)| if forward { on } else { back });
            found
                .or(fallback)
                .map(|to| json!(to))
                .ok_or(ExpectedView::Refused)
        }
        (ValueTransform::Part { number, .. }, true) => {
            let part = text()?.splitn(2, ':').nth(*number);
            part.map(|part| json!(part)).ok_or(ExpectedView::Unknown)
        }
        // The whole depends on its other parts too.
        (ValueTransform::Part { .. }, false) => Err(ExpectedView::Unknown),
        (ValueTransform::Wrap | ValueTransform::Unwrap, _) => Err(ExpectedView::Unknown),
    }
}

/// Whether a field is a part of that text.
pub fn is_part(field: &WorldField, whole: &WorldField) -> bool {
    let last = field.changes.last().map(|change| &change.what);
    matches!(last, Some(ValueTransform::Part { of, .. }) if *of == whole.origin)
}

impl ExpectedView {
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
    pub fn is_unfit(&self, field: &WorldField, readers: bool) -> Option<bool> {
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
fn is_unlisted(field: &WorldField, value: &Value, readers: bool) -> bool {
    // An enum may be inside of a list, and then each item counts.
    let (kind, values) = match (&field.kind, value) {
        (FieldKind::List(kind), Value::Array(items)) => (&**kind, items.as_slice()),
        (kind, value) => (kind, std::slice::from_ref(value)),
    };
    let FieldKind::Enum(listed) = kind else {
        return false;
    };
    // The promise stands beside the enum itself, and not inside of a list.
    if readers && extensible(field.id) && !matches!(field.kind, FieldKind::List(_)) {
        return false;
    }
    let outside = |value: &Value| listed.iter().all(|one| *value != json!(one));
    values.iter().any(outside)
}

/// Whether a document has a value that its version does not list; `readers` tolerate some.
pub fn has_unlisted(fields: &[WorldField], document: &Value, readers: bool) -> bool {
    fields.iter().any(|field| {
        let Some(value) = document.get(&field.name) else {
            return false;
        };
        match (&field.kind, value) {
            (FieldKind::Object(inner), value) => has_unlisted(inner, value, readers),
            (FieldKind::Keyed(inner) | FieldKind::Items(inner), Value::Array(items)) => {
                items.iter().any(|item| has_unlisted(inner, item, readers))
            }
            (FieldKind::Map(inner), Value::Object(map)) => {
                map.values().any(|item| has_unlisted(inner, item, readers))
            }
            (_, value) => is_unlisted(field, value, readers),
        }
    })
}
