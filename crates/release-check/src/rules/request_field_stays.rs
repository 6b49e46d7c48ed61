//! Fields of requests.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "request-field-stays",
    statement: "A field or parameter of a request stays until its time has come.",
    how_to_go_on: "Keep reading it. Declare its deprecation; it goes in N+2.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::GoneField {
        side: MessageSide::Request,
        field,
    } = &difference.change
    else {
        return None;
    };
    let why = refused(field.deprecation.as_ref(), context)?;
    Some(format!("the field is gone from requests: {why}"))
}
