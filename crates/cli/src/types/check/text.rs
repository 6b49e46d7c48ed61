//! What was found, for people: the short answer first.

use super::report::{CheckReport, DirectionFit, FindingReport, ShownCounterexample};
use crate::columns::{pad, sanitize, single_line, wrap};
use coeval_core::compat::ChangeKind;
use std::collections::HashSet;

const INDENT: usize = 2;
/// Of a document that is shown.
const DOCUMENT: usize = 400;
/// For which a document is rejected.
const REASONS: usize = 3;

pub(super) fn render(report: &CheckReport, width: Option<usize>) -> String {
    // Narrower than this nothing can be read; without a terminal, as wide as a mail.
    let width = width.unwrap_or(100).max(40);
    let mut lines = summary(report);
    if report.findings.is_empty()
        && let Some(shown) = &report.new_documents_fit_old.witness
    {
        // No rule is about it, but it is what is new.
        lines.push(String::new());
        lines.extend(indented(&document(shown, &report.old, &report.new), width));
    }
    let mut pages = HashSet::new();
    for told in &report.findings {
        lines.push(String::new());
        let page = pages.insert(told.page.as_str());
        lines.extend(finding(told, report, page, width));
    }
    for note in &report.notes {
        lines.push(String::new());
        lines.push(format!(
            "{}{}  {}",
            pad("note", 11),
            note.rule,
            single_line(&note.path)
        ));
        lines.extend(indented(&[single_line(&note.message)], width));
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn summary(report: &CheckReport) -> Vec<String> {
    // Names come from files, and are printed to a terminal.
    let (old, new) = (single_line(&report.old), single_line(&report.new));
    let mut lines = vec![
        format!("{} ({}): {}", report.kind, report.verdict, needs(report)),
        format!("  from {old} to {new}"),
        format!(
            "  every old document fits the new version:  {}",
            forth(report)
        ),
        format!(
            "  every new document fits the old version:  {}",
            answer(&report.new_documents_fit_old)
        ),
    ];
    if report.compared > 1 {
        lines.push(format!("  compared with {} versions", report.compared));
    }
    let number = match report.findings.len() {
        0 if report.kind() == ChangeKind::Identical => {
            "  nothing that matters has changed".to_owned()
        }
        0 => "  nothing breaks, and no rule is about what is new".to_owned(),
        1 => "  1 finding".to_owned(),
        number => format!("  {number} findings"),
    };
    lines.push(number);
    lines
}

fn needs(report: &CheckReport) -> String {
    let bump = &report.bump;
    let needed = bump.needed;
    match (bump.given, bump.enough) {
        (None, _) => format!("needs a new {needed}"),
        (Some(given), Some(false)) => format!("needs a new {needed}, but is a new {given}"),
        (Some(given), _) if given == needed => format!("needs a new {needed}, and is one"),
        (Some(given), _) => format!("needs a new {needed}, and is even a new {given}"),
    }
}

/// In this direction policy can have another answer than JSON Schema.
fn forth(report: &CheckReport) -> String {
    let fits = &report.old_documents_fit_new;
    let breaks = |told: &FindingReport| {
        told.against == report.old && told.kind != ChangeKind::Additive.name()
    };
    if fits.answer == "no" && !report.findings.iter().any(breaks) {
        // The letter of JSON Schema counts fields as breaking that the policy allows.
        return "yes by policy, no by the letter".to_owned();
    }
    answer(fits)
}

fn answer(fits: &DirectionFit) -> String {
    match fits.answer {
        "yes" => "yes, proven".to_owned(),
        "no" => "no, shown by a document".to_owned(),
        _ => {
            // A few places are enough to look at.
            let places = fits.undecided_at.iter().take(3);
            let places: Vec<_> = places.map(|place| at(place)).collect();
            let more = fits.undecided_at.len().saturating_sub(places.len());
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("undecided at {}{more}", places.join(", "))
        }
    }
}

fn at(path: &str) -> String {
    if path.is_empty() {
        "the whole".to_owned()
    } else {
        single_line(path)
    }
}

fn finding(told: &FindingReport, report: &CheckReport, page: bool, width: usize) -> Vec<String> {
    let mut lines = vec![format!(
        "{}{}  {}  ({})",
        pad(told.kind, 11),
        told.rule,
        at(&told.path),
        told.verdict
    )];
    let mut said = vec![single_line(&told.message)];
    if told.against_higher {
        let (higher, new) = (single_line(&told.against), single_line(&report.new));
        said.push(format!(
            "Against {higher}, which is higher: what fits {new} must fit it too."
        ));
    } else if told.against != report.old {
        said.push(format!("Against {}.", single_line(&told.against)));
    }
    if let Some(shown) = &told.witness {
        said.extend(document(shown, &told.against, &report.new));
    }
    // Once is enough.
    // The page about a rule is named with its first finding only.
    if page {
        said.push(told.page.clone());
    }
    lines.extend(indented(&said, width));
    lines
}

fn indented(said: &[String], width: usize) -> Vec<String> {
    let indent = " ".repeat(INDENT);
    let lines = said
        .iter()
        .flat_map(|text| wrap(text, width.saturating_sub(INDENT)));
    lines.map(|line| format!("{indent}{line}")).collect()
}

/// Who accepts it, the document, and what the other one says.
fn document(shown: &ShownCounterexample, old: &str, new: &str) -> Vec<String> {
    let (old, new) = (single_line(old), single_line(new));
    let (accepts, rejects) = match shown.accepted_by {
        "old" => (old, new),
        _ => (new, old),
    };
    let document = sanitize(&shown.document.to_string());
    // A document may be large; --json has all of it.
    let cut: String = document.chars().take(DOCUMENT).collect();
    let more = if cut.len() < document.len() {
        "… (--json shows all)"
    } else {
        ""
    };
    let mut said = vec![
        format!("{accepts} accepts, and {rejects} rejects:"),
        format!("  {cut}{more}"),
    ];
    let reasons = shown.rejected_because.iter().take(REASONS);
    said.extend(reasons.map(|why| format!("  {}", single_line(why))));
    said
}
