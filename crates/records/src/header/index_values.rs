//! A header as filters and indexes look at it.

use crate::header::Header;
use coeval_core::version::Version;
use coeval_filter::{FilterField, FilterView, UnixMillis, index_keys};
use std::borrow::Cow;

/// A header alone: what the built-in indexes are made from, and what is left of a resource whose
/// content can't be shown. Its version is the stored one.
#[derive(Debug)]
pub struct SeenHeader<'h> {
    pub id: String,
    pub header: &'h Header,
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

/// The key of a field that is in the header, as an index has it.
pub fn header_key(header: &Header, field: &FilterField) -> Vec<u8> {
    let seen = SeenHeader {
        id: String::new(),
        header,
    };
    let keys = index_keys(field, &seen, 1);
    keys.into_iter().next().unwrap_or_default()
}

/// The key of a text, as an index of texts has it.
pub fn text_key(text: &str) -> Vec<u8> {
    struct Text<'t>(&'t str);
    impl FilterView for Text<'_> {
        fn id(&self) -> Cow<'_, str> {
            Cow::Borrowed("")
        }

        fn name(&self) -> Option<Cow<'_, str>> {
            Some(Cow::Borrowed(self.0))
        }
    }
    // By the code that makes the entries, so that a lookup can't differ from what is stored.
    let keys = index_keys(&FilterField::Name, &Text(text), 1);
    keys.into_iter().next().unwrap_or_default()
}

pub fn text(text: &str) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(text))
}
