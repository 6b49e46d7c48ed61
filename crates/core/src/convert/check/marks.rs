//! Whether a conversion would show restricted fields to more people: redaction is decided by the
//! marks of the stored version, so whatever becomes of a field must be marked as strongly there.

use super::ConversionError;
use crate::convert::path::{Trail, pattern};
use crate::convert::place_graph::{FieldRoute, PlaceGraph};
use crate::convert::step::{StepWay, spread_all, trace_all};
use crate::convert::versions::{Versions, WeakerPlace};
use crate::types::{
    AdditionalSchema, PartId, PathToken, Restriction, Schema, SchemaPart, under_key,
};
use std::collections::BTreeSet;

/// Places that are followed.
const PLACES: usize = 5_000;

impl Versions {
    /// The same as errors.
    pub(super) fn weaker(&self, from: usize, to: usize) -> Vec<ConversionError> {
        let (Some(left), Some(reached)) = (self.type_version(from), self.type_version(to)) else {
            return Vec::new();
        };
        // An error here and a restriction elsewhere: both ask the same, so they can't disagree.
        let places = self.weaker_places(from, to).into_iter();
        let error = |place: WeakerPlace| ConversionError::Weaker {
            from: left.id.version,
            to: reached.id.version,
            path_from: pattern(&place.from).to_string(),
            path_to: pattern(&place.to).to_string(),
            marks_from: place.before,
            marks_to: place.after,
        };
        places.map(error).collect()
    }

    /// Every field that is marked stronger than where it is shown, outermost only.
    pub(in crate::convert) fn weaker_places(&self, from: usize, to: usize) -> Vec<WeakerPlace> {
        let (Some(left), Some(reached)) = (self.type_version(from), self.type_version(to)) else {
            return Vec::new();
        };
        let shown = VisiblePlaces {
            schema: &reached.schema,
            // A version that is too complex to compare has no graph: then nothing counts as
            // hidden, which is the safe side.
            graph: self.graph(to).ok(),
        };
        let steps = self.path(from, to);
        let mut found: Vec<WeakerPlace> = Vec::new();
        // Outer places come first, so that what is cut is what lies deepest.
        for place in self.places(from, to).into_iter().take(PLACES) {
            let before = left.schema.strongest(&place);
            // What nobody restricts can't become weaker.
            if before == Restriction::default() {
                continue;
            }
            for target in spread_all(&steps, StepWay::Forward, place.clone()) {
                // The place is hidden there, so it is shown to nobody.
                let Some(after) = shown.weakest(&target) else {
                    continue;
                };
                let around =
                    |one: &WeakerPlace| place.starts_with(&one.from) && target.starts_with(&one.to);
                // Told for the outermost place alone: those inside of it follow from it.
                if !is_weaker(before, after) || found.iter().any(around) {
                    continue;
                }
                found.push(WeakerPlace {
                    from: place.clone(),
                    to: target,
                    before,
                    after,
                });
            }
        }
        found
    }

    /// The places to look at: restricted ones, and those that steps tell apart from what is around
    /// them, which need not be declared. The outer ones come first.
    fn places(&self, from: usize, to: usize) -> Vec<Trail> {
        // The whole content is a place too, and may be marked.
        let mut places: BTreeSet<(usize, Trail)> = BTreeSet::from([(0, Trail::new())]);
        if let Some(left) = self.type_version(from) {
            for declared in left.schema.restricted_paths() {
                let trail = declared.path.steps().to_vec();
                places.insert((trail.len(), trail));
            }
        }
        let steps = self.path(from, to);
        for (number, step) in steps.iter().enumerate() {
            let before = steps.get(..number).unwrap_or_default();
            for place in step.step.places() {
                // In the terms of the version that the path begins at; a place that a step creates
                // has none there.
                if let Some(trail) = trace_all(before, StepWay::Backward, place) {
                    places.insert((trail.len(), trail));
                }
            }
        }
        places.into_iter().map(|(_, trail)| trail).collect()
    }
}

fn is_weaker(before: Restriction, after: Restriction) -> bool {
    after.visibility < before.visibility || (before.secure && !after.secure)
}

/// What a version shows of places.
struct VisiblePlaces<'s> {
    schema: &'s Schema,
    /// Without it everything is taken as shown.
    graph: Option<&'s PlaceGraph>,
}

impl VisiblePlaces<'_> {
    /// The weakest marks of all that a trail can name; `None` if the version shows none of it.
    fn weakest(&self, trail: &[PathToken]) -> Option<Restriction> {
        let start = self.graph.map_or(FieldRoute::Quiet, |graph| graph.start);
        self.inside(&[0], start, trail, Restriction::default())
    }

    fn inside(
        &self,
        ids: &[PartId],
        next: FieldRoute,
        trail: &[PathToken],
        around: Restriction,
    ) -> Option<Restriction> {
        // What is hidden is shown to nobody, so it does not count as weaker.
        if next == FieldRoute::Hide {
            return None;
        }
        let parts = self.schema.shape.possible(ids);
        let marks = parts.iter().map(|part| part.restriction);
        let mark = marks.fold(around, Restriction::and);
        let Some((token, rest)) = trail.split_first() else {
            return Some(mark);
        };
        let state = match (next, self.graph) {
            (FieldRoute::Into(at), Some(graph)) => graph.state(at),
            _ => None,
        };
        let named = |key: &str| state.map_or(FieldRoute::Quiet, |state| state.next(key));
        let property = |key: &str| {
            let ids = under_key(&parts, key);
            self.inside(&ids, named(key), rest, mark)
        };
        if let PathToken::Key(key) = token {
            return property(key);
        }
        // A star names properties and items alike: all of them count, and the weakest decides.
        let mut found: Vec<Restriction> = Vec::new();
        if may_be_object(&parts) {
            // Each property that has a schema of its own, since it may be marked otherwise than
            // the rest.
            let names: BTreeSet<&String> = parts.iter().flat_map(|part| &part.names).collect();
            found.extend(names.into_iter().filter_map(|name| property(name)));
            for ids in unnamed(&parts) {
                let unnamed = state.and_then(|state| state.unnamed(None));
                found.extend(self.inside(&ids, unnamed.unwrap_or(FieldRoute::Quiet), rest, mark));
            }
        }
        if may_be_list(&parts) {
            let items = state.map_or(FieldRoute::Quiet, |state| state.items);
            // `usize::MAX` is the item behind all that have schemas of their own.
            let of_items = parts.iter().filter_map(|part| part.of_item(usize::MAX));
            let ids: Vec<PartId> = of_items.collect();
            found.extend(self.inside(&ids, items, rest, mark));
        }
        // The weakest of all: it is enough that a value is shown under one of them.
        found.into_iter().reduce(|one, other| Restriction {
            visibility: one.visibility.min(other.visibility),
            secure: one.secure && other.secure,
        })
    }
}

/// The schemas of properties that are not named: those of each pattern, and those of all others.
fn unnamed(parts: &[&SchemaPart]) -> Vec<Vec<PartId>> {
    let patterns = parts.iter().flat_map(|part| &part.patterns);
    let mut all: Vec<Vec<PartId>> = patterns.map(|(_, id)| vec![*id]).collect();
    let rest = parts.iter().filter_map(|part| match part.additional {
        AdditionalSchema::Each(id) => Some(id),
        AdditionalSchema::Open | AdditionalSchema::Closed => None,
    });
    all.push(rest.collect());
    all
}

fn declares_object(parts: &[&SchemaPart]) -> bool {
    let declares = |part: &&SchemaPart| {
        let each = matches!(part.additional, AdditionalSchema::Each(_));
        each || !part.properties.is_empty() || !part.patterns.is_empty()
    };
    parts.iter().any(declares)
}

fn declares_list(parts: &[&SchemaPart]) -> bool {
    parts
        .iter()
        .any(|part| part.items.is_some() || !part.prefix.is_empty())
}

/// Where a type is not said, what is declared tells.
fn may_be_object(parts: &[&SchemaPart]) -> bool {
    use crate::types::PartTypes;
    parts.iter().all(|part| part.types.has(PartTypes::OBJECT))
        && (declares_object(parts) || !declares_list(parts))
}

fn may_be_list(parts: &[&SchemaPart]) -> bool {
    use crate::types::PartTypes;
    parts.iter().all(|part| part.types.has(PartTypes::ARRAY))
        && (declares_list(parts) || !declares_object(parts))
}
