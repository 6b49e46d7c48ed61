//! Interfaces: behaviors that types take over.

use crate::behaviors::Behavior;
use coeval_core::types::InterfaceId;
use coeval_core::version::{UrnName, Version};
use coeval_records::error::EngineError;
use serde::{Deserialize, Serialize};

/// A version of an interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// Who defines it.
    pub vendor: String,
    /// What it is.
    pub nss: String,
    /// Which version, `1.0.0`.
    pub version: String,
    /// For people.
    pub name: String,
    /// Shipped with Coeval.
    #[serde(default)]
    pub built_in: bool,
    /// What can be done with resources of the types that implement it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behaviors: Vec<Behavior>,
    /// Somebody is about to delete it: no type starts to implement it until that is done.
    #[serde(default)]
    pub editing: bool,
}

impl Interface {
    /// An interface.
    #[must_use]
    pub fn new(id: &InterfaceId, name: impl Into<String>) -> Self {
        Self {
            vendor: id.vendor.clone(),
            nss: id.nss.clone(),
            version: id.version.to_string(),
            name: name.into(),
            built_in: false,
            behaviors: Vec::new(),
            editing: false,
        }
    }

    /// Its id.
    ///
    /// # Errors
    /// If a name or the version is not valid.
    pub fn id(&self) -> Result<InterfaceId, EngineError> {
        let refuse = |what: String| EngineError::TypeRefused { what };
        for name in [&self.vendor, &self.nss] {
            UrnName::parse(name).map_err(|flaw| refuse(format!("{name:?}: {flaw}")))?;
        }
        let version = Version::parse_full(&self.version);
        Ok(InterfaceId {
            vendor: self.vendor.clone(),
            nss: self.nss.clone(),
            version: version.map_err(|error| refuse(error.to_string()))?,
        })
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, EngineError> {
        Ok(coeval_records::encode::encode("an interface", self)?)
    }
}
