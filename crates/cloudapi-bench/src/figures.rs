//! Lines of figures.

use crate::client::Outcome;

/// A ratio that should not be below its goal.
pub(crate) fn at_least(what: &str, ratio: f64, goal: f64, more: &str) {
    let verdict = if ratio >= goal { "met" } else { "FALLS SHORT" };
    println!("  {what}: {ratio:.2} (goal at least {goal}: {verdict}); {more}");
}

/// A rate that should not be below its goal.
pub(crate) fn rate_at_least(what: &str, rate: f64, goal: f64) {
    let verdict = if rate >= goal { "met" } else { "FALLS SHORT" };
    println!("  {what}: {rate:.0} a second (goal at least {goal:.0}: {verdict})");
}

/// What one load came to.
pub(crate) fn line(what: &str, outcome: &Outcome) {
    println!(
        "    {what}: {:.0}/s, {:.3} ms of processor each, p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
        outcome.rate(),
        outcome.cpu_each(),
        outcome.within(0.5),
        outcome.within(0.99),
        outcome.within(0.999),
    );
}
