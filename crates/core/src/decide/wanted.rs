//! What a caller asks for, and what it gets of it.

use super::VersionRefusal;
use crate::version::{ClientVersion, KnownVersion, KnownVersions, StoredVersion, Version};

/// The version that a caller wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedVersion {
    /// This one, converted up or down, or nothing.
    Exactly(Version),
    /// The major of a typed API, whose newest described version this is: the newest one up to it
    /// that the server knows, converted up or down.
    Major(Version),
    /// The newest that the client understands; a lower one is fine. Never converts up.
    AtMost(ClientVersion),
    /// Nothing was said: as it is stored.
    Stored,
}

/// From where a view starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewBase {
    /// The stored version is known.
    Stored(KnownVersion),
    /// It is not; what this older minor declares can still be shown.
    Pruned(KnownVersion),
}

impl ViewBase {
    pub(super) fn of(stored: StoredVersion, known: &KnownVersions) -> Result<Self, VersionRefusal> {
        let StoredVersion(version) = stored;
        if let Some(version) = known.know(version) {
            return Ok(Self::Stored(version));
        }
        // Minors only add, so an older one of the same major can be shown in part. Of another major
        // nothing is known to mean the same.
        if !known.knows_major(version.major) {
            return Err(VersionRefusal::MajorUnknown { stored });
        }
        // Below the stored minor only: what a higher one adds, the stored content does not have.
        let older = known.newest_in(first_of_major(version)..version);
        older
            .map(Self::Pruned)
            .ok_or(VersionRefusal::StoredUnknown { stored })
    }

    const fn version(self) -> KnownVersion {
        match self {
            Self::Stored(version) | Self::Pruned(version) => version,
        }
    }

    /// The version that this caller gets to see.
    pub(super) fn show(
        self,
        wanted: WantedVersion,
        stored: StoredVersion,
        known: &KnownVersions,
    ) -> Result<KnownVersion, VersionRefusal> {
        let base = self.version();
        match wanted {
            WantedVersion::Stored => Ok(base),
            WantedVersion::AtMost(ClientVersion(client)) if base.version() <= client => Ok(base),
            // An older client gets the newest version that it can read.
            WantedVersion::AtMost(client) => {
                let older = known.newest_in(..=client.0);
                older.ok_or(VersionRefusal::ClientTooOld { client })
            }
            // Whoever names a version gets it or an error, never something near to it.
            WantedVersion::Exactly(version) => {
                let exactly = known.know(version);
                let exactly =
                    exactly.ok_or_else(|| VersionRefusal::version_unknown(version, known))?;
                self.reach(exactly, stored)
            }
            WantedVersion::Major(described) => {
                // Up to the described one: a client that was generated from it knows no later
                // minor.
                let newest = known.newest_in(first_of_major(described)..=described);
                let newest =
                    newest.ok_or_else(|| VersionRefusal::version_unknown(described, known))?;
                let same_major = described.major == base.version().major;
                match self {
                    // Any minor will do, so the one that can be shown is as good as the newest.
                    Self::Pruned(_) if same_major => Ok(newest.min(base)),
                    _ => self.reach(newest, stored),
                }
            }
        }
    }

    /// Going up from a pruned view would present as whole what may lack fields.
    fn reach(
        self,
        at: KnownVersion,
        stored: StoredVersion,
    ) -> Result<KnownVersion, VersionRefusal> {
        match self {
            Self::Pruned(base) if at > base => Err(VersionRefusal::StoredUnknown { stored }),
            _ => Ok(at),
        }
    }
}

const fn first_of_major(version: Version) -> Version {
    Version::new(version.major, 0, 0)
}
