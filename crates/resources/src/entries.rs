//! Entries: keys with typed values that people note beside a resource's content.
//!
//! All entries of a resource are one record of their own, so that a note is no new revision of the
//! resource; it goes when the resource goes. Who sees or changes an entry follows from its domain:
//! what the provider notes for itself no tenant sees, and what it notes for tenants it can protect.

pub(crate) mod calls;

use coeval_records::entry_domain::Domain;
use coeval_records::error::entries::EntryError;

use coeval_core::version::Uuid;
use coeval_storage::Revision;
use serde::{Deserialize, Serialize};

/// The value of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value")]
pub enum EntryValue {
    /// A text.
    #[serde(rename = "StringEntry")]
    Text(String),
    /// A number.
    #[serde(rename = "NumberEntry")]
    Number(serde_json::Number),
    /// True or false.
    #[serde(rename = "BoolEntry")]
    Bool(bool),
}

/// What an entry is found by: unique within its resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryKey {
    /// Who it is for.
    #[serde(default)]
    pub domain: Domain,
    /// Whose it is, if that is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    pub key: String,
}

/// An entry to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEntry {
    /// What it is found by.
    pub key: EntryKey,
    /// Its value.
    pub value: EntryValue,
    /// Whether copies of the resource get it too.
    pub persistent: bool,
    /// Whether only those of a higher domain may change it.
    pub read_only: bool,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetadataEntry {
    /// Its id.
    #[serde(with = "crate::tasks::record::id_text")]
    pub id: Uuid,
    /// What it is found by.
    #[serde(flatten)]
    pub key: EntryKey,
    /// Its value.
    pub value: EntryValue,
    /// Whether copies of the resource get it too.
    #[serde(default)]
    pub persistent: bool,
    /// Whether only those of a higher domain may change it.
    #[serde(default)]
    pub read_only: bool,
    /// Drawn with every change.
    #[serde(rename = "revision")]
    revision_text: String,
}

impl MetadataEntry {
    /// What optimistic locking compares.
    #[must_use]
    pub fn revision(&self) -> Revision {
        Revision::from_opaque(&self.revision_text)
    }
}

const LONGEST_KEY: usize = 256;
const LONGEST_NAMESPACE: usize = 128;
const LONGEST_TEXT: usize = 4_096;

impl NewEntry {
    /// Refuses what can't be kept, or not by somebody of this domain.
    pub fn check(&self, own: Domain) -> Result<(), EntryError> {
        let refuse = |what: String| Err(EntryError::Invalid { what });
        let key = &self.key;
        if key.domain > own {
            return Err(EntryError::DomainAboveOwn);
        }
        // At its own domain the writer could not change it again either.
        if self.read_only && key.domain >= own {
            return Err(EntryError::ReadOnlyInOwnDomain { domain: own });
        }
        if key.key.is_empty() || key.key.len() > LONGEST_KEY {
            return refuse(format!("a key has 1 to {LONGEST_KEY} bytes"));
        }
        if key.namespace.len() > LONGEST_NAMESPACE {
            return refuse(format!("a namespace has at most {LONGEST_NAMESPACE} bytes"));
        }
        if key.key.contains('|') || key.namespace.contains('|') {
            return refuse("neither key nor namespace has a |".to_owned());
        }
        check_value(&self.value)
    }
}

fn check_value(value: &EntryValue) -> Result<(), EntryError> {
    match value {
        EntryValue::Text(text) if text.len() > LONGEST_TEXT => Err(EntryError::Invalid {
            what: format!("a text has at most {LONGEST_TEXT} bytes"),
        }),
        _ => Ok(()),
    }
}

/// Whether somebody of this domain may change the entry. (Below the own domain nothing is
/// protected from oneself.)
fn may_change(entry: &MetadataEntry, own: Domain) -> bool {
    !entry.read_only || entry.key.domain < own
}

#[cfg(test)]
mod tests {
    use super::*;
    use Domain::{Provider, Tenant};

    fn entry(domain: Domain, read_only: bool) -> NewEntry {
        NewEntry {
            key: EntryKey {
                domain,
                namespace: String::new(),
                key: "k".to_owned(),
            },
            value: EntryValue::Bool(true),
            persistent: false,
            read_only,
        }
    }

    #[test]
    fn nobody_notes_above_the_own_domain_nor_protects_a_note_from_oneself() {
        for (own, domain, read_only, allowed) in [
            (Tenant, Tenant, false, true),
            (Tenant, Tenant, true, false),
            (Tenant, Provider, false, false),
            (Tenant, Provider, true, false),
            (Provider, Tenant, false, true),
            (Provider, Tenant, true, true),
            (Provider, Provider, false, true),
            (Provider, Provider, true, false),
        ] {
            let checked = entry(domain, read_only).check(own);
            assert_eq!(checked.is_ok(), allowed, "{own:?} {domain:?} {read_only}");
        }
    }

    #[test]
    fn a_key_has_a_length_and_no_bar() {
        for (key, allowed) in [
            ("k".to_owned(), true),
            ("k".repeat(LONGEST_KEY), true),
            (String::new(), false),
            ("k".repeat(LONGEST_KEY + 1), false),
            ("a|b".to_owned(), false),
        ] {
            let mut one = entry(Tenant, false);
            one.key.key = key;
            assert_eq!(one.check(Tenant).is_ok(), allowed, "{:?}", one.key.key);
        }
    }
}
