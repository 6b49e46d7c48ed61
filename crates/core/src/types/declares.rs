//! What a schema declares: the fields that a version speaks of.

use super::limits::{CONTENT_DEPTH, DECLARED_PATHS};
use super::part::{AdditionalSchema, PartId, PartTypes, SchemaPart};
use super::pointer::{PathPattern, PathToken, tokens};
use super::restriction::Restriction;
use super::schema::Schema;
use super::shape::{SchemaShape, under_key};
use serde_json::Value;
use std::collections::BTreeSet;

/// A declared field, or every item or value of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPath<'s> {
    /// Where.
    pub path: PathPattern,
    /// The JSON types that it can have; `integer` where only whole numbers fit. Where alternatives
    /// differ, all that they allow.
    pub types: Vec<&'static str>,
    /// Anything may be inside, and all of it counts as declared.
    pub free: bool,
    /// The same schema again as further up: the walk ends here.
    pub repeats: bool,
    /// Its marks, those of the fields around it included.
    pub restriction: Restriction,
    /// Whether the object around it must have it. What only an alternative requires is not.
    pub required: bool,
    /// What it is filled with where it is required and missing.
    pub default: Option<&'s Value>,
    /// The only values that fit, where the schema lists them.
    pub values: Option<&'s [Value]>,
    /// The schema's own words.
    pub description: Option<&'s str>,
}

/// All declared paths, as far as the walk went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPaths<'s> {
    /// The content as a whole; its path has no steps.
    pub whole: DeclaredPath<'s>,
    /// Parents before their children, in the author's order.
    pub paths: Vec<DeclaredPath<'s>>,
    /// Whether there are no others.
    pub complete: bool,
}

impl Schema {
    /// Whether the schema declares the place that a JSON pointer names: by properties,
    /// `patternProperties`, items, a schema for additional properties, or because it is inside of a
    /// free-form value. `additionalProperties: true` alone declares nothing. Alternatives count.
    #[must_use]
    pub fn declares(&self, pointer: &str) -> bool {
        let Some(tokens) = tokens(pointer) else {
            return false;
        };
        self.reaches(tokens.iter().map(|token| Some(token.as_str())))
    }

    /// The same for a pattern: whether it can name a declared place.
    #[must_use]
    pub fn declares_some(&self, pattern: &PathPattern) -> bool {
        self.reaches(pattern.steps().iter().map(|step| match step {
            PathToken::Key(key) => Some(key.as_str()),
            PathToken::Every => None,
        }))
    }

    /// The JSON types that a declared place can have.
    pub(crate) fn types_at(&self, pattern: &PathPattern) -> Vec<&'static str> {
        let ids = self.parts_at(pattern.steps());
        if ids.is_empty() {
            return Vec::new();
        }
        types_of(&self.shape, &ids).names()
    }

    /// The names of the properties that are declared in a place, in the author's order.
    pub(crate) fn names_under(&self, pattern: &PathPattern) -> Vec<String> {
        self.names_in(pattern.steps())
    }

    /// The same of a path that may be empty: then those of the content itself.
    #[must_use]
    pub fn names_in(&self, steps: &[PathToken]) -> Vec<String> {
        let parts = self.shape.possible(&self.parts_at(steps));
        let mut seen = BTreeSet::new();
        let names = parts.iter().flat_map(|part| &part.names);
        names.filter(|name| seen.insert(*name)).cloned().collect()
    }

    /// All defaults that a place can have, whatever alternative applies.
    pub(crate) fn defaults_at(&self, pattern: &PathPattern) -> Vec<&Value> {
        let parts = self.shape.possible(&self.parts_at(pattern.steps()));
        parts
            .into_iter()
            .filter_map(|part| part.default.as_ref())
            .collect()
    }

    pub(crate) fn parts_at(&self, steps: &[PathToken]) -> Vec<PartId> {
        let mut ids = vec![0];
        for step in steps {
            let parts = self.shape.possible(&ids);
            ids = match step {
                PathToken::Key(key) => under_key(&parts, key),
                PathToken::Every => everything_under(&parts),
            };
        }
        ids
    }

    /// The marks of a place, those around it included: the strongest of all that it can name.
    pub(crate) fn strongest(&self, trail: &[PathToken]) -> Restriction {
        let mut ids = vec![0];
        let mut marks = Restriction::default();
        let mut trail = trail.iter();
        loop {
            let parts = self.shape.possible(&ids);
            let own = parts.iter().map(|part| part.restriction);
            marks = own.fold(marks, Restriction::and);
            ids = match trail.next() {
                None => return marks,
                Some(PathToken::Key(key)) => under_key(&parts, key),
                Some(PathToken::Every) => everything_under(&parts),
            };
        }
    }

    fn reaches<'t>(&self, steps: impl Iterator<Item = Option<&'t str>>) -> bool {
        let mut ids = vec![0];
        for step in steps {
            let parts = self.shape.possible(&ids);
            if is_free(&self.shape, &ids) {
                return true;
            }
            ids = match step {
                Some(token) => declared_under(&parts, token),
                None => everything_under(&parts),
            };
            ids.retain(|id| self.shape.part(*id).is_some_and(|part| !part.never));
            if ids.is_empty() {
                return false;
            }
        }
        true
    }

    /// Whether a path of a filter can lead to a declared place. As in filters, where a name meets a
    /// list the path goes on in every item.
    #[must_use]
    pub fn leads_to_declared(&self, steps: &[PathToken]) -> bool {
        let mut ids = vec![0];
        for step in steps {
            if is_free(&self.shape, &ids) {
                return true;
            }
            let parts = self.shape.possible(&ids);
            ids = match step {
                PathToken::Every => everything_under(&parts),
                PathToken::Key(key) => {
                    let mut found = declared_under(&parts, key);
                    let mut items = items_of(&parts);
                    for _ in 0..LISTS_IN_LISTS {
                        if items.is_empty() {
                            break;
                        }
                        if is_free(&self.shape, &items) {
                            return true;
                        }
                        let parts = self.shape.possible(&items);
                        found.extend(declared_under(&parts, key));
                        items = items_of(&parts);
                    }
                    found.sort_unstable();
                    found.dedup();
                    found
                }
            };
            ids.retain(|id| self.shape.part(*id).is_some_and(|part| !part.never));
            if ids.is_empty() {
                return false;
            }
        }
        true
    }

    /// Every declared path. A schema that refers to itself is walked once on each way down.
    #[must_use]
    pub fn declared_paths(&self) -> DeclaredPaths<'_> {
        let place = DeclaredPlace {
            ids: vec![0],
            sure: vec![0],
        };
        let mut walk = DeclaredWalk {
            shape: &self.shape,
            steps: Vec::new(),
            above: Vec::new(),
            paths: Vec::new(),
            complete: true,
        };
        let whole = walk.declared(&place, Restriction::default(), false);
        walk.inside(place, whole.restriction);
        DeclaredPaths {
            whole,
            paths: walk.paths,
            complete: walk.complete,
        }
    }
}

/// What a token leads to: a property's name, or an item's number.
fn declared_under(parts: &[&SchemaPart], token: &str) -> Vec<PartId> {
    let mut ids = under_key(parts, token);
    let is_index = token == "-"
        || token == "0"
        || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    if is_index && !token.is_empty() {
        let index = token.parse().unwrap_or(usize::MAX);
        ids.extend(parts.iter().filter_map(|part| part.of_item(index)));
    }
    ids
}

fn everything_under(parts: &[&SchemaPart]) -> Vec<PartId> {
    let mut ids: Vec<_> = parts.iter().flat_map(|part| maps_and_items(part)).collect();
    ids.extend(
        parts
            .iter()
            .flat_map(|part| part.properties.values().copied()),
    );
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn maps_and_items(part: &SchemaPart) -> Vec<PartId> {
    let patterns = part.patterns.iter().map(|(_, id)| *id);
    let mut ids: Vec<_> = patterns
        .chain(part.prefix.iter().copied())
        .chain(part.items)
        .collect();
    if let AdditionalSchema::Each(id) = part.additional {
        ids.push(id);
    }
    ids
}

/// How many lists inside of one another a path passes without a word.
const LISTS_IN_LISTS: usize = 4;

/// The schemas of the items of lists.
fn items_of(parts: &[&SchemaPart]) -> Vec<PartId> {
    let items = parts
        .iter()
        .flat_map(|part| part.prefix.iter().chain(&part.items));
    let mut items: Vec<PartId> = items.copied().collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The types of a value to which all of these apply.
fn types_of(shape: &SchemaShape, ids: &[PartId]) -> PartTypes {
    let types = ids.iter().map(|id| shape.types_at(*id));
    types.fold(PartTypes::ANY, PartTypes::both)
}

/// Whether anything may be inside, without a word about it.
pub(crate) fn is_free(shape: &SchemaShape, ids: &[PartId]) -> bool {
    let types = types_of(shape, ids);
    let parts = shape.possible(ids);
    let container = |types: PartTypes| types.has(PartTypes::OBJECT) || types.has(PartTypes::ARRAY);
    container(types)
        && !parts
            .iter()
            .any(|part| part.never || part.declares_inside())
        && parts.iter().any(|part| container(part.types))
}

/// The schemas of a field.
struct DeclaredPlace {
    /// Those that may apply.
    ids: Vec<PartId>,
    /// Those of them that do, whatever the content; sorted.
    sure: Vec<PartId>,
}

impl DeclaredPlace {
    /// What fits all that apply for certain and some of the others.
    fn types(&self, shape: &SchemaShape) -> PartTypes {
        let (sure, unsure): (Vec<PartId>, Vec<PartId>) = self
            .ids
            .iter()
            .partition(|id| self.sure.binary_search(id).is_ok());
        let any_of = |ids: &[PartId]| {
            let types = ids.iter().map(|id| shape.types_at(*id));
            types.fold(PartTypes::NONE, PartTypes::either)
        };
        if unsure.is_empty() {
            return types_of(shape, &sure);
        }
        let left = types_of(shape, &sure).both(any_of(&unsure));
        if left == PartTypes::NONE {
            return any_of(&self.ids);
        }
        left
    }
}

struct DeclaredWalk<'s> {
    shape: &'s SchemaShape,
    steps: Vec<PathToken>,
    above: Vec<Vec<PartId>>,
    paths: Vec<DeclaredPath<'s>>,
    complete: bool,
}

impl<'s> DeclaredWalk<'s> {
    fn inside(&mut self, place: DeclaredPlace, around: Restriction) {
        let parts = self.shape.possible(&place.ids);
        let certain = self.shape.certain(&place.sure);
        self.above.push(place.ids);
        let mut names: Vec<&String> = parts.iter().flat_map(|part| &part.names).collect();
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        for name in names {
            let inner = DeclaredPlace {
                ids: under_key(&parts, name),
                sure: under_key(&certain, name),
            };
            let required = certain.iter().any(|part| part.required.contains(name));
            self.visit(PathToken::Key(name.clone()), inner, around, required);
        }
        let mut rest: Vec<_> = parts.iter().flat_map(|part| maps_and_items(part)).collect();
        rest.sort_unstable();
        rest.dedup();
        if !rest.is_empty() {
            let mut sure: Vec<_> = certain
                .iter()
                .filter_map(|part| of_all_inside(part))
                .collect();
            sure.sort_unstable();
            let inner = DeclaredPlace { ids: rest, sure };
            self.visit(PathToken::Every, inner, around, false);
        }
        self.above.pop();
    }

    fn visit(
        &mut self,
        step: PathToken,
        place: DeclaredPlace,
        around: Restriction,
        required: bool,
    ) {
        if self.paths.len() >= DECLARED_PATHS || self.steps.len() >= CONTENT_DEPTH {
            self.complete = false;
            return;
        }
        let parts = self.shape.possible(&place.ids);
        if parts.iter().all(|part| part.never) {
            return;
        }
        self.steps.push(step);
        let found = self.declared(&place, around, required);
        let (repeats, restriction) = (found.repeats, found.restriction);
        self.paths.push(found);
        if !repeats {
            self.inside(place, restriction);
        }
        self.steps.pop();
    }

    fn declared(
        &self,
        place: &DeclaredPlace,
        around: Restriction,
        required: bool,
    ) -> DeclaredPath<'s> {
        let shape = self.shape;
        let parts = shape.possible(&place.ids);
        let marks = parts.iter().map(|part| part.restriction);
        let values = shape.nearest(&place.sure, |part| part.values.as_ref());
        let description = shape.nearest(&place.sure, |part| part.description.as_ref());
        DeclaredPath {
            path: PathPattern::of(self.steps.clone()),
            types: place.types(shape).names(),
            free: is_free(shape, &place.ids),
            repeats: self.above.contains(&place.ids),
            restriction: marks.fold(around, Restriction::and),
            required,
            default: shape.nearest(&place.sure, |part| part.default.as_ref()),
            values: values.map(Vec::as_slice),
            description: description.map(String::as_str),
        }
    }
}

/// The schema that every item or value has, if it is one for all.
fn of_all_inside(part: &SchemaPart) -> Option<PartId> {
    match maps_and_items(part).as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}
