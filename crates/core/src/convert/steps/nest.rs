//! `nest: {paths, under}`: fields become an object of them. The object is there for their sake: it
//! comes with the first and goes with the last of them, unless it was there before.

use crate::convert::making::{Args, Making, StepFlaw};
use crate::convert::note::{Holds, Note, What};
use crate::convert::path::{Path, Trail};
use crate::convert::refusal::Refusal;
use crate::convert::step::{Directed, Loss, Run, Step, StepId, Way};
use crate::convert::tree::Tree;
use serde_json::{Map, Value};

pub(crate) fn read(
    args: &mut Args<'_>,
    making: &mut Making<'_>,
) -> Result<Vec<Directed>, StepFlaw> {
    let paths = args.paths("paths", 1)?;
    let under = args.path("under")?;
    let id = making.id()?;
    let nest = Nest::new(id, paths, under).map_err(|reason| args.flaw("paths", reason))?;
    Ok(vec![Directed::forward(nest)])
}

#[derive(Debug)]
pub(crate) struct Nest {
    id: StepId,
    /// The fields outside, and the same inside.
    fields: Vec<(Path, Path)>,
    under: Path,
}

impl Nest {
    pub(crate) fn new(id: StepId, paths: Vec<Path>, under: Path) -> Result<Self, String> {
        let mut fields: Vec<(Path, Path)> = Vec::new();
        for outside in paths {
            if under.overlaps(&outside) {
                return Err(format!("{under} can't take up {outside}"));
            }
            let inside = under.inside(outside.split().1);
            if fields.iter().any(|(_, other)| *other == inside) {
                return Err(format!("two fields would be {inside}"));
            }
            fields.push((outside, inside));
        }
        Ok(Self { id, fields, under })
    }

    fn take_up(&self, tree: &mut Tree, run: &Run) {
        let way = Way::Forward;
        let mut taken = Vec::new();
        for (outside, inside) in &self.fields {
            let field = tree.take(outside);
            tree.close(outside, &self.id, way, field.is_some(), run);
            tree.displace(inside, &self.id, way);
            taken.extend(field.map(|field| (inside, field)));
        }
        if taken.is_empty() {
            return;
        }
        if let Some(Value::Object(map)) = tree.get(&self.under) {
            let empty = map.is_empty();
            let margin = tree.margin.make(self.under.keys());
            if margin.take_note(self.id.uses(way, What::Created)).is_none() && empty {
                let note = Note::new(self.id.makes(way, What::Stays), Holds::There);
                margin.notes.push(note);
            }
        } else {
            tree.displace(&self.under, &self.id, way);
            tree.open(&self.under, &self.id, way);
            tree.place(&self.under, Tree::from(Value::Object(Map::new())));
        }
        for (inside, field) in taken {
            tree.place(inside, field);
        }
    }

    fn give_up(&self, tree: &mut Tree, run: &Run) {
        let way = Way::Backward;
        let mut taken = Vec::new();
        for (outside, inside) in &self.fields {
            let field = tree.take(inside);
            tree.close_inside(inside, &self.id, way, run);
            taken.extend(field.map(|field| (outside, field)));
        }
        let any = !taken.is_empty();
        if any {
            self.remove_empty(tree);
        }
        tree.close(&self.under, &self.id, way, any, run);
        for (outside, _) in &self.fields {
            tree.displace(outside, &self.id, way);
        }
        for (outside, field) in taken {
            tree.open(outside, &self.id, way);
            tree.place(outside, field);
        }
    }

    fn remove_empty(&self, tree: &mut Tree) {
        let way = Way::Backward;
        let margin = tree.margin.get_mut(self.under.keys());
        let stays = self.id.uses(way, What::Stays);
        let stays = margin.and_then(|margin| margin.take_note(stays)).is_some();
        let empty = matches!(tree.get(&self.under), Some(Value::Object(map)) if map.is_empty());
        if stays || !empty {
            return;
        }
        let bare = |margin: &crate::convert::note::Margin| margin.is_bare();
        if tree.margin.get(self.under.keys()).is_none_or(bare) {
            tree.take(&self.under);
        } else {
            // What is noted on it needs it; the way back knows that nobody else does.
            let note = Note::new(self.id.makes(way, What::Created), Holds::There);
            tree.margin.make(self.under.keys()).notes.push(note);
        }
    }
}

impl Step for Nest {
    fn apply(&self, way: Way, tree: &mut Tree, run: &mut Run) -> Result<(), Refusal> {
        match way {
            Way::Forward => self.take_up(tree, run),
            Way::Backward => self.give_up(tree, run),
        }
        Ok(())
    }

    fn trace(&self, way: Way, trail: Trail) -> Option<Trail> {
        for (outside, inside) in &self.fields {
            let (from, to) = match way {
                Way::Forward => (outside, inside),
                Way::Backward => (inside, outside),
            };
            if let Some(rest) = from.rest(&trail) {
                return Some(to.trail().into_iter().chain(rest.iter().cloned()).collect());
            }
            if to.rest(&trail).is_some() {
                return None;
            }
        }
        Some(trail)
    }

    fn paths(&self) -> Vec<&Path> {
        let outside = self.fields.iter().map(|(outside, _)| outside);
        outside.chain([&self.under]).collect()
    }

    fn losses(&self, _way: Way) -> Vec<Loss> {
        Vec::new()
    }

    fn deepens(&self) -> usize {
        let inside = self.under.keys().len() + 1;
        let differ = |(outside, _): &(Path, Path)| outside.keys().len().abs_diff(inside);
        self.fields.iter().map(differ).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::{Pair, flaw};
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
    fn an_object_that_is_there_takes_them_up() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        pair.forward(
            json!({"host": "h", "server": {"host": "old", "x": 1}}),
            json!({"server": {"host": "h", "x": 1}}),
            &["/server/host"],
        );
        pair.forward(
            json!({"host": "h", "server": {}}),
            json!({"server": {"host": "h"}}),
            &[],
        );
        // Written in the newer version: the object stays where it is, without its fields.
        pair.backward(
            json!({"server": {"host": "h", "x": 1}}),
            json!({"host": "h", "server": {"x": 1}}),
            &[],
        );
        pair.backward(json!({"server": {}}), json!({"server": {}}), &[]);
    }

    #[test]
    fn what_is_no_object_gives_way_and_comes_back() {
        let pair = Pair::of(json!([{"nest": {"paths": ["/host"], "under": "/server"}}]));
        pair.forward(
            json!({"host": "h", "server": 5}),
            json!({"server": {"host": "h"}}),
            &["/server"],
        );
        pair.means(json!({"server": 5}), json!({"server": 5}));
        pair.backward(
            json!({"host": "stray", "server": {"host": "h"}}),
            json!({"host": "h"}),
            &["/host"],
        );
    }

    #[test]
    fn two_fields_of_one_name_can_not_share_an_object() {
        let reason = flaw(json!({"nest": {"paths": ["/a/x", "/b/x"], "under": "/c"}}));
        assert!(reason.contains("two fields would be"), "{reason}");
        let reason = flaw(json!({"nest": {"paths": ["/a"], "under": "/a"}}));
        assert!(reason.contains("take up"), "{reason}");
    }
}
