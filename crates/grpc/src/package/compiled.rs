//! A package ready for use: descriptors, and all that is looked up in them, once for each layout.

use super::descriptor;
use super::error::TypedError;
use crate::proto::DESCRIPTORS;
use coeval_typed::lens::Lens;
use coeval_typed::{ExtraField, FieldForm, LayoutMessage, PackageLayout};
use prost_reflect::{
    DescriptorError, DescriptorPool, FieldDescriptor, MessageDescriptor, MethodDescriptor,
};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The file that all packages import.
const HEADER: &str = "coeval/header/v1/header.proto";

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MethodVerb {
    Create,
    Get,
    List,
    Update,
    Upsert,
    Delete,
    Watch,
}

/// A method.
#[derive(Clone, Debug)]
pub(crate) struct CompiledMethod {
    pub(crate) verb: MethodVerb,
    pub(crate) descriptor: MethodDescriptor,
}

/// A message of the content.
#[derive(Debug)]
pub(crate) struct MessageShape {
    pub(crate) descriptor: MessageDescriptor,
    pub(crate) fields: Vec<ShapeField>,
    /// By the content's names.
    pub(crate) by_json: HashMap<String, usize>,
    pub(crate) extra: Option<(FieldDescriptor, ExtraField)>,
}

/// A field of it.
#[derive(Debug)]
pub(crate) struct ShapeField {
    pub(crate) descriptor: FieldDescriptor,
    pub(crate) name: String,
    pub(crate) json: String,
    pub(crate) kind: FieldForm,
    pub(crate) inner: Option<Box<MessageShape>>,
}

/// `google.protobuf.Value` and what belongs to it.
#[derive(Debug)]
pub(crate) struct ValueDescriptors {
    pub(crate) value: MessageDescriptor,
    pub(crate) null: FieldDescriptor,
    pub(crate) number: FieldDescriptor,
    pub(crate) text: FieldDescriptor,
    pub(crate) boolean: FieldDescriptor,
    pub(crate) object: FieldDescriptor,
    pub(crate) list: FieldDescriptor,
    pub(crate) object_message: MessageDescriptor,
    pub(crate) fields: FieldDescriptor,
    pub(crate) list_message: MessageDescriptor,
    pub(crate) items: FieldDescriptor,
}

/// A package.
#[derive(Debug)]
pub(crate) struct CompiledPackage {
    pub(crate) layout: Arc<PackageLayout>,
    pub(crate) pool: DescriptorPool,
    pub(crate) lens: Lens,
    /// The resource as a whole.
    pub(crate) resource: MessageDescriptor,
    pub(crate) spec: MessageShape,
    pub(crate) values: ValueDescriptors,
    methods: HashMap<String, CompiledMethod>,
}

impl CompiledPackage {
    /// From its layout.
    ///
    /// # Errors
    /// If protobuf does not take it, which no layout should lead to.
    pub(crate) fn new(layout: Arc<PackageLayout>) -> Result<Self, TypedError> {
        let refused = |error: DescriptorError| TypedError::Package(error.to_string());
        // A pool of its own for each: two forms of a package have the same names and would collide. What it
        // shares with others is behind pointers.
        let mut pool = base()?.clone();
        pool.add_file_descriptor_proto(descriptor::of(&layout.as_file()))
            .map_err(refused)?;
        let package = layout.package();
        let own = |name: &str| message(&pool, &format!("{package}.{name}"));
        let resource = own(&layout.name.message())?;
        let spec = MessageShape::of(&layout.spec, own(&layout.spec.name)?)?;
        let service = pool
            .get_service_by_name(&layout.service())
            .ok_or_else(|| missing(&layout.service()))?;
        // The layout writes the methods of every package in this order.
        let verbs = [
            MethodVerb::Create,
            MethodVerb::Get,
            MethodVerb::List,
            MethodVerb::Update,
            MethodVerb::Upsert,
            MethodVerb::Delete,
            MethodVerb::Watch,
        ];
        let methods = service.methods().zip(verbs).map(|(descriptor, verb)| {
            let name = descriptor.name().to_owned();
            (name, CompiledMethod { verb, descriptor })
        });
        Ok(Self {
            methods: methods.collect(),
            lens: Lens::of(&layout),
            values: ValueDescriptors::of(&pool)?,
            layout,
            resource,
            spec,
            pool,
        })
    }

    /// `CreateApp`
    pub(crate) fn method(&self, name: &str) -> Option<&CompiledMethod> {
        self.methods.get(name)
    }
}

fn missing(name: &str) -> TypedError {
    TypedError::Package(format!("{name} is missing"))
}

fn message(pool: &DescriptorPool, name: &str) -> Result<MessageDescriptor, TypedError> {
    pool.get_message_by_name(name).ok_or_else(|| missing(name))
}

fn field(message: &MessageDescriptor, number: u32) -> Result<FieldDescriptor, TypedError> {
    let found = message.get_field(number);
    found.ok_or_else(|| missing(&format!("{}:{number}", message.full_name())))
}

/// What every package imports.
fn base() -> Result<&'static DescriptorPool, TypedError> {
    // Once for the process. A failure is kept too: what is compiled into the binary fails the same each time.
    static BASE: OnceLock<Result<DescriptorPool, String>> = OnceLock::new();
    let made = BASE.get_or_init(|| {
        let ours = DescriptorPool::decode(DESCRIPTORS).map_err(|error| error.to_string())?;
        let header = ours.get_file_by_name(HEADER);
        let header = header.ok_or_else(|| format!("{HEADER} is missing"))?;
        // Those of google come with the library.
        let mut base = DescriptorPool::global();
        base.add_file_descriptor_proto(header.file_descriptor_proto().clone())
            .map_err(|error| error.to_string())?;
        Ok(base)
    });
    let made = made.as_ref();
    made.map_err(|error| TypedError::Package(error.clone()))
}

impl MessageShape {
    fn of(message: &LayoutMessage, descriptor: MessageDescriptor) -> Result<Self, TypedError> {
        let mut fields = Vec::with_capacity(message.fields.len());
        for one in &message.fields {
            let own = field(&descriptor, one.number)?;
            // Named after the message around it, as protobuf nests: two fields `spec.a.x` and `spec.b.x` have a
            // message each.
            let inner = match &one.message {
                None => None,
                Some(inner) => {
                    let name = format!("{}.{}", descriptor.full_name(), inner.name);
                    let found = self::message(descriptor.parent_pool(), &name)?;
                    Some(Box::new(Self::of(inner, found)?))
                }
            };
            fields.push(ShapeField {
                descriptor: own,
                name: one.name.clone(),
                json: one.json.clone(),
                kind: one.kind,
                inner,
            });
        }
        let extra = match &message.extra {
            None => None,
            Some(extra) => Some((field(&descriptor, extra.number)?, extra.clone())),
        };
        let by_json = fields.iter().enumerate();
        Ok(Self {
            by_json: by_json.map(|(at, one)| (one.json.clone(), at)).collect(),
            descriptor,
            fields,
            extra,
        })
    }

    pub(crate) fn field(&self, json: &str) -> Option<&ShapeField> {
        self.by_json.get(json).and_then(|at| self.fields.get(*at))
    }
}

impl ValueDescriptors {
    fn of(pool: &DescriptorPool) -> Result<Self, TypedError> {
        let named = |name: &str| message(pool, &format!("google.protobuf.{name}"));
        let (value, object, list) = (named("Value")?, named("Struct")?, named("ListValue")?);
        Ok(Self {
            null: field(&value, 1)?,
            number: field(&value, 2)?,
            text: field(&value, 3)?,
            boolean: field(&value, 4)?,
            object: field(&value, 5)?,
            list: field(&value, 6)?,
            fields: field(&object, 1)?,
            items: field(&list, 1)?,
            value,
            object_message: object,
            list_message: list,
        })
    }
}
