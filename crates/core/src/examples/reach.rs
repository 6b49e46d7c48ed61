//! Documents with something said in one place, and no more around it than must be there.

use super::Examples;
use super::draw::{Base, Mode};
use super::patterns::Pattern;
use super::place::{Id, Place};
use crate::types::{under_index, under_key};
use serde_json::{Map, Value};

/// One step into a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// A property.
    Key(String),
    /// The item with that number.
    Item(usize),
    /// A property that no name and no pattern speaks of.
    Other,
    /// A property whose name matches a pattern.
    Matching(String),
}

/// What is done in the place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// This value is put there.
    Set(Value),
    /// The object that is there lacks this property.
    Remove(String),
}

/// How a document is made: as small or as full as it can be, or by chance; and whether what only
/// may apply counts on the way.
const WAYS: [(Mode, bool); 10] = [
    (Mode::Exact(Base::Smallest), false),
    (Mode::Exact(Base::Smallest), true),
    (Mode::Exact(Base::Fullest), false),
    (Mode::Exact(Base::Fullest), true),
    (Mode::Random, false),
    (Mode::Random, true),
    (Mode::Random, false),
    (Mode::Random, true),
    (Mode::Random, false),
    (Mode::Random, true),
];

/// Items before the one that is meant.
const ITEMS: usize = 16;
/// Names that are tried for a property that nothing speaks of.
const OTHERS: [&str; 3] = ["other", "another", "x-other"];

impl Examples<'_> {
    /// Documents with the edit in that place; without one, with whatever fits there. They need not
    /// fit: whoever asks looks.
    pub(crate) fn reaching(&mut self, at: &[At], edit: Option<&Edit>) -> Vec<Value> {
        let mut made: Vec<Value> = Vec::new();
        for (mode, possible) in WAYS {
            self.maker.start(mode, &[]);
            let way = Way { edit, possible };
            if let Some(document) = self.reach(&[0], Place::ROOT, at, &way)
                && !made.contains(&document)
            {
                made.push(document);
            }
        }
        made
    }

    fn reach(&mut self, ids: &[Id], place: Place, at: &[At], way: &Way<'_>) -> Option<Value> {
        let Some((first, rest)) = at.split_first() else {
            return match way.edit {
                None => self.maker.value(ids, place),
                Some(Edit::Set(value)) => Some(value.clone()),
                Some(Edit::Remove(name)) => {
                    let mut map = as_map(self.maker.value(ids, place));
                    map.shift_remove(name);
                    Some(Value::Object(map))
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
        if let At::Item(index) = first {
            let Some(Value::Array(mut items)) = around.or_else(|| Some(Value::Array(Vec::new())))
            else {
                let inner = under_index(&parts, *index);
                let item = self.reach(&inner, place.member(0), rest, way)?;
                return (*index == 0).then(|| Value::Array(vec![item]));
            };
            let index = (*index).min(ITEMS);
            let before: Vec<Vec<Id>> = (items.len()..index)
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
            At::Key(key) => key.clone(),
            At::Matching(pattern) => {
                let pattern = Pattern::read(pattern)?;
                pattern.text(&mut self.maker.draw.rng, 2)?
            }
            At::Other | At::Item(_) => {
                let unknown = |name: &&&str| {
                    let named = |part: &&crate::types::Part| part.properties.contains_key(**name);
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

struct Way<'e> {
    edit: Option<&'e Edit>,
    possible: bool,
}

fn as_map(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
