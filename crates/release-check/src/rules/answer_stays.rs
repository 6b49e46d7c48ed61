//! Statuses of success, kinds of content, and whether it is a stream.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "answer-stays",
    statement: "An operation answers success with the same statuses and kinds of content, and streams as before.",
    how_to_go_on: "Answer as before; put the new answer on a new version of the route or method.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    match &difference.change {
        SurfaceChange::GoneAnswer(key) => Some(format!("it no longer answers {key}")),
        SurfaceChange::NewStatus(key) => Some(format!("clients don't know that it answers {key}")),
        SurfaceChange::NoBodyAnyMore => Some("the answer has no body any more".to_owned()),
        SurfaceChange::Streaming { old, new } => {
            let named = |(requests, answers): (bool, bool)| match (requests, answers) {
                (false, false) => "no stream",
                (true, false) => "a stream of requests",
                (false, true) => "a stream of answers",
                (true, true) => "a stream of both",
            };
            Some(format!("it was {}, and is {}", named(*old), named(*new)))
        }
        _ => None,
    }
}
