//! What a message says of content, and content with what a message says.
//!
//! Both are about content, as JSON: [`Lens::told`] is the part of it that the messages of a package
//! can hold exactly, [`Lens::put`] replaces just that part. So `put(s, told(s)) = s`,
//! `told(put(s, t)) = t`, and what a message can't say stays: fields that the package does not
//! describe, values that a field can't hold, nulls, numbers beyond what protobuf holds exactly.

mod error;
mod lists;
mod order;
mod values;

pub use error::LensError;

use crate::kind::{Item, Kind};
use crate::layout::{Field, Layout, Message};
use coeval_core::types::{pointer::child, same};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A layout with its look-ups made once.
#[derive(Clone, Debug)]
pub struct Lens {
    root: Part,
}

/// One message of it.
#[derive(Clone, Debug)]
struct Part {
    /// By number.
    fields: Vec<Spoken>,
    by_json: HashMap<String, usize>,
    /// All other fields are in `extra`.
    all: bool,
}

/// A field that is said, by itself or in `extra`.
#[derive(Clone, Debug)]
struct Spoken {
    json: String,
    kind: Kind,
    inner: Option<Box<Part>>,
}

/// What an empty or absent value of any field means, and one in `extra` of free content.
const ANY: Kind = Kind::One(Item::Value);

impl Part {
    fn of(message: &Message) -> Self {
        let own = message.fields.iter().map(|field: &Field| Spoken {
            json: field.json.clone(),
            kind: field.kind,
            inner: field
                .message
                .as_ref()
                .map(|inner| Box::new(Self::of(inner))),
        });
        let names = message.extra.iter().flat_map(|extra| &extra.names);
        let extra = names.map(|name| Spoken {
            json: name.clone(),
            kind: ANY,
            inner: None,
        });
        let fields: Vec<Spoken> = own.chain(extra).collect();
        let by_json = fields.iter().enumerate();
        Self {
            by_json: by_json
                .map(|(at, field)| (field.json.clone(), at))
                .collect(),
            all: message.extra.as_ref().is_some_and(|extra| extra.all),
            fields,
        }
    }

    fn field(&self, json: &str) -> Option<(Kind, Option<&Self>)> {
        let own = self.by_json.get(json).and_then(|at| self.fields.get(*at));
        match own {
            Some(own) => Some((own.kind, own.inner.as_deref())),
            None => self.all.then_some((ANY, None)),
        }
    }
}

impl Lens {
    /// Of a package.
    #[must_use]
    pub fn of(layout: &Layout) -> Self {
        Self {
            root: Part::of(&layout.spec),
        }
    }

    /// What the package's messages can hold of content, exactly. Numbers are of the kind of their
    /// field; lists and maps may be empty.
    #[must_use]
    pub fn said(&self, content: &Value) -> Value {
        let whole = said(Kind::One(Item::Message), Some(&self.root), content);
        whole.unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// The same as a message says it: it can't tell an empty list or map from an absent one.
    #[must_use]
    pub fn told(&self, content: &Value) -> Value {
        let whole = Kind::One(Item::Message);
        let told = as_told_part(whole, Some(&self.root), &self.said(content));
        told.unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// The stored content with what a message says; `told` is that as content, without empty lists
    /// and maps.
    ///
    /// # Errors
    /// If something would be lost that the message can't say.
    pub fn put(&self, stored: Option<&Value>, told: &Value) -> Result<Value, LensError> {
        let mut dropped = Vec::new();
        self.put_telling(stored, told, &mut dropped)
    }

    /// The same; `dropped` hears of everything that is deleted and had something in it that the
    /// message can't say, as JSON pointers into what was stored.
    ///
    /// # Errors
    /// If something would be lost that the message can't say.
    pub fn put_telling(
        &self,
        stored: Option<&Value>,
        told: &Value,
        dropped: &mut Vec<String>,
    ) -> Result<Value, LensError> {
        let whole = Kind::One(Item::Message);
        let says_nothing = told.as_object().is_some_and(Map::is_empty);
        let stored = match stored {
            // Content that is no object is not said at all: who says nothing changes nothing.
            Some(stored) if !stored.is_object() && says_nothing => return Ok(stored.clone()),
            stored => stored.filter(|stored| stored.is_object()),
        };
        let mut merging = Merging { dropped };
        let new = merging.merged((whole, Some(&self.root)), stored, Some(told), "")?;
        Ok(new.unwrap_or_else(|| Value::Object(Map::new())))
    }
}

/// The part of a value that a field can hold; nothing if it can't hold it exactly.
fn said(kind: Kind, inner: Option<&Part>, value: &Value) -> Option<Value> {
    match kind {
        Kind::One(item) => said_item(item, inner, value),
        Kind::Repeated(item) => {
            let items = value.as_array()?.iter();
            let said: Option<Vec<Value>> = items.map(|one| said_item(item, inner, one)).collect();
            said.map(Value::Array)
        }
        Kind::Map(item) => {
            let entries = value.as_object()?.iter();
            let said =
                entries.filter_map(|(key, one)| Some((key.clone(), said_item(item, inner, one)?)));
            Some(Value::Object(said.collect()))
        }
    }
}

fn said_item(item: Item, inner: Option<&Part>, value: &Value) -> Option<Value> {
    match item {
        Item::Message => {
            let part = inner?;
            let fields = value.as_object()?.iter();
            let said = fields.filter_map(|(key, one)| {
                let (kind, inner) = part.field(key)?;
                Some((key.clone(), said(kind, inner, one)?))
            });
            Some(Value::Object(said.collect()))
        }
        scalar_or_value => values::held(scalar_or_value, value),
    }
}

/// Whether something in it can't be said.
fn has_unsaid(kind: Kind, inner: Option<&Part>, value: &Value) -> bool {
    let told = said(kind, inner, value).and_then(|said| as_told_part(kind, inner, &said));
    !told.is_some_and(|told| same(&told, value))
}

struct Merging<'d> {
    dropped: &'d mut Vec<String>,
}

/// What a field holds, and the message in it.
type Of<'p> = (Kind, Option<&'p Part>);

impl Merging<'_> {
    /// The new value of a field. `told` is nothing where the message says nothing of it.
    fn merged(
        &mut self,
        (kind, inner): Of<'_>,
        stored: Option<&Value>,
        told: Option<&Value>,
        at: &str,
    ) -> Result<Option<Value>, LensError> {
        let Some(stored) = stored else {
            return Ok(told.cloned());
        };
        if let (Kind::One(Item::Message), Some(part), Value::Object(stored_fields)) =
            (kind, inner, stored)
        {
            let Some(Value::Object(told)) = told else {
                if has_unsaid(kind, inner, stored) {
                    self.dropped.push(at.to_owned());
                }
                return Ok(None);
            };
            let of = |key: &str| part.field(key);
            return Ok(Some(self.object(of, stored_fields, told, at)?));
        }
        let Some(before) = said(kind, inner, stored) else {
            return match (kind, told) {
                (_, None) => Ok(Some(stored.clone())),
                // It was shown as empty: who adds to it does not know what is there.
                (Kind::Repeated(_), Some(_)) if stored.is_array() => Err(LensError::list(at)),
                (_, Some(told)) => Ok(Some(told.clone())),
            };
        };
        let none = Map::new();
        match kind {
            Kind::One(_) => Ok(told.map(|told| order::kept(stored, told))),
            Kind::Repeated(Item::Message) => {
                let before = as_told_part(kind, inner, &before);
                let items = (items_of(Some(stored)), items_of(before.as_ref()));
                let new = lists::matched(items, items_of(told), at, self.dropped)?;
                Ok(Some(Value::Array(new)))
            }
            Kind::Repeated(_) => {
                let new = order::kept_items(items_of(Some(stored)), items_of(told));
                Ok(Some(Value::Array(new)))
            }
            Kind::Map(item) => {
                let stored = stored.as_object().unwrap_or(&none);
                let told = told.and_then(Value::as_object).unwrap_or(&none);
                let of = |_: &str| Some((Kind::One(item), inner));
                Ok(Some(self.object(of, stored, told, at)?))
            }
        }
    }

    /// The new fields of an object; those of which nothing can be said stay.
    fn object<'p>(
        &mut self,
        of: impl Fn(&str) -> Option<Of<'p>>,
        stored: &Map<String, Value>,
        told: &Map<String, Value>,
        at: &str,
    ) -> Result<Value, LensError> {
        let mut new = Map::new();
        for (key, old) in stored {
            let value = match of(key) {
                None => Some(old.clone()),
                Some(of) => self.merged(of, Some(old), told.get(key), &child(at, key))?,
            };
            new.extend(value.map(|value| (key.clone(), value)));
        }
        for (key, value) in told {
            if !stored.contains_key(key) {
                new.insert(key.clone(), value.clone());
            }
        }
        Ok(Value::Object(new))
    }
}

fn items_of(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What a message says of it: without empty lists and maps.
fn as_told_part(kind: Kind, inner: Option<&Part>, value: &Value) -> Option<Value> {
    let one = |item, value| as_told_part(Kind::One(item), inner, value);
    match (kind, value) {
        (Kind::Repeated(_), Value::Array(items)) if items.is_empty() => None,
        (Kind::Map(_), Value::Object(map)) if map.is_empty() => None,
        (Kind::Repeated(item), Value::Array(items)) => {
            let items = items.iter().filter_map(|value| one(item, value));
            Some(Value::Array(items.collect()))
        }
        (Kind::Map(item), Value::Object(map)) => {
            let entries = map.iter();
            let entries = entries.filter_map(|(key, value)| Some((key.clone(), one(item, value)?)));
            Some(Value::Object(entries.collect()))
        }
        (Kind::One(Item::Message), Value::Object(map)) => {
            let part = inner?;
            let fields = map.iter().filter_map(|(key, value)| {
                let (kind, inner) = part.field(key)?;
                Some((key.clone(), as_told_part(kind, inner, value)?))
            });
            Some(Value::Object(fields.collect()))
        }
        (_, value) => Some(value.clone()),
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
