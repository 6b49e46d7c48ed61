//! Fields of answers that clients don't look twice for.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "field-stays-populated",
    statement: "A field that every answer has stays populated.",
    how_to_go_on: "Populate it always, also when it is deprecated.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::Presence {
        side: MessageSide::Answer,
        old,
        new,
    } = &difference.change
    else {
        return None;
    };
    if !old.populated || new.populated {
        return None;
    }
    // What may go altogether may also be missing now and then.
    refused(old.deprecation.as_ref(), context)?;
    Some("every answer had it, and not every one has it now".to_owned())
}
