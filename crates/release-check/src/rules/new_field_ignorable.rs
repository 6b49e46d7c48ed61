//! What an older server makes of a newer request: it drops what it does not know, or refuses it.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "new-field-ignorable",
    statement: "A new field of a request is one that an older server may ignore, and declares it.",
    how_to_go_on: "Add a new version of the route or method; or, if the request may mean the same without it, declare `x-ignorable` (gRPC: `ignorable`) with what an older server does.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    match &difference.change {
        SurfaceChange::NewField {
            side: MessageSide::Request,
            field,
        } if !field.required && !field.ignorable => Some(
            "a server of that release drops or refuses it, and it is not declared ignorable".to_owned(),
        ),
        _ => None,
    }
}
