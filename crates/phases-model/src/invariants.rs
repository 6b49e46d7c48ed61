//! The invariants, as properties of a single state.

use crate::fault::SeededFault;
use crate::object::ModelObject;
use crate::protocol::Protocol;
use crate::state::{FROM, MigrationEnd, ModelServer, ModelState, TO};
use coeval_core::decide::ViewedRecord;
use coeval_core::phases::{
    BackgroundWork, FailedListChange, LivePhases, MirrorFit, MoveFacts, PairStanding, Phase,
    PhaseAcknowledgement, PhaseDirection, PhaseRecord, PhaseRefusal, PhaseWrite, ReadsOn,
    SourceOfTruth, WriteMajor, abandon, back, backfill, clean_up, discard, finish, forward,
    is_left, work,
};
use stateright::Property;

/// At most two adjacent phases are live.
pub const I1: &str = "I1 at most two adjacent phases are live";
/// The store refuses a write of an older epoch.
pub const I2: &str = "I2 the store refuses a write of an older epoch";
/// A read never returns less than the last acknowledged write.
pub const I3: &str = "I3 a read never returns less than the last acknowledged write";
/// Deleted stays deleted.
pub const I4: &str = "I4 deleted stays deleted";
/// Every phase up to soak can be left backwards with no acknowledged write lost.
pub const I5: &str = "I5 every phase up to soak can be left backwards with nothing lost";
/// The backfill ends.
pub const I10: &str = "I10 the backfill ends";

/// All of them.
pub const INVARIANTS: [&str; 6] = [I1, I2, I3, I4, I5, I10];

pub(crate) fn properties() -> Vec<Property<Protocol>> {
    vec![
        Property::always(I1, |protocol: &Protocol, state: &ModelState| {
            adjacent(protocol, state)
        }),
        Property::always(I2, |_, state: &ModelState| !state.ghosts.late_write),
        Property::always(I3, |protocol: &Protocol, state: &ModelState| {
            // On the way back I5 looks at the same, so that a trace tells which of the two is
            // broken.
            let right = state.ghosts.backwards || reads_are_right(protocol, state, true);
            right && !state.ghosts.silenced
        }),
        Property::always(I4, |protocol: &Protocol, state: &ModelState| {
            reads_are_right(protocol, state, false)
        }),
        Property::always(I5, |protocol: &Protocol, state: &ModelState| {
            let right = !state.ghosts.backwards || reads_are_right(protocol, state, true);
            right && (protocol.simple || can_revert(protocol, state))
        }),
        Property::always(I10, |protocol: &Protocol, state: &ModelState| {
            !state.ghosts.endless && (protocol.simple || can_advance(protocol, state))
        }),
    ]
}

fn adjacent(protocol: &Protocol, state: &ModelState) -> bool {
    let serving = state
        .servers
        .iter()
        .filter(|server| protocol.serves(state, server));
    let phases: Vec<_> = serving.map(|server| server.phase as u8).collect();
    let ends = (phases.iter().min(), phases.iter().max());
    let record = state.live.high as u8 - state.live.low as u8;
    // RFD 126 has no soak, so its neighbours are two apart there; and the end has no phases.
    protocol.simple
        || state.ended.is_some()
        || (record <= 1 && !matches!(ends, (Some(low), Some(high)) if high - low > 1))
}

/// Every server that may serve answers with what was acknowledged.
fn reads_are_right(protocol: &Protocol, state: &ModelState, existing: bool) -> bool {
    let mut servers = state.servers.iter().enumerate();
    servers.all(|(at, server)| {
        let serves = protocol.serves(state, server);
        let reads_on = protocol.reads_on(state, at);
        let mut objects = state.objects.iter();
        objects.all(|object| {
            // Each invariant looks at one kind of objects: those that exist, or those that do not.
            if object.acknowledged.is_some() != existing {
                return true;
            }
            match reads_on {
                // A server that serves has to answer rightly; which invariant is broken depends on
                // what was acknowledged.
                _ if serves => {
                    protocol.answer(state, server, object) == object.acknowledged
                        && is_consistent(protocol, state, at, object)
                }
                Some(reads) => reads_on_rightly(protocol, state, server, object, reads),
                None => true,
            }
        })
    })
}

/// A server without the new major shows what was acknowledged, marked if it is no longer the source
/// of truth for some server; or says that it can't show what is at home in the new major.
fn reads_on_rightly(
    protocol: &Protocol,
    state: &ModelState,
    server: &ModelServer,
    object: &ModelObject,
    reads: ReadsOn,
) -> bool {
    // It says that it can't show the resource, which is true only if there is one.
    let Some(answer) = Protocol::answer_on(object) else {
        return object.acknowledged.is_some();
    };
    let LivePhases { low, high } = state.live;
    let copied = [low, high].map(|phase| protocol.table.row(phase).truth == SourceOfTruth::New);
    answer == object.acknowledged
        && (answer.is_none() || reads.marked == copied.contains(&true))
        && belongings_are_right(protocol, state, server, object)
}

/// Whoever may see one of the two majors sees what takes part, wherever it is read.
fn is_seen(
    protocol: &Protocol,
    state: &ModelState,
    server: &ModelServer,
    object: &ModelObject,
) -> bool {
    let alone = object.found().standing() == PairStanding::Alone;
    let shows = |major| protocol.shows(state, server, object, major);
    object.acknowledged.is_none() || (shows(TO) && shows(FROM) != alone)
}

/// What is to be seen beside the answer itself.
fn is_consistent(protocol: &Protocol, state: &ModelState, at: usize, object: &ModelObject) -> bool {
    let server = &state.servers[at];
    // Acknowledged and not readable would be a write that is lost to its own writer.
    if !belongings_are_right(protocol, state, server, object) || object.unreadable {
        return false;
    }
    if state.ended.is_none() && !protocol.simple && !is_seen(protocol, state, server, object) {
        return false;
    }
    match state.ended {
        // The next migration to this major would take a mark that is left for an orphan's.
        Some(MigrationEnd::Finished) => !is_left(&object.found()),
        Some(MigrationEnd::Abandoned) => {
            discard(&object.found()).is_none() && can_be_written(protocol, state, at, object)
        }
        // RFD 126 writes without looking.
        None => protocol.simple || can_be_written(protocol, state, at, object),
    }
}

/// What is read has its secrets and is found by its value; nothing is left of what is gone.
fn belongings_are_right(
    protocol: &Protocol,
    state: &ModelState,
    server: &ModelServer,
    object: &ModelObject,
) -> bool {
    let (Some(values), Some(own)) = (protocol.belongings, object.own) else {
        return true;
    };
    // Without belongings the model is smaller, and most runs need none.
    let reads = protocol.reads(state, server, object);
    let side = usize::from(reads != Some(ViewedRecord::Old));
    let serves = match protocol.answer(state, server, object) {
        Some(cell) => own.serve(values, side, cell),
        // A resource that is gone must not be found by its values.
        None => !(protocol.has(SeededFault::NoSecondLook) && own.is_indexed()),
    };
    serves && own.are_owned(values, object) && own.is_counted(object)
}

/// A server that answers with a resource must not say that there is none to write, nor refuse to
/// keep it alive as it is; nor to take a body of the new major, where it knows that one.
fn can_be_written(
    protocol: &Protocol,
    state: &ModelState,
    at: usize,
    object: &ModelObject,
) -> bool {
    let (phase, found) = (state.servers[at].phase, object.found());
    let writes = [
        (PhaseWrite::Update(WriteMajor::Old), MirrorFit::Both),
        (PhaseWrite::KeepAlive, object.fit),
        (PhaseWrite::Delete, MirrorFit::Both),
        (PhaseWrite::Update(WriteMajor::New), MirrorFit::Both),
    ];
    // The last of the writes is one that only a server with the new major can be asked for.
    let known = if protocol.knows_new_major(at) { 4 } else { 3 };
    let exists = object.acknowledged.is_some();
    writes[..known].iter().all(|(write, fit)| {
        let plan = protocol.plan_write(state, phase, &found, *write, *fit);
        // Each has to be possible exactly if the resource exists: no more, and no less.
        plan.is_ok() == exists
    })
}

/// The way back is open, or the work that opens it is under way.
fn can_revert(protocol: &Protocol, state: &ModelState) -> bool {
    let phase = state.live.high;
    if state.ended.is_some() {
        return true;
    }
    if state.live != LivePhases::one(phase) {
        // Between two phases the way back is to close the higher one.
        let never = back(&protocol.table, &state.record(), &protocol.facts(&[], 0, 0));
        return matches!(never, Err(PhaseRefusal::NoWayBack { .. }))
            || can_close(protocol, state, PhaseDirection::Back);
    }
    let (table, record) = (&protocol.table, state.record());
    let facts = protocol.facts(&[], state.failed(), state.mirrors());
    if phase == Phase::Old {
        // The end where it began.
        let due = protocol.due(state, phase) == Some(BackgroundWork::Discard);
        return due || abandon(table, &record, &facts).is_ok();
    }
    // There is no way back by design.
    if phase > Phase::Soak {
        return true;
    }
    match back(table, &record, &facts) {
        Ok(_) => true,
        // The way is not open yet, but the work that opens it is due.
        Err(PhaseRefusal::CopyBackNotDone) => {
            work(table, &record, phase) == Some(BackgroundWork::CopyBack)
        }
        Err(_) => false,
    }
}

/// The second half of a step can come about with nobody given up: once it is asked for, all who can
/// go where they are told to go, and then nothing holds it. Who can't load the new major may hold
/// the end of `old`, and nothing else.
fn can_close(protocol: &Protocol, state: &ModelState, heading: PhaseDirection) -> bool {
    let closes_old = state.live.low == Phase::Old && heading == PhaseDirection::Forward;
    let mut there = protocol.acknowledged(state);
    // Who can't load the new major may hold the end of `old`, so it is left out there.
    there.retain(|server| server.phase.is_some() || !closes_old);
    let mut record = state.record();
    let ask = |record: &PhaseRecord, servers: &[PhaseAcknowledgement]| {
        let facts = MoveFacts {
            fence_rest: false,
            ..protocol.facts(servers, state.failed(), 0)
        };
        protocol.half_step(record, heading, &facts)
    };
    match ask(&record, &there) {
        Ok(next) if next.epoch != record.epoch => return true,
        // Turned round: nobody is late yet, so they are given the time to follow.
        Ok(turned) => record = turned,
        Err(PhaseRefusal::ServersBehind { .. }) => {}
        Err(_) => return false,
    }
    let Some(migration) = record.migration else {
        return false;
    };
    // All go where they are told.
    for server in &mut there {
        let place = protocol.place(&migration, true);
        server.phase = server.phase.map(|phase| place.unwrap_or(phase));
    }
    ask(&record, &there).is_ok_and(|next| next.epoch != record.epoch)
}

/// The way forward is open, or held by resources that can't be converted, or the work that opens
/// it is under way.
fn can_advance(protocol: &Protocol, state: &ModelState) -> bool {
    let phase = state.live.high;
    if state.ended.is_some() {
        return true;
    }
    if state.live != LivePhases::one(phase) {
        return can_close(protocol, state, PhaseDirection::Forward);
    }
    let (table, record) = (&protocol.table, state.record());
    let facts = protocol.facts(&[], state.failed(), state.left());
    // What is due now decides whether waiting helps.
    let due = work(table, &record, phase);
    let next = if phase == Phase::Cleanup {
        finish(table, &record, &facts)
    } else {
        forward(table, &record, &facts)
    };
    match next {
        Ok(_) => true,
        // Held by resources, so all of those have to be ones that really can't be converted, or
        // are about to be cleared.
        Err(PhaseRefusal::Failed { .. }) => {
            let listed = |object: &ModelObject| does_not_convert(object) || is_cleared(object, due);
            let mut objects = state.objects.iter().filter(|object| object.failed);
            objects.all(listed)
        }
        Err(PhaseRefusal::BackfillNotDone) => due == Some(BackgroundWork::Backfill),
        Err(PhaseRefusal::OldLeft { .. }) => {
            due == Some(BackgroundWork::CleanUp) && state.objects.iter().all(goes_on)
        }
        Err(_) => false,
    }
}

/// The run takes it off the list.
fn is_cleared(object: &ModelObject, due: Option<BackgroundWork>) -> bool {
    let plan = backfill(&object.found(), object.fit);
    due == Some(BackgroundWork::Backfill)
        && plan.is_some_and(|plan| plan.failing == FailedListChange::Cleared)
}

/// It is listed, and rightly.
fn does_not_convert(object: &ModelObject) -> bool {
    object.failed && object.fit == MirrorFit::OnlyTruth && object.acknowledged.is_some()
}

/// Cleanup has been at it, or can do something, or waits for its expiry.
fn goes_on(object: &ModelObject) -> bool {
    let found = object.found();
    let expires = object.old.is_some_and(|cell| cell.expires > 0);
    !is_left(&found) || clean_up(&found).is_some() || expires
}
