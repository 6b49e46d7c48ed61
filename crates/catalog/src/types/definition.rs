//! The record of one type version: its file, and what was found out when it was registered.

use crate::behaviors::{BehaviorAccess, BehaviorOverride};
use crate::types::annotations::Annotations;
use bytes::Bytes;
use coeval_access::Acl;
use coeval_core::types::{RemoteRefs, TypeVersion, TypeVersionId};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::finding::Finding;
use coeval_records::header::Time;
use coeval_storage::{Record, RecordContent, Revision};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The tag of a definition's notes.
const META: u8 = 1;
/// The same of a version that only servers which know links may load: a retired one, and one whose
/// parent would be another without it. For 0.1.0 such a record has no notes: the version is unknown
/// to it, and so are those that are converted from it (docs/decisions/0005-retired-versions.md).
const LINK_META: u8 = 2;

/// What is noted beside a definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// In which order the versions were registered: that decides the parent of one that names
    /// none.
    pub number: u64,
    /// Registered although its bump is too small, or its laws don't hold.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unproven: bool,
    /// Shipped with Coeval.
    #[serde(default, skip_serializing_if = "is_false")]
    pub built_in: bool,
    /// Somebody is about to change or delete it: no resource is created at it until that is done.
    #[serde(default, skip_serializing_if = "is_false")]
    pub editing: bool,
    /// Nobody sees it; it stays as a link of the path between others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub retired: bool,
    /// It names no parent and descends from a retired version.
    #[serde(default, skip_serializing_if = "is_false")]
    pub after_link: bool,
    pub created: Time,
    pub created_by: String,
    #[serde(default)]
    pub acl: Acl,
    /// From which version the ACL was to come, as it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The level of a type ACL, up to this one, gives the type's right with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_implicit_right: Option<coeval_access::AccessLevel>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Behaviors that are done otherwise than their interfaces say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<BehaviorOverride>,
    /// Who may invoke which behavior.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behavior_access: Vec<BehaviorAccess>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

/// A version of a type as this server has it.
#[derive(Clone, Debug)]
pub struct Definition {
    pub version: Version,
    /// Of the definition's record.
    pub revision: Revision,
    pub meta: Meta,
    /// The file as it was registered.
    pub file: Bytes,
    /// `None`: this server can't load it, and why.
    pub loaded: Result<Arc<TypeVersion>, String>,
    /// What is said of it for people.
    pub annotations: Annotations,
}

impl Definition {
    /// As it is stored.
    pub fn encode(meta: &Meta, file: &Bytes) -> Result<RecordContent, EngineError> {
        // 0.1.0 must not load what it would misread (docs/decisions/0005-retired-versions.md).
        let tag = if meta.retired || meta.after_link {
            LINK_META
        } else {
            META
        };
        let meta = coeval_records::encode::encode("a type version", meta)?;
        Ok(RecordContent {
            flags: 0,
            fields: vec![(tag, meta.into())],
            body: file.clone(),
            packed: false,
        })
    }

    /// From its record. What this server can't load is unknown to it, not an error.
    pub fn decode(version: Version, record: &Record) -> Result<Self, EngineError> {
        let content = &record.content;
        // Both are read here: the second one only keeps 0.1.0 away.
        let is_meta = |tag: u8| tag == META || tag == LINK_META;
        let meta = content.fields.iter().find(|(tag, _)| is_meta(*tag));
        let meta = meta.and_then(|(_, meta)| serde_json::from_slice(meta).ok());
        let meta: Meta = meta.ok_or_else(|| EngineError::TypeRefused {
            what: format!("the record of version {version} can't be read"),
        })?;
        // The version is there even so: whoever can't load it must not take it for deleted.
        let loaded = std::str::from_utf8(&content.body)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                // Whether they are taken was decided when it was registered.
                let read = TypeVersion::parse_with(text, RemoteRefs::Anything);
                read.map_err(|error| error.to_string())
            })
            .map(Arc::new);
        Ok(Self {
            version,
            revision: record.revision,
            meta,
            file: content.body.clone(),
            loaded,
            annotations: Annotations::default(),
        })
    }

    pub fn id(&self, of: &coeval_records::keys::TypeKey) -> TypeVersionId {
        TypeVersionId {
            vendor: of.vendor.to_string(),
            nss: of.nss.to_string(),
            version: self.version,
        }
    }
}
