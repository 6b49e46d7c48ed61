//! Servers as they announce themselves.
//!
//! What a server says of itself is what others decide by: whether all have reached a phase, know a
//! version, or read a level of records. One that does not say something is taken for a release that
//! does not know it yet, so each field has the default of the oldest server that could be meant.

use crate::error::EngineError;
use crate::header::Time;
use crate::keys::{self, TypeKey};
use crate::records::Records;
use coeval_core::phases::Phase;
use coeval_core::version::Version;
use coeval_storage::{ReadRange, StoredEntry};
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
    pub fn phase(&self, of: &TypeKey, to: Option<u32>) -> Option<Phase> {
        if self.only_reads(of, to) {
            return None;
        }
        let said = self.phases.get(&of.to_string());
        let phase = said.and_then(|name| name.parse().ok());
        // A phase that has no name here counts as the first too: nothing moves on because of it.
        Some(phase.unwrap_or(Phase::Old))
    }

    /// Whether it can't load the major that a type goes to.
    pub fn only_reads(&self, of: &TypeKey, to: Option<u32>) -> bool {
        let known = self.known.get(&of.to_string());
        let known = known.and_then(|text| Version::parse_full(text).ok());
        // Only what it announced counts: without a word it is not known to be behind.
        known.zip(to).is_some_and(|(known, to)| known.major < to)
    }
}

pub fn decode(entry: &StoredEntry) -> Option<ServerSeen> {
    serde_json::from_slice(&entry.stored.record()?.content.body).ok()
}

/// How long a server may be silent while a type is in migration.
pub const LEASE: Duration = Duration::from_secs(15);

impl Records {
    /// A live server that does not know retired type versions: its name and release.
    pub async fn server_without_links(&self) -> Result<Option<(String, String)>, EngineError> {
        let (_, page) = self.store.range(ReadRange::of(keys::servers()?)).await?;
        let behind = page.entries.iter().find_map(|entry| match decode(entry) {
            Some(seen) if seen.knows_links => None,
            Some(seen) => Some((seen.name, seen.release)),
            // What can't be understood can't be counted on.
            None => Some((entry.key.to_string(), "unknown".to_owned())),
        });
        Ok(behind)
    }
}
