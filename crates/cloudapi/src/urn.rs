//! Ids as this API has them.

use crate::error::ApiError;
use coeval_core::types::{InterfaceId, TypeVersionId};
use coeval_core::version::{EntityUrn, InterfaceUrn, TypeUrn, Uuid, Version};
use coeval_engine::TypeKey;

/// A type version: `urn:vcloud:type:acme:app:1.0.0`.
pub(crate) fn type_version(text: &str) -> Result<(TypeKey, Version), ApiError> {
    let urn = TypeUrn::<Version>::parse(text);
    let urn = urn.map_err(|error| ApiError::id(text, "a type's id", error.to_string()))?;
    Ok((
        TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str()),
        urn.version,
    ))
}

/// An interface: `urn:vcloud:interface:vmware:k8s:1.0.0`.
pub(crate) fn interface(text: &str) -> Result<InterfaceId, ApiError> {
    let urn = InterfaceUrn::<Version>::parse(text);
    let urn = urn.map_err(|error| ApiError::id(text, "an interface's id", error.to_string()))?;
    Ok(InterfaceId {
        vendor: urn.name.vendor.as_str().to_owned(),
        nss: urn.name.nss.as_str().to_owned(),
        version: urn.version,
    })
}

/// An entity: `urn:vcloud:entity:acme:app:<uuid>`; the old form with a version is read too.
pub(crate) fn entity(text: &str) -> Result<(TypeKey, Uuid), ApiError> {
    let urn = EntityUrn::parse(text);
    let urn = urn.map_err(|error| ApiError::id(text, "an entity's id", error.to_string()))?;
    Ok((
        TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str()),
        urn.uuid,
    ))
}

pub(crate) fn of_type(of: &TypeKey, version: Version) -> String {
    format!("urn:vcloud:type:{}:{}:{version}", of.vendor, of.nss)
}

pub(crate) fn of_type_version(id: &TypeVersionId) -> String {
    format!("urn:vcloud:type:{}:{}:{}", id.vendor, id.nss, id.version)
}

pub(crate) fn of_interface(id: &InterfaceId) -> String {
    format!(
        "urn:vcloud:interface:{}:{}:{}",
        id.vendor, id.nss, id.version
    )
}

/// The UUID at the end of an id, or a bare one: how `/api` names things.
pub(crate) fn uuid(text: &str) -> Option<Uuid> {
    Uuid::parse(text.rsplit(':').next()?)
}

/// An id made from a name, the same at every server: for what has a name and no id of its own.
pub(crate) fn derived(kind: &str, name: &str) -> String {
    use sha2::{Digest, Sha256};
    // The kind is hashed too: a right and a role of one name must not have one id.
    let digest = Sha256::digest(format!("{kind}\0{name}").as_bytes());
    let mut bytes = [0; 16];
    bytes
        .iter_mut()
        .zip(digest)
        .for_each(|(to, from)| *to = from);
    // Version 8 (made up by whoever makes it), variant 1.
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62);
    format!("urn:vcloud:{kind}:{}", Uuid(bits | 8 << 76 | 2 << 62))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_the_old_form_of_an_entity_s_does_too() {
        let (of, version) = type_version("urn:vcloud:type:acme:app:1.2.3").unwrap();
        assert_eq!(of_type(&of, version), "urn:vcloud:type:acme:app:1.2.3");
        let id = interface("urn:vcloud:interface:vmware:k8s:1.0.0").unwrap();
        assert_eq!(of_interface(&id), "urn:vcloud:interface:vmware:k8s:1.0.0");
        let uuid = "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
        let new = entity(&format!("urn:vcloud:entity:acme:app:{uuid}")).unwrap();
        let old = entity(&format!("urn:vcloud:entity:acme:app:1.0.0:{uuid}")).unwrap();
        assert_eq!(new, old);
        assert_eq!(new.1.to_string(), uuid);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for bad in [
            "",
            "x",
            "urn:vcloud:type:acme:app",
            "urn:vcloud:type:a:b:1",
            "urn:vcloud:entity:a:b:c",
        ] {
            assert!(type_version(bad).is_err(), "{bad}");
            assert!(entity(bad).is_err(), "{bad}");
            assert!(interface(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn derived_ids_are_stable_and_apart() {
        let one = derived("right", "acme:app: View");
        assert_eq!(one, derived("right", "acme:app: View"));
        assert_ne!(one, derived("right", "acme:app: Modify"));
        assert!(uuid(&one).is_some(), "{one}");
    }
}
