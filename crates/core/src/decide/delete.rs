//! Deleting: a resource can be deleted at any version, also an unknown one.

use super::{RevisionCheck, StoredVersions, VersionRefusal, WrittenRecords};

/// Decides a delete: which records go, together with all that was kept for them. A given revision
/// must be the stored one.
///
/// ```
/// use coeval_core::decide::{LeadingRecord, VersionPair, WrittenRecords, RevisionCheck, StoredVersions, decide_delete};
/// use coeval_core::version::{StoredVersion, Version};
///
/// let stored = |major| StoredVersion(Version::new(major, 0, 0));
/// let pair = VersionPair::new(stored(1), stored(2), LeadingRecord::Old).unwrap();
/// let both = decide_delete(StoredVersions::Pair(pair), RevisionCheck::NotGiven);
/// assert_eq!(both, Ok(WrittenRecords::Both));
/// ```
pub fn decide_delete(
    stored: StoredVersions,
    revision: RevisionCheck,
) -> Result<WrittenRecords, VersionRefusal> {
    match (revision, stored) {
        (RevisionCheck::Stale, _) => Err(VersionRefusal::Stale),
        (_, StoredVersions::Alone(_)) => Ok(WrittenRecords::Only),
        // One that stayed would come back as soon as somebody reads the other key.
        (_, StoredVersions::Pair(_)) => Ok(WrittenRecords::Both),
    }
}
