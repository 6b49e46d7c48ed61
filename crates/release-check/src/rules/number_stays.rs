//! Numbers are what messages consist of on the wire; names are only for people.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "number-stays",
    statement: "A field and an enum value keep their numbers, and no other gets them.",
    how_to_go_on: "Give the number back. A new field or value takes a number that was never used; reserve those of removed ones.",
    areas: &[SurfaceArea::Grpc],
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    match &difference.change {
        SurfaceChange::Number { old, new } => Some(format!("its number was {old} and is {new}")),
        SurfaceChange::NumberTaken { number, by_old } => {
            Some(format!("its number {number} is that of {by_old}"))
        }
        SurfaceChange::EnumNumber { old, new: None } => {
            Some(format!("the value {old} is gone; it may be stored and sent for ever"))
        }
        SurfaceChange::EnumNumber {
            old,
            new: Some(new),
        } => Some(format!("its number was {old} and is {new}")),
        _ => None,
    }
}
