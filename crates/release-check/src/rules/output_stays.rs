//! What commands print as JSON: scripts pick fields from it.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::samples::ABSENT;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "output-stays",
    statement: "What a command prints as JSON keeps its paths and their types.",
    how_to_go_on: "Print the old field beside the new one.",
    areas: &[SurfaceArea::Outputs],
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    let (old, new) = match &difference.change {
        SurfaceChange::GoneOutput => return Some("it no longer prints JSON".to_owned()),
        SurfaceChange::OutputTypes { old, new } => (*old, new),
        _ => return None,
    };
    // A null says nothing about what else may be there.
    if old.iter().all(|kind| kind == "null" || kind == ABSENT) {
        return None;
    }
    let unknown: Vec<&str> = new.difference(old).map(String::as_str).collect();
    let before: Vec<&str> = old.iter().map(String::as_str).collect();
    (!unknown.is_empty()).then(|| {
        format!("it was {}; scripts don't know {}", before.join(" or "), unknown.join(" or "))
    })
}
