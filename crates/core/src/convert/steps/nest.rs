//! `nest: {paths, under}`: fields become an object of them. Only the newer version has the object:
//! what else is in it has no place in the older one and is kept.

use crate::convert::note::{NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{SchemaSketch, shared};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use serde_json::{Map, Value};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let paths = args.paths("paths", 1)?;
    let under = args.path("under")?;
    let id = making.id();
    let nest = NestFields::new(id, paths, under).map_err(|reason| args.flaw("paths", reason))?;
    Ok(vec![DirectedStep::forward(nest)])
}

#[derive(Debug)]
pub(crate) struct NestFields {
    id: StepId,
    /// The fields outside, and the same inside.
    fields: Vec<(FieldPath, FieldPath)>,
    under: FieldPath,
}

impl NestFields {
    pub(crate) fn new(id: StepId, paths: Vec<FieldPath>, under: FieldPath) -> Result<Self, String> {
        let mut fields: Vec<(FieldPath, FieldPath)> = Vec::new();
        for outside in paths {
            // A field can't become a part of itself.
            if under.overlaps(&outside) {
                return Err(format!("{under} can't take up {outside}"));
            }
            let inside = under.inside(outside.split().1);
            // Two fields under one name would overwrite each other.
            if fields.iter().any(|(_, other)| *other == inside) {
                return Err(format!("two fields would be {inside}"));
            }
            fields.push((outside, inside));
        }
        Ok(Self { id, fields, under })
    }

    fn take_up(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Forward;
        // All fields leave before the object is put, because it may take the name of one of them.
        let mut taken = Vec::new();
        for (outside, inside) in &self.fields {
            let field = tree.take(outside);
            tree.close(outside, &self.id, way, field.is_some(), run);
            taken.extend(field.map(|field| (inside, field)));
        }
        tree.displace(&self.under, &self.id, way);
        let (parents, key) = self.under.split();
        let around = tree.margin.get_mut(parents);
        let rest =
            around.and_then(|margin| self.id.take_note_on(margin, way, NotePurpose::Field, key));
        let mut object = NotedValue::from(Value::Object(Map::new()));
        match rest {
            // What the older version could not hold of this object comes back under the fields.
            Some(note) if taken.is_empty() || note.value.as_ref().is_some_and(Value::is_object) => {
                object.value = note.value.unwrap_or_default();
                object.margin = note.margin;
            }
            // What was there is no object and can't take anything up; it waits.
            Some(note) => tree.margin.make(parents).notes.push(note),
            // No field is there, so there is no object either.
            None if taken.is_empty() => return,
            None => {}
        }
        tree.open(&self.under, &self.id, way);
        tree.place(&self.under, object);
        for (inside, field) in taken {
            tree.place(inside, field);
        }
    }

    fn give_up(&self, tree: &mut NotedValue, run: &Budget) {
        let way = StepWay::Backward;
        let mut taken = Vec::new();
        for (outside, inside) in &self.fields {
            let field = tree.take(inside);
            taken.extend(field.map(|field| (outside, field)));
        }
        if let Some(rest) = tree.take(&self.under) {
            let empty = matches!(&rest.value, Value::Object(map) if map.is_empty());
            // Anything but an empty object that only held the fields has to be kept.
            if taken.is_empty() || !empty || !rest.margin.is_bare() {
                let (parents, key) = self.under.split();
                let note = self.id.note(way, NotePurpose::Field, NoteCondition::There);
                let note = note.key(key).value(rest.value).margin(rest.margin);
                tree.margin.make(parents).notes.push(note);
            }
        }
        // Objects that were created around it go only if it really was taken apart.
        tree.close(&self.under, &self.id, way, !taken.is_empty(), run);
        // All are displaced before any is placed: one field may have the name of another one's
        // object.
        for (outside, _) in &self.fields {
            tree.displace(outside, &self.id, way);
        }
        for (outside, field) in taken {
            tree.open(outside, &self.id, way);
            tree.place(outside, field);
        }
    }
}

impl ConversionStep for NestFields {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.take_up(tree, run),
            StepWay::Backward => self.give_up(tree, run),
        }
        Ok(())
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        for (outside, inside) in &self.fields {
            let (from, to) = way.choose((outside, inside), (inside, outside));
            if let Some(rest) = from.rest(&trail) {
                return Some(to.trail().into_iter().chain(rest.iter().cloned()).collect());
            }
            // Something else is in the field's way there, and is not to be seen.
            if to.rest(&trail).is_some() {
                return None;
            }
        }
        // The object is one that only the newer version has.
        self.under.rest(&trail).is_none().then_some(trail)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        let outside = self.fields.iter().map(|(outside, _)| outside);
        outside.chain([&self.under]).collect()
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let paths = self.paths();
        let depth = shared(&paths).len();
        sketch.around(&paths, |scope| {
            let mut taken = Vec::new();
            for (outside, inside) in &self.fields {
                let (from, to) = way.choose((outside, inside), (inside, outside));
                taken.push((to.after(depth), scope.take(from.after(depth))));
            }
            // The object is there for the fields' sake: what was there before gave way, and what
            // else is in it is kept.
            scope.take(self.under.after(depth));
            for (to, _) in &taken {
                scope.take(to);
            }
            for (to, field) in taken {
                scope.put(to, field);
            }
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        match way {
            StepWay::Forward => Vec::new(),
            StepWay::Backward => vec![StepLoss {
                class: ConversionClass::Keeps,
                path: self.under.to_string(),
                what: "keeps what else it has, and whether it is there without its fields"
                    .to_owned(),
            }],
        }
    }

    fn deepens(&self) -> bool {
        let differ = |(outside, inside): &(FieldPath, FieldPath)| {
            outside.keys().len() != inside.keys().len()
        };
        self.fields.iter().any(differ)
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, in_lists, is_in_the_way};
    use serde_json::json;

    #[test]
    fn fields_become_an_object_of_them() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host", "/port"], "under": "/server"}}]));
        pair.means(
            json!({"host": "h", "port": 1}),
            json!({"server": {"host": "h", "port": 1}}),
        );
        pair.means(json!({"port": 1}), json!({"server": {"port": 1}}));
        pair.means(json!({"name": "n"}), json!({"name": "n"}));
    }

    #[test]
    fn what_else_is_in_the_object_is_kept() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        pair.backward(
            json!({"server": {"host": "h", "x": 1}}),
            json!({"host": "h"}),
            &["/server"],
        );
        pair.backward(json!({"server": {}}), json!({}), &["/server"]);
        pair.backward(
            json!({"server": 5, "host": 6}),
            json!({}),
            &["/server", "/host"],
        );
    }

    #[test]
    fn an_object_of_that_name_that_older_documents_have_is_another_one() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        pair.forward(
            json!({"host": "h", "server": {"host": "old", "x": 1}}),
            json!({"server": {"host": "h"}}),
            &["/server"],
        );
        pair.forward(json!({"server": {}}), json!({}), &["/server"]);
    }

    #[test]
    fn two_fields_of_one_name_can_not_share_an_object() {
        let reason = flaw(json!({"nest": {"paths": ["/a/x", "/b/x"], "under": "/c"}}));
        assert!(reason.contains("two fields would be"), "{reason}");
        let reason = flaw(json!({"nest": {"paths": ["/a"], "under": "/a"}}));
        assert!(reason.contains("take up"), "{reason}");
    }

    #[test]
    fn the_object_is_one_that_only_the_newer_version_has() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        pair.leads("/host/name", "/server/host/name");
        pair.comes_from("/server/host/name", "/host/name");
        pair.leads("/server/host", None);
        pair.leads("/server/x", None);
        pair.comes_from("/server/x", None);
        pair.comes_from("/host", None);
        pair.leads("/x", "/x");
        pair.loses(&[]);
        pair.loses_back(&[(ConversionClass::Keeps, "/server", "keeps what else it has")]);
        is_in_the_way(json!({"nest": {"paths": ["/b"], "under": "/x"}}));
        is_in_the_way(json!({"nest": {"paths": ["/x"], "under": "/b"}}));
    }

    #[test]
    fn inside_of_the_object_a_field_can_be_one_level_too_deep() {
        let nest = |path: &str, under: &str| {
            Pair::of(json!([{"nest": {"paths": [path], "under": under}}]))
        };
        nest("/a", "/o").too_deep(json!({"a": in_lists(127)}));
        nest("/a", "/o/p").too_deep(json!({"a": in_lists(126)}));
        nest("/x/a", "/o").never_deeper(json!({"b": in_lists(200)}));
    }

    #[test]
    fn what_is_no_object_waits_while_there_are_fields_for_one() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        let mut older = pair.back(json!({"server": 5}).into());
        older.value = json!({"host": "h"});
        let newer = pair.onward(older);
        assert_eq!(newer.value, json!({"server": {"host": "h"}}));
        let mut older = pair.back(newer);
        older.value = json!({});
        assert_eq!(pair.onward(older).value, json!({"server": 5}));
    }

    #[test]
    fn objects_around_it_come_and_go_with_it() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/spec/server"}}]));
        let new = json!({"spec": {"server": {"host": "h"}}});
        pair.forward(json!({"host": "h"}), new, &[]);
        pair.forward(json!({"x": 1}), json!({"x": 1}), &[]);
    }
}
