//! What the messages of a package say, both ways.

use super::messages::TypedResource;
use crate::error::CallError;
use crate::header;
use crate::package::compiled::CompiledPackage;
use crate::package::encode::encode;
use crate::package::refusal::TypedRefusal;
use bytes::{Bytes, BytesMut};
use coeval_api::methods::{MethodError, ResourceBody, ResourceMeta};
use coeval_core::version::WriteVersion;
use coeval_engine::{Caller, Resource, TypeKey, WantedVersions};
use prost::Message;
use prost_reflect::DynamicMessage;
use serde_json::Value;

/// A resource in a request.
#[derive(Debug)]
pub(super) struct WrittenResource {
    /// The version of the content.
    pub(super) at: WriteVersion,
    /// The same as it was written.
    version: String,
    sub_kind: String,
    /// What all resources have.
    pub(super) meta: ResourceMeta,
    /// What of the content the package can say; nothing if it is left out.
    pub(super) spec: Option<DynamicMessage>,
}

impl WrittenResource {
    /// Reads it.
    pub(super) fn read(
        of: &TypeKey,
        package: &CompiledPackage,
        resource: Option<TypedResource>,
    ) -> Result<Self, TypedRefusal> {
        let layout = &package.layout;
        let missing = || TypedRefusal::invalid(&format!("{} is missing", layout.name.field()));
        let resource = resource.ok_or_else(missing)?;
        let kind = resource.kind.as_str();
        if !kind.is_empty() && kind != &*of.nss && kind != of.to_string() {
            let reason = format!("the kind is {:?}, and the package is of {of}", short(kind));
            return Err(CallError::OtherPackage { reason }.into());
        }
        // Without a version: the newest that the package describes, which is what its fields are.
        let version = match resource.version.as_str() {
            "" => layout.version.to_string(),
            text => text.to_owned(),
        };
        let at = WriteVersion::parse(&version).map_err(MethodError::from)?;
        // Every version of the major may be written. Another major is another package, with numbers of its own.
        if at.version().major != layout.major {
            let package = layout.package();
            let reason = format!(
                "the version is {:?}, and the package is {package}",
                short(&version)
            );
            return Err(CallError::OtherPackage { reason }.into());
        }
        Ok(Self {
            at,
            version,
            sub_kind: resource.sub_kind,
            meta: header::meta(resource.metadata.unwrap_or_default())?,
            spec: spec(package, resource.spec)?,
        })
    }

    /// The caller, seeing what this is written at.
    pub(super) fn seen_by(&self, caller: &Caller, package: &CompiledPackage) -> Caller {
        let mut caller = caller.clone();
        // What is put on must be what the caller sees at the version that the message is written at: fields
        // that came later would read as deleted.
        if self.at.version() != package.layout.version {
            caller.wanted = WantedVersions::exactly(self.at.version());
        }
        caller
    }

    /// The body of a write with this content.
    pub(super) fn body(&self, content: Option<Value>) -> ResourceBody {
        ResourceBody {
            sub_kind: self.sub_kind.clone(),
            version: self.version.clone(),
            meta: self.meta.clone(),
            spec: content,
            applied: None,
            strict: false,
        }
    }
}

/// The content. A message in parts is read as all of them, one after the other.
fn spec(
    package: &CompiledPackage,
    parts: Vec<Bytes>,
) -> Result<Option<DynamicMessage>, TypedRefusal> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return Ok(None);
    };
    // Protobuf merges a message that is sent twice, and merging is the same as reading the bytes in a row.
    let bytes = parts.fold(BytesMut::from(first), |mut all, part| {
        all.extend_from_slice(&part);
        all
    });
    let read = DynamicMessage::decode(package.spec.descriptor.clone(), bytes.freeze());
    let bad = |error: prost::DecodeError| CallError::MessageUnreadable {
        reason: error.to_string(),
    };
    Ok(Some(read.map_err(bad)?))
}

/// A resource as the package's message. It is the same for every reader of its class, so an
/// encoding can serve many.
pub(super) fn shown(
    package: &CompiledPackage,
    kind: &str,
    namespace: &str,
    resource: &Resource,
) -> Bytes {
    let content: Value = serde_json::from_slice(&resource.content).unwrap_or_default();
    let typed = TypedResource {
        kind: kind.to_owned(),
        sub_kind: resource.header.sub_kind.clone().unwrap_or_default(),
        version: resource.version.to_string(),
        metadata: Some(header::metadata_in(namespace, resource)),
        spec: vec![encode(package, &content).encode_to_vec().into()],
        status: Some(header::status(resource)),
    };
    typed.encode_to_vec().into()
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}
