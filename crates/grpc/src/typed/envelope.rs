//! What is around the content in a request of a typed service: the fields that this release knows. What is
//! in the content is looked at by whoever reads it.

use crate::package::compiled::{CompiledMethod, CompiledPackage};
use coeval_proto::wire::KnownMessage;
use prost_reflect::{Kind, MessageDescriptor};

/// A message of a request, from the request itself down to the content.
#[derive(Clone, Debug)]
pub(crate) struct RequestEnvelope {
    message: MessageDescriptor,
    content: String,
}

impl RequestEnvelope {
    pub(crate) fn of(method: &CompiledMethod, package: &CompiledPackage) -> Self {
        Self {
            message: method.descriptor.input(),
            content: package.spec.descriptor.full_name().to_owned(),
        }
    }
}

impl KnownMessage for RequestEnvelope {
    fn field(&self, number: u32) -> Option<Option<Self>> {
        let field = self.message.get_field(number)?;
        let inner = match field.kind() {
            Kind::Message(inner) if !field.is_map() => Some(inner),
            _ => None,
        };
        let inner = inner.filter(|inner| {
            let name = inner.full_name();
            name != self.content && !name.starts_with("google.protobuf.")
        });
        Some(inner.map(|message| Self {
            message,
            content: self.content.clone(),
        }))
    }
}
