//! Noting mirrors that a read found not to be fresh.

use crate::resources::Resources;
use coeval_catalog::fetched::Fetched;

impl Resources {
    /// Notes a resource whose mirror is not fresh, where reads are to mend it.
    pub(crate) fn mend_later(&self, fetched: &Fetched) {
        if let Some(pair) = &fetched.pair
            && let (_, true) = pair.read()
            && let Some(stored) = pair.old.as_ref().or(pair.new.as_ref())
        {
            // Later, not here: a read must not wait for a write, nor fail with one.
            self.repairs.add(&fetched.state.key, stored.id);
        }
    }
}
