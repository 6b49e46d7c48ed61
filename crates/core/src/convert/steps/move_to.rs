//! `move: {from, to}`: another place. Renaming and nesting are made of it.

use crate::convert::note::{KeptNote, NoteOrigin, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::sketch::{SchemaSketch, shared};
use crate::convert::step::{Budget, ConversionStep, DirectedStep, StepId, StepWay};
use crate::convert::tree::NotedValue;
use std::any::Any;
use std::sync::Arc;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let from = args.path("from")?;
    let to = args.path("to")?;
    MoveField::read(args, making, from, to)
}

#[derive(Clone, Debug)]
pub(crate) struct MoveField {
    pub(crate) id: StepId,
    pub(crate) from: FieldPath,
    pub(crate) to: FieldPath,
}

impl MoveField {
    pub(crate) fn read(
        args: &StepArgs<'_>,
        making: &mut ProgramBuilder<'_>,
        from: FieldPath,
        to: FieldPath,
    ) -> Result<Vec<DirectedStep>, StepFlaw> {
        if from == to {
            return Err(args.flaw("to", format!("{to} is where it is already")));
        }
        let id = making.id();
        Ok(vec![DirectedStep::forward(Self { id, from, to })])
    }

    /// Where it takes from and where it puts.
    const fn ends(&self, way: StepWay) -> (&FieldPath, &FieldPath) {
        match way {
            StepWay::Forward => (&self.from, &self.to),
            StepWay::Backward => (&self.to, &self.from),
        }
    }
}

impl ConversionStep for MoveField {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        let (from, to) = self.ends(way);
        // Taken before anything is put, so that both places may be in one object.
        let taken = tree.take(from);
        // Objects that were created for the field go with it.
        tree.close(from, &self.id, way, taken.is_some(), run);
        // Something may be in the place already: it waits there.
        tree.displace(to, &self.id, way);
        if let Some(field) = taken {
            tree.open(to, &self.id, way);
            tree.place(to, field);
        }
        Ok(())
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let (from, to) = self.ends(way);
        if let Some(rest) = from.rest(&trail) {
            return Some(to.trail().into_iter().chain(rest.iter().cloned()).collect());
        }
        to.rest(&trail).is_none().then_some(trail)
    }

    fn paths(&self) -> Vec<&FieldPath> {
        vec![&self.from, &self.to]
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let (from, to) = self.ends(way);
        let depth = shared(&[from, to]).len();
        sketch.around(&[from, to], |scope| {
            let field = scope.take(from.after(depth));
            scope.take(to.after(depth));
            scope.put(to.after(depth), field);
        });
    }

    fn deepens(&self) -> bool {
        self.from.keys().len() != self.to.keys().len()
    }

    fn fuse(
        &self,
        way: StepWay,
        next: &dyn ConversionStep,
        next_way: StepWay,
    ) -> Option<Arc<dyn ConversionStep>> {
        let next = (next as &dyn Any).downcast_ref::<Self>()?;
        RenameChain::of(vec![(self.clone(), way)]).then(next, next_way)
    }
}

/// A field that is renamed again and again: where no other field is or was in the way, the first
/// name becomes the last at once.
#[derive(Clone, Debug)]
struct RenameChain(Vec<(MoveField, StepWay)>);

impl RenameChain {
    const fn of(moves: Vec<(MoveField, StepWay)>) -> Self {
        Self(moves)
    }

    fn then(mut self, next: &MoveField, way: StepWay) -> Option<Arc<dyn ConversionStep>> {
        let (last, last_way) = self.0.last()?;
        let (from, now) = last.ends(*last_way);
        let (again, to) = next.ends(way);
        let parent = |path: &FieldPath| path.split().0.to_vec();
        let one_object = parent(from) == parent(now) && parent(now) == parent(to);
        if now != again || !one_object {
            return None;
        }
        self.0.push((next.clone(), way));
        Some(Arc::new(self))
    }

    /// The first name and all others, if the short way is right for this document.
    fn short(&self, tree: &NotedValue) -> Option<(&FieldPath, &FieldPath)> {
        let (first, way) = self.0.first()?;
        let (last, last_way) = self.0.last()?;
        let first = first.ends(*way).0;
        // The first name again is free: the field has left it.
        let free = |(one, way): &(MoveField, StepWay)| {
            let to = one.ends(*way).1;
            to == first || tree.get(to).is_none()
        };
        let displaced = |note: &KeptNote| {
            matches!(
                note.by,
                NoteOrigin::Step {
                    what: NotePurpose::Displaced,
                    ..
                }
            )
        };
        // A field that waits beside the first name would have come back on the long way.
        let around = tree.margin.get(first.split().0);
        let waiting = around.is_some_and(|margin| margin.notes.iter().any(displaced));
        let free = !waiting && self.0.iter().all(free);
        free.then_some((first, last.ends(*last_way).1))
    }
}

impl ConversionStep for RenameChain {
    /// It is made for one direction, which is the only one that it is asked for.
    fn apply(&self, _way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        if let Some((first, last)) = self.short(tree) {
            // The names lead back to the first one: nothing has to be done.
            if first != last
                && let Some(field) = tree.take(first)
            {
                tree.place(last, field);
            }
            return Ok(());
        }
        // Something is in the way under one of the names, and each step has to look after that
        // itself.
        let mut all = self.0.iter();
        all.try_for_each(|(one, way)| one.apply(*way, tree, run))
    }

    fn trace(&self, _way: StepWay, trail: Trail) -> Option<Trail> {
        let mut all = self.0.iter();
        all.try_fold(trail, |trail, (one, way)| one.trace(*way, trail))
    }

    fn paths(&self) -> Vec<&FieldPath> {
        self.0.iter().flat_map(|(one, _)| one.paths()).collect()
    }

    fn sketch(&self, _way: StepWay, sketch: &mut SchemaSketch) {
        for (one, way) in &self.0 {
            one.sketch(*way, sketch);
        }
    }

    fn fuse(
        &self,
        _way: StepWay,
        next: &dyn ConversionStep,
        next_way: StepWay,
    ) -> Option<Arc<dyn ConversionStep>> {
        let next = (next as &dyn Any).downcast_ref::<MoveField>()?;
        self.clone().then(next, next_way)
    }
}

#[cfg(test)]
mod tests {
    use super::{MoveField, RenameChain};
    use crate::convert::note::{KeptNote, NoteCondition, NotePurpose};
    use crate::convert::path::FieldPath;
    use crate::convert::step::{StepId, StepWay};
    use crate::convert::steps::testing::{Pair, in_lists, is_in_the_way};
    use crate::convert::tree::NotedValue;
    use crate::version::Version;
    use serde_json::json;

    #[test]
    fn a_field_is_in_another_place_and_objects_around_it_come_and_go() {
        let pair = Pair::of(json!([{"move": {"from": "/cidr", "to": "/spec/net/cidr"}}]));
        pair.forward(
            json!({"cidr": 1}),
            json!({"spec": {"net": {"cidr": 1}}}),
            &[],
        );
        pair.forward(
            json!({"cidr": 1, "spec": {"a": 2}}),
            json!({"spec": {"a": 2, "net": {"cidr": 1}}}),
            &[],
        );
        // Written in the newer version, the objects belong to the document.
        pair.backward(
            json!({"spec": {"net": {"cidr": 1}}}),
            json!({"cidr": 1, "spec": {"net": {}}}),
            &[],
        );
        pair.backward(
            json!({"spec": {"net": {}}}),
            json!({"spec": {"net": {}}}),
            &[],
        );
    }

    #[test]
    fn an_object_that_is_no_object_gives_way_and_comes_back() {
        let pair = Pair::of(json!([{"move": {"from": "/a", "to": "/b/c"}}]));
        pair.forward(
            json!({"a": 1, "b": "text"}),
            json!({"b": {"c": 1}}),
            &["/b"],
        );
    }

    #[test]
    fn a_field_can_move_into_itself_and_out_of_itself() {
        let into = Pair::of(json!([{"move": {"from": "/a", "to": "/a/b"}}]));
        into.forward(json!({"a": 1}), json!({"a": {"b": 1}}), &[]);
        into.backward(json!({"a": {"b": 1}}), json!({"a": 1}), &["/a"]);
        into.forward(json!({"a": {"b": 2}}), json!({"a": {"b": {"b": 2}}}), &[]);
        let out = Pair::of(json!([{"move": {"from": "/a/b", "to": "/a"}}]));
        out.forward(json!({"a": {"b": 1, "c": 2}}), json!({"a": 1}), &["/a"]);
        out.backward(json!({"a": 1}), json!({"a": {"b": 1}}), &[]);
    }

    #[test]
    fn renaming_again_and_again_is_one_step_with_the_same_result() {
        let steps = json!([
            {"rename": {"path": "/a", "to": "b"}},
            {"rename": {"path": "/x", "to": "y"}},
            {"rename": {"path": "/b", "to": "c"}},
            {"rename": {"path": "/c", "to": "a"}},
        ]);
        let pair = Pair::of(steps);
        assert_eq!(pair.fused(), 2);
        pair.means(json!({"a": 1, "x": 2}), json!({"a": 1, "y": 2}));
        for document in [
            json!({"a": 1, "b": 2, "c": 3}),
            json!({"b": 2}),
            json!({"a": 1, "c": 3}),
        ] {
            pair.exact(document);
        }
    }

    #[test]
    fn a_place_moves_along_and_what_is_in_its_way_has_none() {
        let pair = Pair::of(json!([{"move": {"from": "/a", "to": "/b/c"}}]));
        pair.leads("/a/x", "/b/c/x");
        pair.comes_from("/b/c", "/a");
        pair.leads("/b/c", None);
        pair.comes_from("/a/x", None);
        pair.leads("/b", "/b");
        pair.loses(&[]);
        pair.loses_back(&[]);
        is_in_the_way(json!({"move": {"from": "/b", "to": "/x/b"}}));
        is_in_the_way(json!({"move": {"from": "/x/b", "to": "/b"}}));
    }

    #[test]
    fn a_deeper_place_can_be_one_level_too_many() {
        let deeper = Pair::of(json!([{"move": {"from": "/a", "to": "/b/c"}}]));
        deeper.too_deep(json!({"a": in_lists(127)}));
        let back = Pair::of(json!([{"move": {"from": "/b/c", "to": "/a"}}]));
        back.too_deep_back(json!({"a": in_lists(127)}));
        let beside = Pair::of(json!([{"rename": {"path": "/a", "to": "b"}}]));
        beside.never_deeper(json!({"a": in_lists(200)}));
    }

    #[test]
    fn renames_are_one_step_only_within_one_object_and_one_after_the_other() {
        let fused = |steps| Pair::of(steps).fused();
        let rename = |path: &str, to: &str| json!({"rename": {"path": path, "to": to}});
        assert_eq!(fused(json!([rename("/a", "b"), rename("/b", "c")])), 1);
        assert_eq!(fused(json!([rename("/a", "b"), rename("/c", "b")])), 2);
        let out = json!({"move": {"from": "/b", "to": "/o/b"}});
        assert_eq!(fused(json!([rename("/a", "b"), out])), 2);
        let out = json!({"move": {"from": "/o/b", "to": "/b"}});
        assert_eq!(fused(json!([out, rename("/b", "c")])), 2);
        let pair = Pair::of(json!([rename("/a", "b"), rename("/b", "c")]));
        pair.leads("/a/x", "/c/x");
        pair.leads("/b", None);
        pair.leads("/x", "/x");
        pair.loses(&[]);
        let between = json!({"add": {"path": "/a"}});
        let steps = json!([
            rename("/a", "b"),
            rename("/b", "c"),
            between,
            rename("/c", "d")
        ]);
        assert_eq!(fused(steps), 2);
        let steps = json!([
            rename("/a", "b"),
            rename("/b", "c"),
            between,
            rename("/a", "d")
        ]);
        assert_eq!(fused(steps), 3);
    }

    #[test]
    fn renames_take_the_short_way_where_nothing_is_in_it() {
        let id = StepId {
            conversion: Version::new(2, 0, 0),
            number: 1,
            before: Version::new(1, 0, 0),
            after: Version::new(2, 0, 0),
            in_when: false,
        };
        let rename = |from: &str, to: &str| {
            let (from, to) = (
                FieldPath::parse(from).unwrap(),
                FieldPath::parse(to).unwrap(),
            );
            (MoveField { id, from, to }, StepWay::Forward)
        };
        let ends = |renames: &RenameChain, content| {
            let tree = NotedValue::from(content);
            let ends = renames.short(&tree);
            ends.map(|(first, last)| (first.to_string(), last.to_string()))
        };
        let ab = Some(("/a".to_owned(), "/c".to_owned()));
        let away = RenameChain::of(vec![rename("/a", "/b"), rename("/b", "/c")]);
        assert_eq!(ends(&away, json!({"a": 1, "x": 2})), ab);
        assert_eq!(ends(&away, json!({})), ab);
        assert_eq!(ends(&away, json!({"a": 1, "b": 2})), None);
        assert_eq!(ends(&away, json!({"a": 1, "c": 2})), None);
        let mut noted = NotedValue::from(json!({"a": 1}));
        let note =
            |what| KeptNote::new(id.makes(StepWay::Forward, what), NoteCondition::There).key("b");
        noted.margin.notes.push(note(NotePurpose::Field));
        assert!(away.short(&noted).is_some());
        noted.margin.notes.push(note(NotePurpose::Displaced));
        assert_eq!(away.short(&noted), None);
        let round = RenameChain::of(vec![rename("/a", "/b"), rename("/b", "/a")]);
        let same = Some(("/a".to_owned(), "/a".to_owned()));
        assert_eq!(ends(&round, json!({"a": 1})), same);
    }

    #[test]
    fn renames_are_in_the_way_of_others_under_every_name() {
        let rename = |path: &str, to: &str| json!({"rename": {"path": path, "to": to}});
        let steps = json!([
            rename("/x", "y"),
            rename("/a", "b"),
            rename("/b", "c"),
            rename("/y", "b"),
        ]);
        assert_eq!(Pair::of(steps).fused(), 3);
    }
}
