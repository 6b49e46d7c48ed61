//! What a caller asks for, and what it gets of it.

use super::Refusal;
use crate::version::{ClientVersion, Known, KnownVersion, StoredVersion, Version};

/// The version that a caller wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
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
pub(super) enum Base {
    /// The stored version is known.
    Stored(KnownVersion),
    /// It is not; what this older minor declares can still be shown.
    Pruned(KnownVersion),
}

impl Base {
    pub(super) fn of(stored: StoredVersion, known: &Known) -> Result<Self, Refusal> {
        let StoredVersion(version) = stored;
        if let Some(version) = known.know(version) {
            return Ok(Self::Stored(version));
        }
        // Minors only add, so an older one of the same major can be shown in part. Of another major
        // nothing is known to mean the same.
        if !known.knows_major(version.major) {
            return Err(Refusal::MajorUnknown { stored });
        }
        let older = known.newest_in(first_of_major(version)..version);
        older
            .map(Self::Pruned)
            .ok_or(Refusal::StoredUnknown { stored })
    }

    const fn version(self) -> KnownVersion {
        match self {
            Self::Stored(version) | Self::Pruned(version) => version,
        }
    }

    /// The version that this caller gets to see.
    pub(super) fn show(
        self,
        wanted: Wanted,
        stored: StoredVersion,
        known: &Known,
    ) -> Result<KnownVersion, Refusal> {
        let base = self.version();
        match wanted {
            Wanted::Stored => Ok(base),
            Wanted::AtMost(ClientVersion(client)) if base.version() <= client => Ok(base),
            Wanted::AtMost(client) => {
                let older = known.newest_in(..=client.0);
                older.ok_or(Refusal::ClientTooOld { client })
            }
            Wanted::Exactly(version) => {
                let exactly = known.know(version);
                let exactly = exactly.ok_or_else(|| Refusal::version_unknown(version, known))?;
                self.reach(exactly, stored)
            }
            Wanted::Major(described) => {
                let newest = known.newest_in(first_of_major(described)..=described);
                let newest = newest.ok_or_else(|| Refusal::version_unknown(described, known))?;
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
    fn reach(self, at: KnownVersion, stored: StoredVersion) -> Result<KnownVersion, Refusal> {
        match self {
            Self::Pruned(base) if at > base => Err(Refusal::StoredUnknown { stored }),
            _ => Ok(at),
        }
    }
}

const fn first_of_major(version: Version) -> Version {
    Version::new(version.major, 0, 0)
}
