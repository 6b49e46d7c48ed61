//! What is declared to go says since when, until when, and what comes instead.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::model::DeprecationNote;
use coeval_releases::DeprecationFault;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "deprecation-sound",
    statement: "A deprecation names releases that the calendar knows, and a removal not before N+2.",
    how_to_go_on: "Correct what is declared: `since` is not after this release, `removedIn` is N+2 or later, both have a day in the calendar.",
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
    let SurfaceChange::Deprecated(note) = &difference.change else {
        return None;
    };
    let declared = match note {
        DeprecationNote::Incomplete(why) => return Some(why.clone()),
        DeprecationNote::Declared(declared) => declared,
    };
    let faults = declared.faults(context.current).into_iter();
    // A rule of its own says that its time has come.
    let faults = faults.filter(|fault| !matches!(fault, DeprecationFault::Overdue { .. }));
    let faults: Vec<String> = faults.map(|fault| fault.to_string()).collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}
