//! `each: {path, key, steps}`: steps for every item of a list or every value of a map. `key` is what
//! the items of a list are told apart by, so that what is kept for an item finds it again.

use crate::convert::path::{FieldPath, Trail};
use crate::convert::program::fused;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw, every};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{JsonKinds, SchemaSketch, SketchField, keep_choices};
use crate::convert::step::{
    Budget, ConversionStep, DirectedStep, ListKey, MirroredFields, StepLoss, StepWay, apply_all,
    images_all, sketch_all, spread_all, trace_all,
};
use crate::convert::tree::NotedValue;
use crate::types::PathToken;
use serde_json::{Map, Value};
use std::any::Any;
use std::sync::Arc;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let key = match args.take("key") {
        None => None,
        Some(_) => Some(args.text("key")?.to_owned()),
    };
    let steps = args.steps("steps", every(&path), making)?;
    // A key without steps is allowed: it only says how items are told apart.
    if steps.is_empty() && key.is_none() {
        return Err(args.flaw("steps", "there is neither a step nor a key"));
    }
    let each = EachItem { path, key, steps };
    // A key that the steps remove could not match the items of a body with those that are stored.
    if each.key.is_some() && each.key_after().is_none() {
        let reason = "the key must be there after the steps as before, perhaps under another name";
        return Err(args.flaw("key", reason));
    }
    Ok(vec![DirectedStep::forward(each)])
}

#[derive(Clone, Debug)]
struct EachItem {
    path: FieldPath,
    key: Option<String>,
    steps: Vec<DirectedStep>,
}

impl EachItem {
    /// What the key is called after the steps.
    fn key_after(&self) -> Option<String> {
        let key = PathToken::Key(self.key.clone()?);
        let after = trace_all(&self.steps, StepWay::Forward, vec![key])?;
        match after.as_slice() {
            [PathToken::Key(key)] => Some(key.clone()),
            _ => None,
        }
    }

    /// The trail of a place in every item.
    fn around(&self, inner: Trail) -> Trail {
        every(&self.path).into_iter().chain(inner).collect()
    }
}

impl ConversionStep for EachItem {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        // Nothing to do for the items; the list need not be walked.
        if self.steps.is_empty() {
            return Ok(());
        }
        let Some((value, mut beside)) = tree.lift(&self.path) else {
            return Ok(());
        };
        let around = |refusal: ConversionRefusal| refusal.inside(&self.path.to_string());
        // The item is taken out and put back, because a step works on a value with its margin.
        let mut inner = |value: &mut Value, margin| {
            let mut item = NotedValue {
                value: std::mem::take(value),
                margin,
            };
            apply_all(&self.steps, way, &mut item, run)?;
            *value = item.value;
            Ok(item.margin)
        };
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let margin = inner(item, beside.take_item(index));
                    // The pointer of a refusal grows from the inside out.
                    let margin = margin.map_err(|r: ConversionRefusal| around(r.in_item(index)))?;
                    beside.set_item(index, margin);
                }
            }
            Value::Object(map) => {
                for (key, item) in map.iter_mut() {
                    let margin = inner(item, beside.take_key(key));
                    let margin = margin.map_err(|r: ConversionRefusal| around(r.in_key(key)))?;
                    beside.set_key(key, margin);
                }
            }
            _ => {}
        }
        tree.set_margin(&self.path, beside);
        Ok(())
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        match self.path.rest(&trail) {
            Some([_, inner @ ..]) => {
                let traced = trace_all(&self.steps, way, inner.to_vec())?;
                let start = trail.len() - inner.len();
                Some(trail.iter().take(start).cloned().chain(traced).collect())
            }
            _ => Some(trail),
        }
    }

    fn images(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        match self.path.rest(&trail) {
            Some([_, inner @ ..]) => {
                let start = trail.len() - inner.len();
                let outer = || trail.iter().take(start).cloned();
                let all = images_all(&self.steps, way, inner.to_vec()).into_iter();
                all.map(|image| outer().chain(image).collect()).collect()
            }
            _ => vec![trail],
        }
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        if self.steps.is_empty() {
            return;
        }
        let (parents, key) = self.path.split();
        sketch.within(parents, |scope| {
            // The steps work on a sketch of the item alone, which becomes one schema again.
            scope.change(key, |field, scope| {
                let mut each = |schema: Value| {
                    SchemaSketch::inside(scope, schema, |inner| sketch_all(&self.steps, way, inner))
                };
                let schema = values_changed(field.schema, &mut each);
                SketchField { schema, ..field }
            });
        });
    }

    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        // A place around or beside the items is not changed by what is done inside of them.
        let Some([_, inner @ ..]) = self.path.rest(&trail) else {
            return vec![trail];
        };
        // The start, with its `*`, stays; only what is inside of an item moves.
        let start: Trail = trail
            .iter()
            .take(trail.len() - inner.len())
            .cloned()
            .collect();
        let spread = spread_all(&self.steps, way, inner.to_vec()).into_iter();
        spread
            .map(|inner| start.iter().cloned().chain(inner).collect())
            .collect()
    }

    fn places(&self) -> Vec<Trail> {
        let inner = self.steps.iter().flat_map(|step| step.step.places());
        let inner = inner.map(|inner| self.around(inner));
        inner.chain([self.path.trail()]).collect()
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let inner = self.steps.iter().flat_map(|step| step.losses(way));
        inner
            .map(|loss| StepLoss {
                path: format!("{}/*{}", self.path, loss.path),
                ..loss
            })
            .collect()
    }

    fn list_keys(&self, side: StepWay) -> Vec<ListKey> {
        let key = side.choose(self.key_after(), self.key.clone());
        let own = key.map(|key| ListKey {
            list: self.path.trail(),
            key,
        });
        // Lists inside of the items have keys too.
        let inner = super::super::step::list_keys(&self.steps, side);
        let inner = inner.into_iter().map(|inner| ListKey {
            list: self.around(inner.list),
            key: inner.key,
        });
        own.into_iter().chain(inner).collect()
    }

    fn mirrors(&self) -> Vec<MirroredFields> {
        let inner = super::super::step::mirrors(&self.steps).into_iter();
        inner
            .map(|mirror| MirroredFields {
                from: self.around(mirror.from),
                to: self.around(mirror.to),
            })
            .collect()
    }

    fn is_fickle(&self) -> bool {
        self.steps.iter().any(|step| step.step.is_fickle())
    }

    fn deepens(&self) -> bool {
        self.steps.iter().any(|step| step.step.deepens())
    }

    /// Two passes over the same list are one.
    fn fuse(
        &self,
        way: StepWay,
        next: &dyn ConversionStep,
        next_way: StepWay,
    ) -> Option<Arc<dyn ConversionStep>> {
        let next = (next as &dyn Any).downcast_ref::<Self>()?;
        // Two passes over different lists have nothing in common.
        if next.path != self.path {
            return None;
        }
        let directed = |each: &Self, way: StepWay| -> Vec<DirectedStep> {
            let steps = each.steps.iter().map(|step| DirectedStep {
                step: Arc::clone(&step.step),
                way: step.way.through(way),
            });
            match way {
                StepWay::Forward => steps.collect(),
                StepWay::Backward => steps.rev().collect(),
            }
        };
        // The steps of the two become one list, and may undo each other there: an item is looked
        // at once.
        let mut steps = directed(self, way);
        steps.extend(directed(next, next_way));
        Some(Arc::new(Self {
            path: self.path.clone(),
            // The key is no longer asked for: programs carry documents, and keys are found in the
            // steps as they are written.
            key: None,
            steps: fused(steps),
        }))
    }
}

/// A schema whose items and values are changed.
fn values_changed(schema: Value, each: &mut dyn FnMut(Value) -> Value) -> Value {
    let kinds = JsonKinds::of(&schema);
    if kinds.is_none() {
        return Value::Bool(false);
    }
    let mut map = match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    // Choices and counts may be untrue once the items change.
    keep_choices(&mut map, &|_| false);
    // Items that were distinct may be equal afterwards, and what was contained may be gone.
    for word in [
        "uniqueItems",
        "contains",
        "minContains",
        "maxContains",
        "unevaluatedItems",
    ] {
        map.shift_remove(word);
    }
    if kinds.has(JsonKinds::ARRAY) {
        for word in ["items", "prefixItems", "additionalItems"] {
            match map.get_mut(word) {
                Some(Value::Array(list)) => list.iter_mut().for_each(|item| replace(item, each)),
                Some(item) => replace(item, each),
                None => {}
            }
        }
    }
    if kinds.has(JsonKinds::OBJECT) {
        for word in ["properties", "patternProperties"] {
            let all = map.get_mut(word).and_then(Value::as_object_mut);
            for (_, value) in all.into_iter().flatten() {
                replace(value, each);
            }
        }
        if let Some(rest) = map.get_mut("additionalProperties") {
            replace(rest, each);
        }
    }
    if kinds != JsonKinds::ALL {
        map.insert("type".to_owned(), kinds.to_json());
    }
    Value::Object(map)
}

fn replace(schema: &mut Value, each: &mut dyn FnMut(Value) -> Value) {
    *schema = each(std::mem::take(schema));
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, in_lists, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        let steps = json!([{"rename": {"path": "/img", "to": "image"}}, {"add": {"path": "/gpu"}}]);
        Pair::of(json!([{"each": {"path": "/nodes", "key": "name", "steps": steps}}]))
    }

    #[test]
    fn the_items_of_a_list_are_converted() {
        pair().means(
            json!({"nodes": [{"name": "a", "img": 1}, {"name": "b"}]}),
            json!({"nodes": [{"name": "a", "image": 1}, {"name": "b"}]}),
        );
        pair().backward(
            json!({"nodes": [{"name": "a"}, {"name": "b", "gpu": 1}]}),
            json!({"nodes": [{"name": "a"}, {"name": "b"}]}),
            &["/nodes/1/gpu"],
        );
    }

    #[test]
    fn so_are_the_values_of_a_map_and_nothing_else() {
        pair().means(
            json!({"nodes": {"a": {"img": 1}}}),
            json!({"nodes": {"a": {"image": 1}}}),
        );
        pair().means(
            json!({"nodes": [1, "x", null, []]}),
            json!({"nodes": [1, "x", null, []]}),
        );
        pair().means(json!({"nodes": "text"}), json!({"nodes": "text"}));
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn lists_in_lists() {
        let inner = json!({"each": {"path": "/disks", "steps": [{"wrap": {"path": "/id"}}]}});
        let pair = Pair::of(json!([{"each": {"path": "/nodes", "steps": [inner]}}]));
        pair.means(
            json!({"nodes": [{"disks": [{"id": 1}]}, {}]}),
            json!({"nodes": [{"disks": [{"id": [1]}]}, {}]}),
        );
    }

    #[test]
    fn a_refusal_names_the_item() {
        let steps = json!([{"convert": {"path": "/port", "to": "integer"}}]);
        let pair = Pair::of(json!([{"each": {"path": "/a", "steps": steps}}]));
        pair.refuses_forward(json!({"a": [{"port": "1"}, {"port": "x"}]}), "/a/1/port");
        pair.refuses_forward(json!({"a": {"k/": {"port": "x"}}}), "/a/k~1/port");
    }

    #[test]
    fn the_key_outlives_the_steps() {
        let gone = json!({"path": "/a", "key": "n", "steps": [{"remove": {"path": "/n"}}]});
        assert!(flaw(json!({"each": gone})).contains("key must be there"));
        let nothing = json!({"path": "/a", "steps": []});
        assert!(flaw(json!({"each": nothing})).contains("neither"));
    }

    #[test]
    fn two_passes_over_a_list_are_one() {
        let each = |steps| json!({"each": {"path": "/nodes", "steps": [steps]}});
        let pair = Pair::of(json!([
            each(json!({"rename": {"path": "/a", "to": "b"}})),
            {"rename": {"path": "/x", "to": "y"}},
            each(json!({"rename": {"path": "/b", "to": "c"}})),
        ]));
        assert_eq!(pair.fused(), 2);
        pair.means(
            json!({"nodes": [{"a": 1}], "x": 1}),
            json!({"nodes": [{"c": 1}], "y": 1}),
        );
        pair.exact(json!({"nodes": [{"a": 1, "b": 2, "c": 3}]}));
    }

    #[test]
    fn what_its_steps_do_they_do_in_every_item() {
        pair().leads("/nodes/*/img/tag", "/nodes/*/image/tag");
        pair().comes_from("/nodes/*/image", "/nodes/*/img");
        pair().leads("/nodes/*/gpu", None);
        pair().leads("/nodes", "/nodes");
        pair().leads("/img", "/img");
        pair().loses(&[]);
        pair().loses_back(&[(ConversionClass::Keeps, "/nodes/*/gpu", "has no place there")]);
        is_in_the_way(json!({"each": {"path": "/b", "key": "name"}}));
    }

    #[test]
    fn a_field_can_come_to_several_places_in_its_item() {
        let copy = json!({"copy": {"from": "/image", "to": "/img"}});
        let pair = Pair::of(json!([{"each": {"path": "/nodes", "steps": [copy]}}]));
        pair.spreads("/nodes/*/img", &["/nodes/*/image", "/nodes/*/img"]);
        pair.spreads("/nodes/*/x", &["/nodes/*/x"]);
        pair.spreads("/nodes", &["/nodes"]);
        pair.spreads("/x", &["/x"]);
        pair.mirrors(&[("/nodes/*/image", "/nodes/*/img")]);
    }

    #[test]
    fn every_list_has_its_key_under_the_name_of_either_side() {
        let disks = json!({"each": {"path": "/disks", "key": "id"}});
        let steps = json!([{"rename": {"path": "/name", "to": "title"}}, disks]);
        let each = json!({"path": "/nodes", "key": "name", "steps": steps});
        Pair::of(json!([{"each": each}])).keys(
            &[("/nodes", "name"), ("/nodes/*/disks", "id")],
            &[("/nodes", "title"), ("/nodes/*/disks", "id")],
        );
        Pair::of(json!([{"each": {"path": "/nodes", "steps": [disks]}}]))
            .keys(&[("/nodes/*/disks", "id")], &[("/nodes/*/disks", "id")]);
    }

    #[test]
    fn it_is_as_deep_and_as_fickle_as_its_steps() {
        let each = |step| Pair::of(json!([{"each": {"path": "/n", "steps": [step]}}]));
        let wrap = json!({"wrap": {"path": "/a"}});
        each(wrap.clone()).too_deep(json!({"n": [{"a": in_lists(125)}]}));
        let deep = json!({"n": [{"a": in_lists(200)}]});
        each(json!({"rename": {"path": "/a", "to": "b"}})).never_deeper(deep);
        let touched = json!({"when": {"path": "/a", "is": 1, "steps": [wrap]}});
        assert!(each(touched).fickle());
        assert!(!each(json!({"wrap": {"path": "/a"}})).fickle());
    }

    #[test]
    fn passes_over_two_lists_stay_two() {
        let each = |path: &str| {
            let steps = json!([{"rename": {"path": "/a", "to": "b"}}]);
            json!({"each": {"path": path, "steps": steps}})
        };
        assert_eq!(Pair::of(json!([each("/m"), each("/n")])).fused(), 2);
    }
}
