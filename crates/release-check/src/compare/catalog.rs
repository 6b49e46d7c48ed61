//! Items with a name.

use super::{SurfaceArea, SurfaceChange, SurfaceDifference, SurfacePlace};
use crate::model::{CatalogItem, ReleaseSurface};

pub(super) fn compare<'a>(
    old: &'a ReleaseSurface,
    new: &'a ReleaseSurface,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    for (key, before) in &old.catalog {
        let place = SurfacePlace::of(SurfaceArea::from(before.kind), &before.name);
        match new.catalog.get(key) {
            Some(now) => compare_items(&place, before, now, found),
            // With its command go its flags: that is told once.
            None if parent_is_in(new, before) => found.push(SurfaceDifference {
                place,
                change: SurfaceChange::GoneItem(before),
            }),
            None => {}
        }
    }
    for (key, now) in &new.catalog {
        // What a new command needs, nobody lacks.
        let added = !old.catalog.contains_key(key) && now.parent.is_some();
        if added && now.required && parent_is_in(old, now) {
            found.push(SurfaceDifference {
                place: SurfacePlace::of(SurfaceArea::from(now.kind), &now.name),
                change: SurfaceChange::NewRequiredItem,
            });
        }
    }
}

fn parent_is_in(surface: &ReleaseSurface, item: &CatalogItem) -> bool {
    let parent = item.parent.as_ref();
    parent.is_none_or(|parent| surface.catalog.contains_key(parent))
}

fn compare_items<'a>(
    place: &SurfacePlace,
    old: &'a CatalogItem,
    new: &'a CatalogItem,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    let mut tell = |change| {
        let place = place.clone();
        found.push(SurfaceDifference { place, change });
    };
    for (fact, before) in &old.facts {
        let now = new.facts.get(fact);
        if now != Some(before) {
            tell(SurfaceChange::Fact {
                item: old,
                fact,
                old: before,
                new: now,
            });
        }
    }
    for (set, before) in &old.sets {
        let still = new.sets.get(set);
        let gone = before
            .iter()
            .filter(|one| !still.is_some_and(|now| now.contains(*one)));
        let gone: Vec<&str> = gone.map(String::as_str).collect();
        if !gone.is_empty() {
            tell(SurfaceChange::Shrunk {
                item: old,
                set,
                gone,
            });
        }
    }
    let fewer = match (&old.choices, &new.choices) {
        (_, None) => None,
        // A list where any value was taken takes fewer, though nobody can name which.
        (None, Some(_)) => Some(Vec::new()),
        (Some(before), Some(now)) => {
            let gone: Vec<&str> = before.difference(now).map(String::as_str).collect();
            (!gone.is_empty()).then_some(gone)
        }
    };
    if let Some(gone) = fewer {
        tell(SurfaceChange::FewerChoices { item: old, gone });
    }
    if new.required && !old.required {
        tell(SurfaceChange::NewRequiredItem);
    }
}
