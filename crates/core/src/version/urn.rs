//! The ids of interfaces, types and entities.

use super::{Classification, Excerpt, TypeName, UrnError, UrnName, Uuid, Version, VersionError};
use std::fmt;
use std::marker::PhantomData;

pub(super) const PREFIX: &str = "urn:vcloud:";

/// What a versioned id names: [`InterfaceKind`] or [`TypeKind`].
pub trait UrnKind: fmt::Debug + Copy {
    /// The word in the id.
    const WORD: &'static str;
}

/// A contract that types implement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceKind;

impl UrnKind for InterfaceKind {
    const WORD: &'static str = "interface";
}

/// A family of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeKind;

impl UrnKind for TypeKind {
    const WORD: &'static str = "type";
}

/// What may stand at the end of a versioned id: a [`Version`], or in queries a [`Classification`].
pub trait AnyVersion: Sized + fmt::Display {
    /// Reads it as it is written in an id.
    fn in_id(text: &str) -> Result<Self, VersionError>;
}

impl AnyVersion for Version {
    fn in_id(text: &str) -> Result<Self, VersionError> {
        Self::parse_full(text)
    }
}

impl AnyVersion for Classification {
    fn in_id(text: &str) -> Result<Self, VersionError> {
        Self::parse(text)
    }
}

/// `urn:vcloud:<kind>:<vendor>:<nss>:<version>`, borrowed from the text that it was read from.
///
/// ```
/// use coeval_core::version::{Classification, TypeUrn};
///
/// let id: TypeUrn = TypeUrn::parse("urn:vcloud:type:acme:app:1.1.0").unwrap();
/// assert_eq!(id.name.to_string(), "acme:app");
/// // In a query the version may be cut short.
/// let all: TypeUrn<'_, Classification> = TypeUrn::parse("urn:vcloud:type:acme:app:1").unwrap();
/// assert!(all.version.matches(id.version));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Urn<'a, K, V = Version> {
    /// Vendor and nss.
    pub name: TypeName<'a>,
    /// Which version, or which versions.
    pub version: V,
    kind: PhantomData<K>,
}

/// `urn:vcloud:interface:vmware:k8s:1.0.0`.
pub type InterfaceUrn<'a, V = Version> = Urn<'a, InterfaceKind, V>;
/// `urn:vcloud:type:acme:app:1.1.0`.
pub type TypeUrn<'a, V = Version> = Urn<'a, TypeKind, V>;

impl<'a, K: UrnKind, V: AnyVersion> Urn<'a, K, V> {
    /// From its parts.
    #[must_use]
    pub const fn new(name: TypeName<'a>, version: V) -> Self {
        let kind = PhantomData;
        Self {
            name,
            version,
            kind,
        }
    }

    /// The whole id.
    pub fn parse(text: &'a str) -> Result<Self, UrnError> {
        Self::parse_plain(after_kind(text, K::WORD)?)
    }

    /// Without what stands before the vendor: `acme:app:1.1.0`.
    pub fn parse_plain(text: &'a str) -> Result<Self, UrnError> {
        let [vendor, nss, version] = parts(text).ok_or_else(|| wrong_parts(text, K::WORD))?;
        let name = type_name(vendor, nss)?;
        Ok(Self::new(name, V::in_id(version)?))
    }
}

impl<K: UrnKind, V: AnyVersion> fmt::Display for Urn<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}:{}:{}", K::WORD, self.name, self.version)
    }
}

/// `urn:vcloud:entity:<vendor>:<nss>:<uuid>`. A resource keeps its id when its version changes.
///
/// ```
/// use coeval_core::version::EntityUrn;
///
/// let id = "urn:vcloud:entity:acme:app:56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
/// let old = id.replace("app:", "app:1.0.0:");
/// assert_eq!(EntityUrn::parse(&old).unwrap().to_string(), id, "the old form is only read");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityUrn<'a> {
    /// The type.
    pub name: TypeName<'a>,
    /// The resource.
    pub uuid: Uuid,
}

impl<'a> EntityUrn<'a> {
    const WORD: &'static str = "entity";

    /// Also the old form, with a version before the uuid; that version says nothing any more.
    pub fn parse(text: &'a str) -> Result<Self, UrnError> {
        let rest = after_kind(text, Self::WORD)?;
        // The version says nothing any more, but it is checked: a text with anything else there is
        // no id.
        let (vendor, nss, uuid) = if let Some([vendor, nss, uuid]) = parts(rest) {
            (vendor, nss, uuid)
        } else if let Some([vendor, nss, version, uuid]) = parts(rest) {
            Version::parse_full(version)?;
            (vendor, nss, uuid)
        } else {
            return Err(wrong_parts(rest, Self::WORD));
        };
        let name = type_name(vendor, nss)?;
        let uuid = Uuid::parse(uuid).ok_or_else(|| UrnError::Uuid {
            text: Excerpt::of(uuid),
        })?;
        Ok(Self { name, uuid })
    }
}

impl fmt::Display for EntityUrn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}:{}:{}", Self::WORD, self.name, self.uuid)
    }
}

fn after_kind<'a>(text: &'a str, word: &'static str) -> Result<&'a str, UrnError> {
    let kind_and_rest = text.strip_prefix(PREFIX).and_then(|r| r.split_once(':'));
    match kind_and_rest {
        Some((kind, rest)) if kind == word => Ok(rest),
        _ => Err(UrnError::Kind {
            text: Excerpt::of(text),
            kind: word,
        }),
    }
}

/// Exactly so many parts, or nothing.
fn parts<const N: usize>(text: &str) -> Option<[&str; N]> {
    let mut parts = [""; N];
    let mut found = text.split(':');
    for part in &mut parts {
        *part = found.next()?;
    }
    found.next().is_none().then_some(parts)
}

fn wrong_parts(text: &str, kind: &'static str) -> UrnError {
    UrnError::Parts {
        text: Excerpt::of(text),
        kind,
        found: text.split(':').count(),
    }
}

fn type_name<'a>(vendor: &'a str, nss: &'a str) -> Result<TypeName<'a>, UrnError> {
    let not_a_vendor = |flaw| UrnError::Vendor {
        text: Excerpt::of(vendor),
        flaw,
    };
    let not_an_nss = |flaw| UrnError::Nss {
        text: Excerpt::of(nss),
        flaw,
    };
    Ok(TypeName {
        vendor: UrnName::parse(vendor).map_err(not_a_vendor)?,
        nss: UrnName::parse(nss).map_err(not_an_nss)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;
    use proptest::prelude::*;

    const ENTITY: &str = "urn:vcloud:entity:vmware:tkgcluster:56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";

    #[test]
    fn ids_are_printed_as_they_are_read() {
        let id = "urn:vcloud:interface:vmware:k8s:1.0.0";
        assert_eq!(<InterfaceUrn<'_>>::parse(id).unwrap().to_string(), id);
        let id = "urn:vcloud:type:acme:my_app-2:1.1.2";
        assert_eq!(<TypeUrn<'_>>::parse(id).unwrap().to_string(), id);
        assert_eq!(EntityUrn::parse(ENTITY).unwrap().to_string(), ENTITY);
    }

    #[test]
    fn the_old_form_of_an_entity_id_is_read_and_never_printed() {
        let old = ENTITY.replace("tkgcluster:", "tkgcluster:1.0.0:");
        let entity = EntityUrn::parse(&old).unwrap();
        assert_eq!(entity.to_string(), ENTITY);
        let wrong = ENTITY.replace("tkgcluster:", "tkgcluster:1.0:");
        assert!(EntityUrn::parse(&wrong).is_err());
    }

    #[test]
    fn a_query_may_cut_the_version_of_a_type_or_interface_short() {
        let all: TypeUrn<'_, Classification> =
            Urn::parse("urn:vcloud:type:vmware:tkgcluster:1").unwrap();
        assert!(all.version.matches(Version::new(1, 7, 0)));
        assert!(<TypeUrn<'_>>::parse("urn:vcloud:type:vmware:tkgcluster:1").is_err());
    }

    #[test]
    fn a_type_version_can_be_named_without_the_prefix() {
        let plain = <TypeUrn<'_>>::parse_plain("acme:app:1.1.0").unwrap();
        assert_eq!(plain.to_string(), "urn:vcloud:type:acme:app:1.1.0");
        assert_eq!(plain.name.to_string(), "acme:app");
    }

    #[test]
    fn every_refusal_says_what_is_wrong_in_words() {
        for (text, sentence) in [
            ("", "does not begin with `urn:vcloud:type:`"),
            (ENTITY, "does not begin with `urn:vcloud:type:`"),
            ("urn:vcloud:types:a:b:1.0.0", "does not begin with"),
            ("urn:vcloud:type:a:b", "not 2"),
            ("urn:vcloud:type:a:b:1.0.0:x", "not 4"),
            ("urn:vcloud:type::b:1.0.0", "\"\" is not a vendor"),
            ("urn:vcloud:type:a:b.c:1.0.0", "\"b.c\" is not an nss"),
            ("urn:vcloud:type:a:b:v1", "without the `v`"),
            ("urn:vcloud:type:a:b:1.0.0-alpha", "pre-release label"),
            ("urn:vcloud:type:a:b:1.0.0+downgraded", "belongs to a view"),
        ] {
            let error = <TypeUrn<'_>>::parse(text).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(sentence), "{text:?}: {said}");
            assert!(!error.advice().is_empty());
        }
        let error = EntityUrn::parse("urn:vcloud:entity:a:b:c").unwrap_err();
        assert_eq!(error.to_string(), "\"c\" is not a uuid");
        assert_eq!(error.code(), coeval_codes::URN_INVALID);
    }

    proptest! {
        #[test]
        fn no_text_makes_a_parser_panic(
            text in ".{0,60}|(urn:vcloud:)?(type|entity)?[:a-f0-9.+-]{0,50}",
        ) {
            let _ = <TypeUrn<'_>>::parse(&text).map_err(|error| error.to_string());
            let _ = <TypeUrn<'_, Classification>>::parse_plain(&text).map_err(|e| e.to_string());
            let _ = EntityUrn::parse(&text).map_err(|error| error.to_string());
        }
    }
}
