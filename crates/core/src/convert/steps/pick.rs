//! `pick: {path, key, equals, field, into}`: the item of a list that has `equals` under `key` becomes
//! a field with what it has under `field`. What else the item has, and where it stood, is kept.

use crate::convert::note::{Margin, NoteCondition, NoteOrigin, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw, every};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{
    JsonKinds, SchemaSketch, SketchField, SketchScope, item_schemas, listed, one_of, shared,
};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, ListKey, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use crate::types::{PathToken, same};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let key = args.text("key")?.to_owned();
    let equals = args.need("equals")?.clone();
    // The value has to be recognized in an item: containers and null are no marks of one.
    if equals.is_array() || equals.is_object() || equals.is_null() {
        return Err(args.flaw("equals", "it must be a text, a number or a boolean"));
    }
    let field = args.text("field")?.to_owned();
    // The key is known to have `equals`; as the value it would say nothing.
    if field == key {
        return Err(args.flaw("field", "it is the key; another field has the value"));
    }
    let into = args.path("into")?;
    if into.overlaps(&path) {
        return Err(args.flaw(
            "into",
            format!("{into} and {path} are one inside the other"),
        ));
    }
    let id = making.id();
    Ok(vec![DirectedStep::forward(PickItem {
        id,
        path,
        key,
        equals,
        field,
        into,
    })])
}

#[derive(Debug)]
struct PickItem {
    id: StepId,
    path: FieldPath,
    key: String,
    equals: Value,
    field: String,
    into: FieldPath,
}

impl PickItem {
    fn is(&self, item: &Value) -> bool {
        let key = item.as_object().and_then(|map| map.get(&self.key));
        key.is_some_and(|key| same(key, &self.equals)) && item.get(&self.field).is_some()
    }

    /// The first item that can be picked.
    fn first(&self, tree: &NotedValue, stays: Option<NoteOrigin>) -> Option<usize> {
        let items = tree.get(&self.path)?.as_array()?;
        let margin = tree.margin.get(self.path.keys());
        // Flagged on the way back, when the item was not the one that had been picked.
        let told_to_stay = |index: &usize| {
            let margin = margin.and_then(|margin| margin.items.get(index));
            stays.is_some_and(|stays| margin.is_some_and(|margin| margin.has_note(stays)))
        };
        let numbered = items.iter().enumerate();
        let mut fitting = numbered
            .filter(|(_, item)| self.is(item))
            .map(|(index, _)| index);
        // Among several that fit, the first one that was not told to stay.
        fitting.find(|index| !told_to_stay(index))
    }

    fn pick(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Forward;
        let found = self.first(tree, Some(self.id.uses(way, NotePurpose::Stays)));
        let picked = found.and_then(|index| {
            let (item, length) = self.remove(tree, index)?;
            // Usual: the way back would put it there without being told where.
            let usual = self.first(tree, None).unwrap_or(length) == index;
            Some((index, item, usual))
        });
        // The flags were for this one pick.
        self.forget_stays(tree);
        // A list that only existed for the item goes with it.
        if picked.is_some() {
            tree.remove_created(&self.path, &self.id, way);
            tree.close(&self.path, &self.id, way, true, run);
        }
        tree.displace(&self.into, &self.id, way);
        let Some((index, mut item, usual)) = picked else {
            return;
        };
        let mut take = |key: &str| {
            let value = item.value.as_object_mut()?.shift_remove(key)?;
            let margin = item.margin.take_key(key);
            Some(NotedValue { value, margin })
        };
        let key = take(&self.key);
        // Only items that have the field are picked, so it is there.
        let Some(mut field) = take(&self.field) else {
            return;
        };
        // The key's own value is known, what is noted beside it is not.
        item.margin
            .set_key(&self.key, key.map(|key| key.margin).unwrap_or_default());
        let bare = item.value.as_object().is_none_or(Map::is_empty);
        // An item with nothing but key and value, in the usual place, can be made again from the
        // field alone.
        if !(bare && item.margin.is_bare() && usual) {
            let mut map = Map::new();
            map.insert("at".to_owned(), Value::from(index));
            map.insert("with".to_owned(), item.value);
            let mut margin = Margin::default();
            margin.set_key("with", item.margin);
            let note = self.id.note(way, NotePurpose::Rest, NoteCondition::There);
            let note = note.value(Value::Object(map)).margin(margin);
            field.margin.notes.push(note);
        }
        tree.open(&self.into, &self.id, way);
        tree.place(&self.into, field);
    }

    /// What is picked: it may be there, and the list may be one shorter.
    fn sketched_field(&self, scope: &mut SketchScope<'_>, list: &[String]) -> SketchField {
        let known = scope.look(list);
        if known.is_never() || !JsonKinds::of(&known.schema).has(JsonKinds::ARRAY) {
            return SketchField::NEVER;
        }
        let mut schemas = Vec::new();
        // Any item could be the one, so all of their fields count.
        for item in item_schemas(&known.schema) {
            let mut item = SchemaSketch::new(item, Arc::clone(scope.source));
            item.within(&[], |item| {
                schemas.push(item.look(std::slice::from_ref(&self.field)).schema);
            });
        }
        let mut list_field = scope.take(list);
        list_field.schema = shorter(known.schema);
        scope.put(list, list_field);
        SketchField {
            schema: one_of(schemas),
            // Whether the item is in the list can't be told by its schema.
            always: false,
        }
    }

    /// The list with an item that says what the field said.
    fn sketched_list(
        &self,
        list: SketchField,
        field: SketchField,
        scope: &mut SketchScope<'_>,
    ) -> SketchField {
        let item = json!({
            "type": "object",
            "properties": {&self.key: listed([self.equals.clone()]), &self.field: field.schema},
            "required": [self.key, self.field],
            "additionalProperties": false,
        });
        let before = scope.written_out(list.schema);
        let kinds = JsonKinds::of(&before);
        // The least number of items holds only if the list was there before.
        let there = list.always && kinds.within(JsonKinds::ARRAY);
        let mut items = vec![item];
        if kinds.has(JsonKinds::ARRAY) {
            items.extend(item_schemas(&before));
        }
        // With the field always there, the list is always one.
        let kinds = if field.always {
            JsonKinds::ARRAY
        } else {
            kinds.or(JsonKinds::ARRAY)
        };
        let mut schema = json!({"type": kinds.to_json(), "items": one_of(items)});
        if let Some(map) = schema.as_object_mut() {
            let least = before.get("minItems").filter(|_| there).cloned();
            // A list that was created for the item has exactly that one.
            let least = least.or_else(|| field.always.then(|| json!(1)));
            map.extend(least.map(|least| ("minItems".to_owned(), least)));
            let most = before.get("maxItems").and_then(Value::as_u64);
            map.extend(most.map(|most| ("maxItems".to_owned(), json!(most.saturating_add(1)))));
        }
        SketchField {
            schema,
            always: list.always || field.always,
        }
    }

    /// Takes an item out of the list; how many are left.
    fn remove(&self, tree: &mut NotedValue, index: usize) -> Option<(NotedValue, usize)> {
        let items = tree.get_mut(&self.path)?.as_array_mut()?;
        let value = items.remove(index);
        let left = items.len();
        let mut margin = Margin::default();
        if let Some(around) = tree.margin.get_mut(self.path.keys()) {
            margin = around.take_item(index);
            // The items behind it move up by one, and so do their margins.
            let after = around.items.split_off(&index);
            let moved = after
                .into_iter()
                .map(|(at, margin)| (at.saturating_sub(1), margin));
            around.items.extend(moved);
        }
        Some((NotedValue { value, margin }, left))
    }

    fn insert(&self, tree: &mut NotedValue, index: usize, item: NotedValue) {
        if let Some(Value::Array(items)) = tree.get_mut(&self.path) {
            let index = index.min(items.len());
            items.insert(index, item.value);
            let around = tree.margin.make(self.path.keys());
            let after = around.items.split_off(&index);
            around
                .items
                .extend(after.into_iter().map(|(at, margin)| (at + 1, margin)));
            around.set_item(index, item.margin);
        }
    }

    fn forget_stays(&self, tree: &mut NotedValue) {
        let stays = self.id.uses(StepWay::Forward, NotePurpose::Stays);
        if let Some(around) = tree.margin.get_mut(self.path.keys()) {
            for margin in around.items.values_mut() {
                margin.take_note(stays);
            }
        }
    }

    fn put_back(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Backward;
        let taken = tree.take(&self.into);
        tree.close(&self.into, &self.id, way, taken.is_some(), run);
        let Some(mut field) = taken else {
            // A fitting item must not be picked in the place of one that was never there.
            if let Some(index) = self.first(tree, None) {
                let note = self.id.note(way, NotePurpose::Stays, NoteCondition::Same);
                let around = tree.margin.make(self.path.keys());
                around.items.entry(index).or_default().notes.push(note);
            }
            return;
        };
        let mut item = NotedValue::from(Value::Object(Map::new()));
        let mut at = usize::MAX;
        // What else the item had, and its number.
        if let Some(mut note) = field.margin.take_note(self.id.uses(way, NotePurpose::Rest)) {
            if let Some(Value::Object(mut map)) = note.value {
                let place = map.get("at").and_then(Value::as_u64);
                // The number was written by this code, but the record may have been edited: it is
                // bounded when the item is put in.
                at = place.and_then(|at| usize::try_from(at).ok()).unwrap_or(at);
                item.value = map.shift_remove("with").unwrap_or_default();
            }
            item.margin = note.margin.take_key("with");
        }
        if let Some(map) = item.value.as_object_mut() {
            map.insert(self.key.clone(), self.equals.clone());
            map.insert(self.field.clone(), field.value);
        }
        item.margin.set_key(&self.field, field.margin);
        // There is no list, or something else in its place, which gives way.
        if !tree.get(&self.path).is_some_and(Value::is_array) {
            self.make_list(tree);
        }
        // The first fitting item is the one that will be picked again.
        let at = self.first(tree, None).map_or(at, |first| at.min(first));
        self.insert(tree, at, item);
    }

    fn make_list(&self, tree: &mut NotedValue) {
        let way = StepWay::Backward;
        tree.displace(&self.path, &self.id, way);
        tree.open(&self.path, &self.id, way);
        let mut list = NotedValue::from(Value::Array(Vec::new()));
        let note = self
            .id
            .note(way, NotePurpose::Created, NoteCondition::There);
        list.margin.notes.push(note);
        tree.place(&self.path, list);
    }
}

impl ConversionStep for PickItem {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.pick(tree, run),
            StepWay::Backward => self.put_back(tree, run),
        }
        Ok(())
    }

    /// Items stay items; the one that is picked is not told apart.
    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let Some(rest) = self.into.rest(&trail) else {
            return Some(trail);
        };
        if way == StepWay::Forward {
            return None;
        }
        let mut traced = every(&self.path);
        traced.push(PathToken::Key(self.field.clone()));
        traced.extend(rest.iter().cloned());
        Some(traced)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path, &self.into]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let paths = [&self.path, &self.into];
        let depth = shared(&paths).len();
        let (list, into) = (self.path.after(depth), self.into.after(depth));
        sketch.around(&paths, |scope| match way {
            StepWay::Forward => {
                let found = self.sketched_field(scope, list);
                // Whatever was under the name makes way for it.
                scope.take(into);
                scope.put(into, found);
            }
            StepWay::Backward => {
                let field = scope.take(into);
                if !field.is_never() {
                    let before = scope.take(list);
                    let after = self.sketched_list(before, field, scope);
                    scope.put(list, after);
                }
            }
        });
    }

    /// What is picked is seen outside of the list, and what is not picked still in it.
    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        let mut places = self.images(way, trail.clone());
        if way == StepWay::Forward
            && let Some([_, PathToken::Key(key), rest @ ..]) = self.path.rest(&trail)
            && *key == self.field
        {
            places.push(
                self.into
                    .trail()
                    .into_iter()
                    .chain(rest.iter().cloned())
                    .collect(),
            );
        }
        places
    }

    fn places(&self) -> Vec<Trail> {
        let mut field = every(&self.path);
        field.push(PathToken::Key(self.field.clone()));
        vec![self.path.trail(), field, self.into.trail()]
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        match way {
            StepWay::Backward => Vec::new(),
            StepWay::Forward => vec![StepLoss {
                class: ConversionClass::Keeps,
                path: self.path.to_string(),
                what: format!(
                    "keeps what the item has besides {} and {}, and where it stood",
                    self.key, self.field
                ),
            }],
        }
    }

    fn list_keys(&self, _side: StepWay) -> Vec<ListKey> {
        vec![ListKey {
            list: self.path.trail(),
            key: self.key.clone(),
        }]
    }

    fn deepens(&self) -> bool {
        true
    }
}

/// A list's schema when one item may be gone from anywhere in it.
fn shorter(list: Value) -> Value {
    let items = one_of(item_schemas(&list));
    let kinds = JsonKinds::of(&list);
    let mut shorter = json!({"type": kinds.to_json(), "items": items});
    if let Some(map) = shorter.as_object_mut() {
        let least = list.get("minItems").and_then(Value::as_u64);
        map.extend(least.map(|least| ("minItems".to_owned(), json!(least.saturating_sub(1)))));
        let same = |word: &str| Some((word.to_owned(), list.get(word)?.clone()));
        map.extend(same("maxItems"));
        map.extend(same("uniqueItems"));
    }
    shorter
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, in_lists, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        let pick = json!({
            "path": "/env", "key": "name", "equals": "HOME", "field": "value", "into": "/folder",
        });
        Pair::of(json!([{"pick": pick}]))
    }

    #[test]
    fn an_item_becomes_a_field() {
        pair().forward(
            json!({"env": [{"name": "A", "value": 1}, {"name": "HOME", "value": "/h"}]}),
            json!({"env": [{"name": "A", "value": 1}], "folder": "/h"}),
            &[],
        );
        pair().backward(
            json!({"folder": "/h"}),
            json!({"env": [{"name": "HOME", "value": "/h"}]}),
            &[],
        );
        pair().means(
            json!({"env": [{"name": "A"}]}),
            json!({"env": [{"name": "A"}]}),
        );
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn where_it_stood_and_what_else_it_had_is_kept() {
        pair().forward(
            json!({"env": [{"name": "HOME", "value": 1, "x": 2}, {"name": "A"}]}),
            json!({"env": [{"name": "A"}], "folder": 1}),
            &["/folder"],
        );
    }

    #[test]
    fn an_item_without_the_field_or_a_second_one_stays() {
        pair().means(
            json!({"env": [{"name": "HOME"}]}),
            json!({"env": [{"name": "HOME"}]}),
        );
        let two = json!({"env": [{"name": "HOME", "value": 1}, {"name": "HOME", "value": 2}]});
        pair().forward(
            two,
            json!({"env": [{"name": "HOME", "value": 2}], "folder": 1}),
            &[],
        );
    }

    #[test]
    fn an_item_that_newer_documents_have_in_the_list_stays_there() {
        pair().backward(
            json!({"env": [{"name": "HOME", "value": 1}]}),
            json!({"env": [{"name": "HOME", "value": 1}]}),
            &[],
        );
        pair().backward(
            json!({"env": [{"name": "HOME", "value": 1}], "folder": 2}),
            json!({"env": [{"name": "HOME", "value": 2}, {"name": "HOME", "value": 1}]}),
            &[],
        );
    }

    #[test]
    fn what_is_no_list_gives_way_to_one() {
        pair().backward(
            json!({"env": "text", "folder": 1}),
            json!({"env": [{"name": "HOME", "value": 1}]}),
            &["/env"],
        );
        pair().means(json!({"env": "text"}), json!({"env": "text"}));
    }

    #[test]
    fn the_field_is_not_the_key() {
        let pick = json!({"path": "/e", "key": "k", "equals": 1, "field": "k", "into": "/h"});
        assert!(flaw(json!({"pick": pick})).contains("is the key"));
    }

    #[test]
    fn the_field_comes_from_an_item() {
        pair().comes_from("/folder/x", "/env/*/value/x");
        pair().leads("/folder", None);
        pair().leads("/env/*/value", "/env/*/value");
        pair().comes_from("/env/*/value", "/env/*/value");
        pair().keys(&[("/env", "name")], &[("/env", "name")]);
        pair().loses(&[(ConversionClass::Keeps, "/env", "besides name and value")]);
        pair().loses_back(&[]);
        let pick = |path: &str, into: &str| json!({"pick": {"path": path, "key": "k", "equals": 1, "field": "v", "into": into}});
        is_in_the_way(pick("/b", "/x"));
        is_in_the_way(pick("/x", "/b"));
        assert!(flaw(pick("/x", "/x/y")).contains("one inside the other"));
        for equals in [json!([1]), json!({}), json!(null)] {
            let pick =
                json!({"path": "/e", "key": "k", "equals": equals, "field": "v", "into": "/h"});
            assert!(flaw(json!({"pick": pick})).contains("it must be a text"));
        }
    }

    #[test]
    fn in_its_item_the_field_can_be_too_deep() {
        pair().too_deep_back(json!({"folder": in_lists(126)}));
    }

    #[test]
    fn what_is_kept_in_items_stays_with_them() {
        let pick = json!({
            "path": "/env", "key": "name", "equals": "HOME", "field": "value", "into": "/folder",
        });
        let each = json!({"path": "/env", "steps": [{"remove": {"path": "/old"}}]});
        let pair = Pair::of(json!([{"each": each}, {"pick": pick}]));
        pair.forward(
            json!({"env": [
                {"name": "A", "old": 1}, {"name": "HOME", "value": 2, "old": 3},
                {"name": "B", "old": 4}, {"name": "C"}, {"name": "D", "old": 5},
            ]}),
            json!({"env": [{"name": "A"}, {"name": "B"}, {"name": "C"}, {"name": "D"}], "folder": 2}),
            &[
                "/env/0/old",
                "/env/1/old",
                "/env/3/old",
                "/folder",
                "/folder/with/old",
            ],
        );
    }

    #[test]
    fn only_what_is_unusual_is_kept() {
        let home = |item| json!({"env": [{"name": "A"}, item]});
        let new = json!({"env": [{"name": "A"}], "folder": 1});
        pair().forward(home(json!({"name": "HOME", "value": 1})), new.clone(), &[]);
        let more = home(json!({"name": "HOME", "value": 1, "x": 2}));
        pair().forward(more, new.clone(), &["/folder"]);
        let first = json!({"env": [{"name": "HOME", "value": 1}, {"name": "A"}]});
        pair().forward(first, new, &["/folder"]);
    }
}
