//! Operations of one API.

use super::shapes::ShapeWalk;
use super::{Area, Change, Difference, Place, Side};
use crate::model::{ApiDocument, Operation, Shape};

pub(super) fn compare<'a>(
    old: &'a ApiDocument,
    new: &'a ApiDocument,
    found: &mut Vec<Difference<'a>>,
) {
    let area = Area::from(old.style);
    let mut walk = ShapeWalk::new(old, new);
    for (name, before) in &old.operations {
        let place = Place::of(area, name);
        match new.operations.get(name) {
            None => found.push(Difference {
                place,
                change: Change::GoneOperation(before),
            }),
            Some(now) => compare_operation(&place, before, now, &mut walk, found),
        }
    }
    for name in &old.standalone {
        let place = Place::of(area, name);
        match (old.shapes.get(name), new.shapes.get(name)) {
            (Some(before), Some(now)) => walk.push(Side::Answer, before, now, place),
            (Some(_), None) => found.push(Difference {
                place,
                change: Change::GoneShape,
            }),
            (None, _) => {}
        }
    }
    found.extend(walk.differences());
    compare_enums(area, old, new, found);
}

fn compare_operation<'a>(
    place: &Place,
    old: &'a Operation,
    new: &'a Operation,
    walk: &mut ShapeWalk<'a>,
    found: &mut Vec<Difference<'a>>,
) {
    let mut tell = |place: Place, change| found.push(Difference { place, change });
    if old.streaming != new.streaming {
        let change = Change::Streaming {
            old: old.streaming,
            new: new.streaming,
        };
        tell(place.clone(), change);
    }
    let request = place.with_path("request ".to_owned());
    walk.push(Side::Request, &old.request, &new.request, request);
    for (key, before) in &old.answers {
        let place = place.with_path(format!("answer {key} "));
        match new.answers.get(key) {
            None => tell(place, Change::GoneAnswer(key)),
            Some(Shape::Nothing) if *before != Shape::Nothing => tell(place, Change::NoBodyAnyMore),
            // A body where there was none: those who read none go on.
            Some(_) if *before == Shape::Nothing => {}
            Some(now) => walk.push(Side::Answer, before, now, place),
        }
    }
    for key in new.answers.keys() {
        let known = old.answers.keys().any(|before| before.status == key.status);
        if !known {
            tell(
                place.with_path(format!("answer {key} ")),
                Change::NewStatus(key),
            );
        }
    }
}

/// An enum that no field has any more may go with the fields.
fn compare_enums<'a>(
    area: Area,
    old: &'a ApiDocument,
    new: &'a ApiDocument,
    found: &mut Vec<Difference<'a>>,
) {
    for (name, before) in &old.enums {
        let Some(now) = new.enums.get(name) else {
            continue;
        };
        for (value, number) in before {
            let new = now.get(value).copied();
            if new != Some(*number) {
                let change = Change::EnumNumber { old: *number, new };
                let place = Place::of(area, name).field(value);
                found.push(Difference { place, change });
            }
        }
    }
}
