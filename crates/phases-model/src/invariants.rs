//! The invariants, as properties of a single state.

use crate::protocol::Protocol;
use crate::state::{Object, Server, State};
use coeval_core::phases::{
    Facts, Fit, Live, Phase, Refusal, Who, Work, Write, back, forward, plan_write, work,
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
        Property::always(I1, |protocol: &Protocol, state: &State| {
            adjacent(protocol, state)
        }),
        Property::always(I2, |_, state: &State| !state.ghosts.late_write),
        Property::always(I3, |protocol: &Protocol, state: &State| {
            state.ghosts.backwards || reads_are_right(protocol, state, true)
        }),
        Property::always(I4, |protocol: &Protocol, state: &State| {
            reads_are_right(protocol, state, false)
        }),
        Property::always(I5, |protocol: &Protocol, state: &State| {
            let right = !state.ghosts.backwards || reads_are_right(protocol, state, true);
            right && (protocol.simple || can_go_back(protocol, state))
        }),
        Property::always(I10, |protocol: &Protocol, state: &State| {
            !state.ghosts.endless && (protocol.simple || can_go_on(protocol, state))
        }),
    ]
}

fn adjacent(protocol: &Protocol, state: &State) -> bool {
    let serving = state
        .servers
        .iter()
        .filter(|server| protocol.serves(state, server));
    let phases: Vec<_> = serving.map(|server| server.phase as u8).collect();
    let ends = (phases.iter().min(), phases.iter().max());
    let record = state.live.high as u8 - state.live.low as u8;
    // RFD 126 has no soak, so its neighbours are two apart there.
    protocol.simple || (record <= 1 && !matches!(ends, (Some(low), Some(high)) if high - low > 1))
}

/// Every server that may serve answers with what was acknowledged.
fn reads_are_right(protocol: &Protocol, state: &State, existing: bool) -> bool {
    let mut serving = state
        .servers
        .iter()
        .filter(|server| protocol.serves(state, server));
    serving.all(|server| {
        let mut objects = state.objects.iter();
        objects.all(|object| {
            object.acknowledged.is_some() != existing
                || (protocol.answer(server, object) == object.acknowledged
                    && (!existing || can_be_written(protocol, state, server, object)))
        })
    })
}

/// A server that answers with a resource must not say that there is none to write.
fn can_be_written(protocol: &Protocol, state: &State, server: &Server, object: &Object) -> bool {
    let (table, live, found) = (&protocol.table, state.live, object.found());
    // RFD 126 writes without looking.
    protocol.simple
        || plan_write(table, live, server.phase, &found, Write::Update, Fit::Both).is_ok()
}

/// The way back is open, or the work that opens it is under way.
fn can_go_back(protocol: &Protocol, state: &State) -> bool {
    let phase = state.live.high;
    if state.live != Live::one(phase) || !(Phase::Mirror..=Phase::Soak).contains(&phase) {
        return true;
    }
    match back(&protocol.table, &state.record(), &facts(state)) {
        Ok(_) => true,
        Err(Refusal::CopyBackNotDone) => {
            work(&protocol.table, &state.record(), phase) == Some(Work::CopyBack)
        }
        Err(_) => false,
    }
}

/// The way forward is open, or held by resources that can't be converted, or the work that opens
/// it is under way.
fn can_go_on(protocol: &Protocol, state: &State) -> bool {
    let phase = state.live.high;
    if state.live != Live::one(phase) || phase == Phase::Cleanup {
        return true;
    }
    match forward(&protocol.table, &state.record(), &facts(state)) {
        Ok(_) => true,
        Err(Refusal::Failed { failed }) => failed > 0,
        Err(Refusal::BackfillNotDone) => {
            work(&protocol.table, &state.record(), phase) == Some(Work::Backfill)
        }
        Err(_) => false,
    }
}

fn facts(state: &State) -> Facts<'static> {
    Facts {
        who: Who::Operator,
        servers: &[],
        fence_rest: true,
        failed: state.failed(),
        left_in_old: 0,
        meaning_changed: false,
    }
}
