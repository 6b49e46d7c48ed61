//! What a version expresses, compiled once: for every place, whether the version speaks of it, or
//! only another version of the type does.
//!
//! A version expresses a path when its schema declares it, or when no version of the type does and
//! it is not forbidden. All schemas are walked side by side; places where all of them say the same
//! things are one state, so a schema that refers to itself gives a finite graph, and places that
//! have nothing to hide and nothing to fill in are not visited at all.

use crate::types::{
    Additional, Part, PartId as Id, Schema, Step as Token, forbids, is_free, under_index, under_key,
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
pub(crate) enum Next {
    /// The version does not express it.
    Hide,
    /// It does; this holds inside.
    Into(usize),
    /// It does, and so for all inside.
    Quiet,
}

/// A default for a field that is required.
#[derive(Debug)]
pub(crate) struct Default {
    pub(crate) key: String,
    /// With the defaults that it needs itself.
    pub(crate) value: Value,
}

/// One kind of place.
#[derive(Debug)]
pub(crate) struct State {
    named: HashMap<String, Next>,
    patterns: Vec<Regex>,
    /// By which patterns match, a bit each.
    others: Vec<Next>,
    pub(crate) prefix: Vec<Next>,
    pub(crate) items: Next,
    pub(crate) defaults: Vec<Default>,
}

impl State {
    /// What to do with a field.
    pub(crate) fn next(&self, key: &str) -> Next {
        if let Some(next) = self.named.get(key) {
            return *next;
        }
        let matching = |(bit, pattern): (usize, &Regex)| usize::from(pattern.is_match(key)) << bit;
        let mask = self.patterns.iter().enumerate().map(matching);
        self.others
            .get(mask.sum::<usize>())
            .copied()
            .unwrap_or(Next::Quiet)
    }

    /// The fields that some version names here.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.named.keys()
    }

    /// What to do with a field that no version names; `None` if that depends on more than the
    /// one pattern given.
    pub(crate) fn unnamed(&self, pattern: Option<&str>) -> Option<Next> {
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

    fn all(&self) -> impl Iterator<Item = Next> + '_ {
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
pub(crate) struct Graph {
    states: Vec<State>,
    pub(crate) start: Next,
}

impl Graph {
    pub(crate) fn state(&self, at: usize) -> Option<&State> {
        self.states.get(at)
    }

    /// Of a version among all of its type. `others` may have the version's own schema in it;
    /// `elsewhere` is what they declare under other names.
    pub(crate) fn of(
        own: &Schema,
        others: &[&Schema],
        elsewhere: &Elsewhere,
    ) -> Result<Self, TooComplex> {
        let mut distinct: Vec<&Schema> = Vec::new();
        for other in others {
            let known = |schema: &&Schema| schema.source() == other.source();
            if other.source() != own.source() && !distinct.iter().any(known) {
                distinct.push(other);
            }
        }
        let mut making = Making {
            own,
            elsewhere,
            others: distinct,
            numbers: HashMap::new(),
            states: Vec::new(),
            todo: Vec::new(),
        };
        let whole = Place {
            certain: vec![0],
            possible: vec![0],
            others: making
                .others
                .iter()
                .map(|_| Reach::Parts(vec![0]))
                .collect(),
            elsewhere: vec![0],
        };
        let start = making.enter(whole);
        while let Some((number, place)) = making.todo.pop() {
            if making.numbers.len() > STATES {
                return Err(TooComplex);
            }
            let state = making.state(&place)?;
            if let Some(slot) = making.states.get_mut(number) {
                *slot = Some(state);
            }
        }
        let states: Option<Vec<State>> = making.states.into_iter().collect();
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
        loop {
            let before = loud.len();
            for (number, state) in self.states.iter().enumerate() {
                let speaks = |next: Next| match next {
                    Next::Hide => true,
                    Next::Into(inner) => loud.contains(&inner),
                    Next::Quiet => false,
                };
                if !state.defaults.is_empty() || state.all().any(speaks) {
                    loud.insert(number);
                }
            }
            if loud.len() == before {
                break;
            }
        }
        let hush = |next: &mut Next| {
            if matches!(next, Next::Into(inner) if !loud.contains(inner)) {
                *next = Next::Quiet;
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
enum Reach {
    Nothing,
    Parts(Vec<Id>),
    /// Anything may be there, and counts as declared.
    Free,
}

/// What all versions say of a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    certain: Vec<Id>,
    possible: Vec<Id>,
    others: Vec<Reach>,
    /// Nodes of what is declared elsewhere under other names.
    elsewhere: Vec<usize>,
}

/// Paths that other versions declare under other names, in the terms of the version at hand.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    nodes: Vec<Elsewhen>,
}

#[derive(Debug, std::default::Default)]
struct Elsewhen {
    keys: HashMap<String, usize>,
    every: Option<usize>,
    /// Everything inside counts as declared.
    free: bool,
}

impl Elsewhere {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![Elsewhen::default()],
        }
    }

    pub(crate) fn add(&mut self, trail: &[Token], free: bool) {
        let mut at = 0;
        for token in trail {
            let new = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            let next = match token {
                Token::Key(key) => *node.keys.entry(key.clone()).or_insert(new),
                Token::Every => *node.every.get_or_insert(new),
            };
            if next == new {
                self.nodes.push(Elsewhen::default());
            }
            at = next;
        }
        if let Some(node) = self.nodes.get_mut(at) {
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

struct Making<'s> {
    own: &'s Schema,
    elsewhere: &'s Elsewhere,
    others: Vec<&'s Schema>,
    numbers: HashMap<Place, usize>,
    states: Vec<Option<State>>,
    todo: Vec<(usize, Place)>,
}

/// How a property of a part is found: by its name, or by the patterns that match it.
enum Key<'k> {
    Name(&'k str),
    /// Pairs of a schema's number and a pattern's text that match.
    Matching(&'k BTreeSet<String>),
}

fn under(parts: &[&Part], key: &Key<'_>) -> Vec<Id> {
    match key {
        Key::Name(name) => under_key(parts, name),
        Key::Matching(matching) => {
            let mut ids = Vec::new();
            for part in parts {
                let matched = part.patterns.iter();
                let matched = matched.filter(|(regex, _)| matching.contains(regex.as_str()));
                let before = ids.len();
                ids.extend(matched.map(|(_, id)| *id));
                if let (true, Additional::Each(id)) = (ids.len() == before, part.additional) {
                    ids.push(id);
                }
            }
            ids.sort_unstable();
            ids.dedup();
            ids
        }
    }
}

fn closed(part: &Part, key: &Key<'_>) -> bool {
    match key {
        Key::Name(name) => forbids(part, name),
        Key::Matching(matching) => {
            let matched = |(regex, _): &(Regex, Id)| matching.contains(regex.as_str());
            part.additional == Additional::Closed && !part.patterns.iter().any(matched)
        }
    }
}

impl<'s> Making<'s> {
    fn enter(&mut self, place: Place) -> Next {
        if is_free(&self.own.shape, &place.possible) {
            return Next::Quiet;
        }
        if let Some(number) = self.numbers.get(&place) {
            return Next::Into(*number);
        }
        let number = self.states.len();
        self.numbers.insert(place.clone(), number);
        self.states.push(None);
        self.todo.push((number, place));
        Next::Into(number)
    }

    fn possible(&self, other: usize, reach: &Reach) -> Vec<&'s Part> {
        match (self.others.get(other), reach) {
            (Some(schema), Reach::Parts(ids)) => schema.shape.possible(ids),
            _ => Vec::new(),
        }
    }

    fn state(&mut self, place: &Place) -> Result<State, TooComplex> {
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
        let mut named: HashMap<String, Next> = HashMap::new();
        for name in names {
            let key = Key::Name(name);
            let next = self.next(place, &certain, &possible, &others, &key);
            named.insert(name.to_owned(), next);
        }
        let mut patterns: Vec<Regex> = Vec::new();
        for (regex, _) in all().flat_map(|part| &part.patterns) {
            if !patterns
                .iter()
                .any(|known| known.as_str() == regex.as_str())
            {
                patterns.push(regex.clone());
            }
        }
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
            let key = Key::Matching(&matching);
            by_mask.push(self.next(place, &certain, &possible, &others, &key));
        }
        let longest = all().map(|part| part.prefix.len()).max().unwrap_or(0);
        let mut prefix = Vec::new();
        for index in 0..longest {
            prefix.push(self.item(place, &certain, &possible, &others, index));
        }
        let items = self.item(place, &certain, &possible, &others, usize::MAX);
        let required: BTreeSet<&String> = certain.iter().flat_map(|part| &part.required).collect();
        let defaults = required.into_iter().filter_map(|key| {
            let value = self.own.full_default(&certain, key)?;
            Some(Default {
                key: key.clone(),
                value,
            })
        });
        Ok(State {
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
        place: &Place,
        certain: &[&Part],
        possible: &[&Part],
        others: &[Vec<&'s Part>],
        key: &Key<'_>,
    ) -> Next {
        let live = |schema: &Schema, mut ids: Vec<Id>| {
            ids.retain(|id| schema.shape.part(*id).is_some_and(|part| !part.never));
            ids
        };
        let mut inner = Place {
            certain: under(certain, key),
            possible: live(self.own, under(possible, key)),
            others: Vec::new(),
            elsewhere: match key {
                Key::Name(name) => self.elsewhere.inside(&place.elsewhere, Some(name)),
                Key::Matching(_) => self.elsewhere.inside(&place.elsewhere, None),
            },
        };
        for ((schema, reach), parts) in self.others.iter().zip(&place.others).zip(others) {
            let free = match reach {
                Reach::Nothing => false,
                Reach::Free => true,
                Reach::Parts(ids) => is_free(&schema.shape, ids),
            };
            let ids = live(schema, under(parts, key));
            inner.others.push(match (free, ids.is_empty()) {
                (true, _) => Reach::Free,
                (false, true) => Reach::Nothing,
                (false, false) => Reach::Parts(ids),
            });
        }
        let forbidden = certain.iter().any(|part| closed(part, key));
        if forbidden {
            return Next::Hide;
        }
        if inner.possible.is_empty() {
            let elsewhere = inner.others.iter().any(|reach| *reach != Reach::Nothing)
                || !inner.elsewhere.is_empty();
            return if elsewhere { Next::Hide } else { Next::Quiet };
        }
        self.enter(inner)
    }

    /// Items are never hidden: what is left of a list must not depend on positions.
    fn item(
        &mut self,
        place: &Place,
        certain: &[&Part],
        possible: &[&Part],
        others: &[Vec<&'s Part>],
        index: usize,
    ) -> Next {
        let of = |parts: &[&Part]| under_index(parts, index);
        let mut inner = Place {
            certain: of(certain),
            possible: of(possible),
            others: Vec::new(),
            elsewhere: self.elsewhere.inside(&place.elsewhere, None),
        };
        if inner.possible.is_empty() {
            return Next::Quiet;
        }
        for (reach, parts) in place.others.iter().zip(others) {
            let ids = of(parts);
            inner.others.push(match reach {
                Reach::Free => Reach::Free,
                _ if ids.is_empty() => Reach::Nothing,
                _ => Reach::Parts(ids),
            });
        }
        self.enter(inner)
    }
}
