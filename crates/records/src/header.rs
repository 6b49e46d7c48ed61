//! What is known of a resource beside its content: a small part of its record, readable without
//! its type.

pub mod index_values;

use crate::applied::Applied;
use crate::error::EngineError;
use crate::header::index_values::{header_key, text_key};
use crate::keys::{self, TypeKey, index};
use coeval_core::version::{Uuid, Version};
use coeval_filter::FilterField;
use coeval_storage::{Key, StorageError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Where a resource stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Made, not yet looked at.
    PreCreated,
    /// Its content fits its type version.
    Resolved,
    /// Its content does not fit.
    ResolutionError,
    /// About to go.
    InDeletion,
}

impl State {
    /// The word on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreCreated => "PRE_CREATED",
            Self::Resolved => "RESOLVED",
            Self::ResolutionError => "RESOLUTION_ERROR",
            Self::InDeletion => "IN_DELETION",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Milliseconds since 1970.
pub type Time = i64;

/// The keys of the indexes that the type version declares, by the index's name; hexadecimal.
pub type Indexed = BTreeMap<String, Vec<String>>;

/// All that is known of a resource beside its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The stored version.
    #[serde(rename = "v", with = "version_text")]
    pub version: Version,
    /// Its name.
    pub name: String,
    /// The organization that it belongs to, for ever.
    pub org: String,
    /// The user who has full control without being named in its ACL.
    pub owner: String,
    /// Where it stands.
    pub state: State,
    /// Why it does not fit, or what its controller says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Free text beside the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_kind: Option<String>,
    /// Its name in some other system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// For finding it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// When it was made.
    pub created: Time,
    /// When it was changed last.
    pub modified: Time,
    /// By whom.
    pub modified_by: String,
    /// Counts its revisions; names the entries of its history.
    #[serde(rename = "g")]
    pub generation: u64,
    /// What the declared indexes hold of it, so that it can be deleted by a server that does not
    /// know its version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub indexed: Indexed,
    /// Pointers to secure fields, whose values are with the secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secure: Vec<String>,
    /// Something secure is kept, so all that is kept is with the secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
    /// The task of its creation, which ends when it is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<String>,
    /// What a file declared last. Other writes leave it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
}

impl Header {
    /// Whether the resource has a record of secrets.
    pub fn has_secrets(&self) -> bool {
        self.sealed || !self.secure.is_empty()
    }
}

pub mod version_text {
    use coeval_core::version::Version;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(version: &Version, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(version)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Version, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Version::parse_full(&text).map_err(serde::de::Error::custom)
    }
}

impl Header {
    /// The keys of all index entries of a resource. The built-in ones are made of the header, the
    /// declared ones were noted in it: nothing here needs the type's definition.
    pub fn index_keys(&self, of: &TypeKey, id: Uuid) -> Result<Vec<Key>, StorageError> {
        let entry = |index: &str, key: &[u8]| keys::index_entry(of, index, &self.org, key, id);
        let mut all = vec![
            entry(index::NAME, &header_key(self, &FilterField::Name))?,
            entry(index::OWNER, &header_key(self, &FilterField::Owner))?,
            entry(index::STATE, &header_key(self, &FilterField::State))?,
            keys::version_entry(of, self.version, &self.org, id)?,
        ];
        if self.external_id.is_some() {
            all.push(entry(
                index::EXTERNAL_ID,
                &header_key(self, &FilterField::ExternalId),
            )?);
        }
        for (key, value) in &self.labels {
            all.push(entry(index::LABEL, &text_key(&label_text(key, value)))?);
        }
        for (name, values) in &self.indexed {
            let name = format!("{}{name}", index::DECLARED);
            for value in values {
                all.push(entry(&name, &from_hex(value))?);
            }
        }
        // Long values are cut and may become the same key; a write has each key once.
        all.sort();
        all.dedup();
        Ok(all)
    }
}

/// Bytes as a header holds them.
pub fn to_hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.filter_map(byte).collect()
}

/// A label as its index holds it. A key of a label has no `=`.
pub fn label_text(key: &str, value: &str) -> String {
    format!("{key}={value}")
}

/// The most labels that a resource has.
const MOST_LABELS: usize = 16;
/// The most keys that the declared indexes have of a resource, all together.
const MOST_INDEXED: usize = 16;
/// The most keys that one of them has; a resource with more has one that every plan reads.
pub const MOST_KEYS: usize = 8;
const LONGEST_NAME: usize = 1_024;
const LONGEST_TEXT: usize = 4_096;
const LONGEST_LABEL: usize = 256;

/// Refuses metadata that can't be kept.
pub fn check(header: &Header) -> Result<(), EngineError> {
    let refuse = |what: String| Err(EngineError::MetadataInvalid { what });
    if header.name.len() > LONGEST_NAME {
        return refuse(format!("the name has more than {LONGEST_NAME} bytes"));
    }
    for (what, text) in [
        ("description", &header.description),
        ("sub_kind", &header.sub_kind),
        ("externalId", &header.external_id),
        ("message", &header.message),
    ] {
        if text.as_ref().is_some_and(|text| text.len() > LONGEST_TEXT) {
            return refuse(format!("{what} has more than {LONGEST_TEXT} bytes"));
        }
    }
    if header.labels.len() > MOST_LABELS {
        return refuse(format!("there are more than {MOST_LABELS} labels"));
    }
    for (key, value) in &header.labels {
        if key.is_empty() || key.len() > LONGEST_LABEL || value.len() > LONGEST_LABEL {
            return refuse(format!(
                "a label's key has 1 to {LONGEST_LABEL} bytes and its value at most as many"
            ));
        }
        // An index joins the two with `=`: with one in the key, two labels could have one entry.
        if key.contains('=') {
            return refuse("a label's key has a `=`".to_owned());
        }
        if key.starts_with("coeval.internal/") {
            return refuse(format!("the label {key} is set by Coeval alone"));
        }
    }
    // Each is an entry in the atomic write that creates, moves or deletes the resource.
    let values: usize = header.indexed.values().map(Vec::len).sum();
    if values > MOST_INDEXED {
        return refuse(format!(
            "the declared indexes have more than {MOST_INDEXED} keys of it"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the releases before `applied` wrote it.
    const BEFORE: &str = r#"{"v":"1.1.0","name":"web","org":"o","owner":"u","state":"RESOLVED","created":1,"modified":2,"modified_by":"u","g":3}"#;

    #[test]
    fn a_header_without_what_came_later_reads_and_is_written_as_it_was() {
        let header: Header = serde_json::from_str(BEFORE).unwrap();
        assert_eq!(header.applied, None);
        assert_eq!(serde_json::to_string(&header).unwrap(), BEFORE);
    }

    #[test]
    fn a_header_with_what_comes_later_reads_too() {
        let later = BEFORE.replace(
            "\"g\":3",
            r#""g":3,"invented":{"later":1},"applied":{"paths":["/a"],"v":"1.1.0","g":2,"more":1}"#,
        );
        let header: Header = serde_json::from_str(&later).unwrap();
        let applied = header.applied.unwrap();
        assert_eq!(
            (applied.paths, applied.generation),
            (vec!["/a".to_owned()], 2)
        );
    }
}
