//! `wrap: {path}`: a value becomes a list with one item. Read backwards, a list becomes its first
//! item and the others are kept with it.

use crate::convert::note::{Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{JsonKinds, SchemaSketch, SketchField, item_schemas, one_of};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use crate::types::PathToken;
use serde_json::{Map, Value, json};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let id = making.id();
    Ok(vec![DirectedStep::forward(WrapValue::read(args, id)?)])
}

#[derive(Debug)]
pub(crate) struct WrapValue {
    id: StepId,
    path: FieldPath,
}

impl WrapValue {
    pub(crate) fn read(args: &mut StepArgs<'_>, id: StepId) -> Result<Self, StepFlaw> {
        let path = args.path("path")?;
        Ok(Self { id, path })
    }

    fn wrap(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Forward;
        // An empty list has no item that could be shown: it waits beside the place.
        let empty = self.empty(tree);
        // The field is not there; an empty list comes back if one was kept.
        let Some(mut field) = tree.take(&self.path) else {
            if let Some(empty) = empty {
                tree.place(&self.path, empty);
            }
            return;
        };
        // It was no list at the newer version, and comes back as what it was.
        if let Some(note) = field
            .margin
            .take_note(self.id.uses(way, NotePurpose::Original))
        {
            field.value = note.value.unwrap_or_default();
            tree.place(&self.path, field);
            return;
        }
        let mut items = Vec::new();
        let mut margin = Margin::default();
        // The items behind the first one.
        let rest = field.margin.take_note(self.id.uses(way, NotePurpose::Rest));
        items.push(field.value);
        if let Some(rest) = rest {
            margin = rest.margin;
            if let Some(Value::Array(others)) = rest.value {
                // Numbered from one, as the first item is the field itself.
                for (index, item) in others.into_iter().enumerate() {
                    let beside = margin.take_item(index + 1);
                    let item = run.restored(NotedValue {
                        value: item,
                        margin: beside,
                    });
                    items.push(item.value);
                    margin.set_item(index + 1, item.margin);
                }
            }
        }
        margin.set_item(0, field.margin);
        let value = Value::Array(items);
        tree.place(&self.path, NotedValue { value, margin });
    }

    /// The empty list that is remembered for a field that is absent.
    fn empty(&self, tree: &mut NotedValue) -> Option<NotedValue> {
        let (parents, key) = self.path.split();
        let around = tree.margin.get_mut(parents)?;
        let note = self
            .id
            .take_note_on(around, StepWay::Forward, NotePurpose::Empty, key)?;
        let value = note.value?;
        let margin = note.margin;
        Some(NotedValue { value, margin })
    }

    fn unwrap(&self, tree: &mut NotedValue) {
        let way = StepWay::Backward;
        let Some(mut field) = tree.take(&self.path) else {
            return;
        };
        // No list: it is shown as it is, and the note keeps it from being wrapped on the way back.
        let Value::Array(mut items) = field.value else {
            let note = self
                .id
                .note(way, NotePurpose::Original, NoteCondition::Same);
            let note = note.value(field.value.clone());
            field.margin.notes.push(note);
            tree.place(&self.path, field);
            return;
        };
        // Nothing can be shown of it. The note holds as long as nothing appears under the name.
        if items.is_empty() {
            let (parents, key) = self.path.split();
            let note = self.id.note(way, NotePurpose::Empty, NoteCondition::Absent);
            let note = note
                .key(key)
                .value(Value::Array(items))
                .margin(field.margin);
            tree.margin.make(parents).notes.push(note);
            return;
        }
        // What is kept for the item goes on with it.
        let value = items.remove(0);
        let mut margin = field.margin.take_item(0);
        // The rest of the list waits with the first item, so that it moves with it.
        if !items.is_empty() || !field.margin.is_bare() {
            let note = self.id.note(way, NotePurpose::Rest, NoteCondition::There);
            let note = note.value(Value::Array(items)).margin(field.margin);
            margin.notes.push(note);
        }
        tree.place(&self.path, NotedValue { value, margin });
    }
}

impl ConversionStep for WrapValue {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.wrap(tree, run),
            StepWay::Backward => self.unwrap(tree),
        }
        Ok(())
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let Some(rest) = self.path.rest(&trail) else {
            return Some(trail);
        };
        let mut traced = self.path.trail();
        match way {
            // Backwards the number of the item is left out.
            StepWay::Forward => {
                traced.push(PathToken::Every);
                traced.extend(rest.iter().cloned());
            }
            // The list itself is where its first item is.
            StepWay::Backward => traced.extend(rest.iter().skip(1).cloned()),
        }
        Some(traced)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let (parents, key) = self.path.split();
        sketch.within(parents, |scope| {
            scope.change(key, |field, _| match way {
                StepWay::Forward => SketchField {
                    schema: json!({
                        "type": "array", "items": field.schema, "minItems": 1, "maxItems": 1,
                    }),
                    always: field.always,
                },
                StepWay::Backward => first_item(field),
            });
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        match way {
            StepWay::Forward => Vec::new(),
            StepWay::Backward => vec![StepLoss {
                class: ConversionClass::Keeps,
                path: self.path.to_string(),
                what: "gives its first item, the others are kept".to_owned(),
            }],
        }
    }

    fn deepens(&self) -> bool {
        true
    }
}

/// The first item of a list, and what is no list as it is.
fn first_item(field: SketchField) -> SketchField {
    let kinds = JsonKinds::of(&field.schema);
    let least = field.schema.get("minItems").and_then(Value::as_u64);
    // An empty list shows no field at all.
    let empty = kinds.has(JsonKinds::ARRAY) && least.unwrap_or(0) == 0;
    let always = field.always && !empty;
    let mut schemas = Vec::new();
    if kinds.has(JsonKinds::ARRAY) {
        schemas.extend(item_schemas(&field.schema).into_iter().take(1));
    }
    let others = kinds.without(JsonKinds::ARRAY);
    if !others.is_none() {
        let mut other = match field.schema {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        other.insert("type".to_owned(), others.to_json());
        schemas.push(Value::Object(other));
    }
    let schema = one_of(schemas);
    SketchField { schema, always }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, in_lists, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        Pair::of(json!([{"wrap": {"path": "/zone"}}]))
    }

    #[test]
    fn a_value_becomes_a_list_of_it() {
        pair().means(json!({"zone": "a"}), json!({"zone": ["a"]}));
        pair().means(json!({"zone": null}), json!({"zone": [null]}));
        pair().means(json!({"zone": ["a"]}), json!({"zone": [["a"]]}));
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn a_longer_list_becomes_its_first_item_and_the_others_are_kept() {
        pair().backward(
            json!({"zone": ["a", "b", "c"]}),
            json!({"zone": "a"}),
            &["/zone"],
        );
    }

    #[test]
    fn an_empty_list_becomes_nothing_and_is_remembered() {
        pair().backward(json!({"zone": []}), json!({}), &[]);
    }

    #[test]
    fn what_is_no_list_stays_as_it_is() {
        pair().backward(json!({"zone": "a"}), json!({"zone": "a"}), &["/zone"]);
    }

    #[test]
    fn the_list_is_where_its_first_item_was() {
        pair().leads("/zone/x", "/zone/*/x");
        pair().leads("/zone", "/zone/*");
        pair().comes_from("/zone/*/x", "/zone/x");
        pair().comes_from("/zone", "/zone");
        pair().leads("/x", "/x");
        pair().loses(&[]);
        pair().loses_back(&[(ConversionClass::Keeps, "/zone", "its first item")]);
        is_in_the_way(json!({"wrap": {"path": "/b"}}));
        pair().too_deep(json!({"zone": in_lists(127)}));
    }

    #[test]
    fn what_is_kept_in_items_stays_with_them() {
        let unwrap = json!({"unwrap": {"path": "/zones"}});
        let each = json!({"path": "/zones", "steps": [{"remove": {"path": "/old"}}]});
        let pair = Pair::of(json!([{"each": each}, unwrap]));
        pair.forward(
            json!({"zones": [{"old": 1}, {"x": 2}, {"old": 3}]}),
            json!({"zones": {}}),
            &["/zones/old", "/zones", "/zones/2/old"],
        );
        let both = Pair::of(json!([{"each": each}, unwrap, {"wrap": {"path": "/zones"}}]));
        both.exact(json!({"zones": [{"old": 1}, {"x": 2}, {"old": 3}]}));
    }
}
