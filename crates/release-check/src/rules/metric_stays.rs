//! Metrics: dashboards and alerts ask for them.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "metric-stays",
    statement: "A metric keeps its name, kind and labels.",
    how_to_go_on: "Add a metric beside it and declare the deprecation of the old one; it goes in N+2.",
    areas: &[SurfaceArea::Metrics],
    judge: broken,
};
