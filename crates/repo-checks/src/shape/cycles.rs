//! Cycles among sibling modules.

use super::modules::{ModuleGraph, ModulePath};
use std::collections::{BTreeMap, BTreeSet};

/// Modules that all reach each other, by their names below the parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleCycle {
    /// The module whose children they are; the target for top-level modules.
    pub parent: String,
    /// The modules.
    pub members: Vec<String>,
    /// How many children the parent has.
    pub siblings: usize,
}

impl ModuleCycle {
    /// How many modules are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// The largest cycle of every module's children that has one, largest first.
pub(super) fn cycles_of(graph: &ModuleGraph) -> Vec<ModuleCycle> {
    let mut found: Vec<_> = sibling_edges(graph)
        .into_iter()
        .filter_map(|(parent, edges)| {
            let members = largest_component(&edges);
            let siblings = graph.modules.iter();
            let is_child = |module: &&ModulePath| {
                module.len() == parent.len() + 1 && module.starts_with(&parent)
            };
            (members.len() > 1).then(|| ModuleCycle {
                parent: parent.join("::"),
                members,
                siblings: siblings.filter(is_child).count(),
            })
        })
        .collect();
    found.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    found
}

type SiblingEdges = BTreeMap<String, BTreeSet<String>>;

/// Every edge as one between two children of the module that both ends have in common.
fn sibling_edges(graph: &ModuleGraph) -> BTreeMap<ModulePath, SiblingEdges> {
    let mut levels: BTreeMap<ModulePath, SiblingEdges> = BTreeMap::new();
    for (from, to) in &graph.edges {
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        // one end is the common module itself: a parent and its child are not siblings
        if let (Some(one), Some(other), Some(parent)) =
            (from.get(common), to.get(common), from.get(..common))
        {
            let edges = levels.entry(parent.to_vec()).or_default();
            edges.entry(one.clone()).or_default().insert(other.clone());
        }
    }
    levels
}

/// The largest strongly connected component: who is reached from a module and reaches it. There are
/// tens of modules, so that nothing cleverer is needed.
fn largest_component(edges: &SiblingEdges) -> Vec<String> {
    let reached: BTreeMap<_, _> = edges
        .keys()
        .map(|from| (from, reach(edges, from)))
        .collect();
    let component = |from: &String| -> Vec<String> {
        let all = reached.get(from).into_iter().flatten();
        all.filter(|to| reached.get(to).is_some_and(|back| back.contains(from)))
            .cloned()
            .collect()
    };
    let components = edges.keys().map(component);
    components.max_by_key(Vec::len).unwrap_or_default()
}

fn reach(edges: &SiblingEdges, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(one) = open.pop() {
        for next in edges.get(&one).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test may fail")]

    use super::*;

    fn graph(edges: &[(&str, &str)]) -> ModuleGraph {
        let path = |text: &str| -> ModulePath { text.split("::").map(str::to_owned).collect() };
        let mut graph = ModuleGraph::default();
        for (from, to) in edges {
            graph.modules.extend([path(from), path(to)]);
            graph.edges.insert((path(from), path(to)));
        }
        graph
    }

    #[test]
    fn modules_that_reach_each_other_are_a_cycle_and_what_they_use_is_not() {
        let edges = [
            ("l::a", "l::b"),
            ("l::b", "l::c"),
            ("l::c", "l::a"),
            ("l::c", "l::d"),
        ];
        let found = cycles_of(&graph(&edges));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].members, ["a", "b", "c"]);
        assert_eq!(found[0].siblings, 4);
    }

    #[test]
    fn what_is_inside_of_a_module_counts_as_the_module() {
        let edges = [
            ("l::a::x", "l::b"),
            ("l::b::y", "l::a::z"),
            ("l::a::x", "l::a::z"),
        ];
        let found = cycles_of(&graph(&edges));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].members, ["a", "b"]);
    }

    #[test]
    fn children_of_one_module_can_be_a_cycle_of_their_own() {
        let edges = [
            ("l::a::x", "l::a::y"),
            ("l::a::y", "l::a::x"),
            ("l::a", "l::a::x"),
        ];
        let found = cycles_of(&graph(&edges));
        assert_eq!(found[0].parent, "l::a");
        assert_eq!(found[0].members, ["x", "y"]);
    }

    #[test]
    fn a_chain_is_no_cycle() {
        assert!(cycles_of(&graph(&[("l::a", "l::b"), ("l::b", "l::c")])).is_empty());
    }
}
