//! When something may go: N+2, where N is the last release whose own clients used it, and as it was
//! announced by the newest release that has it.

use super::RuleContext;
use crate::model::DeprecationNote;

/// Why it may not go yet; nothing if its time has come.
pub(super) fn refused(note: Option<&DeprecationNote>, context: &RuleContext<'_>) -> Option<String> {
    let kept = context.against.unwrap_or(context.current);
    match note {
        None => Some(format!("{kept} does not declare it deprecated")),
        Some(DeprecationNote::Incomplete(why)) => {
            Some(format!("{kept} does not declare when it goes: {why}"))
        }
        Some(DeprecationNote::Declared(declared)) => {
            let (earliest, current) = (declared.earliest_removal(), context.current);
            (current < earliest)
                .then(|| format!("too early, it may go in {earliest} and this is {current}"))
        }
    }
}
