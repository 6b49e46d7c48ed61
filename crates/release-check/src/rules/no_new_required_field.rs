//! What a request needs.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "no-new-required-field",
    statement: "A request that was enough stays enough: no new field or parameter is required.",
    how_to_go_on: "Make it optional with a default, or add a new version of the route or method that requires it.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    match &difference.change {
        SurfaceChange::NewField {
            side: MessageSide::Request,
            field,
        } if field.required => {
            Some("it is new and required, so requests of older clients are refused".to_owned())
        }
        SurfaceChange::Presence {
            side: MessageSide::Request,
            old,
            new,
        } if new.required && !old.required => {
            Some("it was optional and is required, so requests of older clients are refused".to_owned())
        }
        _ => None,
    }
}
