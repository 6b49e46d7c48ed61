//! The descriptors of the gRPC API as an [`ApiDocument`].
//!
//! A message is an object, and its name a reference. What JSON Schema says by keywords is said here
//! by the language or by the options of `coeval/options/v1/options.proto`:
//!
//! - In answers a field is always populated unless it has presence (`optional`, a member of a
//!   `oneof`, a message): the default is a value too.
//! - Whether a request needs a field, whether an older server may ignore it, and when it goes, is
//!   declared by options. A release that has no such options declares nothing.
//! - Messages of `google.protobuf` are values of their own, as JSON has them.

use super::DocumentProblem;
use crate::model::{
    AnswerKey, ApiDocument, ApiOperation, ApiStyle, DeprecationNote, ListShape, ObjectShape,
    SurfaceField, ValueLimits, ValueShape,
};
use prost_reflect::prost_types::{FieldOptions, MethodOptions};
use prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    MethodDescriptor, ReflectMessage, Value,
};
use std::collections::BTreeSet;

const FIELD_RULES: &str = "coeval.options.v1.field";
const METHOD_RULES: &str = "coeval.options.v1.method";

/// The encoded `FileDescriptorSet`, with all that is imported.
pub fn read_descriptors(bytes: &[u8]) -> Result<ApiDocument, DocumentProblem> {
    let pool = DescriptorPool::decode(bytes);
    let pool = pool.map_err(|error| DocumentProblem::new(format!("no descriptors: {error}")))?;
    let mut api = ApiDocument::empty(ApiStyle::Grpc);
    for service in pool.services().filter(|one| is_ours(one.full_name())) {
        for method in service.methods() {
            let name = format!("{}/{}", service.full_name(), method.name());
            api.operations.insert(name, operation(&pool, &method));
        }
    }
    for message in pool.all_messages() {
        // An entry of a map is a message of the language, and no shape of the API.
        if is_ours(message.full_name()) && !message.is_map_entry() {
            let shape = ValueShape::Object(object(&pool, &message));
            api.shapes.insert(message.full_name().to_owned(), shape);
        }
    }
    for described in pool.all_enums().filter(|one| is_ours(one.full_name())) {
        api.enums
            .insert(described.full_name().to_owned(), values(&described));
    }
    // A check that reads nothing finds nothing.
    if api.operations.is_empty() && api.shapes.is_empty() {
        return Err(DocumentProblem::new(
            "it describes no service and no message",
        ));
    }
    api.standalone = standalone(&api);
    Ok(api)
}

fn is_ours(name: &str) -> bool {
    !name.starts_with("google.") && !name.starts_with("grpc.")
}

fn operation(pool: &DescriptorPool, method: &MethodDescriptor) -> ApiOperation {
    let key = AnswerKey {
        status: "OK".to_owned(),
        media: String::new(),
    };
    let rules = declared(pool, METHOD_RULES, &method.options());
    // The language's own `deprecated` does not say until when.
    let bare = method.method_descriptor_proto().options.as_ref();
    let bare = bare.is_some_and(MethodOptions::deprecated);
    let bounded = rules.as_ref().map(|rules| text(rules, "bounded"));
    ApiOperation {
        request: message_shape(&method.input()),
        answers: [(key, message_shape(&method.output()))].into(),
        streaming: (method.is_client_streaming(), method.is_server_streaming()),
        deprecation: deprecation(rules.as_ref(), bare),
        bounded: bounded.filter(|why| !why.trim().is_empty()),
    }
}

fn message_shape(message: &MessageDescriptor) -> ValueShape {
    let name = message.full_name();
    if is_ours(name) {
        ValueShape::Reference(name.to_owned())
    } else {
        ValueShape::scalar(name)
    }
}

fn object(pool: &DescriptorPool, message: &MessageDescriptor) -> ObjectShape {
    let described = message.fields();
    let fields = described.map(|one| (one.name().to_owned(), field(pool, &one)));
    ObjectShape {
        fields: fields.collect(),
        ..ObjectShape::default()
    }
}

fn field(pool: &DescriptorPool, described: &FieldDescriptor) -> SurfaceField {
    let rules = declared(pool, FIELD_RULES, &described.options());
    let bare = described.field_descriptor_proto().options.as_ref();
    let bare = bare.is_some_and(FieldOptions::deprecated);
    let holds = |name: &str| rules.as_ref().is_some_and(|rules| flag(rules, name));
    SurfaceField {
        shape: field_shape(described),
        required: holds("required"),
        populated: !described.supports_presence(),
        ignorable: holds("ignorable"),
        deprecation: deprecation(rules.as_ref(), bare),
        number: Some(described.number()),
    }
}

fn field_shape(described: &FieldDescriptor) -> ValueShape {
    let kind = described.kind();
    if described.is_map()
        && let Kind::Message(entry) = &kind
    {
        let keys = entry.map_entry_key_field().kind();
        let value = kind_shape(&entry.map_entry_value_field().kind());
        // JSON has only texts as keys; other keys are another type on the wire.
        let keyed = match keys {
            Kind::String => value,
            other => ValueShape::AnyOf(vec![
                value,
                ValueShape::scalar(format!("keys of {other:?}")),
            ]),
        };
        return ValueShape::Object(ObjectShape {
            values: Some(Box::new(keyed)),
            ..ObjectShape::default()
        });
    }
    let element = kind_shape(&kind);
    if described.is_list() {
        ValueShape::List(Box::new(ListShape {
            element,
            limits: ValueLimits::default(),
        }))
    } else {
        element
    }
}

fn kind_shape(kind: &Kind) -> ValueShape {
    match kind {
        Kind::Message(message) => message_shape(message),
        Kind::Enum(described) => ValueShape::scalar(format!("enum {}", described.full_name())),
        scalar => ValueShape::scalar(format!("{scalar:?}").to_lowercase()),
    }
}

fn values(described: &EnumDescriptor) -> std::collections::BTreeMap<String, i32> {
    let all = described.values();
    all.map(|value| (value.name().to_owned(), value.number()))
        .collect()
}

/// The message of one of our options, if it was given.
fn declared(
    pool: &DescriptorPool,
    option: &str,
    options: &DynamicMessage,
) -> Option<DynamicMessage> {
    let extension = pool.get_extension_by_name(option)?;
    if extension.containing_message() != options.descriptor() || !options.has_extension(&extension)
    {
        return None;
    }
    options.get_extension(&extension).as_message().cloned()
}

fn text(message: &DynamicMessage, name: &str) -> String {
    let value = message.get_field_by_name(name);
    let text = value.as_ref().and_then(|value| value.as_str());
    text.unwrap_or_default().to_owned()
}

fn flag(message: &DynamicMessage, name: &str) -> bool {
    let value = message.get_field_by_name(name);
    value
        .as_ref()
        .and_then(|value| value.as_bool())
        .unwrap_or_default()
}

fn deprecation(rules: Option<&DynamicMessage>, bare: bool) -> Option<DeprecationNote> {
    let declared = rules.filter(|rules| rules.has_field_by_name("deprecated"));
    let declared = declared.and_then(|rules| rules.get_field_by_name("deprecated"));
    if let Some(Value::Message(one)) = declared.as_deref() {
        return Some(DeprecationNote::from_parts(
            &text(one, "since"),
            &text(one, "last_used_in"),
            &text(one, "removed_in"),
            &text(one, "instead"),
        ));
    }
    bare.then(|| {
        DeprecationNote::Incomplete(
            "it is deprecated without our option that says until when".into(),
        )
    })
}

/// Messages that no method leads to.
fn standalone(api: &ApiDocument) -> BTreeSet<String> {
    let mut left: BTreeSet<String> = api.shapes.keys().cloned().collect();
    let requests = api.operations.values().map(|one| &one.request);
    let answers = api.operations.values().flat_map(|one| one.answers.values());
    let mut pending: Vec<&ValueShape> = requests.chain(answers).collect();
    while let Some(shape) = pending.pop() {
        pending.extend(shape.parts());
        if let ValueShape::Reference(name) = shape
            && left.remove(name)
        {
            pending.extend(api.shapes.get(name));
        }
    }
    left
}
