//! The table of results.

use crate::figures::PromisedFigure;
use std::fmt;

#[derive(Debug)]
struct RatioRow {
    what: String,
    measured: String,
    limit: String,
    ratio: Option<f64>,
    goal: PromisedFigure,
}

/// Rows of ratios.
#[derive(Debug, Default)]
pub(crate) struct RatioTable(Vec<RatioRow>);

impl RatioTable {
    /// A ratio of two figures of the same unit.
    pub(crate) fn ratio(
        &mut self,
        what: &str,
        unit: &str,
        figures: (f64, f64),
        goal: PromisedFigure,
    ) {
        let (measured, limit) = figures;
        self.push(RatioRow {
            what: what.into(),
            measured: format!("{measured:.0} {unit}"),
            limit: format!("{limit:.0} {unit}"),
            ratio: Some(measured / limit),
            goal,
        });
    }

    /// A figure alone.
    pub(crate) fn figure(&mut self, what: &str, figure: impl fmt::Display) {
        self.push(RatioRow {
            what: what.into(),
            measured: figure.to_string(),
            limit: String::new(),
            ratio: None,
            goal: PromisedFigure::None,
        });
    }

    fn push(&mut self, row: RatioRow) {
        eprintln!("{row}");
        self.0.push(row);
    }
}

impl fmt::Display for RatioRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.ratio.map_or_else(String::new, |r| format!("{r:.2}"));
        let goal = match self.goal {
            PromisedFigure::AtLeast(goal) => format!("≥ {goal}"),
            PromisedFigure::AtMost(goal) => format!("≤ {goal}"),
            PromisedFigure::None => String::new(),
        };
        let met = self.ratio.is_none_or(|ratio| self.goal.is_met(ratio));
        let short = if met { "" } else { "FALLS SHORT" };
        write!(
            f,
            "| {:<58} | {:>22} | {:>22} | {ratio:>6} | {goal:>6} | {short:<11} |",
            self.what, self.measured, self.limit
        )
    }
}

impl fmt::Display for RatioTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| {:<58} | {:>22} | {:>22} | {:>6} | {:>6} | {:<11} |",
            "what", "measured", "against", "ratio", "goal", ""
        )?;
        let line = |n: usize| "-".repeat(n);
        let (a, b, c, d) = (line(60), line(24), line(8), line(13));
        writeln!(f, "|{a}|{b}|{b}|{c}|{c}|{d}|")?;
        self.0.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}
