//! Fields of answers that clients don't look twice for.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{Area, Change, Difference, Side};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "field-stays-populated",
    statement: "A field that every answer has stays populated.",
    how_to_go_on: "Populate it always, also when it is deprecated.",
    areas: Area::APIS,
    judge,
};

fn judge(difference: &Difference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let Change::Presence {
        side: Side::Answer,
        old,
        new,
    } = &difference.change
    else {
        return None;
    };
    if !old.populated || new.populated {
        return None;
    }
    refused(old.deprecation.as_ref(), context)?;
    Some("every answer had it, and not every one has it now".to_owned())
}
