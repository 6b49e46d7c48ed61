//! `add: {path, value}`: a field that only the newer version has. `value` is what it is where
//! nothing was kept; without it the field is absent then.

use crate::convert::note::{KeptNote, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{SchemaSketch, SketchField, listed};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use crate::convert::weight::weight;
use crate::types::same;
use serde_json::Value;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let id = making.id();
    let field = AddField::read(args, id)?;
    Ok(vec![DirectedStep::forward(field)])
}

#[derive(Debug)]
pub(crate) struct AddField {
    id: StepId,
    path: FieldPath,
    value: Option<Value>,
    /// Bytes of the value, roughly.
    weight: usize,
}

impl AddField {
    pub(crate) fn read(args: &mut StepArgs<'_>, id: StepId) -> Result<Self, StepFlaw> {
        let path = args.path("path")?;
        let value = args.take("value").cloned();
        let weight = value.as_ref().map_or(0, weight);
        Ok(Self {
            id,
            path,
            value,
            weight,
        })
    }

    fn bring(&self, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        tree.displace(&self.path, &self.id, StepWay::Forward);
        // The object around it is no object in this document: there is no place for a field.
        if !tree.has_parent(&self.path) {
            return Ok(());
        }
        let (parents, key) = self.path.split();
        let around = tree.margin.get_mut(parents);
        let noted = around.and_then(|margin| {
            self.id
                .take_note_on(margin, StepWay::Forward, NotePurpose::Field, key)
        });
        match noted {
            Some(KeptNote { value, margin, .. }) => {
                // A note without a value says that the newer version did not have the field.
                if let Some(value) = value {
                    tree.place(&self.path, run.restored(NotedValue { value, margin }));
                }
            }
            None => {
                if let Some(value) = &self.value {
                    // The value is written out once for each item of a list, so it counts against
                    // the budget.
                    run.spend(self.weight)?;
                    let mut field = NotedValue::from(value.clone());
                    // Outside of a branch the usual value is recognized by what it is. Inside,
                    // only a note tells that this step has made it.
                    if self.id.in_when {
                        let sign = self.id.makes(StepWay::Forward, NotePurpose::Part);
                        field
                            .margin
                            .notes
                            .push(KeptNote::new(sign, NoteCondition::Same));
                    }
                    tree.place(&self.path, field);
                }
            }
        }
        Ok(())
    }

    fn remove_added(&self, tree: &mut NotedValue, run: &Budget) {
        if !tree.has_parent(&self.path) {
            return;
        }
        let (parents, key) = self.path.split();
        let mut taken = tree.take(&self.path);
        let sign = self.id.uses(StepWay::Backward, NotePurpose::Part);
        // In a branch of `when` the usual value depends on the branch, so every value that was not
        // made by this step is noted.
        // So is one with something kept beside it, such as the rest of a list that it is the first of.
        let derived = |field: &mut NotedValue| {
            !run.there && field.margin.take_note(sign).is_some() && field.margin.is_bare()
        };
        let derived = taken.as_mut().is_some_and(derived);
        // The step will make it again.
        if derived {
            taken = None;
        }
        let usual = match (&taken, &self.value) {
            // In a branch the value alone does not tell, see above.
            _ if self.id.in_when => taken.is_none() && (derived || self.value.is_none()),
            // With anything kept beside it the field can't be made again from the step alone.
            (Some(field), Some(value)) => field.margin.is_bare() && same(&field.value, value),
            (None, None) => true,
            _ => false,
        };
        if !usual {
            let sign = self.id.makes(StepWay::Backward, NotePurpose::Field);
            let mut note = KeptNote::new(sign, NoteCondition::There).key(key);
            if let Some(field) = taken {
                note = note.value(field.value).margin(field.margin);
            }
            tree.margin.make(parents).notes.push(note);
        }
        // `taken` is false: the way forward has created no objects around it.
        tree.close(&self.path, &self.id, StepWay::Backward, false, run);
    }
}

impl ConversionStep for AddField {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.bring(tree, run),
            StepWay::Backward => {
                self.remove_added(tree, run);
                Ok(())
            }
        }
    }

    fn trace(&self, _way: StepWay, trail: Trail) -> Option<Trail> {
        self.path.rest(&trail).is_none().then_some(trail)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.path]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        sketch.around(&[&self.path], |scope| {
            let key = self.path.last();
            scope.take(key);
            if let (StepWay::Forward, Some(value)) = (way, &self.value) {
                let schema = listed([value.clone()]);
                let always = true;
                scope.put(key, SketchField { schema, always });
            }
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        match way {
            StepWay::Forward => Vec::new(),
            StepWay::Backward => vec![StepLoss {
                class: ConversionClass::Keeps,
                path: self.path.to_string(),
                what: "has no place there and is kept".to_owned(),
            }],
        }
    }

    fn deepens(&self) -> bool {
        matches!(self.value, Some(Value::Array(_) | Value::Object(_)))
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, in_lists, in_objects, is_in_the_way};
    use serde_json::json;

    #[test]
    fn a_new_field_has_its_value_where_nothing_was_kept() {
        let pair = Pair::of(json!([{"add": {"path": "/gpu", "value": 0}}]));
        pair.means(json!({"a": 1}), json!({"a": 1, "gpu": 0}));
        pair.backward(json!({"gpu": 4}), json!({}), &["/gpu"]);
        pair.backward(json!({"gpu": null}), json!({}), &["/gpu"]);
    }

    #[test]
    fn its_absence_is_remembered_too() {
        let pair = Pair::of(json!([{"add": {"path": "/gpu", "value": 0}}]));
        pair.backward(json!({"a": 1}), json!({"a": 1}), &[]);
    }

    #[test]
    fn without_a_value_it_is_absent() {
        let pair = Pair::of(json!([{"add": {"path": "/spec/gpu"}}]));
        pair.means(json!({"spec": {}}), json!({"spec": {}}));
        pair.backward(
            json!({"spec": {"gpu": 1}}),
            json!({"spec": {}}),
            &["/spec/gpu"],
        );
    }

    #[test]
    fn no_object_is_made_for_it() {
        let pair = Pair::of(json!([{"add": {"path": "/spec/gpu", "value": 1}}]));
        pair.means(json!({}), json!({}));
        pair.means(json!({"spec": "text"}), json!({"spec": "text"}));
    }

    #[test]
    fn a_field_of_that_name_that_older_documents_have_is_another_one() {
        let pair = Pair::of(json!([{"add": {"path": "/gpu", "value": 0}}]));
        pair.forward(json!({"gpu": "mine"}), json!({"gpu": 0}), &["/gpu"]);
    }

    #[test]
    fn only_the_newer_version_has_a_place_for_it() {
        let pair = Pair::of(json!([{"add": {"path": "/gpu", "value": 0}}]));
        pair.leads("/gpu/model", None);
        pair.comes_from("/gpu", None);
        pair.leads("/cpu", "/cpu");
        pair.comes_from("/cpu", "/cpu");
        pair.loses(&[]);
        pair.loses_back(&[(ConversionClass::Keeps, "/gpu", "has no place there")]);
        is_in_the_way(json!({"add": {"path": "/b"}}));
    }

    #[test]
    fn its_value_can_be_one_level_too_many() {
        let place = "/a".repeat(128);
        let add = |value| Pair::of(json!([{"add": {"path": place, "value": value}}]));
        add(json!({})).too_deep(in_objects(128));
        add(json!([])).too_deep(in_objects(128));
        add(json!(1)).forward(
            in_objects(128),
            (0..128).fold(json!(1), |inner, _| json!({"a": inner})),
            &[],
        );
        let flat = Pair::of(json!([{"add": {"path": "/x", "value": 1}}, {"add": {"path": "/y"}}]));
        flat.never_deeper(json!({"a": in_lists(200)}));
    }

    #[test]
    fn in_a_branch_every_value_is_kept_that_the_branch_did_not_bring() {
        let when = |add| Pair::of(json!([{"when": {"path": "/kind", "is": "vm", "steps": [add]}}]));
        let usual = when(json!({"add": {"path": "/gpu", "value": 0}}));
        usual.forward(json!({"kind": "vm"}), json!({"kind": "vm", "gpu": 0}), &[]);
        for gpu in [0, 1] {
            let new = json!({"kind": "vm", "gpu": gpu});
            usual.backward(new, json!({"kind": "vm"}), &["/gpu"]);
        }
        usual.backward(json!({"kind": "vm"}), json!({"kind": "vm"}), &[]);
        let absent = when(json!({"add": {"path": "/gpu"}}));
        absent.means(json!({"kind": "vm"}), json!({"kind": "vm"}));
        let new = json!({"kind": "vm", "gpu": 0});
        absent.backward(new, json!({"kind": "vm"}), &["/gpu"]);
    }
}
