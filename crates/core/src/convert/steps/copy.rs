//! `copy: {from, to}`: `from` is new, `to` is the deprecated field that the older version has.
//! Older readers see the new field's value in the deprecated one, and what they write there is the
//! new field's value.

use crate::convert::note::{Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{SchemaSketch, SketchField, one_of, shared};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, MirroredFields, StepId, StepLoss,
    StepWay,
};
use crate::convert::tree::NotedValue;
use crate::types::same;
use serde_json::{Map, Value};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let from = args.path("from")?;
    let to = args.path("to")?;
    // One inside of the other would copy a field into itself.
    if from.overlaps(&to) {
        return Err(args.flaw("to", format!("{to} and {from} are one inside the other")));
    }
    // In a branch, only some documents would have the copy, and writers could not rely on it.
    if making.whens > 0 {
        return Err(args.flaw(
            "from",
            "copy can't be inside when: it must hold for every document",
        ));
    }
    let id = making.id();
    Ok(vec![DirectedStep::forward(CopyField { id, from, to })])
}

#[derive(Debug)]
struct CopyField {
    id: StepId,
    from: FieldPath,
    to: FieldPath,
}

impl CopyField {
    /// Older to newer: both fields, as they were or alike.
    fn spread(&self, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        let way = StepWay::Forward;
        let seen = tree.take(&self.to);
        // First the older field leaves its place, then the newer one may take its own: they may
        // share objects around them.
        tree.close(&self.to, &self.id, way, seen.is_some(), run);
        tree.displace(&self.from, &self.id, way);
        let Some(mut seen) = seen else {
            return Ok(());
        };
        let (from, to) = match seen
            .margin
            .take_note(self.id.uses(way, NotePurpose::Original))
        {
            // Nothing was noted: the two were alike, so the copy is the same again.
            None => {
                // A copy doubles content; the budget stops a chain of such steps.
                run.charge(&seen.value)?;
                let to = NotedValue::from(seen.value.clone());
                (Some(seen), Some(to))
            }
            Some(note) => match note.value {
                // Only the deprecated field was there.
                None => (None, Some(seen)),
                // The two were different, or only the newer one was there: both come back as they
                // were.
                Some(mut value) => {
                    let mut margin = note.margin;
                    let to = value.as_object_mut().and_then(|map| map.shift_remove("to"));
                    let to = to.map(|value| NotedValue {
                        value,
                        margin: margin.take_key("to"),
                    });
                    (Some(seen), to)
                }
            },
        };
        for (path, field) in [(&self.from, from), (&self.to, to)] {
            if let Some(field) = field {
                tree.open(path, &self.id, way);
                tree.place(path, field);
            }
        }
        Ok(())
    }

    /// Newer to older: the new field's value in the deprecated one.
    fn gather(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Backward;
        let from = tree.take(&self.from);
        let to = tree.take(&self.to);
        tree.close(&self.from, &self.id, way, from.is_some(), run);
        tree.close(&self.to, &self.id, way, to.is_some(), run);
        // As long as the value is the one that was seen. A client that changes it means both
        // fields.
        let note = self
            .id
            .note(way, NotePurpose::Original, NoteCondition::Same);
        let (mut seen, note) = match (from, to) {
            (None, None) => return,
            (None, Some(to)) => (to, Some(note)),
            // An empty object: there was no deprecated field.
            (Some(from), None) => (from, Some(note.value(Value::Object(Map::new())))),
            (Some(from), Some(to)) if same(&from.value, &to.value) && to.margin.is_bare() => {
                (from, None)
            }
            (Some(from), Some(to)) => {
                let mut map = Map::new();
                map.insert("to".to_owned(), to.value);
                let mut margin = Margin::default();
                margin.set_key("to", to.margin);
                (from, Some(note.value(Value::Object(map)).margin(margin)))
            }
        };
        seen.margin.notes.extend(note);
        tree.open(&self.to, &self.id, way);
        tree.place(&self.to, seen);
    }
}

impl ConversionStep for CopyField {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.spread(tree, run),
            StepWay::Backward => {
                self.gather(tree, run);
                Ok(())
            }
        }
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let (source, target) = way.choose((&self.to, &self.from), (&self.from, &self.to));
        if let Some(rest) = source.rest(&trail) {
            let rest = rest.iter().cloned();
            return Some(target.trail().into_iter().chain(rest).collect());
        }
        // Both lead to the one that older versions have; a stray field beside it leads nowhere.
        let stray = way == StepWay::Forward && target.rest(&trail).is_some();
        (!stray).then_some(trail)
    }

    fn images(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        let both = way == StepWay::Forward && self.to.rest(&trail).is_some();
        let mut all: Vec<_> = self.trace(way, trail.clone()).into_iter().collect();
        all.extend(both.then_some(trail));
        all
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.from, &self.to]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let depth = shared(&[&self.from, &self.to]).len();
        let (from, to) = (self.from.after(depth), self.to.after(depth));
        // Both places are taken before either is put, since one may be in an object of the other.
        sketch.around(&[&self.from, &self.to], |scope| {
            let old = scope.take(to);
            let new = scope.take(from);
            match way {
                StepWay::Forward => {
                    scope.put(from, old.clone());
                    scope.put(to, old);
                }
                // Older documents have one field, so the new version has both wherever the old one
                // had it.
                StepWay::Backward => {
                    let always = old.always || new.always;
                    let schema = if new.always {
                        // Where the newer field may be missing the older one is shown.
                        new.schema
                    } else {
                        one_of(vec![new.schema, old.schema])
                    };
                    scope.put(to, SketchField { schema, always });
                }
            }
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        match way {
            StepWay::Forward => Vec::new(),
            StepWay::Backward => vec![StepLoss {
                class: ConversionClass::Keeps,
                path: self.to.to_string(),
                what: format!("is kept where it differs from {}", self.from),
            }],
        }
    }

    fn mirrors(&self) -> Vec<MirroredFields> {
        vec![MirroredFields {
            from: self.from.trail(),
            to: self.to.trail(),
        }]
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        Pair::of(json!([{"copy": {"from": "/image", "to": "/img"}}]))
    }

    #[test]
    fn older_readers_see_the_new_field_in_the_deprecated_one() {
        pair().means(json!({"img": "a"}), json!({"image": "a", "img": "a"}));
        pair().backward(json!({"image": "a"}), json!({"img": "a"}), &["/img"]);
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn the_new_one_rules_and_the_other_is_kept_where_they_differ() {
        pair().backward(
            json!({"image": "a", "img": "b"}),
            json!({"img": "a"}),
            &["/img"],
        );
        pair().backward(json!({"img": "b"}), json!({"img": "b"}), &[]);
    }

    #[test]
    fn a_stray_field_of_older_documents_is_kept() {
        pair().forward(json!({"image": "stray"}), json!({}), &["/image"]);
        pair().forward(
            json!({"image": "stray", "img": "a"}),
            json!({"image": "a", "img": "a"}),
            &["/image"],
        );
    }

    #[test]
    fn copies_are_whole_values() {
        pair().means(
            json!({"img": {"name": "a", "tags": [1]}}),
            json!({"image": {"name": "a", "tags": [1]}, "img": {"name": "a", "tags": [1]}}),
        );
    }

    #[test]
    fn it_must_hold_for_every_document() {
        let copy = json!({"copy": {"from": "/a", "to": "/b"}});
        let reason = flaw(json!({"when": {"path": "/c", "is": 1, "steps": [copy]}}));
        assert!(reason.contains("inside when"), "{reason}");
        let reason = flaw(json!({"copy": {"from": "/a", "to": "/a/b"}}));
        assert!(reason.contains("one inside the other"), "{reason}");
    }

    #[test]
    fn what_is_in_the_deprecated_field_is_in_both() {
        pair().leads("/img/tag", "/image/tag");
        pair().spreads("/img/tag", &["/image/tag", "/img/tag"]);
        pair().comes_from("/image/tag", "/img/tag");
        pair().comes_from("/img/tag", "/img/tag");
        pair().spreads_back("/img", &["/img"]);
        pair().spreads_back("/image", &["/img"]);
        pair().leads("/image", None);
        pair().spreads("/image", &[]);
        pair().leads("/x", "/x");
        pair().spreads("/x", &["/x"]);
        pair().mirrors(&[("/image", "/img")]);
        pair().loses(&[]);
        pair().loses_back(&[(ConversionClass::Keeps, "/img", "differs from /image")]);
        is_in_the_way(json!({"copy": {"from": "/b", "to": "/x"}}));
        is_in_the_way(json!({"copy": {"from": "/x", "to": "/b"}}));
    }
}
