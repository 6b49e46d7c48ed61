//! What a store is opened with.

use coeval_storage::StoreLimits;
use coeval_storage::feed::RingSize;
use std::time::Duration;

/// What a [`PostgresStore`](crate::PostgresStore) is opened with.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database?schema=coeval`; further parameters are
    /// `ca=FILE` (verify the server by this authority), `sslmode`, and those of libpq.
    pub url: String,
    /// Bounds of writes and pages.
    pub limits: StoreLimits,
    /// Size of the ring of recent events.
    pub ring: RingSize,
    /// Connections for reads, at most.
    pub readers: usize,
    /// How often the event table is looked at when nothing says that it changed.
    pub poll: Duration,
    /// Whether other servers are woken after a commit. Without it they wait for their poll.
    pub announce: bool,
    /// How long a write may wait for a server that went away before it is given up.
    pub patience: Duration,
}

impl PostgresOptions {
    /// The defaults for an address.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            limits: StoreLimits::default(),
            ring: RingSize::default(),
            readers: 16,
            poll: Duration::from_secs(5),
            announce: true,
            patience: Duration::from_secs(10),
        }
    }
}

impl std::fmt::Debug for PostgresOptions {
    /// Without the address: it may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("limits", &self.limits)
            .field("ring", &self.ring)
            .field("readers", &self.readers)
            .field("poll", &self.poll)
            .field("announce", &self.announce)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
