//! Resources as they are answered: written by hand into one buffer. A content is copied as it is
//! stored and never read.

use crate::api::Api;
use crate::error::WebError;
use coeval_engine::{Caller, Quarantined, Resource, TypeKey};
use coeval_rest::rfc3339;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;

/// The label of a view that stands in place of the content.
const RESTRICTED: &str = "coeval.internal/downgraded";

/// Bytes that a resource has about, beside its content.
const AROUND: usize = 768;

/// Writes resources of one answer; names are looked up once.
pub(crate) struct Writer<'a> {
    api: &'a Api,
    caller: &'a Caller,
    kinds: Vec<(TypeKey, String)>,
    names: Vec<(String, Option<String>)>,
}

impl<'a> Writer<'a> {
    pub(crate) const fn new(api: &'a Api, caller: &'a Caller) -> Self {
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

    /// One resource without the braces around it, so that more can stand beside its fields.
    pub(crate) async fn fields(
        &mut self,
        resource: &Resource,
        out: &mut Vec<u8>,
    ) -> Result<(), WebError> {
        let header = &resource.header;
        let kind = self.kind(&resource.of).await?;
        let namespace = self.name(&header.org).await?;
        let owner = self.name(&header.owner).await?;
        out.extend_from_slice(b"\"kind\":");
        print(&kind, out);
        out.extend_from_slice(b",\"subKind\":");
        print(&header.sub_kind, out);
        // All that follows writes into memory, which can't fail.
        let _ = write!(out, ",\"version\":\"{}\"", resource.version);
        out.extend_from_slice(b",\"metadata\":{\"name\":");
        print(&header.name, out);
        out.extend_from_slice(b",\"namespace\":");
        print(&namespace.unwrap_or_else(|| header.org.clone()), out);
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
        print(&json!({ "id": header.owner, "name": owner }), out);
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
        Ok(())
    }

    async fn kind(&mut self, of: &TypeKey) -> Result<String, WebError> {
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

/// Plain data into memory: it can't fail.
pub(crate) fn print(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

/// Those that can't be shown, each with its reason.
pub(crate) fn quarantined(all: &[Quarantined]) -> Vec<Value> {
    let told = |one: &Quarantined| json!({ "id": one.id, "code": one.code.to_string(), "reason": one.reason });
    all.iter().map(told).collect()
}
