//! Ids of type versions, interfaces, tasks and members, as messages have them.

use crate::api::GrpcState;
use coeval_access::AclMember;
use coeval_api::methods::{MethodError, parse_member};
use coeval_core::types::InterfaceId;
use coeval_core::version::{EntityUrn, InterfaceUrn, TypeUrn, Uuid, Version};
use coeval_engine::{Caller, EngineError, TypeKey, VENDOR};

fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}

fn bad(text: &str, what: &str, why: impl std::fmt::Display) -> MethodError {
    MethodError::invalid(format!("{:?} is no id of {what}: {why}", cut(text)))
}

/// `urn:vcloud:KIND:acme:app:1.1.0` of an id as people write it, its version in any form: `acme:app:v1.1`.
fn urn_of(kind: &str, text: &str) -> String {
    if text.starts_with("urn:") {
        return text.to_owned();
    }
    let (of, said) = text.rsplit_once(':').unwrap_or((text, ""));
    match Version::parse_header(said) {
        Ok(version) => format!("urn:vcloud:{kind}:{of}:{version}"),
        Err(_) => format!("urn:vcloud:{kind}:{text}"),
    }
}

/// A type version: `acme:app:1.1.0`, or as the RDE API has it. The engine's own kinds are no types
/// here.
pub(crate) fn type_version(text: &str) -> Result<(TypeKey, Version), MethodError> {
    let urn = urn_of("type", text);
    let urn = TypeUrn::<Version>::parse(&urn).map_err(|why| bad(text, "a type version", why))?;
    let of = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    let version = urn.version;
    // The same answer as for a type that does not exist: built-in kinds are resources, not types, here.
    if &*of.vendor == VENDOR {
        Err(EngineError::TypeVersionUnknown { of, version }.into())
    } else {
        Ok((of, version))
    }
}

/// An interface: `acme:deployable:1.0.0`, or as the RDE API has it.
pub(crate) fn interface(text: &str) -> Result<InterfaceId, MethodError> {
    let urn = urn_of("interface", text);
    let urn = InterfaceUrn::<Version>::parse(&urn).map_err(|why| bad(text, "an interface", why))?;
    Ok(InterfaceId {
        vendor: urn.name.vendor.as_str().to_owned(),
        nss: urn.name.nss.as_str().to_owned(),
        version: urn.version,
    })
}

/// A task: `urn:vcloud:task:<uuid>`, or the bare UUID.
pub(crate) fn task(text: &str) -> Result<Uuid, MethodError> {
    let bare = text.strip_prefix("urn:vcloud:task:").unwrap_or(text);
    Uuid::parse(bare).ok_or_else(|| bad(text, "a task", "it has no UUID"))
}

/// A resource of a type: `urn:vcloud:entity:acme:app:<uuid>`, or the bare UUID.
pub(crate) fn resource(of: &TypeKey, text: &str) -> Result<Uuid, MethodError> {
    if !text.starts_with("urn:") {
        return Uuid::parse(text).ok_or_else(|| bad(text, "a resource", "it has no UUID"));
    }
    let urn = EntityUrn::parse(text).map_err(|why| bad(text, "a resource", why))?;
    let named = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    if named == *of {
        Ok(urn.uuid)
    } else {
        Err(bad(text, "a resource", format!("{of} is asked for")))
    }
}

/// Whom a grant is for: a user, a role or an organization that there is.
pub(crate) async fn member(
    api: &GrpcState,
    caller: &Caller,
    id: &str,
) -> Result<AclMember, MethodError> {
    let member = member_of(id)?;
    match api.methods.engine().name_of(caller, id).await? {
        Some(_) => Ok(member),
        None => Err(bad(id, "a member", "there is nobody of that id")),
    }
}

/// The same, whether or not it is still there.
pub(crate) fn member_of(id: &str) -> Result<AclMember, MethodError> {
    let why = "use the id of a user, a role or an organization";
    parse_member(id).ok_or_else(|| bad(id, "a member", why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_in_both_forms_and_nothing_else_is() {
        let (of, version) = type_version("acme:app:1.2.3").unwrap();
        assert_eq!(
            (of.to_string(), version),
            ("acme:app".into(), Version::new(1, 2, 3))
        );
        assert_eq!(
            type_version("urn:vcloud:type:acme:app:1.2.3").unwrap().0,
            of
        );
        assert!(interface("a:b:1.0.0").is_ok());
        for (said, meant) in [
            ("2", "2.0.0"),
            ("2.0", "2.0.0"),
            ("v2", "2.0.0"),
            ("v1.1", "1.1.0"),
        ] {
            let meant = Version::parse_full(meant).unwrap();
            let read = type_version(&format!("acme:app:{said}")).unwrap();
            assert_eq!(read, (of.clone(), meant), "{said}");
            assert_eq!(interface(&format!("a:b:{said}")).unwrap().version, meant);
        }
        // Ids of the RDE API are in full, as it has them.
        for wrong in [
            "acme:app",
            "acme:app:x",
            "acme:2",
            "urn:vcloud:type:acme:app:2",
        ] {
            assert!(type_version(wrong).is_err(), "{wrong}");
        }
        let uuid = "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
        assert_eq!(
            task(uuid).unwrap(),
            task(&format!("urn:vcloud:task:{uuid}")).unwrap()
        );
        let id = resource(&of, uuid).unwrap();
        assert_eq!(
            resource(&of, &format!("urn:vcloud:entity:acme:app:{uuid}")).unwrap(),
            id
        );
        assert!(resource(&of, &format!("urn:vcloud:entity:acme:other:{uuid}")).is_err());
        for bad in [
            "",
            "acme",
            "acme:app",
            "acme:app:1.x",
            "coeval:user:1.0.0",
            "urn:x",
        ] {
            assert!(type_version(bad).is_err(), "{bad}");
        }
        assert!(task("x").is_err() && interface("a:b").is_err() && member_of("x").is_err());
    }
}
