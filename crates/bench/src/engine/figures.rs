//! Lines of figures.

use crate::figures::PromisedFigure;

/// A ratio and whether it is what was promised.
pub(super) fn at_least(what: &str, ratio: f64, goal: f64, detail: &str) {
    let verdict = verdict(PromisedFigure::AtLeast(goal), ratio);
    println!("{what:<58} {ratio:>7.2}  at least {goal:<5} {verdict:<12} {detail}");
}

/// The same, where less is better.
pub(super) fn at_most(what: &str, ratio: f64, goal: f64, detail: &str) {
    let verdict = verdict(PromisedFigure::AtMost(goal), ratio);
    println!("{what:<58} {ratio:>7.2}  at most  {goal:<5} {verdict:<12} {detail}");
}

/// How a goal is spoken of.
pub(super) fn verdict(goal: PromisedFigure, figure: f64) -> &'static str {
    if goal.is_met(figure) {
        "ok"
    } else {
        "FALLS SHORT"
    }
}
