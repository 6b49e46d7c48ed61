//! `parse: {path}`: JSON inside a string becomes the value itself. How the string was written is
//! kept while the value is unchanged.

use super::convert::integer;
use super::value::kind;
use crate::convert::note::{KeptNote, Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{SchemaSketch, SketchField, finite, listed};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use crate::types::{BodyLimits, read_body, whole};
use serde_json::{Value, json};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let id = making.id();
    Ok(vec![DirectedStep::forward(ParseText { id, path })])
}

/// The JSON in a string.
pub(crate) fn parsed(text: &str) -> Result<Value, String> {
    let limits = BodyLimits {
        bytes: text.len(),
        ..BodyLimits::default()
    };
    read_body(text.as_bytes(), limits).map_err(|error| error.to_string())
}

/// The text of a value: the same for equal values, however a number was written. Another version may
/// give `1` back for `1.0`.
fn printed(value: &Value) -> String {
    fn plain(value: &Value) -> Value {
        match value {
            // A number as another version would give it back, so that the text is the same.
            Value::Number(number) if number.is_f64() => {
                let same = whole(value).and_then(integer);
                same.unwrap_or_else(|| value.clone())
            }
            Value::Array(items) => items.iter().map(plain).collect(),
            Value::Object(map) => {
                let fields = map.iter().map(|(key, value)| (key.clone(), plain(value)));
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }
    plain(value).to_string()
}

#[derive(Debug)]
struct ParseText {
    id: StepId,
    path: FieldPath,
}

impl ParseText {
    fn read(&self, field: NotedValue) -> Carried<NotedValue> {
        let way = StepWay::Forward;
        let NotedValue { value, mut margin } = field;
        let Value::String(text) = value else {
            let why = format!("{} is no string with JSON in it", kind(&value));
            return Err(ConversionRefusal::value(&self.path, why));
        };
        // `parsed` bounds how deep it is, since the text comes from outside.
        let value = parsed(&text).map_err(|why| ConversionRefusal::value(&self.path, why))?;
        // What is kept for places inside of the value could only wait beside the text.
        let inner = margin.take_note(self.id.uses(way, NotePurpose::Rest));
        let mut field = NotedValue {
            margin: inner.map(|note| note.margin).unwrap_or_default(),
            value,
        };
        let printed = printed(&field.value);
        // Written as this step would print it, the text need not be kept.
        if printed != text || !margin.is_bare() {
            let note = self
                .id
                .note(way, NotePurpose::Original, NoteCondition::Same);
            let note = note.value(Value::String(text)).margin(margin);
            field.margin.notes.push(note);
        }
        Ok(field)
    }

    fn print(&self, mut field: NotedValue) -> NotedValue {
        let way = StepWay::Backward;
        let original = field
            .margin
            .take_note(self.id.uses(way, NotePurpose::Original));
        // As long as the value is unchanged its text comes back byte for byte.
        let (text, mut margin) = match original {
            Some(KeptNote {
                value: Some(text),
                margin,
                ..
            }) => (text, margin),
            _ => (Value::from(printed(&field.value)), Margin::default()),
        };
        // It holds for as long as the text parses to a value in which these places exist.
        if !field.margin.is_bare() {
            let note = self.id.note(way, NotePurpose::Rest, NoteCondition::Parsed);
            margin.notes.push(note.margin(field.margin));
        }
        NotedValue {
            value: text,
            margin,
        }
    }
}

impl ConversionStep for ParseText {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, _run: &mut Budget) -> Carried<()> {
        // Null is no string; as JSON in a string it would be one.
        if way == StepWay::Forward && tree.get(&self.path).is_some_and(Value::is_null) {
            return Err(ConversionRefusal::value(
                &self.path,
                "null is no string with JSON in it",
            ));
        }
        let Some((value, margin)) = tree.lift(&self.path) else {
            return Ok(());
        };
        let field = NotedValue {
            value: std::mem::take(value),
            margin,
        };
        let field = match way {
            StepWay::Forward => self.read(field)?,
            StepWay::Backward => self.print(field),
        };
        *value = field.value;
        tree.set_margin(&self.path, field.margin);
        Ok(())
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        match (way, self.path.rest(&trail)) {
            (StepWay::Backward, Some(_)) => Some(self.path.trail()),
            _ => Some(trail),
        }
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let (parents, key) = self.path.split();
        sketch.within(parents, |scope| {
            scope.change(key, |field, _| {
                // If the texts are known the values are as well.
                let values = finite(&field.schema);
                let schema = match (way, values) {
                    (StepWay::Backward, _) => json!({"type": "string"}),
                    (StepWay::Forward, Some(values)) => {
                        let texts = values.iter().filter_map(Value::as_str);
                        listed(texts.filter_map(|text| parsed(text).ok()))
                    }
                    (StepWay::Forward, None) => Value::Bool(true),
                };
                SketchField { schema, ..field }
            });
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let loss = |class, what: &str| StepLoss {
            class,
            path: self.path.to_string(),
            what: what.to_owned(),
        };
        match way {
            StepWay::Backward => Vec::new(),
            StepWay::Forward => vec![
                loss(
                    ConversionClass::MayRefuse,
                    "is refused where there is no JSON in it",
                ),
                loss(ConversionClass::Keeps, "is kept as it was written"),
            ],
        }
    }

    fn deepens(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, in_lists, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        Pair::of(json!([{"parse": {"path": "/config"}}]))
    }

    #[test]
    fn the_json_in_a_string_becomes_the_value() {
        pair().means(
            json!({"config": "{\"a\":[1]}"}),
            json!({"config": {"a": [1]}}),
        );
        pair().means(json!({"config": "null"}), json!({"config": null}));
        pair().means(json!({"config": "\"x\""}), json!({"config": "x"}));
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn how_it_was_written_is_kept() {
        pair().forward(
            json!({"config": "{ \"a\": 1 }"}),
            json!({"config": {"a": 1}}),
            &["/config"],
        );
    }

    #[test]
    fn equal_numbers_have_one_text() {
        let number = json!({"config": 1.0});
        pair().forward(json!({"config": "1.0"}), number.clone(), &["/config"]);
        pair().backward(number, json!({"config": "1"}), &[]);
        let nested = json!({"config": [{"a": 2.0}, 0.5]});
        pair().backward(nested, json!({"config": "[{\"a\":2},0.5]"}), &[]);
        // A step that follows may write it otherwise.
        let convert = json!({"convert": {"path": "/config", "to": "string", "from": "integer"}});
        let both = Pair::of(json!([{"parse": {"path": "/config"}}, convert]));
        both.backward(json!({"config": "1"}), json!({"config": "1"}), &[]);
        both.forward(
            json!({"config": "1.0"}),
            json!({"config": "1"}),
            &["/config"],
        );
    }

    #[test]
    fn what_is_no_json_or_too_deep_is_refused() {
        for text in ["{", "", "{\"a\":1,\"a\":2}", "1e400"] {
            pair().refuses_forward(json!({"config": text}), "/config");
        }
        pair().refuses_forward(json!({"config": 5}), "/config");
        pair().refuses_forward(json!({"config": null}), "/config");
        let deep = "[".repeat(10_000);
        pair().refuses_forward(json!({"config": deep}), "/config");
    }

    #[test]
    fn what_is_inside_was_in_the_string() {
        pair().comes_from("/config/a/b", "/config");
        pair().leads("/config", "/config");
        pair().leads("/config/a", "/config/a");
        pair().comes_from("/x/a", "/x/a");
        pair().loses(&[
            (ConversionClass::MayRefuse, "/config", "no JSON"),
            (ConversionClass::Keeps, "/config", "as it was written"),
        ]);
        pair().loses_back(&[]);
        is_in_the_way(json!({"parse": {"path": "/b"}}));
    }

    #[test]
    fn the_string_may_be_as_long_as_the_document() {
        let text = "x".repeat(500_000);
        pair().means(
            json!({"config": format!("{text:?}")}),
            json!({"config": text}),
        );
    }

    #[test]
    fn in_its_place_it_can_have_too_many_levels() {
        pair().means(
            json!({"config": in_lists(127).to_string()}),
            json!({"config": in_lists(127)}),
        );
        pair().too_deep(json!({"config": in_lists(128).to_string()}));
    }
}
