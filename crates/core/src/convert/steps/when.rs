//! `when: {path, is, steps, otherwise}`: steps that depend on a value, or on the JSON type of a
//! value (`is: {type: string}`).
//!
//! On the way back the branch must be found again. If no step of either branch touches the value,
//! it is asked again. Otherwise it is noted where `steps` were taken; for a document that was written
//! in the newer version, the branch is right whose result would lead back to it, `otherwise` first.

use super::value::excerpt;
use crate::convert::note::{KeptNote, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw, WHEN_LEVELS};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{JsonKinds, SchemaSketch, SketchField, SketchScope, finite, listed};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, ListKey, StepId, StepLoss, StepWay,
    apply_all, images_all, sketch_all, spread_all, trace_all,
};
use crate::convert::tree::NotedValue;
use crate::types::{same, whole};
use serde_json::{Map, Value};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let is = WhenTest::read(args)?;
    // Every level doubles what the way back has to try.
    if making.whens >= WHEN_LEVELS {
        let reason = format!("when is inside of when more than {WHEN_LEVELS} times");
        return Err(args.flaw("path", reason));
    }
    let id = making.id();
    // Steps inside know that they are in a branch, because they keep more then.
    making.whens += 1;
    let steps = args.steps("steps", Trail::new(), making)?;
    let otherwise = args.steps("otherwise", Trail::new(), making)?;
    making.whens -= 1;
    if steps.is_empty() && otherwise.is_empty() {
        return Err(args.flaw("steps", "there is no step"));
    }
    let mut all = steps.iter().chain(&otherwise);
    let touched = all.any(|step| step.step.touches(&path));
    // If the steps leave the tested place alone, the test tells the branch on the way back as
    // well.
    Ok(vec![DirectedStep::forward(WhenStep {
        id,
        path,
        is,
        steps,
        otherwise,
        touched,
    })])
}

#[derive(Debug)]
enum WhenTest {
    Value(Value),
    Type(&'static str),
}

const TYPES: [&str; 8] = [
    "null", "boolean", "integer", "number", "string", "array", "object", "absent",
];

impl WhenTest {
    fn read(args: &mut StepArgs<'_>) -> Result<Self, StepFlaw> {
        let wrong = "it must be a scalar, or {type: string} with a JSON type, or {type: absent}";
        match args.need("is")? {
            Value::Object(map) if map.len() == 1 => {
                // Only a type's name is allowed here: a value that is an object can't be told from
                // it.
                let name = map.get("type").and_then(Value::as_str);
                let known = TYPES.iter().find(|known| Some(**known) == name);
                let known = known.ok_or_else(|| args.flaw("is", wrong))?;
                Ok(Self::Type(known))
            }
            Value::Object(_) | Value::Array(_) => Err(args.flaw("is", wrong)),
            scalar => Ok(Self::Value(scalar.clone())),
        }
    }

    fn holds(&self, value: Option<&Value>) -> bool {
        // Absent is a kind of its own, beside null.
        let Some(value) = value else {
            return matches!(self, Self::Type("absent"));
        };
        match self {
            Self::Value(expected) => same(expected, value),
            Self::Type("null") => value.is_null(),
            Self::Type("boolean") => value.is_boolean(),
            Self::Type("integer") => whole(value).is_some(),
            Self::Type("number") => value.is_number(),
            Self::Type("string") => value.is_string(),
            Self::Type("array") => value.is_array(),
            Self::Type("object") => value.is_object(),
            Self::Type(_) => false,
        }
    }
}

impl WhenTest {
    /// Leaves those documents for which the test holds, or does not, and perhaps more.
    /// May keep too much, never too little: a sketch proves only what holds for all that it lets
    /// through.
    fn narrow(&self, path: &FieldPath, holds: bool, sketch: &mut SchemaSketch) {
        let keys = path.keys();
        sketch.within(&[], |scope| {
            let field = scope.look(keys);
            let kinds = JsonKinds::of(&field.schema);
            let always = field.always && scope.is_object();
            // Whether any document is left. If none is, the branch drops out of the sketch, which
            // proves more.
            let possible = match (self, holds) {
                (Self::Type("absent"), true) => !always,
                (Self::Type("absent"), false) => !field.is_never(),
                (_, true) if field.is_never() => false,
                (Self::Type(name), true) => kinds.has(kind_named(name)),
                (Self::Type(name), false) => !always || !kinds.within(kind_named(name)),
                (Self::Value(value), true) => kinds.has(JsonKinds::of_value(value)),
                // Another value may always be there, unless all values are known, see below.
                (Self::Value(_), false) => true,
            };
            if !possible {
                scope.exclude();
                return;
            }
            match (self, holds) {
                (Self::Type("absent"), true) => {
                    scope.take(keys);
                }
                (Self::Type("absent"), false) => scope.require(keys),
                (Self::Type(name), true) => {
                    let kept = of_kinds(field.schema, kinds.and(kind_named(name)));
                    set(scope, keys, kept, true);
                }
                (Self::Type(name), false) => {
                    let kept = of_kinds(field.schema, kinds.without(kind_named(name)));
                    set(scope, keys, kept, false);
                }
                (Self::Value(value), true) => set(scope, keys, listed([value.clone()]), true),
                // Only where all values are known can one of them be taken out.
                (Self::Value(value), false) => {
                    if let Some(mut values) = finite(&field.schema) {
                        values.retain(|other| !same(other, value));
                        set(scope, keys, listed(values), false);
                    }
                }
            }
        });
    }
}

fn kind_named(name: &str) -> JsonKinds {
    JsonKinds::by_name(name).unwrap_or(JsonKinds::ALL)
}

fn of_kinds(schema: Value, kinds: JsonKinds) -> Value {
    if kinds.is_none() {
        return Value::Bool(false);
    }
    let mut map = match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    map.insert("type".to_owned(), kinds.to_json());
    Value::Object(map)
}

/// Replaces what a field is where it is; `required` stays true of the objects around it.
fn set(scope: &mut SketchScope<'_>, keys: &[String], schema: Value, require: bool) {
    if require {
        scope.require(keys);
    }
    let Some((last, parents)) = keys.split_last() else {
        return;
    };
    if let Some(mut inner) = scope.enter(parents) {
        inner.change(last, |field, _| SketchField { schema, ..field });
    }
}

#[derive(Debug)]
struct WhenStep {
    id: StepId,
    path: FieldPath,
    is: WhenTest,
    steps: Vec<DirectedStep>,
    otherwise: Vec<DirectedStep>,
    /// Whether a step changes what is asked.
    touched: bool,
}

impl WhenStep {
    fn holds(&self, tree: &NotedValue) -> bool {
        self.is.holds(tree.get(&self.path))
    }

    fn branch(&self, holds: bool) -> &[DirectedStep] {
        if holds { &self.steps } else { &self.otherwise }
    }

    /// The branch whose result would lead back here.
    fn back(&self, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        let sign = self.id.uses(StepWay::Backward, NotePurpose::Branch);
        let noted = tree.margin.take_note(sign);
        // The branch that was noted first. Without a note the usual one is `otherwise`, as the way
        // forward notes the other.
        let order = match noted {
            Some(_) => [true, false],
            None => [false, true],
        };
        let mut refusal = None;
        for holds in order {
            // A copy, because a branch that fails has changed it already.
            let mut tried = tree.clone();
            match apply_all(self.branch(holds), StepWay::Backward, &mut tried, run) {
                // It leads back only if the way forward would choose this branch.
                Ok(()) if self.holds(&tried) == holds => {
                    *tree = tried;
                    if holds && noted.is_none() {
                        // On the way forward it is found without a note.
                        let sign = self.id.makes(StepWay::Backward, NotePurpose::Branch);
                        tree.margin
                            .notes
                            .push(KeptNote::new(sign, NoteCondition::There));
                    }
                    return Ok(());
                }
                Ok(()) => {}
                // The first refusal is that of the likelier branch, and says more.
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        let found = tree
            .get(&self.path)
            .map_or_else(|| "absent".to_owned(), excerpt);
        let why = format!("no older document leads to it (it is {found})");
        Err(refusal.unwrap_or_else(|| ConversionRefusal::value(&self.path, why)))
    }
}

impl ConversionStep for WhenStep {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        // The steps may have changed the place, so that the test can't be asked before they are
        // undone.
        if way == StepWay::Backward && self.touched {
            return self.back(tree, run);
        }
        let holds = self.holds(tree);
        apply_all(self.branch(holds), way, tree, run)?;
        let plain = self.id.uses(way, NotePurpose::Branch);
        // Only one of the branches is noted; the other follows from there being no note.
        if self.touched && tree.margin.take_note(plain).is_none() && holds {
            let note = self.id.note(way, NotePurpose::Branch, NoteCondition::There);
            tree.margin.notes.push(note);
        }
        Ok(())
    }

    /// Only where both branches agree is a place certain.
    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let one = trace_all(&self.steps, way, trail.clone());
        let other = trace_all(&self.otherwise, way, trail);
        match (one, other) {
            (Some(one), Some(other)) => (one == other).then_some(one),
            _ => None,
        }
    }

    fn images(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        let mut all = images_all(&self.steps, way, trail.clone());
        all.extend(images_all(&self.otherwise, way, trail));
        all
    }

    fn paths(&self) -> Vec<&FieldPath> {
        let inner = self.steps.iter().chain(&self.otherwise);
        let inner = inner.flat_map(|step| step.step.paths());
        inner.chain([&self.path]).collect()
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        // What is asked is asked before the steps; on the way back it must hold after them.
        let after = way == StepWay::Backward && self.touched;
        sketch.branch(|holds, sketch| {
            if !after {
                self.is.narrow(&self.path, holds, sketch);
            }
            sketch_all(self.branch(holds), way, sketch);
            if after {
                self.is.narrow(&self.path, holds, sketch);
            }
        });
    }

    /// In the one case here, in the other there.
    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        let mut places = spread_all(&self.steps, way, trail.clone());
        for place in spread_all(&self.otherwise, way, trail) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    fn places(&self) -> Vec<Trail> {
        let inner = self.steps.iter().chain(&self.otherwise);
        let inner = inner.flat_map(|step| step.step.places());
        inner.chain([self.path.trail()]).collect()
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let inner = self.steps.iter().chain(&self.otherwise);
        let mut losses: Vec<_> = inner.flat_map(|step| step.losses(way)).collect();
        if self.touched {
            losses.push(match way {
                StepWay::Forward => StepLoss {
                    class: ConversionClass::Keeps,
                    path: self.path.to_string(),
                    what: "is remembered as it was, where the steps change it".to_owned(),
                },
                StepWay::Backward => StepLoss {
                    class: ConversionClass::MayRefuse,
                    path: self.path.to_string(),
                    what: "is refused where no older document leads to it".to_owned(),
                },
            });
        }
        losses
    }

    fn list_keys(&self, side: StepWay) -> Vec<ListKey> {
        let mut keys = super::super::step::list_keys(&self.steps, side);
        keys.extend(super::super::step::list_keys(&self.otherwise, side));
        keys
    }

    fn is_fickle(&self) -> bool {
        let mut inner = self.steps.iter().chain(&self.otherwise);
        self.touched || inner.any(|step| step.step.is_fickle())
    }

    fn deepens(&self) -> bool {
        let mut inner = self.steps.iter().chain(&self.otherwise);
        inner.any(|step| step.step.deepens())
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, in_lists, is_in_the_way};
    use serde_json::json;

    #[test]
    fn steps_depend_on_a_value() {
        let pair = Pair::of(json!([{"when": {
            "path": "/kind", "is": "vm",
            "steps": [{"rename": {"path": "/size", "to": "memory"}}],
            "otherwise": [{"rename": {"path": "/size", "to": "disk"}}],
        }}]));
        pair.means(
            json!({"kind": "vm", "size": 1}),
            json!({"kind": "vm", "memory": 1}),
        );
        pair.means(
            json!({"kind": "db", "size": 1}),
            json!({"kind": "db", "disk": 1}),
        );
        pair.means(json!({"size": 1}), json!({"disk": 1}));
        pair.exact(json!({"kind": "vm", "size": 1, "disk": 2, "memory": 3}));
    }

    fn ports() -> Pair {
        Pair::of(json!([{"when": {
            "path": "/port", "is": {"type": "string"},
            "steps": [{"convert": {"path": "/port", "to": "integer"}}],
        }}]))
    }

    #[test]
    fn steps_depend_on_a_type_that_they_change() {
        ports().forward(json!({"port": "80"}), json!({"port": 80}), &[]);
        ports().forward(json!({"port": 80}), json!({"port": 80}), &[]);
        ports().backward(json!({"port": 80}), json!({"port": 80}), &[]);
        ports().means(json!({}), json!({}));
    }

    #[test]
    fn a_changed_value_goes_back_by_the_branch_that_it_came_by() {
        let (mut tree, _) = ports().there(json!({"port": "80"}));
        tree.value = json!({"port": 90});
        assert_eq!(ports().back(tree).value, json!({"port": "90"}));
    }

    #[test]
    fn what_no_older_document_leads_to_is_refused() {
        let steps = json!([{"map": {"path": "/x", "table": {"a": "b"}}}]);
        let pair = Pair::of(json!([{"when": {"path": "/x", "is": "a", "steps": steps}}]));
        pair.means(json!({"x": "c"}), json!({"x": "c"}));
        pair.forward(json!({"x": "a"}), json!({"x": "b"}), &[]);
        pair.forward(json!({"x": "b"}), json!({"x": "b"}), &[]);
        pair.refuses_backward(json!({"x": "a"}), "/x");
        ports().backward(json!({"port": "text"}), json!({"port": "text"}), &["/port"]);
    }

    #[test]
    fn a_scalar_or_an_object_becomes_an_object() {
        let pair = Pair::of(json!([{"when": {
            "path": "/image", "is": {"type": "string"},
            "steps": [{"move": {"from": "/image", "to": "/image/name"}}],
        }}]));
        pair.forward(json!({"image": "a"}), json!({"image": {"name": "a"}}), &[]);
        pair.forward(
            json!({"image": {"name": "a"}}),
            json!({"image": {"name": "a"}}),
            &[],
        );
        pair.backward(
            json!({"image": {"name": "a"}}),
            json!({"image": {"name": "a"}}),
            &[],
        );
    }

    #[test]
    fn every_type_can_be_asked_for() {
        let value = |name: &str| match name {
            "null" => json!({"x": null}),
            "boolean" => json!({"x": true}),
            "integer" => json!({"x": 1}),
            "number" => json!({"x": 1.5}),
            "string" => json!({"x": "a"}),
            "array" => json!({"x": []}),
            "object" => json!({"x": {}}),
            _ => json!({}),
        };
        for name in super::TYPES {
            let steps = json!([{"add": {"path": "/mark", "value": true}}]);
            let is = json!({"type": name});
            let pair = Pair::of(json!([{"when": {"path": "/x", "is": is, "steps": steps}}]));
            for other in super::TYPES {
                let (tree, _) = pair.there(value(other));
                let expected = other == name || (name == "number" && other == "integer");
                assert_eq!(tree.value.get("mark").is_some(), expected, "{name} {other}");
            }
        }
    }

    #[test]
    fn a_test_is_a_scalar_or_a_type() {
        for is in [
            json!([1]),
            json!({"type": "text"}),
            json!({"a": 1, "type": "string"}),
        ] {
            let when = json!({"path": "/a", "is": is, "steps": [{"wrap": {"path": "/a"}}]});
            assert!(flaw(json!({"when": when})).contains("must be a scalar"));
        }
        let empty = json!({"path": "/a", "is": 1, "steps": []});
        assert!(flaw(json!({"when": empty})).contains("no step"));
        let mut nested = json!({"wrap": {"path": "/a"}});
        for _ in 0..4 {
            nested = json!({"when": {"path": "/a", "is": 1, "steps": [nested]}});
        }
        assert!(flaw(nested).contains("when is inside"));
    }

    #[test]
    fn a_place_is_certain_where_both_branches_agree() {
        let pair = Pair::of(json!([{"when": {
            "path": "/kind", "is": "vm",
            "steps": [{"rename": {"path": "/size", "to": "memory"}}, {"add": {"path": "/gpu"}}],
            "otherwise": [{"rename": {"path": "/size", "to": "disk"}}],
        }}]));
        pair.leads("/size", None);
        pair.spreads("/size", &["/disk", "/memory"]);
        pair.comes_from("/memory", None);
        pair.spreads_back("/memory", &["/memory", "/size"]);
        pair.leads("/gpu", None);
        pair.leads("/name", "/name");
        pair.loses(&[]);
        pair.loses_back(&[(ConversionClass::Keeps, "/gpu", "has no place there")]);
        assert!(!pair.fickle());
    }

    #[test]
    fn a_value_that_the_steps_change_has_to_be_tried() {
        let convert =
            |from: &str, to: &str| json!({"convert": {"path": "/port", "from": from, "to": to}});
        let pair = Pair::of(json!([{"when": {
            "path": "/port", "is": {"type": "boolean"},
            "steps": [convert("boolean", "string")],
        }}]));
        assert!(pair.fickle());
        pair.loses(&[(ConversionClass::Keeps, "/port", "remembered as it was")]);
        let refused = (ConversionClass::MayRefuse, "/port", "can't be a boolean");
        let written = (ConversionClass::Keeps, "/port", "written in another way");
        let nothing = (ConversionClass::MayRefuse, "/port", "no older document");
        pair.loses_back(&[refused, written, nothing]);
        is_in_the_way(json!({"when": {
            "path": "/b", "is": 1, "steps": [{"add": {"path": "/x"}}],
        }}));
        is_in_the_way(json!({"when": {
            "path": "/x", "is": 1, "steps": [{"add": {"path": "/b"}}],
        }}));
        is_in_the_way(json!({"when": {
            "path": "/x", "is": 1, "otherwise": [{"add": {"path": "/b"}}],
        }}));
    }

    #[test]
    fn it_is_as_deep_and_as_fickle_as_its_branches() {
        let when = |branch: &str, step| {
            Pair::of(json!([{"when": {
                "path": "/kind", "is": 1, branch: [step],
            }}]))
        };
        let inner = json!({"when": {"path": "/a", "is": 1, "steps": [{"wrap": {"path": "/a"}}]}});
        for (branch, kind) in [("steps", 1), ("otherwise", 2)] {
            let wrap = json!({"wrap": {"path": "/a"}});
            when(branch, wrap.clone()).too_deep(json!({"kind": kind, "a": in_lists(127)}));
            assert!(!when(branch, wrap).fickle());
            assert!(when(branch, inner.clone()).fickle());
            let flat = json!({"rename": {"path": "/a", "to": "b"}});
            when(branch, flat).never_deeper(json!({"kind": kind, "a": in_lists(200)}));
            let keyed = json!({"each": {"path": "/n", "key": "k"}});
            when(branch, keyed).keys(&[("/n", "k")], &[("/n", "k")]);
        }
    }

    #[test]
    fn what_follows_it_is_in_no_branch() {
        let when = json!({"path": "/kind", "is": 1, "steps": [{"add": {"path": "/x"}}]});
        let copy = json!({"from": "/image", "to": "/img"});
        let pair = Pair::of(json!([{"when": when}, {"copy": copy}]));
        pair.means(json!({"img": 1}), json!({"image": 1, "img": 1}));
    }
}
