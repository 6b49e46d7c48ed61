//! What may follow: each move is a new phase record of the next epoch, or a refusal that says what
//! holds it.
//!
//! Forward is (p, p) → (p, p+1) → (p+1, p+1), back the same way. The first half admits a phase, and
//! the phase's gates hold it; the second half closes the one that is left, and servers that are
//! still at it hold it, or are fenced. A wrong signal here does no harm: a server that was
//! thought dead carries a passed epoch.

use super::{
    EntryGate, Epoch, LivePhases, Migration, Phase, PhaseDirection, PhaseRecord, PhaseRefusal,
    PhaseTable, ReturnGate, StaleCopies,
};
use std::collections::BTreeSet;

/// What a live server said of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseAcknowledgement {
    /// Its name.
    pub server: String,
    /// The phase that it works at. None: it can't load the new major, so it is at no phase but
    /// `old`, and at none once that is closed.
    pub phase: Option<Phase>,
}

/// Who wants a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveInitiator {
    /// A person, now.
    Operator,
    /// A person, in a server's environment.
    Environment,
    /// Nobody in particular.
    Automatic,
    /// Nobody in particular, but cutover was asked for by name.
    AutomaticByName,
}

/// What a move depends on and the record does not say.
#[derive(Clone, Copy, Debug)]
pub struct MoveFacts<'a> {
    /// Who wants it.
    pub who: MoveInitiator,
    /// All servers that are alive.
    pub servers: &'a [PhaseAcknowledgement],
    /// Those that are behind are given up. Only an operator can say so.
    pub fence_rest: bool,
    /// How many resources are listed as failed, in the same snapshot as the record.
    pub failed: u64,
    /// How many resources cleanup has still to visit: those that [`is_left`](super::is_left); on the
    /// way to the end where it began, how many mirrors there are.
    pub left: u64,
    /// Whether the new major changes what a field means.
    pub meaning_changed: bool,
}

/// Begins a migration. All servers are at `old`.
///
/// ```
/// use coeval_core::phases::{PhaseRecord, PhaseRefusal, begin};
///
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// assert_eq!(begin(&record, 2, 3), Err(PhaseRefusal::Running { from: 1, to: 2 }));
/// assert_eq!(begin(&PhaseRecord::first(), 2, 1), Err(PhaseRefusal::WrongMajors { from: 2, to: 1 }));
/// ```
pub fn begin(record: &PhaseRecord, from: u32, to: u32) -> Result<PhaseRecord, PhaseRefusal> {
    // One migration of a type at a time: there are two keys for a resource, and no third.
    if let Some(running) = record.migration {
        return Err(PhaseRefusal::Running {
            from: running.from,
            to: running.to,
        });
    }
    // A closed major stays closed: what is created at it is stored at a later one for ever.
    if from >= to || record.closed.contains(&from) || record.closed.contains(&to) {
        return Err(PhaseRefusal::WrongMajors { from, to });
    }
    // Before the first write there is nothing in new, so old is trivially fresh; new is not, because
    // resources that exist have no mirror.
    let migration = Migration {
        from,
        to,
        live: LivePhases::one(Phase::Old),
        heading: PhaseDirection::Forward,
        forward_done: false,
        back_done: true,
    };
    Ok(moved(record, Some(migration), record.closed.clone()))
}

/// The next half step towards the end.
///
/// ```
/// use coeval_core::phases::{PhaseAcknowledgement, MoveFacts, Phase, PhaseRecord, PhaseRefusal, TABLE, MoveInitiator, begin, forward};
///
/// let servers = [PhaseAcknowledgement { server: "a".into(), phase: Some(Phase::Old) }];
/// # let facts = MoveFacts { who: MoveInitiator::Operator, servers: &servers, fence_rest: false, failed: 0, left: 0, meaning_changed: false };
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// let both_live = forward(&TABLE, &record, &facts).unwrap();
/// // The second half closes `old`, and a server is still there.
/// let refusal = PhaseRefusal::ServersBehind { phase: Phase::Mirror, behind: vec!["a".into()] };
/// assert_eq!(forward(&TABLE, &both_live, &facts), Err(refusal));
/// ```
pub fn forward(
    table: &PhaseTable,
    record: &PhaseRecord,
    facts: &MoveFacts<'_>,
) -> Result<PhaseRecord, PhaseRefusal> {
    let migration = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    let live = migration.live;
    // Two phases are live, so the half step is to close the lower one.
    if live.low != live.high {
        return close(record, migration, PhaseDirection::Forward, facts);
    }
    // Entering is decided by the next phase's own gates.
    let next = table.row(live.high).next.ok_or(PhaseRefusal::Last)?;
    may_enter(table, &migration, next, facts)?;
    let migration = Migration {
        // The new phase is admitted beside the old one: servers follow one after the other.
        live: LivePhases { high: next, ..live },
        heading: PhaseDirection::Forward,
        ..migration
    };
    Ok(admitted(table, record, migration, next))
}

/// The next half step towards the beginning.
///
/// ```
/// # use coeval_core::phases::{MoveFacts, Phase, PhaseRecord, PhaseRefusal, TABLE, MoveInitiator, back, begin, forward};
/// # let facts = MoveFacts { who: MoveInitiator::Operator, servers: &[], fence_rest: false, failed: 0, left: 0, meaning_changed: false };
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// let mirror = forward(&TABLE, &forward(&TABLE, &record, &facts).unwrap(), &facts).unwrap();
/// let both_live = back(&TABLE, &mirror, &facts).unwrap();
/// assert_eq!(both_live.migration.unwrap().live.low, Phase::Old);
/// assert_eq!(back(&TABLE, &record, &facts), Err(PhaseRefusal::NoWayBack { phase: Phase::Old }));
/// ```
pub fn back(
    table: &PhaseTable,
    record: &PhaseRecord,
    facts: &MoveFacts<'_>,
) -> Result<PhaseRecord, PhaseRefusal> {
    let migration = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    let live = migration.live;
    // Asked of the higher phase: it is the one that would be left.
    let left = table.row(live.high);
    // Before anything else, because no waiting helps.
    if left.leave == ReturnGate::Never {
        return Err(PhaseRefusal::NoWayBack { phase: live.high });
    }
    if live.low != live.high {
        return close(record, migration, PhaseDirection::Back, facts);
    }
    let no_way = PhaseRefusal::NoWayBack { phase: live.high };
    let previous = left.previous.ok_or(no_way)?;
    // Writes of this phase may have left the old records behind; the copy back has to bring them
    // up first.
    if left.leave == ReturnGate::BackDone && !migration.back_done {
        return Err(PhaseRefusal::CopyBackNotDone);
    }
    let migration = Migration {
        live: LivePhases {
            low: previous,
            ..live
        },
        heading: PhaseDirection::Back,
        ..migration
    };
    Ok(admitted(table, record, migration, previous))
}

/// Ends it: the old major is closed for ever.
pub fn finish(
    table: &PhaseTable,
    record: &PhaseRecord,
    facts: &MoveFacts<'_>,
) -> Result<PhaseRecord, PhaseRefusal> {
    let migration = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    let live = migration.live;
    // Only at the end, with all servers there: another phase could still write old records.
    if live.low != live.high || table.row(live.high).next.is_some() {
        return Err(PhaseRefusal::NotLast { live });
    }
    // Records that expire by themselves are waited for.
    if facts.left > 0 {
        return Err(PhaseRefusal::OldLeft { left: facts.left });
    }
    let mut closed = record.closed.clone();
    // For ever, because what the old major's servers would write nobody would read.
    closed.insert(migration.from);
    Ok(moved(record, None, closed))
}

/// Ends it where it began: nothing was moved, and nothing is closed. `left` are the mirrors that
/// [`discard`](super::discard) has still to remove.
pub fn abandon(
    table: &PhaseTable,
    record: &PhaseRecord,
    facts: &MoveFacts<'_>,
) -> Result<PhaseRecord, PhaseRefusal> {
    let migration = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    let live = migration.live;
    // Only at the beginning, where no server reads or writes the mirrors.
    if live.low != live.high || table.row(live.low).previous.is_some() {
        return Err(PhaseRefusal::NotFirst { live });
    }
    // Mirrors that stay would outlive the migration that keeps them in step.
    if facts.left > 0 {
        return Err(PhaseRefusal::MirrorsLeft { left: facts.left });
    }
    Ok(moved(record, None, record.closed.clone()))
}

/// What the phase that a server's environment asks for means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentRequest {
    /// It is live: work at it.
    Work,
    /// It is the next: move [`forward`], then work at it.
    Forward,
    /// It is the one before: move [`back`], then work at it.
    Back,
}

/// Whether a server may have the phase that its environment asks for. If not, it runs and refuses
/// the type. A variable that outlives its migration asks for nothing: [`admit`](super::admit) lets
/// every server in once there is none.
pub fn ask(
    table: &PhaseTable,
    record: &PhaseRecord,
    phase: Phase,
    servers: &[PhaseAcknowledgement],
) -> Result<EnvironmentRequest, PhaseRefusal> {
    let live = record.migration.ok_or(PhaseRefusal::NoMigration)?.live;
    // The phase is live, so the server simply works.
    if live.has(phase) {
        return Ok(EnvironmentRequest::Work);
    }
    // Two phases are live already: one of them must be closed first.
    let can_admit = live.low == live.high;
    if can_admit && table.row(live.high).next == Some(phase) {
        return Ok(EnvironmentRequest::Forward);
    }
    if can_admit && table.row(live.low).previous == Some(phase) {
        return Ok(EnvironmentRequest::Back);
    }
    // Whom the operator has to move first, for the message.
    let held_by = if phase > live.high {
        behind(servers, live.high, live.low)
    } else {
        behind(servers, live.low, live.low)
    };
    Err(PhaseRefusal::OutOfReach {
        phase,
        live,
        held_by,
    })
}

fn may_enter(
    table: &PhaseTable,
    migration: &Migration,
    next: Phase,
    facts: &MoveFacts<'_>,
) -> Result<(), PhaseRefusal> {
    // Nobody is asked in an automatic migration, so what people have to agree to stops it.
    let automatic = matches!(
        facts.who,
        MoveInitiator::Automatic | MoveInitiator::AutomaticByName
    );
    if automatic && facts.meaning_changed {
        return Err(PhaseRefusal::MeaningChanged);
    }
    match table.row(next).entry {
        // A resource without a mirror would be missing once reads go to the new records.
        EntryGate::ForwardDone if facts.failed > 0 => Err(PhaseRefusal::Failed {
            failed: facts.failed,
        }),
        EntryGate::ForwardDone if !migration.forward_done => Err(PhaseRefusal::BackfillNotDone),
        // By name, so that nobody enters such a phase unasked.
        EntryGate::ByName if facts.who == MoveInitiator::Automatic => {
            Err(PhaseRefusal::ByName { phase: next })
        }
        EntryGate::Free | EntryGate::ForwardDone | EntryGate::ByName => Ok(()),
    }
}

fn admitted(
    table: &PhaseTable,
    record: &PhaseRecord,
    migration: Migration,
    phase: Phase,
) -> PhaseRecord {
    // What a phase writes may leave one side behind: what was proven of that side is forgotten
    // when the phase is admitted, not when it is left.
    let clears = table.row(phase).clears;
    let migration = Migration {
        forward_done: migration.forward_done && clears != StaleCopies::Forward,
        back_done: migration.back_done && clears != StaleCopies::Back,
        ..migration
    };
    moved(record, Some(migration), record.closed.clone())
}

/// Leaves only the phase live that servers head for. Those that head for the other one are turned
/// round first, which admits nothing and needs no other epoch.
fn close(
    record: &PhaseRecord,
    migration: Migration,
    heading: PhaseDirection,
    facts: &MoveFacts<'_>,
) -> Result<PhaseRecord, PhaseRefusal> {
    let phase = match heading {
        PhaseDirection::Forward => migration.live.high,
        PhaseDirection::Back => migration.live.low,
    };
    // Against what every server has acknowledged, not against what it was told.
    let behind = behind(facts.servers, phase, migration.live.low);
    // Giving up a server costs it its writes; only a person can know that it is dead.
    let fenced = facts.fence_rest && facts.who == MoveInitiator::Operator;
    if !behind.is_empty() && !fenced {
        // Servers follow the heading, so those that were sent the other way are not late yet.
        if migration.heading == heading {
            return Err(PhaseRefusal::ServersBehind { phase, behind });
        }
        let migration = Migration {
            heading,
            ..migration
        };
        return Ok(PhaseRecord {
            migration: Some(migration),
            ..record.clone()
        });
    }
    let live = LivePhases::one(phase);
    let migration = Migration {
        live,
        heading,
        ..migration
    };
    // A new epoch: writes that were planned at the closed phase are refused by the store.
    Ok(moved(record, Some(migration), record.closed.clone()))
}

/// Who must get to a phase before the other one is closed. A server that can't load the new major
/// never gets anywhere: it loses its writes when `old` is closed, which somebody has to want, and
/// nothing more after that.
fn behind(servers: &[PhaseAcknowledgement], phase: Phase, low: Phase) -> Vec<String> {
    let closes_old = low == Phase::Old && phase != Phase::Old;
    let behind = servers.iter().filter(|server| match server.phase {
        Some(at) => at != phase,
        None => closes_old,
    });
    behind.map(|server| server.server.clone()).collect()
}

fn moved(record: &PhaseRecord, migration: Option<Migration>, closed: BTreeSet<u32>) -> PhaseRecord {
    PhaseRecord {
        epoch: Epoch(record.epoch.0.saturating_add(1)),
        migration,
        closed,
    }
}
