//! What the engine may store of itself rises with its servers: a new version of an own kind, and a
//! new level of records, are written only once every live server can read them.
//!
//! Up to which version a kind is stored stands in its phase record, which every write to it is
//! conditioned on; the level stands in a record of its own. Both only rise. A server that was
//! thought gone and comes back finds a kind that it may not serve, or a record that it can't
//! read: it says so, and overwrites neither.

use crate::background::Background;
use coeval_catalog::kinds::{FIRST, OwnKind};
use coeval_catalog::level::Level;
use coeval_catalog::types::phase;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::Version;
use coeval_records::attempts::unless_raced;
use coeval_records::audit::{Deed, What};
use coeval_records::encode::encode;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::servers::ServerSeen;
use coeval_resources::identity::open::system_caller;
use coeval_storage::{AtomicWrite, ReadRange, RecordPut, Revision, WriteAction, WriteCondition};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// What all live servers can read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AllKnow {
    own: BTreeMap<String, Version>,
    level: u8,
}

impl AllKnow {
    /// Nothing, if there is one that can't be understood.
    fn of(servers: &[ServerSeen]) -> Option<Self> {
        let mut all: Option<Self> = None;
        for server in servers {
            let mut known = Self {
                own: BTreeMap::new(),
                level: server.level,
            };
            for kind in OwnKind::ALL {
                let of = kind.of().to_string();
                // What a release does not speak of, it has as it was first.
                let version = match server.own.get(&of) {
                    None => FIRST,
                    Some(text) => Version::parse_full(text).ok()?,
                };
                known.own.insert(of, version);
            }
            all = Some(match all {
                None => known,
                Some(all) => all.and(known),
            });
        }
        all
    }

    fn and(mut self, other: Self) -> Self {
        self.level = self.level.min(other.level);
        for (of, version) in other.own {
            self.own
                .entry(of)
                .and_modify(|own| *own = (*own).min(version));
        }
        self
    }
}

/// Up to which version a kind may be stored by now, if that is more than before. Only within its
/// major: the next one is reached by a migration.
fn opened(state: &TypeState, all_know: Version) -> Option<Version> {
    let open = state.open?;
    if state.phase.migration.is_some() {
        return None;
    }
    let versions = || state.known_versions().map(|one| one.id.version);
    let at_home = |version: &Version| {
        version.major >= open.major && !state.phase.closed.contains(&version.major)
    };
    let major = versions().filter(at_home).map(|one| one.major).min()?;
    let within = versions().filter(|one| one.major == major && *one <= all_know);
    within.max().filter(|newest| *newest > open)
}

impl Background {
    /// What this server knows of what the engine stores of itself.
    pub(crate) fn note_own(&self, seen: &mut ServerSeen) {
        seen.level = self.known_level();
        for kind in OwnKind::ALL {
            let of = kind.of();
            if let Some(known) = self.types.cap(&of) {
                seen.own.insert(of.to_string(), known.to_string());
            }
        }
    }

    /// Lets more be stored, if every live server can read it by now.
    pub(crate) async fn open_further(&self) -> Result<(), EngineError> {
        let mut rising = Vec::new();
        for kind in OwnKind::ALL {
            let of = kind.of();
            let newest = self.types.cap(&of);
            let rises = |state: &TypeState| newest.and_then(|newest| opened(state, newest));
            // What is loaded may be outdated, but then it is only too low.
            if rises(&*self.types.get(&of).await?).is_some() {
                let state = self.types.current(&of).await?;
                rising.extend(rises(&state).map(|_| state));
            }
        }
        if rising.is_empty() && self.level() >= self.known_level() {
            return Ok(());
        }
        // Read before the servers are: whoever raises it in between makes the write below fail.
        let before = self.look_at_level().await?;
        let (_, page) = self.store.range(ReadRange::of(keys::servers()?)).await?;
        let servers = page.entries.iter().map(coeval_records::servers::decode);
        let servers: Option<Vec<ServerSeen>> = servers.collect();
        // One that can't be understood may know less than any: nothing rises while it is alive.
        let Some(all) = servers.and_then(|servers| AllKnow::of(&servers)) else {
            return Ok(());
        };
        for state in rising {
            let known = all.own.get(&state.key.to_string()).copied();
            if let Some(open) = known.and_then(|known| opened(&state, known)) {
                self.open_kind(&state, open).await?;
            }
        }
        if all.level > self.level() {
            self.raise_level(all.level, before).await?;
        }
        Ok(())
    }

    async fn open_kind(&self, state: &TypeState, open: Version) -> Result<(), EngineError> {
        let body = phase::encode(&state.phase, Some(open))?;
        let mut deed = Deed::other(What::MovePhase, &state.key.to_string());
        deed.note = Some(format!("may be stored at {open} from now on"));
        let mut write = AtomicWrite::new().step(
            &state.phase_key,
            WriteCondition::RevisionIs(state.phase_revision),
            WriteAction::Put(RecordPut::of(body)),
        );
        write.steps.push(self.audit_step(&system_caller(), &deed)?);
        // Else another server won the race, and opened it.
        if unless_raced(self.commit(&state.phase_key, write).await)?.is_some() {
            tracing::info!(of = %state.key, %open, "every server knows it: it is stored");
        }
        self.types.load(&state.key).await?;
        Ok(())
    }

    async fn raise_level(&self, level: u8, before: Option<Revision>) -> Result<(), EngineError> {
        let key = keys::own("level")?;
        let body = encode("the level of records", &Level { level })?;
        let condition = before.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs);
        let write = AtomicWrite::new().step(&key, condition, WriteAction::Put(RecordPut::of(body)));
        // Else another server won the race, and raised it.
        if unless_raced(self.commit(&key, write).await)?.is_some() {
            tracing::info!(
                level,
                "every server reads this level of records: it is written"
            );
            self.level.store(level, Ordering::Relaxed);
        }
        Ok(())
    }
}
