//! Levels of stored formats: a server must read what older ones wrote.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "level-stays",
    statement: "Every level of a stored format that a release read is still read.",
    how_to_go_on: "Keep the reader of that level.",
    areas: &[SurfaceArea::Levels],
    judge: broken,
};
