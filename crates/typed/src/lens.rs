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

use crate::kind::{FieldForm, ItemKind};
use crate::layout::{LayoutField, LayoutMessage, PackageLayout};
use coeval_core::types::{pointer::child, same};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A layout with its look-ups made once.
#[derive(Clone, Debug)]
pub struct Lens {
    root: LensMessage,
}

/// One message of it.
#[derive(Clone, Debug)]
struct LensMessage {
    /// By number.
    fields: Vec<LensField>,
    by_json: HashMap<String, usize>,
    /// All other fields are in `extra`.
    all: bool,
}

/// A field that is said, by itself or in `extra`.
#[derive(Clone, Debug)]
struct LensField {
    json: String,
    kind: FieldForm,
    inner: Option<Box<LensMessage>>,
}

/// What an empty or absent value of any field means, and one in `extra` of free content.
const ANY: FieldForm = FieldForm::One(ItemKind::Value);

impl LensMessage {
    fn of(message: &LayoutMessage) -> Self {
        let own = message.fields.iter().map(|field: &LayoutField| LensField {
            json: field.json.clone(),
            kind: field.kind,
            inner: field
                .message
                .as_ref()
                .map(|inner| Box::new(Self::of(inner))),
        });
        let names = message.extra.iter().flat_map(|extra| &extra.names);
        let extra = names.map(|name| LensField {
            json: name.clone(),
            kind: ANY,
            inner: None,
        });
        let fields: Vec<LensField> = own.chain(extra).collect();
        let by_json = fields.iter().enumerate();
        Self {
            by_json: by_json
                .map(|(at, field)| (field.json.clone(), at))
                .collect(),
            all: message.extra.as_ref().is_some_and(|extra| extra.all),
            fields,
        }
    }

    fn field(&self, json: &str) -> Option<(FieldForm, Option<&Self>)> {
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
    pub fn of(layout: &PackageLayout) -> Self {
        Self {
            root: LensMessage::of(&layout.spec),
        }
    }

    /// What the package's messages can hold of content, exactly. Numbers are of the kind of their
    /// field; lists and maps may be empty.
    #[must_use]
    pub fn said(&self, content: &Value) -> Value {
        let whole = said(FieldForm::One(ItemKind::Message), Some(&self.root), content);
        whole.unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// The same as a message says it: it can't tell an empty list or map from an absent one.
    #[must_use]
    pub fn told(&self, content: &Value) -> Value {
        let whole = FieldForm::One(ItemKind::Message);
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
        let whole = FieldForm::One(ItemKind::Message);
        let says_nothing = told.as_object().is_some_and(Map::is_empty);
        let stored = match stored {
            // Content that is no object is not said at all: who says nothing changes nothing.
            Some(stored) if !stored.is_object() && says_nothing => return Ok(stored.clone()),
            stored => stored.filter(|stored| stored.is_object()),
        };
        // The whole content is a field like any other, one that holds a message: one rule serves all levels.
        let mut merging = ContentMerge { dropped };
        let new = merging.merged((whole, Some(&self.root)), stored, Some(told), "")?;
        Ok(new.unwrap_or_else(|| Value::Object(Map::new())))
    }
}

/// The part of a value that a field can hold; nothing if it can't hold it exactly.
fn said(kind: FieldForm, inner: Option<&LensMessage>, value: &Value) -> Option<Value> {
    match kind {
        FieldForm::One(item) => said_item(item, inner, value),
        FieldForm::Repeated(item) => {
            let items = value.as_array()?.iter();
            let said: Option<Vec<Value>> = items.map(|one| said_item(item, inner, one)).collect();
            said.map(Value::Array)
        }
        FieldForm::Map(item) => {
            let entries = value.as_object()?.iter();
            let said =
                entries.filter_map(|(key, one)| Some((key.clone(), said_item(item, inner, one)?)));
            Some(Value::Object(said.collect()))
        }
    }
}

fn said_item(item: ItemKind, inner: Option<&LensMessage>, value: &Value) -> Option<Value> {
    match item {
        ItemKind::Message => {
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
fn has_unsaid(kind: FieldForm, inner: Option<&LensMessage>, value: &Value) -> bool {
    let told = said(kind, inner, value).and_then(|said| as_told_part(kind, inner, &said));
    !told.is_some_and(|told| same(&told, value))
}

struct ContentMerge<'d> {
    dropped: &'d mut Vec<String>,
}

/// What a field holds, and the message in it.
type FormOf<'p> = (FieldForm, Option<&'p LensMessage>);

impl ContentMerge<'_> {
    /// The new value of a field. `told` is nothing where the message says nothing of it.
    fn merged(
        &mut self,
        (kind, inner): FormOf<'_>,
        stored: Option<&Value>,
        told: Option<&Value>,
        at: &str,
    ) -> Result<Option<Value>, LensError> {
        // Nothing is stored, so that nothing can be lost.
        let Some(stored) = stored else {
            return Ok(told.cloned());
        };
        if let (FieldForm::One(ItemKind::Message), Some(part), Value::Object(stored_fields)) =
            (kind, inner, stored)
        {
            let Some(Value::Object(told)) = told else {
                // The message deletes what it can say of it; that something else goes with it is worth telling.
                if has_unsaid(kind, inner, stored) {
                    self.dropped.push(at.to_owned());
                }
                return Ok(None);
            };
            let of = |key: &str| part.field(key);
            return Ok(Some(self.object(of, stored_fields, told, at)?));
        }
        // The message could not say what is stored, and so said nothing: that is no wish to delete it.
        let Some(before) = said(kind, inner, stored) else {
            return match (kind, told) {
                (_, None) => Ok(Some(stored.clone())),
                // It was shown as empty: who adds to it does not know what is there.
                (FieldForm::Repeated(_), Some(_)) if stored.is_array() => Err(LensError::list(at)),
                (_, Some(told)) => Ok(Some(told.clone())),
            };
        };
        let none = Map::new();
        match kind {
            FieldForm::One(_) => Ok(told.map(|told| order::kept(stored, told))),
            FieldForm::Repeated(ItemKind::Message) => {
                let before = as_told_part(kind, inner, &before);
                let items = (items_of(Some(stored)), items_of(before.as_ref()));
                let new = lists::matched(items, items_of(told), at, self.dropped)?;
                Ok(Some(Value::Array(new)))
            }
            FieldForm::Repeated(_) => {
                let new = order::kept_items(items_of(Some(stored)), items_of(told));
                Ok(Some(Value::Array(new)))
            }
            FieldForm::Map(item) => {
                let stored = stored.as_object().unwrap_or(&none);
                let told = told.and_then(Value::as_object).unwrap_or(&none);
                let of = |_: &str| Some((FieldForm::One(item), inner));
                Ok(Some(self.object(of, stored, told, at)?))
            }
        }
    }

    /// The new fields of an object; those of which nothing can be said stay.
    fn object<'p>(
        &mut self,
        of: impl Fn(&str) -> Option<FormOf<'p>>,
        stored: &Map<String, Value>,
        told: &Map<String, Value>,
        at: &str,
    ) -> Result<Value, LensError> {
        let mut new = Map::new();
        // Stored fields first and in their order: content that nobody changed stays the same bytes.
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
fn as_told_part(kind: FieldForm, inner: Option<&LensMessage>, value: &Value) -> Option<Value> {
    let one = |item, value| as_told_part(FieldForm::One(item), inner, value);
    match (kind, value) {
        (FieldForm::Repeated(_), Value::Array(items)) if items.is_empty() => None,
        (FieldForm::Map(_), Value::Object(map)) if map.is_empty() => None,
        (FieldForm::Repeated(item), Value::Array(items)) => {
            let items = items.iter().filter_map(|value| one(item, value));
            Some(Value::Array(items.collect()))
        }
        (FieldForm::Map(item), Value::Object(map)) => {
            let entries = map.iter();
            let entries = entries.filter_map(|(key, value)| Some((key.clone(), one(item, value)?)));
            Some(Value::Object(entries.collect()))
        }
        (FieldForm::One(ItemKind::Message), Value::Object(map)) => {
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
