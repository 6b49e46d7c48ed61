//! Types of fields, in the direction in which they are read: a client must understand all that is
//! answered, and a server all that is sent.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference, MessageSide, ValueKinds};
use crate::model::ValueLimits;

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "field-keeps-type",
    statement: "A field keeps its type: answers give nothing new, requests take all that they took.",
    how_to_go_on: "Keep the type. Add a field of the new type beside it, or a new version of the route or method.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::Kinds { side, old, new } = &difference.change else {
        return None;
    };
    match side {
        MessageSide::Answer => {
            let surplus = surplus(new, old)?;
            Some(format!("it was {old} in answers; clients don't know {surplus}"))
        }
        MessageSide::Request => {
            if let Some(surplus) = surplus(old, new) {
                return Some(format!("it was {old} in requests; {surplus} is refused now"));
            }
            tighter(old, new).map(|limit| format!("requests are refused that were not: {limit}"))
        }
    }
}

/// What the narrow one has and the wide one has not.
fn surplus(narrow: &ValueKinds, wide: &ValueKinds) -> Option<String> {
    if wide.anything {
        return None;
    }
    if narrow.anything {
        return Some("anything".to_owned());
    }
    if narrow.nothing && !wide.nothing {
        return Some("nothing".to_owned());
    }
    for (kind, details) in &narrow.kinds {
        // Every integer is a number.
        let number = || wide.kinds.get("number").filter(|_| kind == "integer");
        let Some(same) = wide.kinds.get(kind).or_else(number) else {
            return Some(kind.clone());
        };
        let Some(allowed) = &same.values else {
            continue;
        };
        let Some(values) = &details.values else {
            return Some(format!("any {kind}"));
        };
        if let Some(value) = values.difference(allowed).next() {
            return Some(value.clone());
        }
    }
    None
}

/// A limit that refuses what was taken.
fn tighter(old: &ValueKinds, new: &ValueKinds) -> Option<String> {
    for (kind, now) in &new.kinds {
        let Some(before) = old.kinds.get(kind) else {
            continue;
        };
        if now.closed && !before.closed {
            return Some("keys that are not described".to_owned());
        }
        let limit = tighter_limit(&before.limits, &now.limits);
        if limit.is_some() {
            return limit;
        }
    }
    None
}

fn tighter_limit(old: &ValueLimits, new: &ValueLimits) -> Option<String> {
    for (name, limit) in &new.upper {
        // Without a limit before, any limit is tighter.
        if old.upper.get(name).is_none_or(|before| before > limit) {
            return Some(format!("{name} is {limit}"));
        }
    }
    for (name, limit) in &new.lower {
        // Nothing is shorter than nothing.
        let free = *limit <= 0.0 && name != "minimum";
        if !free && old.lower.get(name).is_none_or(|before| before < limit) {
            return Some(format!("{name} is {limit}"));
        }
    }
    // Whether another pattern takes less can't be decided here, so every other one counts.
    let pattern = new.pattern.as_ref().filter(|_| old.pattern != new.pattern);
    pattern.map(|pattern| format!("pattern is {pattern}"))
}
