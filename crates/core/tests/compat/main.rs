//! Verdicts on changes are never wrong, and seldom missing.
//!
//! Pairs of schemas are made so that the truth about them is known; others are taken from real
//! changes. Every witness is shown to the validator directly, and written to a file for another
//! validator (`confirm.py`). `COEVAL_PAIRS=n` tries so many; `COEVAL_PAIR_SEED=n` looks at one pair
//! again, and makes it smaller.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod base;
mod base_scalars;
mod documents;
mod judge;
mod node;
mod pair;
mod places;
mod real;
mod record;
mod render;
mod reword;
mod reword_parts;
mod rewrite;
mod shrink;
mod tally;
mod truth;
mod widen;
mod widen_lists;
mod widen_objects;
mod widen_scalars;

use judge::{compared, judge};
use serde_json::Value;
use tally::{Answer, Tally};

/// Seconds that are worth a line.
const SLOW: u64 = 5;
const PAIRS: u64 = 600;
/// In percent; it may only go down.
const MOST_UNDECIDED: f64 = 1.7;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn pairs() -> u64 {
    let scale = variable("COEVAL_TEST_SCALE").unwrap_or(1);
    variable("COEVAL_PAIRS").unwrap_or(PAIRS * scale)
}

#[test]
fn no_verdict_on_a_made_pair_is_wrong() {
    if let Some(seed) = variable("COEVAL_PAIR_SEED") {
        return look_at(seed);
    }
    let (count, threads) = (pairs(), 4);
    let part = |number: u64| {
        let (mut tally, mut faults, mut witnesses) = (Tally::default(), Vec::new(), Vec::new());
        for seed in (0..count).filter(|seed| seed % threads == number) {
            let began = std::time::Instant::now();
            let pair = pair::make(seed);
            let judged = judge(&pair, &mut tally);
            tally.note(seed, &judged.change);
            if began.elapsed().as_secs() >= SLOW {
                println!("pair {seed} took {:?}", began.elapsed());
            }
            faults.extend(
                judged
                    .faults
                    .iter()
                    .map(|fault| format!("pair {seed}: {fault}")),
            );
            witnesses.extend(judged.witnesses);
        }
        (tally, faults, witnesses)
    };
    let mut tally = Tally::default();
    let (mut faults, mut witnesses) = (Vec::<String>::new(), Vec::new());
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || part(number)))
            .collect();
        for part in parts {
            let (some, wrong, shown) = part.join().unwrap();
            tally.merge(some);
            faults.extend(wrong);
            witnesses.extend(shown);
        }
    });
    record::write("pairs", &witnesses);
    println!("{tally}");
    assert!(
        faults.is_empty(),
        "{} of them:\n{}\nCOEVAL_PAIR_SEED=n shows one.",
        faults.len(),
        faults.join("\n")
    );
    let share = tally.undecided();
    assert!(
        share <= MOST_UNDECIDED,
        "{share:.2} % undecided, {MOST_UNDECIDED} % at most"
    );
}

/// Prints a pair, and a smaller one with the same answers.
fn look_at(seed: u64) {
    let pair = pair::make(seed);
    println!(
        "old: {}\nnew: {}\n{:?} {:?}",
        pair.old_schema, pair.new_schema, pair.sorts, pair.expected
    );
    println!(
        "old documents {:?}, new documents {:?}",
        pair.old_fits, pair.new_fits
    );
    let judged = judge(&pair, &mut Tally::default());
    println!("{:#?}\nfaults: {:#?}", judged.change, judged.faults);
    let answers = |change: &coeval_core::compat::SchemaChange| {
        (
            Answer::of(&change.old_documents),
            Answer::of(&change.new_documents),
            change.kind,
            change.verdict,
        )
    };
    let before = answers(&judged.change);
    let began = std::time::Instant::now();
    let compiles = |schema: &Value| coeval_core::types::Schema::compile(schema.clone()).is_ok();
    let stays = |old: &Value, new: &Value| {
        began.elapsed().as_secs() < 20
            && compiles(old)
            && compiles(new)
            && answers(&compared(old, new)) == before
    };
    let (old, new) = shrink::smaller(&pair.old_schema, &pair.new_schema, &stays);
    println!("{before:?} also for\nold: {old}\nnew: {new}");
    assert!(judged.faults.is_empty());
}
