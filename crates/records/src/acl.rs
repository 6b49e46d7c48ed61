//! ACLs as they are stored.

use coeval_access::Acl;
use coeval_storage::StoredEntry;

/// Reads an ACL's record.
pub fn decode_acl(entry: &StoredEntry) -> Option<Acl> {
    serde_json::from_slice(&entry.stored.record()?.content.body).ok()
}
