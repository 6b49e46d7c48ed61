//! Content as a message: what of it the package describes.

use super::compiled::{CompiledPackage, MessageShape, ValueDescriptors};
use coeval_typed::{FieldForm, ItemKind};
use prost_reflect::{DynamicMessage, MapKey, Value as Proto};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The content as the package's message. What a field can't hold exactly is left out.
pub(crate) fn encode(package: &CompiledPackage, view: &Value) -> DynamicMessage {
    // The lens leaves out first what the package can't say exactly, so that all that follows fits.
    let told = package.lens.told(view);
    let saying = MessageWriter(&package.values);
    match &told {
        Value::Object(told) => saying.message(&package.spec, told),
        _ => DynamicMessage::new(package.spec.descriptor.clone()),
    }
}

struct MessageWriter<'p>(&'p ValueDescriptors);

impl MessageWriter<'_> {
    fn message(&self, shape: &MessageShape, told: &Map<String, Value>) -> DynamicMessage {
        let mut message = DynamicMessage::new(shape.descriptor.clone());
        let mut others = HashMap::new();
        for (key, value) in told {
            // No field of its own: the lens lets only names through that belong to `extra`.
            let Some(field) = shape.field(key) else {
                others.insert(MapKey::String(key.clone()), self.value(value));
                continue;
            };
            if let Some(value) = self.field(field.kind, field.inner.as_deref(), value) {
                message.set_field(&field.descriptor, value);
            }
        }
        if let Some((extra, _)) = shape.extra.as_ref().filter(|_| !others.is_empty()) {
            message.set_field(extra, self.object(others));
        }
        message
    }

    fn field(&self, kind: FieldForm, inner: Option<&MessageShape>, value: &Value) -> Option<Proto> {
        match (kind, value) {
            (FieldForm::One(item), value) => self.item(item, inner, value),
            (FieldForm::Repeated(item), Value::Array(items)) => {
                let items = items.iter().map(|one| self.item(item, inner, one));
                // All or nothing: a list in which one item is missing would move the others, and look complete.
                items.collect::<Option<Vec<Proto>>>().map(Proto::List)
            }
            (FieldForm::Map(item), Value::Object(map)) => {
                let entries = map.iter().map(|(key, one)| {
                    let value = self.item(item, inner, one)?;
                    Some((MapKey::String(key.clone()), value))
                });
                entries
                    .collect::<Option<HashMap<MapKey, Proto>>>()
                    .map(Proto::Map)
            }
            _ => None,
        }
    }

    fn item(&self, item: ItemKind, inner: Option<&MessageShape>, value: &Value) -> Option<Proto> {
        match item {
            ItemKind::String => value.as_str().map(|text| Proto::String(text.to_owned())),
            ItemKind::Int64 => value.as_i64().map(Proto::I64),
            ItemKind::Double => value.as_f64().map(Proto::F64),
            ItemKind::Bool => value.as_bool().map(Proto::Bool),
            ItemKind::Message => Some(Proto::Message(self.message(inner?, value.as_object()?))),
            ItemKind::Value => Some(self.value(value)),
            ItemKind::Struct => {
                let fields = value.as_object()?.iter();
                let fields =
                    fields.map(|(key, one)| (MapKey::String(key.clone()), self.value(one)));
                Some(self.object(fields.collect()))
            }
        }
    }

    fn object(&self, fields: HashMap<MapKey, Proto>) -> Proto {
        let mut message = DynamicMessage::new(self.0.object_message.clone());
        // As it is after it was sent: nothing is there in place of an empty map or list.
        if !fields.is_empty() {
            message.set_field(&self.0.fields, Proto::Map(fields));
        }
        Proto::Message(message)
    }

    fn value(&self, value: &Value) -> Proto {
        let known = self.0;
        let (kind, inner) = match value {
            Value::Null => (&known.null, Proto::EnumNumber(0)),
            Value::Bool(value) => (&known.boolean, Proto::Bool(*value)),
            // The lens lets only numbers through that doubles hold.
            Value::Number(number) => (&known.number, Proto::F64(number.as_f64().unwrap_or(0.0))),
            Value::String(text) => (&known.text, Proto::String(text.clone())),
            Value::Array(items) => {
                let mut list = DynamicMessage::new(known.list_message.clone());
                let items: Vec<Proto> = items.iter().map(|one| self.value(one)).collect();
                if !items.is_empty() {
                    list.set_field(&known.items, Proto::List(items));
                }
                (&known.list, Proto::Message(list))
            }
            Value::Object(map) => {
                let fields = map.iter();
                let fields =
                    fields.map(|(key, one)| (MapKey::String(key.clone()), self.value(one)));
                (&known.object, self.object(fields.collect()))
            }
        };
        let mut message = DynamicMessage::new(known.value.clone());
        message.set_field(kind, inner);
        Proto::Message(message)
    }
}
