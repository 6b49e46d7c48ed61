//! Resources as they are answered: written by hand into one buffer. A content is copied as it is
//!
//! Names behind ids (kinds, organizations, owners) are looked up once for an answer, not once for
//! each resource. In watches the bytes are shared: readers who are told the same get the same
//! bytes, and what that depends on is the form that they are cached by.
//! stored and never read.

use crate::api::WebState;
use crate::error::WebError;
use bytes::Bytes;
use coeval_api::rest::rfc3339;
use coeval_engine::{Caller, Quarantined, Resource, TypeKey};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;

/// The label of a view that stands in place of the content.
const RESTRICTED: &str = "coeval.internal/downgraded";

/// Bytes that a resource has about, beside its content.
const AROUND: usize = 768;

/// Writes resources of one answer; names are looked up once.
pub(crate) struct ResourceWriter<'a> {
    api: &'a WebState,
    caller: &'a Caller,
    kinds: Vec<(TypeKey, String)>,
    names: Vec<(String, Option<String>)>,
}

impl<'a> ResourceWriter<'a> {
    pub(crate) const fn new(api: &'a WebState, caller: &'a Caller) -> Self {
        Self {
            api,
            caller,
            kinds: Vec::new(),
            names: Vec::new(),
        }
    }

    /// How much room a resource takes about.
    pub(crate) fn size(resource: &Resource) -> usize {
        resource.content.len() + resource.header.name.len() + AROUND
    }

    /// One resource.
    pub(crate) async fn resource(
        &mut self,
        resource: &Resource,
        out: &mut Vec<u8>,
    ) -> Result<(), WebError> {
        out.push(b'{');
        self.fields(resource, out).await?;
        out.push(b'}');
        Ok(())
    }

    /// One resource, written once for all readers who are told the same.
    pub(crate) async fn shared(&mut self, resource: &Resource) -> Result<Bytes, WebError> {
        let around = self.around(resource).await?;
        // All that the text depends on beside the resource itself: another level of access is another text.
        let form = ("webapi", &around, resource.level);
        let make = |resource: &Resource| {
            let mut out = Vec::with_capacity(Self::size(resource));
            out.push(b'{');
            around.write(resource, &mut out);
            out.push(b'}');
            out.into()
        };
        Ok(self.api.engine().encoded(resource, form, make))
    }

    /// One resource without the braces around it, so that more can stand beside its fields.
    pub(crate) async fn fields(
        &mut self,
        resource: &Resource,
        out: &mut Vec<u8>,
    ) -> Result<(), WebError> {
        self.around(resource).await?.write(resource, out);
        Ok(())
    }

    async fn around(&mut self, resource: &Resource) -> Result<ResolvedNames, WebError> {
        let header = &resource.header;
        let namespace = self.name(&header.org).await?;
        Ok(ResolvedNames {
            kind: self.kind(&resource.of).await?,
            namespace: namespace.unwrap_or_else(|| header.org.clone()),
            owner: self.name(&header.owner).await?,
        })
    }

    async fn kind(&mut self, of: &TypeKey) -> Result<String, WebError> {
        // A short list, searched in order: an answer mostly has a handful of kinds and owners.
        if let Some((_, kind)) = self.kinds.iter().find(|(known, _)| known == of) {
            return Ok(kind.clone());
        }
        let kind = self.api.methods.kind_of(self.caller, of).await?;
        self.kinds.push((of.clone(), kind.clone()));
        Ok(kind)
    }

    async fn name(&mut self, id: &str) -> Result<Option<String>, WebError> {
        if let Some((_, name)) = self.names.iter().find(|(known, _)| known == id) {
            return Ok(name.clone());
        }
        let name = self.api.engine().name_of(self.caller, id).await?;
        let name = name.map(|name| name.to_string());
        self.names.push((id.to_owned(), name.clone()));
        Ok(name)
    }
}

/// What is said of a resource that is not in it: the names behind ids.
#[derive(Hash)]
struct ResolvedNames {
    kind: String,
    namespace: String,
    owner: Option<String>,
}

impl ResolvedNames {
    fn write(&self, resource: &Resource, out: &mut Vec<u8>) {
        let header = &resource.header;
        out.extend_from_slice(b"\"kind\":");
        print(&self.kind, out);
        out.extend_from_slice(b",\"subKind\":");
        print(&header.sub_kind, out);
        // All that follows writes into memory, which can't fail.
        let _ = write!(out, ",\"version\":\"{}\"", resource.version);
        out.extend_from_slice(b",\"metadata\":{\"name\":");
        print(&header.name, out);
        out.extend_from_slice(b",\"namespace\":");
        print(&self.namespace, out);
        out.extend_from_slice(b",\"description\":");
        print(&header.description, out);
        out.extend_from_slice(b",\"labels\":");
        match &resource.restricted {
            None => print(&header.labels, out),
            Some(reason) => {
                let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
                let own = header.labels.iter();
                labels.extend(own.map(|(key, value)| (key.as_str(), value.as_str())));
                labels.insert(RESTRICTED, reason);
                print(&labels, out);
            }
        }
        out.extend_from_slice(b",\"expires\":");
        print(&resource.expires.map(|expires| rfc3339(expires.0)), out);
        let _ = write!(
            out,
            ",\"revision\":\"{}\",\"id\":\"{}\",\"created\":\"{}\",\"modified\":\"{}\",\"owner\":",
            resource.revision,
            resource.urn(),
            rfc3339(header.created),
            rfc3339(header.modified),
        );
        print(&json!({ "id": header.owner, "name": self.owner }), out);
        let level = resource.level;
        let _ = write!(out, ",\"access\":\"{level}\"}},\"spec\":");
        out.extend_from_slice(&resource.content);
        let _ = write!(
            out,
            ",\"status\":{{\"state\":\"{}\",\"message\":",
            header.state
        );
        print(&header.message, out);
        let stored = header.version.short();
        let _ = write!(out, ",\"storedVersion\":\"{stored}\",\"restricted\":");
        print(&resource.restricted.as_deref(), out);
        out.push(b'}');
        if !resource.secure.is_empty() {
            out.extend_from_slice(b",\"secure\":");
            print(&*resource.secure, out);
        }
    }
}

/// Plain data into memory: it can't fail.
pub(crate) fn print(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

/// Those that can't be shown, each with its reason.
pub(crate) fn quarantined(all: &[Quarantined]) -> Vec<Value> {
    let told = |one: &Quarantined| json!({ "id": one.id, "code": one.code.to_string(), "reason": one.reason });
    all.iter().map(told).collect()
}
