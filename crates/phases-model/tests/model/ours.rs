//! Our table: every state within the bounds.

use crate::{SMALL, at_once, page};
use coeval_phases_model::{Bounds, INVARIANTS, Protocol, check};

fn holds(protocol: &Protocol) {
    let outcome = check(protocol, &INVARIANTS, 2);
    let row = row(protocol, outcome.states);
    println!("{row} {:.1?}", outcome.took);
    if let Some((invariant, trace)) = outcome.broken {
        panic!("{invariant}\n{trace}");
    }
    assert!(outcome.states > 10_000, "hardly anything was visited");
    page::has_line(&row);
}

/// The row of the page, up to the states. Times are seen once, states always.
fn row(protocol: &Protocol, states: usize) -> String {
    let bounds = protocol.bounds;
    let servers = match bounds.behind {
        0 => bounds.servers.to_string(),
        behind => format!("{}, {behind} behind", bounds.servers),
    };
    let resources = match bounds.alone {
        0 => bounds.old.to_string(),
        alone => format!("{} + {alone} alone", bounds.old),
    };
    let mut requests = if protocol.at_once {
        "at once".to_owned()
    } else {
        "in flight".to_owned()
    };
    if protocol.nameless {
        requests += ", nameless";
    }
    let (writes, states) = (bounds.writes, grouped(states));
    format!("| {servers} | {resources} | {writes} | {requests} | {states} |")
}

/// 1234567 as 1,234,567.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn nameless(protocol: Protocol) -> Protocol {
    Protocol {
        nameless: true,
        ..protocol
    }
}

fn is_long() -> bool {
    let scale = std::env::var("COEVAL_TEST_SCALE").ok();
    scale.and_then(|scale| scale.parse::<u32>().ok()) >= Some(10)
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_requests_in_flight() {
    holds(&Protocol::ours(Bounds { writes: 1, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_over_two_writes() {
    holds(&at_once(SMALL));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_two_resources() {
    holds(&at_once(Bounds { old: 2, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_beside_a_resource_at_home_in_the_new_major() {
    holds(&at_once(Bounds { alone: 1, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_three_servers() {
    let servers = 3;
    holds(&at_once(Bounds { servers, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_beside_a_server_without_the_new_major() {
    let (servers, behind) = (3, 1);
    holds(&at_once(Bounds {
        servers,
        behind,
        ..SMALL
    }));
    holds(&Protocol::ours(Bounds { behind, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_two_writes_in_flight_when_the_scale_is_ten() {
    if is_long() {
        holds(&Protocol::ours(SMALL));
    }
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_three_servers_in_flight_when_the_scale_is_ten() {
    if is_long() {
        let (servers, writes) = (3, 1);
        let bounds = Bounds {
            servers,
            writes,
            ..SMALL
        };
        holds(&nameless(Protocol::ours(bounds)));
    }
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_two_resources_in_flight_when_the_scale_is_ten() {
    if is_long() {
        let (old, writes) = (2, 1);
        holds(&Protocol::ours(Bounds {
            old,
            writes,
            ..SMALL
        }));
    }
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_three_servers_and_two_resources_when_the_scale_is_ten() {
    if is_long() {
        let (servers, old, writes) = (3, 2, 3);
        let bounds = Bounds {
            servers,
            old,
            writes,
            ..SMALL
        };
        holds(&nameless(at_once(bounds)));
    }
}
