//! Commands, their flags and arguments: scripts call them.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "command-stays",
    statement: "Commands, flags, arguments and their values stay, and none becomes required.",
    how_to_go_on: "Keep it, under a visible alias if it is renamed, and declare its deprecation; it goes in N+2. Make what is new optional.",
    areas: &[SurfaceArea::Commands],
    judge: broken,
};
