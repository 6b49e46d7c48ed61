//! The phase record as it is stored. That of an own kind says one thing more: up to which version
//! its resources may be stored.

use coeval_core::phases::{Epoch, LivePhases, Migration, Phase, PhaseDirection, PhaseRecord};
use coeval_core::version::Version;
use coeval_records::encode::{self, EncodeError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Serialize, Deserialize)]
struct Stored {
    epoch: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    migration: Option<StoredMigration>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    closed: BTreeSet<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredMigration {
    from: u32,
    to: u32,
    low: String,
    high: String,
    /// Servers head for the lower one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    back: bool,
    forward_done: bool,
    back_done: bool,
}

/// As it is stored.
pub fn encode(record: &PhaseRecord, open: Option<Version>) -> Result<Vec<u8>, EncodeError> {
    let stored = Stored {
        epoch: record.epoch.0,
        migration: record.migration.map(|migration| StoredMigration {
            from: migration.from,
            to: migration.to,
            low: migration.live.low.name().to_owned(),
            high: migration.live.high.name().to_owned(),
            back: migration.heading == PhaseDirection::Back,
            forward_done: migration.forward_done,
            back_done: migration.back_done,
        }),
        closed: record.closed.clone(),
        open: open.map(|version| version.to_string()),
    };
    encode::encode("a phase record", &stored)
}

/// From how it is stored, with the newest version that is open; `None` if it is no phase record.
pub fn decode(bytes: &[u8]) -> Option<(PhaseRecord, Option<Version>)> {
    let stored: Stored = serde_json::from_slice(bytes).ok()?;
    let phase = |name: &str| Phase::ALL.into_iter().find(|phase| phase.name() == name);
    // A phase that this release does not know makes all of it unreadable: nothing is guessed.
    let migration = match stored.migration {
        None => None,
        Some(migration) => Some(Migration {
            from: migration.from,
            to: migration.to,
            live: LivePhases {
                low: phase(&migration.low)?,
                high: phase(&migration.high)?,
            },
            heading: if migration.back {
                PhaseDirection::Back
            } else {
                PhaseDirection::Forward
            },
            forward_done: migration.forward_done,
            back_done: migration.back_done,
        }),
    };
    let open = match stored.open {
        None => None,
        Some(text) => Some(Version::parse_full(&text).ok()?),
    };
    let record = PhaseRecord {
        epoch: Epoch(stored.epoch),
        migration,
        closed: stored.closed,
    };
    Some((record, open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_record_reads_back() {
        let first = PhaseRecord::first();
        assert_eq!(decode(&encode(&first, None).unwrap()), Some((first, None)));
        let moving = PhaseRecord {
            epoch: Epoch(7),
            migration: Some(Migration {
                from: 1,
                to: 2,
                live: LivePhases {
                    low: Phase::Mirror,
                    high: Phase::ReadNew,
                },
                heading: PhaseDirection::Back,
                forward_done: true,
                back_done: false,
            }),
            closed: [0].into(),
        };
        let open = Some(Version::new(1, 1, 0));
        assert_eq!(
            decode(&encode(&moving, open).unwrap()),
            Some((moving, open))
        );
        assert_eq!(decode(b"{}"), None);
    }
}
