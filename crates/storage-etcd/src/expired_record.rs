//! Records that are met past their expiry.

use crate::pb;
use bytes::Bytes;
use coeval_storage::record::RecordHead;
use coeval_storage::{Key, UnixMillis};

/// A record that was met past its expiry.
#[derive(Debug)]
pub(crate) struct ExpiredRecord {
    pub(crate) kv: pb::KeyValue,
    pub(crate) key: Key,
    /// When it expired, if the sweep looks for it.
    pub(crate) at: Option<UnixMillis>,
}

impl ExpiredRecord {
    /// Whether others may belong to it: only what the sweep looks for has dependents.
    pub(crate) fn may_own(&self) -> bool {
        self.at.is_some()
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    /// Whether this is what was read.
    pub(crate) fn is_still(&self, kv: &pb::KeyValue) -> bool {
        self.kv.mod_revision == kv.mod_revision
    }

    pub(crate) fn of(key: &Key, kv: &pb::KeyValue, head: RecordHead) -> Self {
        Self {
            kv: pb::KeyValue {
                key: Bytes::copy_from_slice(&kv.key),
                value: Bytes::new(),
                ..kv.clone()
            },
            key: detached(key),
            at: head.expires.filter(|_| head.indexed),
        }
    }
}

/// What is there, unless it has expired: then it is noted as such.
pub(crate) fn live(
    key: &Key,
    kv: pb::KeyValue,
    now: UnixMillis,
    past: &mut Vec<ExpiredRecord>,
) -> Option<pb::KeyValue> {
    match RecordHead::read(&kv.value) {
        Some(head) if head.has_expired(now) => {
            past.push(ExpiredRecord::of(key, &kv, head));
            None
        }
        _ => Some(kv),
    }
}

/// The key with bytes of its own: what comes from etcd shares one buffer with all that came along,
/// values too, and would keep it.
pub(crate) fn detached(key: &Key) -> Key {
    Key::unchecked(Bytes::copy_from_slice(key.as_bytes()))
}
