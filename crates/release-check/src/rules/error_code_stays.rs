//! Codes of errors: programs and runbooks are written for them.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "error-code-stays",
    statement: "An error code stays and keeps its meaning; its title may be reworded.",
    how_to_go_on: "Keep the code. What means something else gets a new one.",
    areas: &[SurfaceArea::ErrorCodes],
    judge: broken,
};
