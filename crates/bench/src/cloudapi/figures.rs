//! Lines of figures.

use crate::figures::{PromisedFigure, as_f64};
use crate::load::LoadOutcome;

/// A ratio that should not be below its goal.
pub(crate) fn at_least(what: &str, ratio: f64, goal: f64, more: &str) {
    let verdict = verdict(ratio, goal);
    println!("  {what}: {ratio:.2} (goal at least {goal}: {verdict}); {more}");
}

/// A rate that should not be below its goal.
pub(crate) fn rate_at_least(what: &str, rate: f64, goal: f64) {
    let verdict = verdict(rate, goal);
    println!("  {what}: {rate:.0} a second (goal at least {goal:.0}: {verdict})");
}

fn verdict(figure: f64, goal: f64) -> &'static str {
    if PromisedFigure::AtLeast(goal).is_met(figure) {
        "met"
    } else {
        "FALLS SHORT"
    }
}

/// What one load came to.
pub(crate) fn line(what: &str, outcome: &LoadOutcome) {
    let millis = |share| as_f64(outcome.within(share)) / 1000.0;
    println!(
        "    {what}: {:.0}/s, {:.3} ms of processor each, p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
        outcome.rate(),
        outcome.cpu_each(),
        millis(0.5),
        millis(0.99),
        millis(0.999),
    );
}
