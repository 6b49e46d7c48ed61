//! What changed about an item of the catalog, in words; the same for all rules about items.

use super::RuleContext;
use super::removal::refused;
use crate::compare::{SurfaceChange, SurfaceDifference};
use serde_json::Value;

/// Everything that breaks those who rely on an item.
pub(super) fn broken(
    difference: &SurfaceDifference<'_>,
    context: &RuleContext<'_>,
) -> Option<String> {
    match &difference.change {
        SurfaceChange::GoneItem(item) => {
            let why = refused(item.deprecation.as_ref(), context)?;
            Some(format!("it is gone: {why}"))
        }
        SurfaceChange::Fact {
            item,
            fact,
            old,
            new,
        } => {
            // What may go altogether may change too.
            refused(item.deprecation.as_ref(), context)?;
            Some(changed_fact(fact, old, *new))
        }
        SurfaceChange::Shrunk { item, set, gone } => {
            refused(item.deprecation.as_ref(), context)?;
            Some(format!("{set}: {} went", gone.join(", ")))
        }
        SurfaceChange::FewerChoices { item, gone } => {
            refused(item.deprecation.as_ref(), context)?;
            Some(if gone.is_empty() {
                "it took any value, and takes only listed ones now".to_owned()
            } else {
                format!("it no longer takes {}", gone.join(", "))
            })
        }
        SurfaceChange::NewRequiredItem => {
            Some("it is required now, and who calls it as before is refused".to_owned())
        }
        _ => None,
    }
}

fn changed_fact(fact: &str, old: &Value, new: Option<&Value>) -> String {
    let Some(new) = new else {
        return format!("{fact}: {old} went");
    };
    if old.is_object() {
        let place = first_difference(old, new);
        return format!("{fact}: {place} is not as it was released");
    }
    format!("{fact}: was {old}, is {new}")
}

/// A JSON pointer to where two values differ first.
fn first_difference(old: &Value, new: &Value) -> String {
    let (mut old, mut new, mut pointer) = (old, new, String::new());
    while let (Value::Object(before), Value::Object(now)) = (old, new) {
        let keys = before.keys().chain(now.keys());
        let mut differing = keys.filter(|key| before.get(*key) != now.get(*key));
        let Some(key) = differing.next() else { break };
        pointer = format!("{pointer}/{key}");
        let (Some(inner_old), Some(inner_new)) = (before.get(key), now.get(key)) else {
            break;
        };
        (old, new) = (inner_old, inner_new);
    }
    pointer
}
