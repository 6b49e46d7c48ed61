//! Servers announce themselves: their release, what they know, and where they are. That tells who
//! is alive, and decides nothing: a server that was thought dead carries a passed epoch.

use crate::caller::Caller;
use crate::encode::encode;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::Time;
use crate::keys::{self, TypeKey};
use coeval_access::GeneralRight;
use coeval_core::phases::{Phase, PhaseAcknowledgement};
use coeval_core::version::Version;
use coeval_storage::{ReadRange, RecordPut, StorageError, StoredEntry, UnixMillis};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A server, as it announced itself last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerSeen {
    /// Its name.
    pub name: String,
    /// Its release.
    pub release: String,
    /// When it started, in milliseconds since 1970.
    pub started: Time,
    /// For each type in migration: the phase that it works at.
    #[serde(default)]
    pub phases: BTreeMap<String, String>,
    /// For each type in migration: the newest version that it knows.
    #[serde(default)]
    pub known: BTreeMap<String, String>,
    /// For each type that it may not serve: why.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
    /// For each of the engine's own kinds: the newest version that it knows.
    #[serde(default)]
    pub own: BTreeMap<String, String>,
    /// The level of records that it reads.
    #[serde(default = "first_level")]
    pub level: u8,
    /// Whether it knows retired type versions; 0.1.0 does not say so.
    #[serde(default)]
    pub knows_links: bool,
}

const fn first_level() -> u8 {
    1
}

impl ServerSeen {
    /// Where it is with a type; one that said nothing has not left the beginning, and one that can't
    /// load the new major is nowhere.
    fn phase(&self, of: &TypeKey, to: Option<u32>) -> Option<Phase> {
        if self.only_reads(of, to) {
            return None;
        }
        let said = self.phases.get(&of.to_string());
        let phase = said.and_then(|name| name.parse().ok());
        Some(phase.unwrap_or(Phase::Old))
    }

    /// Whether it can't load the major that a type goes to.
    fn only_reads(&self, of: &TypeKey, to: Option<u32>) -> bool {
        let known = self.known.get(&of.to_string());
        let known = known.and_then(|text| Version::parse_full(text).ok());
        known.zip(to).is_some_and(|(known, to)| known.major < to)
    }
}

pub(super) fn decode(entry: &StoredEntry) -> Option<ServerSeen> {
    serde_json::from_slice(&entry.stored.record()?.content.body).ok()
}

/// How long a server may be silent while a type is in migration.
pub(super) const LEASE: Duration = Duration::from_secs(15);

/// Where every live server is with a type. One whose record can't be read counts as behind. One that
/// has said nothing of the type is waited for as long as a lease lasts; after that it is taken for
/// one that died before the migration began, which its longer lease does not show.
pub(super) fn acknowledged(
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
        None => Some(PhaseAcknowledgement {
            server: entry.key.to_string(),
            phase: Some(Phase::Old),
        }),
    };
    entries.iter().filter_map(read).collect()
}

impl Engine {
    /// A live server that does not know retired type versions: its name and release.
    pub(crate) async fn server_without_links(
        &self,
    ) -> Result<Option<(String, String)>, EngineError> {
        let (_, page) = self.store.range(ReadRange::of(keys::servers()?)).await?;
        let behind = page.entries.iter().find_map(|entry| match decode(entry) {
            Some(seen) if seen.knows_links => None,
            Some(seen) => Some((seen.name, seen.release)),
            // What can't be understood can't be counted on.
            None => Some((entry.key.to_string(), "unknown".to_owned())),
        });
        Ok(behind)
    }

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
    pub(super) async fn announce_server(
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
    pub(super) async fn depart(&self, name: &str) -> Result<(), StorageError> {
        let write = coeval_storage::AtomicWrite::new().delete(&keys::server(name)?);
        self.store.atomic_write(write).await?;
        Ok(())
    }
}
