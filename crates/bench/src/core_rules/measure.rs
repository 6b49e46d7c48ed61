//! Timing: the best of several rounds, because everything else that happens only adds.

use crate::figures::PromisedFigure;
use std::time::{Duration, Instant};

const ROUNDS: usize = 30;
const TIMES: usize = 1_000;

/// The time of one call.
pub(crate) fn time<T>(mut call: impl FnMut() -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..TIMES {
            drop(call());
        }
        best = best.min(start.elapsed());
    }
    best / u32::try_from(TIMES).unwrap()
}

/// Inputs that are made at a time: few enough to stay in the processor's cache, as a document that
/// was just read does.
const BATCH: usize = 20;

/// The time of one call that uses something up, which is made before the clock runs. What it
/// returns is dropped after the clock has stopped.
pub(crate) fn time_owned<I, T>(make: impl Fn() -> I, mut call: impl FnMut(I) -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut round = Duration::ZERO;
        for _ in 0..TIMES / BATCH {
            let inputs: Vec<I> = (0..BATCH).map(|_| make()).collect();
            let mut outputs = Vec::with_capacity(BATCH);
            let start = Instant::now();
            for input in inputs {
                outputs.push(call(input));
            }
            round += start.elapsed();
        }
        best = best.min(round);
    }
    best / u32::try_from(TIMES).unwrap()
}

type Against = (Duration, &'static str, Option<f64>);

#[derive(Default)]
pub(crate) struct RuleTable(Vec<(&'static str, Duration, Option<Against>)>);

impl RuleTable {
    /// A figure, and perhaps what it is compared with and the ratio that it must not exceed.
    pub(crate) fn row(&mut self, name: &'static str, time: Duration, against: Option<Against>) {
        self.0.push((name, time, against));
    }

    pub(crate) fn print(&self) {
        println!("| | µs | ratio | to | goal |");
        println!("|---|---|---|---|---|");
        for (name, time, against) in &self.0 {
            let micros = time.as_secs_f64() * 1e6;
            let (ratio, to, goal) = match against {
                None => (String::new(), "", String::new()),
                Some((other, to, goal)) => {
                    let ratio = time.as_secs_f64() / other.as_secs_f64();
                    let goal = goal.map_or_else(String::new, |goal| {
                        let met = PromisedFigure::AtMost(goal).is_met(ratio);
                        let verdict = if met { "" } else { ", falls short" };
                        format!("≤ {goal}{verdict}")
                    });
                    (format!("{ratio:.2}"), *to, goal)
                }
            };
            println!("| {name} | {micros:.1} | {ratio} | {to} | {goal} |");
        }
    }
}
