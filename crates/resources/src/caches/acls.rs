//! The ACLs of resources that watchers asked for, each with the sequence that it was read at.
//!
//! Every watcher notes the ACL changes that it passes. So one that has passed all since an ACL was
//! read knows that it is not outdated; one that began later asks the store.

use coeval_access::Acl;
use coeval_core::version::Uuid;
use coeval_storage::{Incarnation, Token};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// An ACL, as it was at a sequence.
#[derive(Clone, Debug)]
pub struct KnownAcl {
    pub at: u64,
    pub acl: Arc<Acl>,
}

/// Grants that are remembered in all, an ACL without any counting as one.
const MOST: usize = 200_000;

#[derive(Debug, Default)]
struct Inner {
    incarnation: Option<Incarnation>,
    grants: usize,
    acls: HashMap<Uuid, KnownAcl>,
}

/// The ACLs that are known.
#[derive(Debug, Default)]
pub struct KnownAcls(RwLock<Inner>);

fn weight(acl: &Acl) -> usize {
    acl.grants().len() + 1
}

impl KnownAcls {
    /// One that was read or changed after this point, or at it.
    pub fn since(&self, from: Token, id: Uuid) -> Option<KnownAcl> {
        let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Sequences of two histories of a store can't be compared.
        if inner.incarnation != Some(from.incarnation) {
            return None;
        }
        let known = inner.acls.get(&id)?;
        (known.at >= from.sequence).then(|| known.clone())
    }

    /// Remembers one, unless a newer one is known.
    pub fn note(&self, at: Token, id: Uuid, acl: &Arc<Acl>) {
        {
            let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let known = inner.acls.get(&id);
            let same = inner.incarnation == Some(at.incarnation);
            if same && known.is_some_and(|known| known.at >= at.sequence) {
                return;
            }
        }
        let mut inner = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Cleared as a whole: a watcher that finds nothing asks the store, so a cheap rule is
        // enough.
        let full = inner.grants + weight(acl) > MOST;
        if full || inner.incarnation != Some(at.incarnation) {
            *inner = Inner {
                incarnation: Some(at.incarnation),
                ..Inner::default()
            };
        }
        let known = KnownAcl {
            at: at.sequence,
            acl: Arc::clone(acl),
        };
        // Asked again under the lock for writing: a newer one may have come since the look.
        if inner
            .acls
            .get(&id)
            .is_some_and(|other| other.at >= known.at)
        {
            return;
        }
        inner.grants += weight(acl);
        if let Some(before) = inner.acls.insert(id, known) {
            inner.grants = inner.grants.saturating_sub(weight(&before.acl));
        }
    }
}
