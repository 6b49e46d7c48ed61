//! The laws of conversions, on generated types, documents and edits.
//!
//! A case is a type with several versions, made by random steps, a stored resource, and an edit at
//! some version. `COEVAL_LAW_SEED=n` runs one world again, and says more; `COEVAL_LAW_WORLDS=n` tries
//! so many.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod check;

use check::Tally;
use coeval_core_suite::world::TypeWorld;

const WORLDS: u64 = 500;
const CASES: u64 = 40;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn worlds() -> u64 {
    let scale = variable("COEVAL_TEST_SCALE").unwrap_or(1);
    // Ten times as long a test is fifty times as many cases: a million.
    let scale = if scale >= 10 { 50 } else { scale };
    variable("COEVAL_LAW_WORLDS").unwrap_or(WORLDS * scale)
}

fn run(worlds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in worlds {
        let world = TypeWorld::new(seed);
        for case in 0..CASES {
            check::case(&world, case, &mut tally);
        }
    }
    tally
}

/// A quarter of the worlds, so that the parts run side by side.
fn part(number: u64) {
    if let Some(seed) = variable("COEVAL_LAW_SEED") {
        let world: TypeWorld = TypeWorld::new(seed);
        eprintln!("{}", world.describe());
        run([seed].into_iter());
        return;
    }
    let worlds = worlds() / 4;
    let tally = run((0..worlds).map(|world| world * 4 + number));
    println!("{tally}");
    tally.must_be_telling(worlds * CASES);
}

#[test]
fn the_laws_hold_in_the_first_quarter_of_the_worlds() {
    part(0);
}

#[test]
fn the_laws_hold_in_the_second_quarter_of_the_worlds() {
    part(1);
}

#[test]
fn the_laws_hold_in_the_third_quarter_of_the_worlds() {
    part(2);
}

#[test]
fn the_laws_hold_in_the_last_quarter_of_the_worlds() {
    part(3);
}
