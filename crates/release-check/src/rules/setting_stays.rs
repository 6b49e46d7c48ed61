//! Settings: flags with their variable and their key in the config file.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "setting-stays",
    statement: "A setting keeps its flag, its variable, its key and its values.",
    how_to_go_on: "Keep it beside the new one and declare its deprecation; it goes in N+2.",
    areas: &[SurfaceArea::Settings],
    judge: broken,
};
