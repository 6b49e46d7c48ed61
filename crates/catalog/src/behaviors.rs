//! Behaviors: what can be done with a resource beside reading and writing it. An interface declares
//! them; a type that implements it may override how one is executed, and says who may invoke it.

pub mod execution;

use coeval_access::AccessLevel;
use coeval_core::types::InterfaceId;
use coeval_core::version::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A behavior as an interface declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behavior {
    /// Unique within its interface; it never changes.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is done: an object with `type`, and what that type needs.
    pub execution: Value,
}

/// How a type version does a behavior otherwise than its interface says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BehaviorOverride {
    /// The behavior's id at its interface.
    pub behavior: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is done.
    pub execution: Value,
}

/// Who may invoke a behavior: those who have this level on the resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BehaviorAccess {
    /// The behavior's id as it was given, at the interface or at the type.
    pub behavior: String,
    /// The level.
    pub level: AccessLevel,
}

/// A behavior of a type version, with its override if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeBehavior {
    /// The id at the interface: what never changes.
    pub reference: String,
    /// The id at the type; nothing if it is not overridden.
    pub own_id: Option<String>,
    /// As it is done for this type version.
    pub behavior: Behavior,
}

impl TypeBehavior {
    /// The id that it has at this type version.
    #[must_use]
    pub fn id(&self) -> &str {
        self.own_id.as_deref().unwrap_or(&self.reference)
    }

    /// Whether an id means this one at a type version: that at the interface, or that at the type,
    /// overridden or not.
    #[must_use]
    pub fn is(&self, id: &str, of: &coeval_records::keys::TypeKey, version: Version) -> bool {
        // From the end, where the id names the interface.
        let parts: Vec<&str> = self.reference.rsplitn(4, ':').collect();
        let at_type = match parts.as_slice() {
            [of_version, nss, vendor, _] => Some(format!(
                "urn:vcloud:behavior-type:{}:{}:{}:{version}:{vendor}:{nss}:{of_version}",
                self.behavior.name, of.vendor, of.nss
            )),
            _ => None,
        };
        self.reference == id || at_type.as_deref() == Some(id)
    }
}

/// `urn:vcloud:behavior-interface:createKubeConfig:vmware:k8s:1.0.0`
#[must_use]
pub fn interface_behavior_id(name: &str, of: &InterfaceId) -> String {
    format!(
        "urn:vcloud:behavior-interface:{name}:{}:{}:{}",
        of.vendor, of.nss, of.version
    )
}

/// The id of an overridden behavior.
#[must_use]
pub fn type_behavior_id(
    name: &str,
    of: &coeval_records::keys::TypeKey,
    version: Version,
    interface: &InterfaceId,
) -> String {
    format!(
        "urn:vcloud:behavior-type:{name}:{}:{}:{version}:{}:{}:{}",
        of.vendor, of.nss, interface.vendor, interface.nss, interface.version
    )
}
