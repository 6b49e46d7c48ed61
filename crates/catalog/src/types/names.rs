//! The names of all types, as they were a moment ago.

use coeval_records::keys::TypeKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The names of all types, as they were a moment ago.
#[derive(Debug, Default)]
pub struct Names(pub(crate) Mutex<Option<(Instant, Arc<ByNss>)>>);

impl Names {
    pub(crate) fn get(&self) -> Option<Arc<ByNss>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, names) = kept.as_ref()?;
        (at.elapsed() < REMEMBERED).then(|| Arc::clone(names))
    }

    pub(crate) fn set(&self, names: Arc<ByNss>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((Instant::now(), names));
    }
}

/// The types of each nss.
pub(crate) type ByNss = HashMap<String, Vec<TypeKey>>;

/// How long the names of types are remembered. A type that another server registers is known by
/// its nss after that; by its full name at once.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(1);
