//! What the steps that turn one value into another have in common: if the way back would not lead
//! to the same value, the original is kept for as long as its counterpart is unchanged.

use crate::convert::note::{Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{JsonKinds, SchemaSketch, SketchField, finite, listed, one_of};
use crate::convert::step::{Budget, ConversionClass, ConversionStep, StepId, StepLoss, StepWay};
use crate::convert::tree::NotedValue;
use crate::types::same;
use serde_json::{Value, json};
use std::fmt::Debug;

/// A value of the one version as a value of the other; why there is none, as a clause.
pub(crate) trait ValueExchange: Debug + Send + Sync + 'static {
    fn exchange(&self, way: StepWay, value: &Value) -> Result<Value, String>;

    fn losses(&self, way: StepWay) -> Vec<(ConversionClass, String)>;

    /// A schema for all that comes of a schema's values, other than null, if it does not list them.
    fn image(&self, way: StepWay, schema: &Value) -> Value;
}

#[derive(Debug)]
pub(crate) struct ValueStep<E> {
    pub(crate) id: StepId,
    pub(crate) path: FieldPath,
    pub(crate) exchange: E,
}

impl<E: ValueExchange> ConversionStep for ValueStep<E> {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, _run: &mut Budget) -> Carried<()> {
        let Some((value, mut margin)) = tree.lift(&self.path) else {
            return Ok(());
        };
        // Null is no value of the one type or of the other, and stays what it is.
        if !value.is_null() {
            // The original is only noted as long as the value is the one that it became.
            let noted = margin.take_note(self.id.uses(way, NotePurpose::Original));
            let (other, inside) = match noted {
                Some(note) => (note.value.unwrap_or_default(), note.margin),
                None => {
                    let other = self.exchange.exchange(way, value);
                    let other = other.map_err(|why| ConversionRefusal::value(&self.path, why))?;
                    (other, Margin::default())
                }
            };
            // The other way is tried at once: only a value that would not come back is worth
            // keeping.
            let back = self.exchange.exchange(way.turned(), &other);
            let before = std::mem::replace(value, other);
            // What is kept inside of an object or list has no place in a scalar.
            let kept = Margin {
                notes: Vec::new(),
                keys: std::mem::replace(&mut margin.keys, inside.keys),
                items: std::mem::replace(&mut margin.items, inside.items),
                restored: false,
            };
            if !kept.is_bare() || !back.is_ok_and(|back| same(&back, &before)) {
                let note = self
                    .id
                    .note(way, NotePurpose::Original, NoteCondition::Same);
                margin.notes.push(note.value(before).margin(kept));
            }
        }
        tree.set_margin(&self.path, margin);
        Ok(())
    }

    fn trace(&self, _way: StepWay, trail: Trail) -> Option<Trail> {
        Some(trail)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let (parents, key) = self.path.split();
        sketch.within(parents, |scope| {
            scope.change(key, |field, _| {
                // Known values are exchanged one by one: what would be refused falls out.
                let schema = match finite(&field.schema) {
                    Some(values) => {
                        let exchanged = values.iter().filter_map(|value| match value {
                            Value::Null => Some(Value::Null),
                            value => self.exchange.exchange(way, value).ok(),
                        });
                        listed(exchanged)
                    }
                    None => {
                        // Null gets through, as in `apply`.
                        let null = JsonKinds::of(&field.schema).has(JsonKinds::NULL);
                        let null = null.then(|| json!({"type": "null"}));
                        let image = self.exchange.image(way, &field.schema);
                        one_of(null.into_iter().chain([image]).collect())
                    }
                };
                SketchField { schema, ..field }
            });
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let all = self.exchange.losses(way).into_iter();
        all.map(|(class, what)| StepLoss {
            class,
            path: self.path.to_string(),
            what,
        })
        .collect()
    }
}

/// What a value is, for messages.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a value, for messages.
pub(crate) fn excerpt(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        Value::String(text) if text.chars().nth(40).is_some() => {
            let start: String = text.chars().take(40).collect();
            format!("{start:?}…")
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{excerpt, kind};
    use crate::convert::steps::testing::{Pair, is_in_the_way};
    use serde_json::{Value, json};

    #[test]
    fn a_value_stays_in_its_place() {
        let pair = Pair::of(json!([{"scale": {"path": "/size", "by": 2}}]));
        for place in ["/size", "/size/x", "/x/*"] {
            pair.leads(place, place);
            pair.comes_from(place, place);
        }
        is_in_the_way(json!({"scale": {"path": "/b", "by": 2}}));
    }

    #[test]
    fn messages_show_scalars_and_name_everything_else() {
        for (value, named, shown) in [
            (json!(null), "null", "null"),
            (json!(true), "a boolean", "true"),
            (json!(1.5), "a number", "1.5"),
            (json!("a\"b"), "a string", "\"a\\\"b\""),
            (json!([1]), "a list", "a list"),
            (json!({"a": 1}), "an object", "an object"),
        ] {
            assert_eq!((kind(&value), excerpt(&value).as_str()), (named, shown));
        }
    }

    #[test]
    fn messages_show_the_beginning_of_a_long_text() {
        let (most, more) = ("é".repeat(40), "é".repeat(41));
        assert_eq!(excerpt(&Value::from(most.as_str())), format!("\"{most}\""));
        assert_eq!(excerpt(&Value::from(more)), format!("\"{most}\"…"));
    }
}
