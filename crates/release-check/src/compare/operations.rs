//! Operations of one API.

use super::shapes::ShapeWalk;
use super::{MessageSide, SurfaceArea, SurfaceChange, SurfaceDifference, SurfacePlace};
use crate::model::{ApiDocument, ApiOperation, ValueShape};

pub(super) fn compare<'a>(
    old: &'a ApiDocument,
    new: &'a ApiDocument,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    let area = SurfaceArea::from(old.style);
    let mut walk = ShapeWalk::new(old, new);
    for (name, before) in &old.operations {
        let place = SurfacePlace::of(area, name);
        match new.operations.get(name) {
            None => found.push(SurfaceDifference {
                place,
                change: SurfaceChange::GoneOperation(before),
            }),
            Some(now) => compare_operation(&place, before, now, &mut walk, found),
        }
    }
    for name in &old.standalone {
        let place = SurfacePlace::of(area, name);
        match (old.shapes.get(name), new.shapes.get(name)) {
            (Some(before), Some(now)) => walk.push(MessageSide::Answer, before, now, place),
            (Some(_), None) => found.push(SurfaceDifference {
                place,
                change: SurfaceChange::GoneShape,
            }),
            (None, _) => {}
        }
    }
    found.extend(walk.differences());
    compare_enums(area, old, new, found);
}

fn compare_operation<'a>(
    place: &SurfacePlace,
    old: &'a ApiOperation,
    new: &'a ApiOperation,
    walk: &mut ShapeWalk<'a>,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    let mut tell = |place: SurfacePlace, change| found.push(SurfaceDifference { place, change });
    if old.streaming != new.streaming {
        let change = SurfaceChange::Streaming {
            old: old.streaming,
            new: new.streaming,
        };
        tell(place.clone(), change);
    }
    let request = place.with_path("request ".to_owned());
    walk.push(MessageSide::Request, &old.request, &new.request, request);
    for (key, before) in &old.answers {
        let place = place.with_path(format!("answer {key} "));
        match new.answers.get(key) {
            None => tell(place, SurfaceChange::GoneAnswer(key)),
            Some(ValueShape::Nothing) if *before != ValueShape::Nothing => {
                tell(place, SurfaceChange::NoBodyAnyMore);
            }
            // A body where there was none: those who read none go on.
            Some(_) if *before == ValueShape::Nothing => {}
            Some(now) => walk.push(MessageSide::Answer, before, now, place),
        }
    }
    for key in new.answers.keys() {
        let known = old.answers.keys().any(|before| before.status == key.status);
        if !known {
            tell(
                place.with_path(format!("answer {key} ")),
                SurfaceChange::NewStatus(key),
            );
        }
    }
}

/// An enum that no field has any more may go with the fields.
fn compare_enums<'a>(
    area: SurfaceArea,
    old: &'a ApiDocument,
    new: &'a ApiDocument,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    for (name, before) in &old.enums {
        let Some(now) = new.enums.get(name) else {
            continue;
        };
        for (value, number) in before {
            let new = now.get(value).copied();
            if new != Some(*number) {
                let change = SurfaceChange::EnumNumber { old: *number, new };
                let place = SurfacePlace::of(area, name).field(value);
                found.push(SurfaceDifference { place, change });
            }
        }
    }
}
