//! The figures as text.

use super::figures::{CrateFigures, WorkspaceFigures};
use super::goals::{CYCLE_GOAL, GOALS, cycle_bound, percent};
use std::fmt::Write;

/// A table of crates, the cycles that are too large, and the goals.
#[must_use]
pub fn print_figures(figures: &WorkspaceFigures) -> String {
    let mut text = String::new();
    // A String takes whatever is written to it.
    let _ = crate_table(&mut text, figures);
    let _ = cycle_list(&mut text, figures);
    let _ = goal_table(&mut text, figures);
    text
}

fn crate_table(text: &mut String, figures: &WorkspaceFigures) -> std::fmt::Result {
    writeln!(
        text,
        "{:<18}{:>8}{:>8}{:>7}{:>7}{:>10}{:>9}{:>10}{:>10}{:>11}{:>8}{:>8}",
        "crate",
        "lines",
        "code",
        "cycle",
        "types",
        "one word",
        "shared",
        "comments",
        "doctests",
        "bool match",
        "silent",
        "retries"
    )?;
    for one in &figures.crates {
        crate_row(text, figures, one)?;
    }
    writeln!(text)
}

fn crate_row(
    text: &mut String,
    figures: &WorkspaceFigures,
    one: &CrateFigures,
) -> std::fmt::Result {
    let types = one.type_names.len();
    writeln!(
        text,
        "{:<18}{:>8}{:>8}{:>7}{:>7}{:>8.0} %{:>7.0} %{:>8.1} %{:>10}{:>11}{:>8}{:>8}",
        one.name,
        one.lines,
        one.code_lines,
        one.largest_cycle(),
        types,
        percent(one.one_word_names(), types),
        percent(figures.shared_names(one), types),
        percent(one.comments_in_functions, one.lines),
        one.doctests,
        one.bool_matches,
        one.silent_encodings,
        one.retry_loops,
    )
}

fn cycle_list(text: &mut String, figures: &WorkspaceFigures) -> std::fmt::Result {
    for one in &figures.crates {
        for cycle in one.cycles.iter().filter(|cycle| cycle.len() > CYCLE_GOAL) {
            writeln!(
                text,
                "{}: {} of {} modules of {} are one cycle: {}",
                one.name,
                cycle.len(),
                cycle.siblings,
                cycle.parent,
                cycle.members.join(", ")
            )?;
        }
    }
    writeln!(text)
}

fn goal_table(text: &mut String, figures: &WorkspaceFigures) -> std::fmt::Result {
    writeln!(
        text,
        "{:<44}{:>10}{:>10}{:>10}  ",
        "figure", "now", "bound", "goal"
    )?;
    for one in figures
        .crates
        .iter()
        .filter(|one| one.largest_cycle() > CYCLE_GOAL)
    {
        let title = format!("largest cycle of modules, {}", one.name);
        let bound = cycle_bound(&one.name);
        writeln!(
            text,
            "{title:<44}{:>10}{bound:>10}{CYCLE_GOAL:>10}",
            one.largest_cycle()
        )?;
    }
    for goal in GOALS {
        let value = goal.figure.value(figures);
        let mark = if goal.is_reached(value) {
            "reached"
        } else {
            ""
        };
        writeln!(
            text,
            "{:<44}{value:>10.1}{:>10}{:>10}  {mark}",
            goal.title, goal.bound, goal.goal
        )?;
    }
    Ok(())
}
