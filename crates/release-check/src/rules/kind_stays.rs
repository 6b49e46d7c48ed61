//! Built-in kinds: resources are stored by their versions.

use super::item_text::broken;
use super::RuleEntry;
use crate::compare::SurfaceArea;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "kind-stays",
    statement: "A released version of a built-in kind stays as it is; new versions may come.",
    how_to_go_on: "Add a version of the kind with a conversion, and give the released file back its content.",
    areas: &[SurfaceArea::Kinds],
    judge: broken,
};
