//! What commands print.

use super::{SurfaceArea, SurfaceChange, SurfaceDifference, SurfacePlace};
use crate::model::ReleaseSurface;
use crate::samples::ABSENT;
use std::collections::BTreeSet;

pub(super) fn compare<'a>(
    old: &'a ReleaseSurface,
    new: &'a ReleaseSurface,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    // It takes a server to learn them, so one side may not have any.
    let (Some(before), Some(now)) = (&old.outputs, &new.outputs) else {
        return;
    };
    for (command, paths) in before {
        let place = SurfacePlace::of(SurfaceArea::Outputs, command);
        let Some(printed) = now.get(command) else {
            if !command_is_gone(old, new, command) {
                found.push(SurfaceDifference {
                    place,
                    change: SurfaceChange::GoneOutput,
                });
            }
            continue;
        };
        for (path, types) in paths {
            // Not printed is one of the types, so that a field that comes and goes is seen.
            let absent = || BTreeSet::from([ABSENT.to_owned()]);
            let new = printed.get(path).cloned().unwrap_or_else(absent);
            if new != *types {
                let change = SurfaceChange::OutputTypes { old: types, new };
                let place = place.with_path(path.clone());
                found.push(SurfaceDifference { place, change });
            }
        }
    }
}

/// Whether the command itself went; another rule judges that.
fn command_is_gone(old: &ReleaseSurface, new: &ReleaseSurface, command: &str) -> bool {
    let words: Vec<&str> = command.split(' ').collect();
    let begins = (1..=words.len()).filter_map(|count| words.get(..count));
    let mut begins = begins.map(|begin| begin.join(" "));
    begins.any(|name| old.catalog.contains_key(&name) && !new.catalog.contains_key(&name))
}
