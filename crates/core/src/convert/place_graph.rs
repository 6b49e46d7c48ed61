//! What a version expresses, compiled once: for every place, whether the version speaks of it, or
//! only another version of the type does.
//!
//! A version expresses a path when its schema declares it, or when no version of the type does and
//! it is not forbidden. All schemas are walked side by side; places where all of them say the same
//! things are one state, so a schema that refers to itself gives a finite graph, and places that
//! have nothing to hide and nothing to fill in are not visited at all.

use crate::types::{
    AdditionalSchema, PartId, PathToken, Schema, SchemaPart, forbids, is_free, under_index,
    under_key,
};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// States of one version's graph.
const STATES: usize = 50_000;
/// Patterns for keys at one place, all versions together.
const PATTERNS: usize = 8;

/// The schemas can't be told apart within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooComplex;

/// What to do with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRoute {
    /// The version does not express it.
    Hide,
    /// It does; this holds inside.
    Into(usize),
    /// It does, and so for all inside.
    Quiet,
}

/// A default for a field that is required.
#[derive(Debug)]
pub(crate) struct RequiredDefault {
    pub(crate) key: String,
    /// With the defaults that it needs itself.
    pub(crate) value: Value,
}

/// One kind of place.
#[derive(Debug)]
pub(crate) struct PlaceState {
    named: HashMap<String, FieldRoute>,
    patterns: Vec<Regex>,
    /// By which patterns match, a bit each.
    others: Vec<FieldRoute>,
    pub(crate) prefix: Vec<FieldRoute>,
    pub(crate) items: FieldRoute,
    pub(crate) defaults: Vec<RequiredDefault>,
}

impl PlaceState {
    /// What to do with a field.
    pub(crate) fn next(&self, key: &str) -> FieldRoute {
        if let Some(next) = self.named.get(key) {
            return *next;
        }
        let matching = |(bit, pattern): (usize, &Regex)| usize::from(pattern.is_match(key)) << bit;
        let mask = self.patterns.iter().enumerate().map(matching);
        self.others
            .get(mask.sum::<usize>())
            .copied()
            .unwrap_or(FieldRoute::Quiet)
    }

    /// The fields that some version names here.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.named.keys()
    }

    /// What to do with a field that no version names; `None` if that depends on more than the
    /// one pattern given.
    pub(crate) fn unnamed(&self, pattern: Option<&str>) -> Option<FieldRoute> {
        match (self.patterns.as_slice(), pattern) {
            ([], _) => self.others.first().copied(),
            ([one], Some(pattern)) if one.as_str() == pattern => self.others.get(1).copied(),
            _ => {
                let mut all = self.others.iter();
                let first = all.next().copied()?;
                all.all(|next| *next == first).then_some(first)
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = FieldRoute> + '_ {
        let items = self.prefix.iter().copied().chain([self.items]);
        self.named
            .values()
            .chain(&self.others)
            .copied()
            .chain(items)
    }
}

/// All places of one version.
#[derive(Debug)]
pub(crate) struct PlaceGraph {
    states: Vec<PlaceState>,
    pub(crate) start: FieldRoute,
}

impl PlaceGraph {
    pub(crate) fn state(&self, at: usize) -> Option<&PlaceState> {
        self.states.get(at)
    }

    /// Of a version among all of its type. `others` may have the version's own schema in it;
    /// `elsewhere` is what they declare under other names.
    pub(crate) fn of(
        own: &Schema,
        others: &[&Schema],
        elsewhere: &ElsewherePaths,
    ) -> Result<Self, TooComplex> {
        // Versions often differ in nothing but a description: each schema that is compared makes
        // the states larger.
        let mut distinct: Vec<&Schema> = Vec::new();
        for other in others {
            let known = |schema: &&Schema| schema.source() == other.source();
            if other.source() != own.source() && !distinct.iter().any(known) {
                distinct.push(other);
            }
        }
        let mut making = GraphBuilder {
            own,
            elsewhere,
            others: distinct,
            numbers: HashMap::new(),
            states: Vec::new(),
            todo: Vec::new(),
        };
        let whole = CombinedPlace {
            certain: vec![0],
            possible: vec![0],
            others: making
                .others
                .iter()
                .map(|_| PlaceReach::Parts(vec![0]))
                .collect(),
            elsewhere: vec![0],
        };
        let start = making.enter(whole);
        // A list of places to do and no recursion: schemas refer to themselves, and may do so
        // deeply.
        while let Some((number, place)) = making.todo.pop() {
            // The number of states is a product over all versions, so it has a bound of its own.
            if making.numbers.len() > STATES {
                return Err(TooComplex);
            }
            let state = making.state(&place)?;
            if let Some(slot) = making.states.get_mut(number) {
                *slot = Some(state);
            }
        }
        // Every number that was handed out was also put on the list, so none is missing here.
        let states: Option<Vec<PlaceState>> = making.states.into_iter().collect();
        let mut graph = Self {
            states: states.unwrap_or_default(),
            start,
        };
        graph.hush();
        Ok(graph)
    }

    /// Ways to places with nothing to do are cut.
    fn hush(&mut self) {
        let mut loud: HashSet<usize> = HashSet::new();
        // To a fixed point, because states refer to each other in circles: a place is loud if it
        // leads to a loud one.
        loop {
            let before = loud.len();
            for (number, state) in self.states.iter().enumerate() {
                let speaks = |next: FieldRoute| match next {
                    FieldRoute::Hide => true,
                    FieldRoute::Into(inner) => loud.contains(&inner),
                    FieldRoute::Quiet => false,
                };
                if !state.defaults.is_empty() || state.all().any(speaks) {
                    loud.insert(number);
                }
            }
            if loud.len() == before {
                break;
            }
        }
        let hush = |next: &mut FieldRoute| {
            if matches!(next, FieldRoute::Into(inner) if !loud.contains(inner)) {
                *next = FieldRoute::Quiet;
            }
        };
        for state in &mut self.states {
            state.named.values_mut().for_each(hush);
            state.others.iter_mut().for_each(hush);
            state.prefix.iter_mut().for_each(hush);
            hush(&mut state.items);
        }
        hush(&mut self.start);
    }
}

/// What another version says of a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PlaceReach {
    Nothing,
    Parts(Vec<PartId>),
    /// Anything may be there, and counts as declared.
    Free,
}

/// What all versions say of a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CombinedPlace {
    certain: Vec<PartId>,
    possible: Vec<PartId>,
    others: Vec<PlaceReach>,
    /// Nodes of what is declared elsewhere under other names.
    elsewhere: Vec<usize>,
}

/// Paths that other versions declare under other names, in the terms of the version at hand.
#[derive(Debug)]
pub(crate) struct ElsewherePaths {
    nodes: Vec<ElsewhereNode>,
}

#[derive(Debug, std::default::Default)]
struct ElsewhereNode {
    keys: HashMap<String, usize>,
    every: Option<usize>,
    /// Everything inside counts as declared.
    free: bool,
}

impl ElsewherePaths {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![ElsewhereNode::default()],
        }
    }

    pub(crate) fn add(&mut self, trail: &[PathToken], free: bool) {
        let mut at = 0;
        for token in trail {
            let new = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            // Numbers are positions in `nodes`, so a new node has the number of the next one.
            let next = match token {
                PathToken::Key(key) => *node.keys.entry(key.clone()).or_insert(new),
                PathToken::Every => *node.every.get_or_insert(new),
            };
            if next == new {
                self.nodes.push(ElsewhereNode::default());
            }
            at = next;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            // Once anything may follow under this name, a later path that is more precise does not
            // take it back.
            node.free |= free;
        }
    }

    fn names<'e>(&'e self, at: &'e [usize]) -> impl Iterator<Item = &'e String> {
        let nodes = at.iter().filter_map(|at| self.nodes.get(*at));
        nodes.flat_map(|node| node.keys.keys())
    }

    /// The nodes inside a field, or inside items.
    fn inside(&self, at: &[usize], key: Option<&str>) -> Vec<usize> {
        let mut found = Vec::new();
        for (number, node) in at.iter().filter_map(|at| Some((at, self.nodes.get(*at)?))) {
            found.extend(key.and_then(|key| node.keys.get(key)));
            found.extend(node.every);
            // All that is inside of it is as free as it is.
            found.extend(node.free.then_some(*number));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

struct GraphBuilder<'s> {
    own: &'s Schema,
    elsewhere: &'s ElsewherePaths,
    others: Vec<&'s Schema>,
    numbers: HashMap<CombinedPlace, usize>,
    states: Vec<Option<PlaceState>>,
    todo: Vec<(usize, CombinedPlace)>,
}

/// How a property of a part is found: by its name, or by the patterns that match it.
enum PropertyKey<'k> {
    Name(&'k str),
    /// Pairs of a schema's number and a pattern's text that match.
    Matching(&'k BTreeSet<String>),
}

fn under(parts: &[&SchemaPart], key: &PropertyKey<'_>) -> Vec<PartId> {
    match key {
        PropertyKey::Name(name) => under_key(parts, name),
        PropertyKey::Matching(matching) => {
            let mut ids = Vec::new();
            for part in parts {
                let matched = part.patterns.iter();
                let matched = matched.filter(|(regex, _)| matching.contains(regex.as_str()));
                let before = ids.len();
                ids.extend(matched.map(|(_, id)| *id));
                // A property that no pattern matches falls under the additional ones, as JSON
                // Schema has it.
                if let (true, AdditionalSchema::Each(id)) = (ids.len() == before, part.additional) {
                    ids.push(id);
                }
            }
            // In order, because the list is part of what a state is found by.
            ids.sort_unstable();
            ids.dedup();
            ids
        }
    }
}

fn closed(part: &SchemaPart, key: &PropertyKey<'_>) -> bool {
    match key {
        PropertyKey::Name(name) => forbids(part, name),
        PropertyKey::Matching(matching) => {
            let matched = |(regex, _): &(Regex, PartId)| matching.contains(regex.as_str());
            part.additional == AdditionalSchema::Closed && !part.patterns.iter().any(matched)
        }
    }
}

impl<'s> GraphBuilder<'s> {
    fn enter(&mut self, place: CombinedPlace) -> FieldRoute {
        // Where the version accepts anything, whatever other versions declare is expressed too:
        // nothing is ever hidden there.
        if is_free(&self.own.shape, &place.possible) {
            return FieldRoute::Quiet;
        }
        if let Some(number) = self.numbers.get(&place) {
            return FieldRoute::Into(*number);
        }
        let number = self.states.len();
        // Known before it is looked into, so that a schema that refers to itself ends here.
        self.numbers.insert(place.clone(), number);
        self.states.push(None);
        self.todo.push((number, place));
        FieldRoute::Into(number)
    }

    fn possible(&self, other: usize, reach: &PlaceReach) -> Vec<&'s SchemaPart> {
        match (self.others.get(other), reach) {
            (Some(schema), PlaceReach::Parts(ids)) => schema.shape.possible(ids),
            _ => Vec::new(),
        }
    }

    fn state(&mut self, place: &CombinedPlace) -> Result<PlaceState, TooComplex> {
        // What certainly applies can forbid or require. What possibly applies, a branch of `oneOf`
        // say, can only allow.
        let certain = self.own.shape.certain(&place.certain);
        let possible = self.own.shape.possible(&place.possible);
        let others = place.others.iter().enumerate();
        let others: Vec<_> = others.map(|(at, reach)| self.possible(at, reach)).collect();
        let all = || {
            certain
                .iter()
                .chain(&possible)
                .chain(others.iter().flatten())
        };
        let names = all().flat_map(|part| part.properties.keys());
        let names = names.chain(self.elsewhere.names(&place.elsewhere));
        let names: BTreeSet<&String> = names.collect();
        let mut named: HashMap<String, FieldRoute> = HashMap::new();
        for name in names {
            let key = PropertyKey::Name(name);
            let next = self.next(place, &certain, &possible, &others, &key);
            named.insert(name.to_owned(), next);
        }
        // Names that no version declares differ only by the patterns that they match: one answer
        // for each combination of patterns is enough for all of them.
        let mut patterns: Vec<Regex> = Vec::new();
        for (regex, _) in all().flat_map(|part| &part.patterns) {
            if !patterns
                .iter()
                .any(|known| known.as_str() == regex.as_str())
            {
                patterns.push(regex.clone());
            }
        }
        // Twice as many answers for each further pattern.
        if patterns.len() > PATTERNS {
            return Err(TooComplex);
        }
        let mut by_mask = Vec::new();
        for mask in 0..1_usize << patterns.len() {
            let matching = patterns.iter().enumerate();
            let matching = matching.filter(|(bit, _)| mask & (1 << bit) != 0);
            let matching = matching
                .map(|(_, regex)| regex.as_str().to_owned())
                .collect();
            let key = PropertyKey::Matching(&matching);
            by_mask.push(self.next(place, &certain, &possible, &others, &key));
        }
        let longest = all().map(|part| part.prefix.len()).max().unwrap_or(0);
        let mut prefix = Vec::new();
        for index in 0..longest {
            prefix.push(self.item(place, &certain, &possible, &others, index));
        }
        // `usize::MAX` stands for all items behind the last one that has a schema of its own.
        let items = self.item(place, &certain, &possible, &others, usize::MAX);
        let required: BTreeSet<&String> = certain.iter().flat_map(|part| &part.required).collect();
        // Only defaults of required fields: an optional one that is missing is missing on purpose.
        let defaults = required.into_iter().filter_map(|key| {
            let value = self.own.full_default(&certain, key)?;
            Some(RequiredDefault {
                key: key.clone(),
                value,
            })
        });
        Ok(PlaceState {
            defaults: defaults.collect(),
            named,
            patterns,
            others: by_mask,
            prefix,
            items,
        })
    }

    fn next(
        &mut self,
        place: &CombinedPlace,
        certain: &[&SchemaPart],
        possible: &[&SchemaPart],
        others: &[Vec<&'s SchemaPart>],
        key: &PropertyKey<'_>,
    ) -> FieldRoute {
        // A schema that accepts nothing declares nothing.
        let live = |schema: &Schema, mut ids: Vec<PartId>| {
            ids.retain(|id| schema.shape.part(*id).is_some_and(|part| !part.never));
            ids
        };
        let mut inner = CombinedPlace {
            certain: under(certain, key),
            possible: live(self.own, under(possible, key)),
            others: Vec::new(),
            elsewhere: match key {
                PropertyKey::Name(name) => self.elsewhere.inside(&place.elsewhere, Some(name)),
                PropertyKey::Matching(_) => self.elsewhere.inside(&place.elsewhere, None),
            },
        };
        for ((schema, reach), parts) in self.others.iter().zip(&place.others).zip(others) {
            let free = match reach {
                PlaceReach::Nothing => false,
                PlaceReach::Free => true,
                PlaceReach::Parts(ids) => is_free(&schema.shape, ids),
            };
            let ids = live(schema, under(parts, key));
            inner.others.push(match (free, ids.is_empty()) {
                (true, _) => PlaceReach::Free,
                (false, true) => PlaceReach::Nothing,
                (false, false) => PlaceReach::Parts(ids),
            });
        }
        // Forbidden by this version: whether another one declares it does not matter, it can't be
        // shown.
        let forbidden = certain.iter().any(|part| closed(part, key));
        if forbidden {
            return FieldRoute::Hide;
        }
        // This version does not speak of it. It is hidden if another one gives it a meaning, and a
        // field that no version knows is nobody's business.
        if inner.possible.is_empty() {
            let elsewhere = inner
                .others
                .iter()
                .any(|reach| *reach != PlaceReach::Nothing)
                || !inner.elsewhere.is_empty();
            return if elsewhere {
                FieldRoute::Hide
            } else {
                FieldRoute::Quiet
            };
        }
        self.enter(inner)
    }

    /// Items are never hidden: what is left of a list must not depend on positions.
    fn item(
        &mut self,
        place: &CombinedPlace,
        certain: &[&SchemaPart],
        possible: &[&SchemaPart],
        others: &[Vec<&'s SchemaPart>],
        index: usize,
    ) -> FieldRoute {
        let of = |parts: &[&SchemaPart]| under_index(parts, index);
        let mut inner = CombinedPlace {
            certain: of(certain),
            possible: of(possible),
            others: Vec::new(),
            elsewhere: self.elsewhere.inside(&place.elsewhere, None),
        };
        // Nothing is said of the item's content, and the item itself always stays.
        if inner.possible.is_empty() {
            return FieldRoute::Quiet;
        }
        for (reach, parts) in place.others.iter().zip(others) {
            let ids = of(parts);
            inner.others.push(match reach {
                PlaceReach::Free => PlaceReach::Free,
                _ if ids.is_empty() => PlaceReach::Nothing,
                _ => PlaceReach::Parts(ids),
            });
        }
        self.enter(inner)
    }
}
