//! Routes and methods.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "operation-stays",
    statement: "A route or method stays until its time has come.",
    how_to_go_on: "Keep it. Declare its deprecation first; it goes in N+2, where N is the last release whose clients used it.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::GoneOperation(operation) = &difference.change else {
        return None;
    };
    let why = refused(operation.deprecation.as_ref(), context)?;
    Some(format!("it is gone: {why}"))
}
