//! Runs the checker.

use crate::action::{ModelAction, name};
use crate::invariants::INVARIANTS;
use crate::object::RecordCell;
use crate::protocol::Protocol;
use crate::state::ModelState;
use stateright::{Checker, HasDiscoveries, Model, Path};
use std::time::{Duration, Instant};

/// What the checker found.
#[derive(Debug)]
pub struct CheckOutcome {
    /// How many states it visited.
    pub states: usize,
    /// How long it took.
    pub took: Duration,
    /// The invariant that breaks first, and how, line by line.
    pub broken: Option<(&'static str, String)>,
}

/// Visits every state, or those up to the first that breaks one of the invariants that are asked
/// for. With one thread the trace is a shortest one, and always the same.
#[must_use]
pub fn check(protocol: &Protocol, invariants: &[&'static str], threads: usize) -> CheckOutcome {
    let began = Instant::now();
    let wanted = invariants.iter().copied().collect();
    let checker = protocol
        .clone()
        .checker()
        .threads(threads)
        .finish_when(HasDiscoveries::AnyOf(wanted))
        .spawn_bfs()
        .join();
    // In their own order, so that the same fault is always told by the same invariant.
    let found = INVARIANTS
        .into_iter()
        .filter(|name| invariants.contains(name));
    let mut broken = found.filter_map(|name| Some((name, checker.discovery(name)?)));
    let broken = broken
        .next()
        .map(|(name, path)| (name, describe_path(protocol, path)));
    CheckOutcome {
        states: checker.unique_state_count(),
        took: began.elapsed(),
        broken,
    }
}

/// The shortest trace that breaks an invariant, where it breaks within a hundred steps.
#[must_use]
pub fn shortest(protocol: &Protocol, invariant: &'static str) -> Option<String> {
    let within = |depth: usize| {
        let checker = protocol.clone().checker().target_max_depth(depth);
        let wanted = HasDiscoveries::AnyOf([invariant].into());
        let checker = checker.finish_when(wanted).spawn_bfs().join();
        checker.discovery(invariant)
    };
    let path = (1..100).find_map(within)?;
    Some(describe_path(protocol, path))
}

/// A trace, line by line, and what servers would answer at its end.
fn describe_path(protocol: &Protocol, path: Path<ModelState, ModelAction>) -> String {
    let last = path.last_state().clone();
    let mut text = String::new();
    for (at, action) in (1..).zip(path.into_actions()) {
        text.push_str(&format!("{at}. {action}\n"));
    }
    text + &answers(protocol, &last)
}

/// What servers would answer in the last state, where it is wrong.
fn answers(protocol: &Protocol, state: &ModelState) -> String {
    let said = |cell: Option<RecordCell>| match cell {
        None => "nothing".to_owned(),
        Some(RecordCell {
            revision,
            expires: 0,
        }) => format!("revision {revision}"),
        Some(cell) => format!("revision {} until {}", cell.revision, cell.expires),
    };
    let mut text = String::new();
    for (at, server) in state.servers.iter().enumerate() {
        for (number, object) in state.objects.iter().enumerate() {
            let answer = protocol.answer(state, server, object);
            // Both ways in which a server can answer, because the trace alone does not tell what
            // was read.
            if let (Some(_), Some(answer)) =
                (protocol.reads_on(state, at), Protocol::answer_on(object))
                && answer != object.acknowledged
            {
                text.push_str(&format!(
                    "{} without the new major reads r{number}: {}; acknowledged was {}\n",
                    name(at),
                    said(answer),
                    said(object.acknowledged)
                ));
            }
            if protocol.serves(state, server) && answer != object.acknowledged {
                text.push_str(&format!(
                    "{} at {} reads r{number}: {}; acknowledged was {}\n",
                    name(at),
                    server.phase,
                    said(answer),
                    said(object.acknowledged)
                ));
            }
        }
    }
    text
}
