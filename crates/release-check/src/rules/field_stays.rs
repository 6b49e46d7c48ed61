//! Fields of answers.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "field-stays",
    statement: "A field of an answer stays until its time has come, even if another one makes it redundant.",
    how_to_go_on: "Keep it and populate it beside the new one. Declare its deprecation; it goes in N+2.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    match &difference.change {
        SurfaceChange::GoneShape => Some("what answers or errors consist of is gone".to_owned()),
        SurfaceChange::GoneField {
            side: MessageSide::Answer,
            field,
        } => {
            let why = refused(field.deprecation.as_ref(), context)?;
            Some(format!("the field is gone from answers: {why}"))
        }
        _ => None,
    }
}
