//! A resource as filters, orders and indexes look at it.

use crate::resource::Resource;
use coeval_core::version::Version;
use coeval_filter::{FilterView, UnixMillis};
use coeval_records::header::index_values::text;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A resource as the caller sees it. Its content is parsed when it is asked for first.
#[derive(Debug)]
pub(crate) struct SeenResource<'r> {
    id: OnceLock<String>,
    entity_type: OnceLock<String>,
    resource: &'r Resource,
    content: OnceLock<Option<Value>>,
    names: Names,
}

/// What the owner and the organization are called, where somebody asks.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub owner: Option<Arc<str>>,
    pub org: Option<Arc<str>>,
}

impl<'r> SeenResource<'r> {
    pub(crate) fn new(resource: &'r Resource) -> Self {
        Self {
            id: OnceLock::new(),
            entity_type: OnceLock::new(),
            resource,
            content: OnceLock::new(),
            names: Names::default(),
        }
    }

    pub(crate) fn named(mut self, names: Names) -> Self {
        self.names = names;
        self
    }
}

impl FilterView for SeenResource<'_> {
    fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.id.get_or_init(|| self.resource.urn()))
    }

    fn name(&self) -> Option<Cow<'_, str>> {
        text(&self.resource.header.name)
    }

    fn org(&self) -> Option<Cow<'_, str>> {
        text(&self.resource.header.org)
    }

    fn owner(&self) -> Option<Cow<'_, str>> {
        text(&self.resource.header.owner)
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        text(self.resource.header.state.name())
    }

    fn external_id(&self) -> Option<Cow<'_, str>> {
        self.resource.header.external_id.as_deref().and_then(text)
    }

    fn description(&self) -> Option<Cow<'_, str>> {
        self.resource.header.description.as_deref().and_then(text)
    }

    fn sub_kind(&self) -> Option<Cow<'_, str>> {
        self.resource.header.sub_kind.as_deref().and_then(text)
    }

    fn entity_type(&self) -> Option<Cow<'_, str>> {
        let make = || {
            let version = self.resource.version.version;
            format!("urn:vcloud:type:{}:{version}", self.resource.of)
        };
        text(self.entity_type.get_or_init(make))
    }

    fn vendor(&self) -> Option<Cow<'_, str>> {
        text(&self.resource.of.vendor)
    }

    fn nss(&self) -> Option<Cow<'_, str>> {
        text(&self.resource.of.nss)
    }

    fn owner_name(&self) -> Option<Cow<'_, str>> {
        self.names.owner.as_deref().and_then(text)
    }

    fn org_name(&self) -> Option<Cow<'_, str>> {
        self.names.org.as_deref().and_then(text)
    }

    fn label(&self, key: &str) -> Option<Cow<'_, str>> {
        self.resource
            .header
            .labels
            .get(key)
            .and_then(|value| text(value))
    }

    fn version(&self) -> Option<Version> {
        Some(self.resource.version.version)
    }

    fn created(&self) -> Option<UnixMillis> {
        Some(self.resource.header.created)
    }

    fn modified(&self) -> Option<UnixMillis> {
        Some(self.resource.header.modified)
    }

    fn expires(&self) -> Option<UnixMillis> {
        self.resource.expires.map(|expires| expires.0)
    }

    fn content(&self) -> Option<&Value> {
        // Parsed when it is first asked for: a filter that looks at headers alone costs no parsing.
        let parse = || serde_json::from_slice(&self.resource.content).ok();
        self.content.get_or_init(parse).as_ref()
    }
}

/// A content alone: what the declared indexes are made from.
#[derive(Debug)]
pub(crate) struct SeenContent<'c>(pub &'c Value);

impl FilterView for SeenContent<'_> {
    fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn content(&self) -> Option<&Value> {
        Some(self.0)
    }
}
