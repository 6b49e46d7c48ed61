//! The engine's own kinds: type versions that ship with Coeval.
//!
//! Organizations, users, roles, rights bundles and migrations are resources of these types, all of
//! them in the provider's organization. They are read like any others; they are written only by the
//! methods of [`coeval_resources::identity`] and [`coeval_background::migrations`], which keep their rules.

use coeval_core::types::TypeVersion;
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::keys::TypeKey;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The type of clusters that clients of the RDE API expect.
pub(crate) const CLUSTER_TYPE: &str = include_str!("kinds/tkgcluster-1.0.0.yaml");

/// The vendor of the engine's own kinds.
pub const VENDOR: &str = "coeval";

/// The first version of each of them.
pub const FIRST: Version = Version::new(1, 0, 0);

/// One of the engine's own kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnKind {
    Org,
    User,
    Role,
    Bundle,
    Migration,
}

impl OwnKind {
    pub const ALL: [Self; 5] = [
        Self::Org,
        Self::User,
        Self::Role,
        Self::Bundle,
        Self::Migration,
    ];

    const fn nss(self) -> &'static str {
        match self {
            Self::Org => "org",
            Self::User => "user",
            Self::Role => "role",
            Self::Bundle => "bundle",
            Self::Migration => "migration",
        }
    }

    /// The type.
    pub fn of(self) -> TypeKey {
        TypeKey::new(VENDOR, self.nss())
    }

    /// The definition.
    const fn file(self) -> &'static str {
        match self {
            Self::Org => include_str!("kinds/org-1.0.0.yaml"),
            Self::User => include_str!("kinds/user-1.0.0.yaml"),
            Self::Role => include_str!("kinds/role-1.0.0.yaml"),
            Self::Bundle => include_str!("kinds/bundle-1.0.0.yaml"),
            Self::Migration => include_str!("kinds/migration-1.0.0.yaml"),
        }
    }

    const fn urn_part(self) -> &'static str {
        match self {
            Self::Org => "org",
            Self::User => "user",
            Self::Role => "role",
            Self::Bundle => "rightsBundle",
            Self::Migration => "migration",
        }
    }

    /// `urn:vcloud:user:<uuid>`
    pub fn urn(self, id: Uuid) -> String {
        format!("urn:vcloud:{}:{id}", self.urn_part())
    }

    /// Reads such an id, or a bare UUID.
    pub fn id(self, text: &str) -> Option<Uuid> {
        let rest = text.strip_prefix("urn:vcloud:");
        // The id of another kind is refused, although its UUID could be read.
        let bare = match rest {
            None => text,
            Some(rest) => rest.strip_prefix(self.urn_part())?.strip_prefix(':')?,
        };
        Uuid::parse(bare)
    }
}

/// The own kinds as a release has them: the versions that it knows, and for each kind the one that
/// its code speaks. What is stored at another version is converted to that one and back, as for
/// any client.
#[derive(Clone, Debug)]
pub struct OwnKinds(BTreeMap<TypeKey, Shipped>);

#[derive(Clone, Debug)]
struct Shipped {
    files: BTreeMap<Version, Arc<str>>,
    speaks: Version,
}

impl Default for OwnKinds {
    fn default() -> Self {
        let shipped = |kind: OwnKind| Shipped {
            files: [(FIRST, kind.file().into())].into(),
            speaks: FIRST,
        };
        Self(
            OwnKind::ALL
                .into_iter()
                .map(|kind| (kind.of(), shipped(kind)))
                .collect(),
        )
    }
}

impl OwnKinds {
    /// With one more version of a kind, as a later release has it.
    ///
    /// # Errors
    /// If the file is no type version, or of no own kind.
    pub fn knowing(mut self, file: &str) -> Result<Self, EngineError> {
        self.add(file)?;
        Ok(self)
    }

    /// The same, and its code speaks it.
    ///
    /// # Errors
    /// As [`Self::knowing`].
    pub fn speaking(mut self, file: &str) -> Result<Self, EngineError> {
        let (of, version) = self.add(file)?;
        if let Some(shipped) = self.0.get_mut(&of) {
            shipped.speaks = version;
        }
        Ok(self)
    }

    fn add(&mut self, file: &str) -> Result<(TypeKey, Version), EngineError> {
        let parsed = TypeVersion::parse(file);
        let id = parsed
            .map_err(|error| EngineError::TypeFile(Box::new(error)))?
            .id;
        let of = TypeKey::new(&id.vendor, &id.nss);
        let Some(shipped) = self.0.get_mut(&of) else {
            return Err(EngineError::TypeUnknown { of });
        };
        shipped.files.insert(id.version, file.into());
        Ok((of, id.version))
    }

    /// The version of a kind that the code speaks.
    pub fn speaks(&self, of: &TypeKey) -> Version {
        self.0.get(of).map_or(FIRST, |shipped| shipped.speaks)
    }

    /// The newest that it knows; nothing for what is no own kind.
    pub fn newest(&self, of: &TypeKey) -> Option<Version> {
        self.0.get(of)?.files.keys().max().copied()
    }

    /// The types that they are.
    pub fn names(&self) -> impl Iterator<Item = &TypeKey> {
        self.0.keys()
    }

    /// The type files that ship with this release: all built-in kinds, and what clients of the RDE
    /// API expect.
    pub fn shipped_files(&self) -> impl Iterator<Item = &str> {
        let files = self.0.values().flat_map(|one| one.files.values());
        files.map(|file| &**file).chain([CLUSTER_TYPE])
    }

    /// All definitions of a kind, the oldest first.
    pub fn files(&self, of: &TypeKey) -> impl Iterator<Item = (Version, &Arc<str>)> {
        let files = self.0.get(of).into_iter().flat_map(|one| &one.files);
        files.map(|(version, file)| (*version, file))
    }
}

/// Refuses a plain write to a resource of an own kind.
pub fn not_own(of: &TypeKey) -> Result<(), EngineError> {
    if &*of.vendor == VENDOR {
        return Err(IdentityError::OwnKind { of: of.clone() }.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_own_kind_has_a_definition_of_its_own_name_with_unique_names() {
        for kind in OwnKind::ALL {
            let version = TypeVersion::parse(kind.file()).unwrap();
            assert_eq!(TypeKey::new(&version.id.vendor, &version.id.nss), kind.of());
            assert_eq!(version.id.version, FIRST);
            assert!(version.unique_names);
        }
    }

    #[test]
    fn an_id_reads_back_and_that_of_another_kind_does_not() {
        let id = Uuid(0x56ba_cbaa_8ddc_4bef_b7a5_e8f6_758a_ff25);
        for kind in OwnKind::ALL {
            assert_eq!(kind.id(&kind.urn(id)), Some(id));
            assert_eq!(kind.id(&id.to_string()), Some(id));
            let others = OwnKind::ALL.into_iter().filter(|other| *other != kind);
            for other in others {
                assert_eq!(kind.id(&other.urn(id)), None);
            }
        }
        assert_eq!(OwnKind::User.id("urn:vcloud:user:"), None);
    }
}
