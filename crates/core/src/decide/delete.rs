//! Deleting: a resource can be deleted at any version, also an unknown one.

use super::{Records, Refusal, Revision, Stored};

/// Decides a delete: which records go, together with all that was kept for them. A given revision
/// must be the stored one.
pub fn decide_delete(stored: Stored, revision: Revision) -> Result<Records, Refusal> {
    match (revision, stored) {
        (Revision::Stale, _) => Err(Refusal::Stale),
        (_, Stored::Alone(_)) => Ok(Records::Only),
        // One that stayed would come back as soon as somebody reads the other key.
        (_, Stored::Pair(_)) => Ok(Records::Both),
    }
}
