//! What was announced to go, goes: clients are told so by headers.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::model::DeprecationNote;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "removal-due",
    statement: "What was to be removed in this release is removed.",
    how_to_go_on: "Delete it, or declare a later release.",
    areas: &[
        SurfaceArea::Webapi,
        SurfaceArea::Cloudapi,
        SurfaceArea::Grpc,
        SurfaceArea::Commands,
        SurfaceArea::Settings,
        SurfaceArea::Metrics,
    ],
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::Deprecated(DeprecationNote::Declared(declared)) = &difference.change else {
        return None;
    };
    let (removed_in, current) = (declared.removed_in, context.current);
    (removed_in <= current).then(|| format!("it was to be removed in {removed_in}, and this is {current}"))
}
