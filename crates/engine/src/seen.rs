//! A resource as filters, orders and indexes look at it.

use crate::header::Header;
use crate::resource::Resource;
use coeval_core::version::{Uuid, Version};
use coeval_filter::{FilterField, FilterView, UnixMillis, index_keys};
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
pub(crate) struct Names {
    pub(crate) owner: Option<Arc<str>>,
    pub(crate) org: Option<Arc<str>>,
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

fn text(text: &str) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(text))
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
        let parse = || serde_json::from_slice(&self.resource.content).ok();
        self.content.get_or_init(parse).as_ref()
    }
}

/// A header alone: what the built-in indexes are made from, and what is left of a resource whose
/// content can't be shown. Its version is the stored one.
pub(crate) struct SeenHeader<'h> {
    pub(crate) id: String,
    pub(crate) header: &'h Header,
}

impl FilterView for SeenHeader<'_> {
    fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.id)
    }

    fn name(&self) -> Option<Cow<'_, str>> {
        text(&self.header.name)
    }

    fn org(&self) -> Option<Cow<'_, str>> {
        text(&self.header.org)
    }

    fn owner(&self) -> Option<Cow<'_, str>> {
        text(&self.header.owner)
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        text(self.header.state.name())
    }

    fn external_id(&self) -> Option<Cow<'_, str>> {
        self.header.external_id.as_deref().and_then(text)
    }

    fn description(&self) -> Option<Cow<'_, str>> {
        self.header.description.as_deref().and_then(text)
    }

    fn sub_kind(&self) -> Option<Cow<'_, str>> {
        self.header.sub_kind.as_deref().and_then(text)
    }

    fn label(&self, key: &str) -> Option<Cow<'_, str>> {
        self.header.labels.get(key).and_then(|value| text(value))
    }

    fn version(&self) -> Option<Version> {
        Some(self.header.version)
    }

    fn created(&self) -> Option<UnixMillis> {
        Some(self.header.created)
    }

    fn modified(&self) -> Option<UnixMillis> {
        Some(self.header.modified)
    }
}

/// A content alone: what the declared indexes are made from.
pub(crate) struct SeenContent<'c>(pub(crate) &'c Value);

impl FilterView for SeenContent<'_> {
    fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn content(&self) -> Option<&Value> {
        Some(self.0)
    }
}

/// The key of a field that is in the header, as an index has it.
pub(crate) fn header_key(header: &Header, field: &FilterField) -> Vec<u8> {
    let seen = SeenHeader {
        id: String::new(),
        header,
    };
    let keys = index_keys(field, &seen, 1);
    keys.into_iter().next().unwrap_or_default()
}

/// The key of a text, as an index of texts has it.
pub(crate) fn text_key(text: &str) -> Vec<u8> {
    struct Text<'t>(&'t str);
    impl FilterView for Text<'_> {
        fn id(&self) -> Cow<'_, str> {
            Cow::Borrowed("")
        }

        fn name(&self) -> Option<Cow<'_, str>> {
            Some(Cow::Borrowed(self.0))
        }
    }
    let keys = index_keys(&FilterField::Name, &Text(text), 1);
    keys.into_iter().next().unwrap_or_default()
}

/// The id as text, the same everywhere.
#[must_use]
pub(crate) fn urn(of: &crate::keys::TypeKey, id: Uuid) -> String {
    format!("urn:vcloud:entity:{of}:{id}")
}
