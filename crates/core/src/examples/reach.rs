//! Documents with something said in one place, and no more around it than must be there.

use super::Examples;
use super::draw::{DrawBase, DrawMode};
use super::patterns::ExamplePattern;
use super::place::{ExamplePlace, PartNumber};
use crate::types::{under_index, under_key};
use serde_json::{Map, Value};

/// One step into a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DocumentStep {
    /// A property.
    Key(String),
    /// The item with that number.
    Item(usize),
    /// A property that no name and no pattern speaks of.
    Other,
    /// A property whose name matches all of these patterns.
    Matching(Vec<String>),
}

/// What is done in the place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DocumentEdit {
    /// This value is put there.
    Set(Value),
    /// The object that is there lacks this property.
    Remove(String),
    /// The list that is there has so many items.
    Items(usize),
    /// The object that is there has so many properties.
    Properties(usize),
    /// The object that is there has a property with this name.
    Named(String),
}

/// Ways to make a document.
pub(crate) const WAYS: usize = 10;

/// How a document is made: as small or as full as it can be, or by chance; and whether what only
/// may apply counts on the way.
const MODES: [(DrawMode, bool); WAYS] = [
    (DrawMode::Exact(DrawBase::Smallest), false),
    (DrawMode::Exact(DrawBase::Smallest), true),
    (DrawMode::Exact(DrawBase::Fullest), false),
    (DrawMode::Exact(DrawBase::Fullest), true),
    (DrawMode::Random, false),
    (DrawMode::Random, true),
    (DrawMode::Random, false),
    (DrawMode::Random, true),
    (DrawMode::Random, false),
    (DrawMode::Random, true),
];

/// Items before the one that is meant.
const ITEMS: usize = 16;
/// Names that are tried where several patterns must match.
const NAMES: usize = 40;
/// Names that are tried for a property that nothing speaks of.
const OTHERS: [&str; 3] = ["other", "another", "x-other"];

impl Examples<'_> {
    /// A document with the edit in that place; without one, with whatever fits there. It need not
    /// fit as a whole: whoever asks looks. The first ways are the plainest.
    pub(crate) fn reaching(
        &mut self,
        at: &[DocumentStep],
        edit: Option<&DocumentEdit>,
        way: usize,
    ) -> Option<Value> {
        let (mode, possible) = *MODES.get(way)?;
        self.maker.start(mode, &[]);
        self.reach(
            &[0],
            ExamplePlace::ROOT,
            at,
            &ReachAttempt { edit, possible },
        )
    }

    fn reach(
        &mut self,
        ids: &[PartNumber],
        place: ExamplePlace,
        at: &[DocumentStep],
        way: &ReachAttempt<'_>,
    ) -> Option<Value> {
        let Some((first, rest)) = at.split_first() else {
            return match way.edit {
                None => self.maker.value(ids, place),
                Some(DocumentEdit::Set(value)) => Some(value.clone()),
                Some(DocumentEdit::Remove(name)) => {
                    let mut map = as_map(self.maker.value(ids, place));
                    map.shift_remove(name);
                    Some(Value::Object(map))
                }
                Some(DocumentEdit::Items(number)) => self.items(ids, place, *number),
                Some(DocumentEdit::Properties(number)) => self.properties(ids, place, *number),
                Some(DocumentEdit::Named(name)) => {
                    let named = [DocumentStep::Key(name.clone())];
                    let way = ReachAttempt { edit: None, ..*way };
                    self.reach(ids, place, &named, &way)
                }
            };
        };
        let around = self.maker.value(ids, place);
        let shape = &self.schema.shape;
        let parts = if way.possible {
            shape.possible(ids)
        } else {
            shape.certain(ids)
        };
        if let DocumentStep::Item(index) = first {
            let Some(Value::Array(mut items)) = around.or_else(|| Some(Value::Array(Vec::new())))
            else {
                let inner = under_index(&parts, *index);
                let item = self.reach(&inner, place.member(0), rest, way)?;
                return (*index == 0).then(|| Value::Array(vec![item]));
            };
            let index = (*index).min(ITEMS);
            let before: Vec<Vec<PartNumber>> = (items.len()..index)
                .map(|number| under_index(&parts, number))
                .collect();
            let inner = under_index(&parts, index);
            for ids in before {
                items.push(self.maker.value(&ids, place.member(1))?);
            }
            let item = self.reach(&inner, place.member(0), rest, way)?;
            items.truncate(index);
            items.push(item);
            return Some(Value::Array(items));
        }
        let key = match first {
            DocumentStep::Key(key) => key.clone(),
            DocumentStep::Matching(patterns) => self.name_of(patterns)?,
            DocumentStep::Other | DocumentStep::Item(_) => {
                let unknown = |name: &&&str| {
                    let named =
                        |part: &&crate::types::SchemaPart| part.properties.contains_key(**name);
                    !parts.iter().any(named)
                };
                (*OTHERS.iter().find(unknown)?).to_owned()
            }
        };
        let inner = under_key(&parts, &key);
        let mut map = as_map(around);
        let value = self.reach(&inner, place.member(0), rest, way)?;
        map.insert(key, value);
        Some(Value::Object(map))
    }
}

impl Examples<'_> {
    fn name_of(&mut self, patterns: &[String]) -> Option<String> {
        let read = patterns.iter().map(|text| ExamplePattern::read(text));
        let patterns = read.collect::<Option<Vec<_>>>()?;
        let rng = &mut self.maker.draw.rng;
        let mut texts = (0..NAMES).filter_map(|number| {
            let from = patterns.get(number % patterns.len().max(1))?;
            from.text(rng, number % 4)
        });
        texts.find(|text| patterns.iter().all(|pattern| pattern.matches(text)))
    }

    fn items(&mut self, ids: &[PartNumber], place: ExamplePlace, number: usize) -> Option<Value> {
        let mut items = match self.maker.value(ids, place) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        items.truncate(number);
        let parts = self.schema.shape.certain(ids);
        let wanted: Vec<Vec<PartNumber>> = (items.len()..number)
            .map(|index| under_index(&parts, index))
            .collect();
        let mut last: Option<(Vec<PartNumber>, Value)> = None;
        for ids in wanted {
            let again = last.take().filter(|(known, _)| *known == ids);
            let item = match again {
                // Most lists may have the same item often, and it costs nothing.
                Some((_, item)) if self.maker.draw.mode != DrawMode::Random => item,
                _ => self.maker.value(&ids, place.member(1))?,
            };
            items.push(item.clone());
            last = Some((ids, item));
        }
        Some(Value::Array(items))
    }

    fn properties(
        &mut self,
        ids: &[PartNumber],
        place: ExamplePlace,
        number: usize,
    ) -> Option<Value> {
        let mut map = as_map(self.maker.value(ids, place));
        while let Some(last) = map.keys().next_back().cloned()
            && map.len() > number
        {
            map.shift_remove(&last);
        }
        let parts = self.schema.shape.certain(ids);
        let mut names = parts.iter().flat_map(|part| &part.names).cloned();
        let mut names: Vec<String> = names.by_ref().take(number).collect();
        names.extend((0..number).map(|number| format!("k{number}")));
        let named: Vec<(String, Vec<PartNumber>)> = names
            .into_iter()
            .map(|name| {
                let ids = under_key(&parts, &name);
                (name, ids)
            })
            .collect();
        for (name, ids) in named {
            if map.len() < number
                && !map.contains_key(&name)
                && let Some(value) = self.maker.value(&ids, place.member(1))
            {
                map.insert(name, value);
            }
        }
        Some(Value::Object(map))
    }
}

struct ReachAttempt<'e> {
    edit: Option<&'e DocumentEdit>,
    possible: bool,
}

fn as_map(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
