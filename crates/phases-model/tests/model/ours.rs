//! Our table: every state within the bounds.

use crate::{SMALL, at_once};
use coeval_phases_model::{Bounds, INVARIANTS, Protocol, check};

fn holds(name: &str, protocol: &Protocol) {
    let outcome = check(protocol, &INVARIANTS, 2);
    println!(
        "{name}: {:?}, {} states, {:.1?}",
        protocol.bounds, outcome.states, outcome.took
    );
    if let Some((invariant, trace)) = outcome.broken {
        panic!("{invariant}\n{trace}");
    }
    assert!(outcome.states > 10_000, "hardly anything was visited");
}

fn is_long() -> bool {
    let scale = std::env::var("COEVAL_TEST_SCALE").ok();
    scale.and_then(|scale| scale.parse::<u32>().ok()) >= Some(10)
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_requests_in_flight() {
    let bounds = Bounds { writes: 1, ..SMALL };
    holds("in flight", &Protocol::ours(bounds));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_over_two_writes() {
    holds("two writes", &at_once(SMALL));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_beside_a_resource_at_home_in_the_new_major() {
    let bounds = Bounds {
        alone: 1,
        writes: 1,
        ..SMALL
    };
    holds("beside one at home", &at_once(bounds));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_three_servers() {
    let bounds = Bounds {
        servers: 3,
        ..SMALL
    };
    holds("three servers", &at_once(bounds));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_in_larger_bounds_when_the_scale_is_ten() {
    if is_long() {
        holds("in flight, two writes", &Protocol::ours(SMALL));
        holds("two resources", &at_once(Bounds { old: 2, ..SMALL }));
        holds("three writes", &at_once(Bounds { writes: 3, ..SMALL }));
    }
}
