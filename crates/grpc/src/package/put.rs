//! What a message says, put on what is stored.

use super::compiled::{CompiledPackage, MessageShape, ValueDescriptors};
use super::error::TypedError;
use coeval_core::types::pointer::child;
use coeval_typed::limits::VALUE_DEPTH;
use coeval_typed::{FieldForm, ItemKind};
use prost_reflect::{DynamicMessage, MapKey, ReflectMessage, Value as Proto};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// The new content: everything that the message can say is as it says, everything else as it is
/// stored. `stored` is the caller's view at this version.
///
/// # Errors
/// If the message says what content can't be, or something would be lost.
pub(crate) fn put(
    package: &CompiledPackage,
    stored: Option<&Value>,
    message: &DynamicMessage,
) -> Result<Value, TypedError> {
    put_telling(package, stored, message, &mut Vec::new())
}

/// The same; `dropped` hears of everything that is deleted and had something in it that the message
/// can't say, as JSON pointers into what was stored.
///
/// # Errors
/// If the message says what content can't be, or something would be lost.
pub(crate) fn put_telling(
    package: &CompiledPackage,
    stored: Option<&Value>,
    message: &DynamicMessage,
    dropped: &mut Vec<String>,
) -> Result<Value, TypedError> {
    let content = decode(package, message)?;
    Ok(package.lens.put_telling(stored, &content, dropped)?)
}

/// What a message says, as content.
pub(crate) fn decode(
    package: &CompiledPackage,
    message: &DynamicMessage,
) -> Result<Value, TypedError> {
    let hearing = MessageReader(&package.values);
    Ok(Value::Object(hearing.message(
        &package.spec,
        message,
        "",
    )?))
}

struct MessageReader<'p>(&'p ValueDescriptors);

impl MessageReader<'_> {
    fn message(
        &self,
        shape: &MessageShape,
        message: &DynamicMessage,
        at: &str,
    ) -> Result<Map<String, Value>, TypedError> {
        // Before anything is read: dropping what a newer client sent would delete it without a word.
        known_fields(message)?;
        let mut told = Map::new();
        for field in &shape.fields {
            // Absent is not empty: only `has_field` tells a scalar that was set to its default from one that was
            // not set.
            if message.has_field(&field.descriptor) {
                let value = message.get_field(&field.descriptor);
                let at = child(at, &field.json);
                let value = self.field(field.kind, field.inner.as_deref(), &value, &at)?;
                told.insert(field.json.clone(), value);
            }
        }
        let Some((descriptor, extra)) = &shape.extra else {
            return Ok(told);
        };
        if let Some(others) = message.get_field(descriptor).as_message() {
            // One level more than any value may have: `extra` is itself a level that content does not have.
            for (key, value) in self.object(others, at, VALUE_DEPTH + 1)? {
                if !extra.has(&key) {
                    let (at, name) = (at.to_owned(), key);
                    return Err(TypedError::ExtraUnknown { at, name });
                }
                told.insert(key, value);
            }
        }
        Ok(told)
    }

    fn field(
        &self,
        kind: FieldForm,
        inner: Option<&MessageShape>,
        value: &Proto,
        at: &str,
    ) -> Result<Value, TypedError> {
        match (kind, value) {
            (FieldForm::Repeated(item), Proto::List(items)) => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, one)| {
                    self.item(item, inner, one, &child(at, &index.to_string()))
                });
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            (FieldForm::Map(item), Proto::Map(map)) => {
                let entries = sorted(map).into_iter().map(|(key, one)| {
                    let value = self.item(item, inner, one, &child(at, key))?;
                    Ok((key.to_owned(), value))
                });
                Ok(Value::Object(entries.collect::<Result<_, TypedError>>()?))
            }
            (kind, value) => self.item(kind.item(), inner, value, at),
        }
    }

    fn item(
        &self,
        item: ItemKind,
        inner: Option<&MessageShape>,
        value: &Proto,
        at: &str,
    ) -> Result<Value, TypedError> {
        match (item, inner, value) {
            (ItemKind::Message, Some(shape), Proto::Message(message)) => {
                Ok(Value::Object(self.message(shape, message, at)?))
            }
            (ItemKind::Struct, _, Proto::Message(message)) => {
                Ok(Value::Object(self.object(message, at, VALUE_DEPTH)?))
            }
            (ItemKind::Value, _, Proto::Message(message)) => self.value(message, at, VALUE_DEPTH),
            (_, _, Proto::Message(message)) => Err(TypedError::FieldUnknown {
                message: message.descriptor().full_name().to_owned(),
                number: 0,
            }),
            (_, _, scalar) => self::scalar(scalar, at),
        }
    }

    fn object(
        &self,
        message: &DynamicMessage,
        at: &str,
        depth: usize,
    ) -> Result<Map<String, Value>, TypedError> {
        known_fields(message)?;
        let depth = deeper(depth, at)?;
        let fields = message.get_field(&self.0.fields);
        let mut object = Map::new();
        for (key, value) in fields.as_map().map(sorted).unwrap_or_default() {
            let at = child(at, key);
            let Some(value) = value.as_message() else {
                return Err(TypedError::ValueEmpty { at });
            };
            object.insert(key.to_owned(), self.value(value, &at, depth)?);
        }
        Ok(object)
    }

    fn value(&self, value: &DynamicMessage, at: &str, depth: usize) -> Result<Value, TypedError> {
        known_fields(value)?;
        let known = self.0;
        for kind in [&known.number, &known.text, &known.boolean] {
            if value.has_field(kind) {
                return scalar(&value.get_field(kind), at);
            }
        }
        if value.has_field(&known.null) {
            return Ok(Value::Null);
        }
        if let Some(object) = value
            .get_field(&known.object)
            .as_message()
            .filter(|_| value.has_field(&known.object))
        {
            return Ok(Value::Object(self.object(object, at, depth)?));
        }
        if !value.has_field(&known.list) {
            return Err(TypedError::ValueEmpty { at: at.to_owned() });
        }
        let list = value.get_field(&known.list);
        let depth = deeper(depth, at)?;
        let Some(list) = list.as_message() else {
            return Ok(Value::Array(Vec::new()));
        };
        known_fields(list)?;
        let items = list.get_field(&known.items);
        let items = items.as_list().unwrap_or_default().iter().enumerate();
        let items = items.map(|(index, one)| {
            let at = child(at, &index.to_string());
            match one.as_message() {
                Some(one) => self.value(one, &at, depth),
                None => Err(TypedError::ValueEmpty { at }),
            }
        });
        Ok(Value::Array(items.collect::<Result<_, _>>()?))
    }
}

/// What can't be read back is not taken.
fn deeper(depth: usize, at: &str) -> Result<usize, TypedError> {
    let deeper = depth.checked_sub(1);
    deeper.ok_or_else(|| TypedError::TooDeep { at: at.to_owned() })
}

fn scalar(value: &Proto, at: &str) -> Result<Value, TypedError> {
    Ok(match value {
        Proto::Bool(value) => Value::Bool(*value),
        Proto::I64(value) => Value::from(*value),
        Proto::String(text) => Value::String(text.clone()),
        Proto::F64(double) => {
            let number = Number::from_f64(*double);
            Value::Number(number.ok_or_else(|| TypedError::Number {
                at: at.to_owned(),
                number: double.to_string(),
            })?)
        }
        _ => return Err(TypedError::ValueEmpty { at: at.to_owned() }),
    })
}

/// What this package does not describe would be lost: nobody here knows what it means.
fn known_fields(message: &DynamicMessage) -> Result<(), TypedError> {
    match message.unknown_fields().next() {
        None => Ok(()),
        Some(unknown) => Err(TypedError::FieldUnknown {
            message: message.descriptor().full_name().to_owned(),
            number: unknown.number(),
        }),
    }
}

/// In the order of their keys, so that the same message is always the same content.
fn sorted(map: &HashMap<MapKey, Proto>) -> Vec<(&str, &Proto)> {
    let mut entries: Vec<(&str, &Proto)> = map
        .iter()
        .filter_map(|(key, value)| match key {
            MapKey::String(key) => Some((key.as_str(), value)),
            _ => None,
        })
        .collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}
