//! `keyed: {path, key}`: a list of objects becomes a map of them by what they have under `key`. The
//! order of the list is kept; a map that nobody knows an order of becomes a list in that of its keys.

use super::value::{excerpt, kind};
use crate::convert::note::{Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw, every};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{
    JsonKinds, SchemaSketch, SketchField, SketchScope, item_schemas, one_of,
};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, ListKey, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use crate::types::PathToken;
use crate::types::pointer::child;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let key = args.text("key")?.to_owned();
    let id = making.id();
    Ok(vec![DirectedStep::forward(KeyedItems { id, path, key })])
}

#[derive(Debug)]
struct KeyedItems {
    id: StepId,
    path: FieldPath,
    key: String,
}

impl KeyedItems {
    fn refuse(&self, place: &str, why: String) -> ConversionRefusal {
        ConversionRefusal::value(child(&self.path.to_string(), place), why)
    }

    fn to_map(&self, items: Vec<Value>, margin: &mut Margin) -> Carried<Value> {
        let way = StepWay::Forward;
        let mut map = Map::new();
        let mut order = Vec::new();
        for (index, mut item) in items.into_iter().enumerate() {
            let number = index.to_string();
            let mut beside = margin.take_item(index);
            let Some(fields) = item.as_object_mut() else {
                return Err(self.refuse(&number, format!("{} is no object", kind(&item))));
            };
            // The key leaves the item: in the map it is its name.
            let key = match fields.shift_remove(&self.key) {
                Some(Value::String(key)) => key,
                // Names of properties are texts. A number would come back as a text.
                Some(other) => {
                    let why = format!("its {} is {}, not a string", self.key, excerpt(&other));
                    return Err(self.refuse(&number, why));
                }
                None => return Err(self.refuse(&number, format!("it has no {}", self.key))),
            };
            // What is kept for the key itself has no place in a map; it waits beside the item.
            let of_key = beside.take_key(&self.key);
            if !of_key.is_bare() {
                let note = self.id.note(way, NotePurpose::Part, NoteCondition::There);
                beside.notes.push(note.margin(of_key));
            }
            // On the way to a list a field of this name had to make way for the key.
            if let Some(note) =
                self.id
                    .take_note_on(&mut beside, way, NotePurpose::Displaced, &self.key)
                && let Some(value) = note.value
            {
                fields.insert(self.key.clone(), value);
                beside.set_key(&self.key, note.margin);
            }
            margin.set_key(&key, beside);
            order.push(Value::from(key.as_str()));
            // Two items under one name: one of them would be lost without a word.
            if map.insert(key.clone(), item).is_some() {
                let why = format!("{} {key:?} is there twice", self.key);
                return Err(self.refuse(&number, why));
            }
        }
        let noted = margin.take_note(self.id.uses(way, NotePurpose::Order));
        // A map has no order of its own. It is kept unless the names are sorted, which is what a
        // list made of a map is.
        let order = noted.map_or_else(|| unsorted(order), |note| note.value);
        if let Some(order) = order {
            let note = self.id.note(way, NotePurpose::Order, NoteCondition::There);
            margin.notes.push(note.value(order));
        }
        Ok(Value::Object(map))
    }

    /// What comes of a list's schema. Items without a key, and what is no list, are refused.
    fn sketched_map(&self, list: &Value, scope: &mut SketchScope<'_>) -> Value {
        if !JsonKinds::of(list).has(JsonKinds::ARRAY) {
            return Value::Bool(false);
        }
        let mut values = Vec::new();
        for item in item_schemas(list) {
            values.push(SchemaSketch::inside(scope, item, |inner| {
                inner.within(&[], |item| {
                    // Only items with a key get through, since others are refused.
                    item.require(std::slice::from_ref(&self.key));
                    item.take(std::slice::from_ref(&self.key));
                });
            }));
        }
        let mut map = json!({"type": "object", "additionalProperties": one_of(values)});
        // Numbers of items are numbers of properties, as no two items share a key.
        carry_number(list, "minItems", &mut map, "minProperties");
        carry_number(list, "maxItems", &mut map, "maxProperties");
        map
    }

    /// What comes of a map's schema. Values that are no objects are refused.
    fn sketched_list(&self, map: &Value, scope: &mut SketchScope<'_>) -> Value {
        if !JsonKinds::of(map).has(JsonKinds::OBJECT) {
            return Value::Bool(false);
        }
        // Properties by name, by pattern, and all others become items alike.
        let under = |word: &str| map.get(word).and_then(Value::as_object);
        let named = under("properties")
            .into_iter()
            .chain(under("patternProperties"));
        let mut values: Vec<Value> = named.flat_map(Map::values).cloned().collect();
        let rest = map.get("additionalProperties").cloned();
        values.push(rest.unwrap_or(Value::Bool(true)));
        let mut items = Vec::new();
        for value in values {
            items.push(SchemaSketch::inside(scope, value, |inner| {
                inner.within(&[], |item| {
                    let key = std::slice::from_ref(&self.key);
                    item.take(key);
                    let schema = json!({"type": "string"});
                    // Every item has its key, because every property has a name.
                    let always = true;
                    item.put(key, SketchField { schema, always });
                    item.require(key);
                });
            }));
        }
        let mut list = json!({"type": "array", "items": one_of(items)});
        carry_number(map, "minProperties", &mut list, "minItems");
        carry_number(map, "maxProperties", &mut list, "maxItems");
        list
    }

    fn to_list(&self, mut map: Map<String, Value>, margin: &mut Margin) -> Carried<Value> {
        let way = StepWay::Backward;
        let noted = margin.take_note(self.id.uses(way, NotePurpose::Order));
        let noted = noted.and_then(|note| note.value);
        let mut position = HashMap::new();
        if let Some(Value::Array(order)) = &noted {
            position.extend(order.iter().filter_map(Value::as_str).zip(0_usize..));
        }
        // Taken apart, so that the items can be put in order.
        let mut pairs: Vec<_> = std::mem::take(&mut map).into_iter().collect();
        pairs.sort_by(|(one, _), (other, _)| {
            let at = |key: &String| position.get(key.as_str()).copied().unwrap_or(usize::MAX);
            // Those that are not in the order have come since, and follow in the order of their
            // names.
            (at(one), one).cmp(&(at(other), other))
        });
        let order = pairs.iter().map(|(key, _)| Value::from(key.as_str()));
        if noted != unsorted(order.collect()) {
            // The way back would note another order, because items have come or gone.
            let note = self.id.note(way, NotePurpose::Order, NoteCondition::Same);
            margin.notes.push(note.value(noted));
        }
        let mut items = Vec::with_capacity(pairs.len());
        for (index, (key, mut item)) in pairs.into_iter().enumerate() {
            let mut beside = margin.take_key(&key);
            let Some(fields) = item.as_object_mut() else {
                return Err(self.refuse(&key, format!("{} is no object", kind(&item))));
            };
            // A field of this name is in the way of the key; it is kept beside the item.
            if let Some(value) = fields.insert(self.key.clone(), Value::from(key)) {
                let note = self
                    .id
                    .note(way, NotePurpose::Displaced, NoteCondition::There);
                let inner = beside.take_key(&self.key);
                beside
                    .notes
                    .push(note.key(&self.key).value(value).margin(inner));
            }
            if let Some(note) = beside.take_note(self.id.uses(way, NotePurpose::Part)) {
                beside.set_key(&self.key, note.margin);
            }
            margin.set_item(index, beside);
            items.push(item);
        }
        Ok(Value::Array(items))
    }
}

/// The order of a list, unless it is that of its keys.
fn unsorted(order: Vec<Value>) -> Option<Value> {
    let sorted = order.is_sorted_by_key(|key| key.as_str().map(str::to_owned));
    (!sorted).then_some(Value::Array(order))
}

impl ConversionStep for KeyedItems {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, _run: &mut Budget) -> Carried<()> {
        let Some((value, mut margin)) = tree.lift(&self.path) else {
            return Ok(());
        };
        *value = match (way, std::mem::take(value)) {
            (StepWay::Forward, Value::Array(items)) => self.to_map(items, &mut margin)?,
            (StepWay::Backward, Value::Object(map)) => self.to_list(map, &mut margin)?,
            // Null stays null: it is neither of the two and nothing is in it.
            (_, Value::Null) => Value::Null,
            (way, other) => {
                let wanted = way.choose("a list", "an object");
                let why = format!("{} is not {wanted}", kind(&other));
                return Err(ConversionRefusal::value(&self.path, why));
            }
        };
        tree.set_margin(&self.path, margin);
        Ok(())
    }

    fn trace(&self, _way: StepWay, trail: Trail) -> Option<Trail> {
        let key = match self.path.rest(&trail) {
            Some([PathToken::Every, PathToken::Key(key), ..]) => key,
            _ => return Some(trail),
        };
        (*key != self.key).then_some(trail)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let (parents, key) = self.path.split();
        sketch.within(parents, |scope| {
            scope.change(key, |field, scope| {
                // Null gets through unchanged, so it is put aside for the sketch.
                let null = JsonKinds::of(&field.schema).has(JsonKinds::NULL);
                let null = null.then(|| json!({"type": "null"}));
                let other = way.choose(
                    self.sketched_map(&field.schema, scope),
                    self.sketched_list(&field.schema, scope),
                );
                let schema = one_of(null.into_iter().chain([other]).collect());
                SketchField { schema, ..field }
            });
        });
    }

    /// A key that nobody may see must not be one under which everybody finds the item.
    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        match (way, self.path.rest(&trail)) {
            (StepWay::Forward, Some([PathToken::Every, PathToken::Key(key), ..]))
                if *key == self.key =>
            {
                vec![self.path.trail()]
            }
            _ => self.images(way, trail),
        }
    }

    fn places(&self) -> Vec<Trail> {
        let mut key = every(&self.path);
        key.push(PathToken::Key(self.key.clone()));
        vec![self.path.trail(), key]
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let loss = |class, what: String| StepLoss {
            class,
            path: self.path.to_string(),
            what,
        };
        match way {
            StepWay::Forward => vec![
                loss(
                    ConversionClass::Keeps,
                    "keeps the order of the list".to_owned(),
                ),
                loss(
                    ConversionClass::MayRefuse,
                    format!(
                        "is refused where an item has no {}, or two have the same",
                        self.key
                    ),
                ),
            ],
            StepWay::Backward => vec![loss(
                ConversionClass::MayRefuse,
                "is refused where a value is no object".to_owned(),
            )],
        }
    }

    fn list_keys(&self, side: StepWay) -> Vec<ListKey> {
        match side {
            StepWay::Forward => Vec::new(),
            StepWay::Backward => vec![ListKey {
                list: self.path.trail(),
                key: self.key.clone(),
            }],
        }
    }
}

fn carry_number(from: &Value, word: &str, to: &mut Value, as_word: &str) {
    if let (Some(number), Some(map)) = (from.get(word), to.as_object_mut()) {
        map.insert(as_word.to_owned(), number.clone());
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        Pair::of(json!([{"keyed": {"path": "/nodes", "key": "name"}}]))
    }

    #[test]
    fn a_list_becomes_a_map() {
        pair().forward(
            json!({"nodes": [{"name": "b", "x": 1}, {"name": "a"}]}),
            json!({"nodes": {"b": {"x": 1}, "a": {}}}),
            &[],
        );
        pair().means(json!({"nodes": []}), json!({"nodes": {}}));
        pair().means(json!({"nodes": null}), json!({"nodes": null}));
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn the_order_comes_back_also_when_the_map_was_written_in_another() {
        let (mut tree, _) = pair().there(json!({"nodes": [{"name": "b"}, {"name": "a"}]}));
        tree.value = json!({"nodes": {"c": {}, "a": {}, "b": {}}});
        let back = pair().back(tree);
        assert_eq!(
            back.value,
            json!({"nodes": [{"name": "b"}, {"name": "a"}, {"name": "c"}]})
        );
    }

    #[test]
    fn a_key_that_a_value_has_inside_is_kept() {
        pair().backward(
            json!({"nodes": {"a": {"name": "other"}}}),
            json!({"nodes": [{"name": "a"}]}),
            &["/nodes/0/name"],
        );
    }

    #[test]
    fn items_need_a_key_of_their_own() {
        pair().refuses_forward(json!({"nodes": [{"name": "a"}, {"name": "a"}]}), "/nodes/1");
        pair().refuses_forward(json!({"nodes": [{"x": 1}]}), "/nodes/0");
        pair().refuses_forward(json!({"nodes": [{"name": 1}]}), "/nodes/0");
        pair().refuses_forward(json!({"nodes": ["a"]}), "/nodes/0");
        pair().refuses_forward(json!({"nodes": "a"}), "/nodes");
        pair().refuses_backward(json!({"nodes": {"a": 1}}), "/nodes/a");
        pair().refuses_backward(json!({"nodes": [1]}), "/nodes");
    }

    #[test]
    fn the_key_has_its_place_in_the_list_alone() {
        pair().leads("/nodes/*/name", None);
        pair().comes_from("/nodes/*/name", None);
        pair().leads("/nodes/*/name/x", None);
        pair().leads("/nodes/*/size", "/nodes/*/size");
        pair().leads("/nodes/*", "/nodes/*");
        pair().leads("/name", "/name");
        pair().keys(&[("/nodes", "name")], &[]);
        pair().loses(&[
            (ConversionClass::Keeps, "/nodes", "the order"),
            (ConversionClass::MayRefuse, "/nodes", "has no name"),
        ]);
        pair().loses_back(&[(ConversionClass::MayRefuse, "/nodes", "no object")]);
        is_in_the_way(json!({"keyed": {"path": "/b", "key": "name"}}));
    }
}
