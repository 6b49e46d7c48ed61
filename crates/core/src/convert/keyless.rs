//! Lists whose items can't be told apart although something can be kept for them: a write that changes
//! such an item is refused, and whoever registers the version is warned.

use super::path::Trail;
use super::place_graph::{FieldRoute, PlaceGraph};
use super::refusal::KeyRemedy;
use super::same_items::ItemLikeness;
use super::step::{ConversionClass, StepWay, trace_all};
use super::versions::Versions;
use crate::types::pointer::child;
use crate::types::{DeclaredList, PathPattern};
use crate::version::Version;
use coeval_codes::Code;
use std::collections::{BTreeSet, HashSet};
use std::fmt;

/// A list without a key, for whose items something can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeylessList {
    /// The list.
    pub list: PathPattern,
    /// The version at which a write can be refused.
    pub written_at: Version,
    /// A field of the items that this version can't express.
    pub kept: String,
    /// What to do about it.
    pub remedy: KeyRemedy,
}

impl fmt::Display for KeylessList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            list,
            written_at,
            kept,
            remedy,
        } = self;
        write!(
            f,
            "the items of {list} have no key, and {kept} has no place in version {written_at}: a write at \
             {written_at} that changes such an item is refused ({}); {remedy}",
            self.code()
        )
    }
}

impl KeylessList {
    /// The code of the refusal that it can lead to.
    #[must_use]
    pub const fn code(&self) -> Code {
        coeval_codes::LIST_NEEDS_KEY
    }
}

impl Versions {
    /// The lists of a version, and of its parent, that need a key and have none.
    #[must_use]
    pub fn keyless_lists(&self, version: Version) -> Vec<KeylessList> {
        let Ok(own) = self.number(version) else {
            return Vec::new();
        };
        // Without a parent there is no other version to keep anything for.
        let Some(parent) = self.parent_number(own) else {
            return Vec::new();
        };
        let mut found: Vec<KeylessList> = Vec::new();
        // Both ways: what the new version can't express is kept at writes through it, and what it
        // adds is kept at writes through the old one.
        for (at, other) in [(own, parent), (parent, own)] {
            for list in self.declared_lists(at) {
                let one = self.keyless(own, (at, other), list);
                // Once for a list is enough.
                found.extend(one.filter(|one| found.iter().all(|told| told.list != one.list)));
            }
        }
        found
    }

    fn keyless(
        &self,
        own: usize,
        (at, other): (usize, usize),
        list: &DeclaredList,
    ) -> Option<KeylessList> {
        let trail: Trail = list.path.steps().to_vec();
        // With a key, items are told apart.
        if self.item_keys(at).iter().any(|key| key.list == trail) {
            return None;
        }
        let items = format!("{}/*", list.path);
        // Hidden fields first: they are kept for every item, whatever the steps do.
        let hidden = self.graph(at).ok().and_then(|graph| {
            let inner = ItemLikeness::at(Some(graph), &trail).items()?;
            Some(format!("{items}{}", hidden_in(graph, inner)?))
        });
        let kept = hidden.or_else(|| {
            let program = self.program(other, at)?;
            let mut losses = program.losses.iter();
            let inside = losses.find(|loss| {
                // Inside of the items only: what is lost of the list as a whole has its place
                // beside the list.
                let rest = loss.path.strip_prefix(&items);
                loss.class == ConversionClass::Keeps
                    && rest.is_some_and(|rest| rest.starts_with('/'))
            });
            inside.map(|loss| loss.path.clone())
        })?;
        // The version that is being registered can still be changed.
        let steps = self.path(at, own);
        let here = trace_all(&steps, StepWay::Forward, trail.clone());
        // A key that is declared at the new version holds for all others, and the old one can't be
        // changed any more.
        let here = here.and_then(|here| self.key_remedy(own, &here, |_| true));
        Some(KeylessList {
            list: list.path.clone(),
            written_at: self.type_version(at)?.id.version,
            kept,
            remedy: here.or_else(|| self.key_remedy(at, &trail, |_| true))?,
        })
    }
}

/// The first field in a place that the version does not express and another version names.
fn hidden_in(graph: &PlaceGraph, start: usize) -> Option<String> {
    let mut todo = vec![(start, String::new())];
    // Places can refer to each other in circles, so each is entered once.
    let mut seen = HashSet::new();
    while let Some((at, pointer)) = todo.pop() {
        let Some(state) = graph.state(at).filter(|_| seen.insert(at)) else {
            continue;
        };
        // Sorted, so that the same type gives the same sentence every time.
        let names: BTreeSet<&String> = state.names().collect();
        let hidden = |name: &&&String| state.next(name) == FieldRoute::Hide;
        if let Some(name) = names.iter().find(hidden) {
            return Some(child(&pointer, name));
        }
        for name in names {
            if let FieldRoute::Into(inner) = state.next(name) {
                todo.push((inner, child(&pointer, name)));
            }
        }
        if let FieldRoute::Into(inner) = state.items {
            todo.push((inner, format!("{pointer}/*")));
        }
        if let Some(FieldRoute::Into(inner)) = state.unnamed(None) {
            todo.push((inner, format!("{pointer}/*")));
        }
    }
    None
}
