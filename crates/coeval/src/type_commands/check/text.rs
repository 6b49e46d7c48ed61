//! What was found, for people: the short answer first.

use super::super::columns::{pad, plain, wrap};
use super::report::{Fits, Report, Shown, Told};

const INDENT: usize = 2;
/// Of a document that is shown.
const DOCUMENT: usize = 400;

pub(super) fn render(report: &Report, width: Option<usize>) -> String {
    let width = width.unwrap_or(100).max(40);
    let mut lines = summary(report);
    for told in &report.findings {
        lines.push(String::new());
        lines.extend(finding(told, report, width));
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn summary(report: &Report) -> Vec<String> {
    let (old, new) = (plain(&report.old), plain(&report.new));
    let bump = &report.bump;
    let needs = match (bump.given, bump.enough) {
        (Some(given), Some(false)) => {
            format!(
                "needs a new {}; the version's number is a new {given}",
                bump.needed
            )
        }
        (Some(given), _) => format!("needs a new {}, and is a new {given}", bump.needed),
        (None, _) => format!("needs a new {}", bump.needed),
    };
    let mut lines = vec![format!("{} ({}): {needs}", report.kind, report.verdict)];
    lines.push(format!("  from {old} to {new}"));
    lines.push(format!(
        "  every old document fits the new version:  {}",
        answer(&report.old_documents_fit_new)
    ));
    lines.push(format!(
        "  every new document fits the old version:  {}",
        answer(&report.new_documents_fit_old)
    ));
    if report.compared > 1 {
        lines.push(format!("  compared with {} versions", report.compared));
    }
    let number = match report.findings.len() {
        0 => "  nothing that matters has changed".to_owned(),
        1 => "  1 finding".to_owned(),
        number => format!("  {number} findings"),
    };
    lines.push(number);
    lines
}

fn answer(fits: &Fits) -> String {
    match fits.answer {
        "yes" => "yes, proven".to_owned(),
        "no" => "no, shown by a document".to_owned(),
        _ => {
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
        plain(path)
    }
}

fn finding(told: &Told, report: &Report, width: usize) -> Vec<String> {
    let mut lines = vec![format!(
        "{}{}  {}  ({})",
        pad(told.kind, 11),
        told.rule,
        at(&told.path),
        told.verdict
    )];
    let mut say = |text: &str| {
        let indent = " ".repeat(INDENT);
        for line in wrap(text, width.saturating_sub(INDENT)) {
            lines.push(format!("{indent}{line}"));
        }
    };
    say(&plain(&told.message));
    if told.against != report.old {
        say(&format!("Against {}.", plain(&told.against)));
    }
    if let Some(shown) = &told.witness {
        say(&accepted(shown, told, report));
        let document = plain(&shown.document.to_string());
        let cut: String = document.chars().take(DOCUMENT).collect();
        let more = if cut.len() < document.len() {
            "… (--json shows all)"
        } else {
            ""
        };
        say(&format!("  {cut}{more}"));
        for why in shown.rejected_because.iter().take(3) {
            say(&format!("  {}", plain(why)));
        }
    }
    say(&told.page);
    lines
}

fn accepted(shown: &Shown, told: &Told, report: &Report) -> String {
    let (old, new) = (plain(&told.against), plain(&report.new));
    let (accepts, rejects) = match shown.accepted_by {
        "old" => (old, new),
        _ => (new, old),
    };
    format!("{accepts} accepts, and {rejects} rejects:")
}
