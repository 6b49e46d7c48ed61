//! Servers announce themselves: their release, what they know, and where they are. That tells who
//! is alive, and decides nothing: a server that was thought dead carries a passed epoch.

use crate::background::Background;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_core::phases::{Phase, PhaseAcknowledgement};
use coeval_records::encode::encode;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::servers::{LEASE, ServerSeen, decode};
use coeval_storage::{ReadRange, RecordPut, StorageError, StoredEntry, UnixMillis};
use std::time::Duration;

/// Where every live server is with a type. One whose record can't be read counts as behind. One that
/// has said nothing of the type is waited for as long as a lease lasts; after that it is taken for
/// one that died before the migration began, which its longer lease does not show.
pub(crate) fn acknowledged(
    of: &TypeKey,
    entries: &[StoredEntry],
    to: Option<u32>,
    since_begun: Option<Duration>,
) -> Vec<PhaseAcknowledgement> {
    let name = of.to_string();
    let silent = |seen: &ServerSeen| {
        !seen.phases.contains_key(&name)
            && !seen.refused.contains_key(&name)
            && since_begun.is_some_and(|time| time > LEASE)
    };
    let read = |entry: &StoredEntry| match decode(entry) {
        Some(seen) if silent(&seen) => None,
        Some(seen) => Some(PhaseAcknowledgement {
            phase: seen.phase(of, to),
            server: seen.name,
        }),
        // As one that is behind: it may be a server that works, and nobody knows where.
        None => Some(PhaseAcknowledgement {
            server: entry.key.to_string(),
            phase: Some(Phase::Old),
        }),
    };
    entries.iter().filter_map(read).collect()
}

impl Background {
    /// The servers that are alive.
    ///
    /// # Errors
    /// If the caller may not know, or the store fails.
    pub async fn servers(&self, caller: &Caller) -> Result<Vec<ServerSeen>, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let (_, page) = self.store.range(ReadRange::of(keys::servers()?)).await?;
        Ok(page.entries.iter().filter_map(decode).collect())
    }

    /// Says that this server is alive, for a while.
    pub(crate) async fn announce_server(
        &self,
        seen: &ServerSeen,
        lease: Duration,
    ) -> Result<(), EngineError> {
        let body = encode("a server", seen)?;
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let expires = UnixMillis(self.now().saturating_add(lease));
        let put = RecordPut::of(body).expiring(Some(expires));
        self.store.put(&keys::server(&seen.name)?, put).await?;
        Ok(())
    }

    /// Says that this server stops.
    pub(crate) async fn depart(&self, name: &str) -> Result<(), StorageError> {
        let write = coeval_storage::AtomicWrite::new().delete(&keys::server(name)?);
        self.store.atomic_write(write).await?;
        Ok(())
    }
}
