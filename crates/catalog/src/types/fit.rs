//! Which versions of a type are proven to be shown well at which others.
//!
//! A view must fit the version that it claims. The proof costs as much as registering a version, so
//! it is made once for a pair of versions, off the threads that serve requests, when a view of that
//! pair is wanted first. Until it is there, and where there is none, every such view is validated:
//! slower, and never wrong.

use coeval_core::convert::Versions;
use coeval_core::version::Version;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The proofs for one state of a type.
#[derive(Debug)]
pub struct FitProofs {
    versions: Arc<Versions>,
    /// By stored version and version of the view; `None` while it is being looked for.
    found: Mutex<HashMap<(Version, Version), Option<bool>>>,
}

impl FitProofs {
    pub fn new(versions: Arc<Versions>) -> Arc<Self> {
        Arc::new(Self {
            versions,
            found: Mutex::default(),
        })
    }

    /// Whether no view of that pair has to be looked at. It never waits.
    pub fn is_proven(self: &Arc<Self>, stored: Version, at: Version) -> bool {
        let pair = (stored, at);
        {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(proven) = found.get(&pair) {
                // One that is under way counts as not proven.
                return *proven == Some(true);
            }
            // Noted before it is proven, so that one proof is under way and not many.
            found.insert(pair, None);
        }
        // It outlives the request that asked, and serves those that come after.
        let proofs = Arc::clone(self);
        let prove = move || {
            let proven = proofs.versions.proves_fit(stored, at);
            let mut found = proofs.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(pair, Some(proven));
        };
        // A proof may take long: until it is there every view is looked at.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn_blocking(prove);
        } else {
            prove();
        }
        false
    }
}
