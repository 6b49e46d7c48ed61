//! Deleting: a resource can be deleted at any version, also an unknown one.

use super::{Records, Refusal, Revision, Stored};

/// Decides a delete: which records go, together with all that was kept for them. A given revision
/// must be the stored one.
///
/// ```
/// use coeval_core::decide::{Lead, Pair, Records, Revision, Stored, decide_delete};
/// use coeval_core::version::{StoredVersion, Version};
///
/// let stored = |major| StoredVersion(Version::new(major, 0, 0));
/// let pair = Pair::new(stored(1), stored(2), Lead::Old).unwrap();
/// let both = decide_delete(Stored::Pair(pair), Revision::NotGiven);
/// assert_eq!(both, Ok(Records::Both));
/// ```
pub fn decide_delete(stored: Stored, revision: Revision) -> Result<Records, Refusal> {
    match (revision, stored) {
        (Revision::Stale, _) => Err(Refusal::Stale),
        (_, Stored::Alone(_)) => Ok(Records::Only),
        // One that stayed would come back as soon as somebody reads the other key.
        (_, Stored::Pair(_)) => Ok(Records::Both),
    }
}
