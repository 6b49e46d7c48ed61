//! An answer that is an object can get more fields; a list or a text can't.

use super::{RuleContext, RuleEntry};
use crate::compare::{ShapeAlternatives, SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::model::{ApiStyle, ValueShape};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "object-answer",
    statement: "A new operation answers an object, so that something can be added to it.",
    how_to_go_on: "Answer an object, even if it has a single field; in gRPC a message of its own, not `google.protobuf.Empty`.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::NewOperation { api, operation, .. } = &difference.change else {
        return None;
    };
    for (key, shape) in &operation.answers {
        // Statuses without a body are how the RDE protocol says deleted and accepted.
        let by_protocol = api.style == ApiStyle::Cloudapi && *shape == ValueShape::Nothing;
        let all = ShapeAlternatives::of(api, shape);
        if !all.is_object() && !key.is_event_stream() && !by_protocol {
            let is = crate::compare::ValueKinds::of(&all);
            return Some(format!("it answers {key} with {is}, to which nothing can be added"));
        }
    }
    None
}
