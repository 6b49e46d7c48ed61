//! How many records a type has, for those who only look.
//!
//! Counting many takes its time, and whoever watches a migration asks each second. So a count is
//! used again, for longer the longer it took: counting never takes more than a small part of the
//! time. Few are counted each time. Nothing is decided by it.

use crate::background::Background;
use coeval_catalog::types::state::TypeState;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::Revision;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Fewer than these are counted each time.
const MANY: u64 = 10_000;
/// A count is used for so many times as long as it took.
const TIMES: u32 = 50;
/// But for no longer than this.
const LONGEST: Duration = Duration::from_secs(30);

/// One count.
#[derive(Debug)]
struct Tally {
    count: u64,
    /// The phases were so.
    phase: Revision,
    until: Instant,
}

/// The counts that were taken lately, by type and major. Who comes while one is taken waits for it.
#[derive(Debug, Default)]
pub struct Tallies(Mutex<HashMap<(TypeKey, u32), Tally>>);

impl Background {
    /// How many records of a major there are, or were not long ago.
    pub(crate) async fn tally(&self, state: &TypeState, major: u32) -> Result<u64, EngineError> {
        // Held while it counts: who comes meanwhile waits, and does not count again.
        let mut tallies = self.tallies.0.lock().await;
        let key = (state.key.clone(), major);
        let began = Instant::now();
        let known = tallies.get(&key);
        // A move of the phases ends every count: people look right after it.
        let known = known.filter(|one| one.phase == state.phase_revision && began < one.until);
        if let Some(known) = known {
            return Ok(known.count);
        }
        let span = keys::records_of_major(&state.key, major)?;
        let (_, count) = self.store.count(span).await?;
        if count < MANY {
            tallies.remove(&key);
            return Ok(count);
        }
        let now = Instant::now();
        let lasts = (now.duration_since(began) * TIMES).min(LONGEST);
        let tally = Tally {
            count,
            phase: state.phase_revision,
            until: now + lasts,
        };
        tallies.insert(key, tally);
        Ok(count)
    }
}
