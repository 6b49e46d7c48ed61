//! What is served now and has nothing to be compared with: operations that no kept release has, and
//! everything that is declared to go.

use super::{SurfaceArea, SurfaceChange, SurfaceDifference, SurfacePlace};
use crate::model::{ApiDocument, DeprecationNote, KeptRelease, ReleaseSurface, ValueShape};
use std::collections::BTreeSet;

pub(crate) fn additions<'a>(
    kept: &[&'a KeptRelease],
    served: &'a ReleaseSurface,
) -> Vec<SurfaceDifference<'a>> {
    let mut found = Vec::new();
    for api in &served.apis {
        let area = SurfaceArea::from(api.style);
        for (name, operation) in &api.operations {
            // Not only the newest one: what an older release had comes back, and is no addition.
            let known = kept.iter().filter_map(|kept| kept.surface.api(api.style));
            if !known
                .into_iter()
                .any(|old| old.operations.contains_key(name))
            {
                found.push(SurfaceDifference {
                    place: SurfacePlace::of(area, name),
                    change: SurfaceChange::NewOperation {
                        api,
                        name,
                        operation,
                    },
                });
            }
        }
        declared_in(api, &mut found);
    }
    for item in served.catalog.values() {
        let place = SurfacePlace::of(SurfaceArea::from(item.kind), &item.name);
        tell(place, item.deprecation.as_ref(), &mut found);
    }
    found
}

fn tell<'a>(
    place: SurfacePlace,
    note: Option<&'a DeprecationNote>,
    found: &mut Vec<SurfaceDifference<'a>>,
) {
    found.extend(note.map(|note| SurfaceDifference {
        place,
        change: SurfaceChange::Deprecated(note),
    }));
}

fn declared_in<'a>(api: &'a ApiDocument, found: &mut Vec<SurfaceDifference<'a>>) {
    let area = SurfaceArea::from(api.style);
    let mut pending: Vec<(SurfacePlace, &ValueShape)> = Vec::new();
    let mut followed = BTreeSet::new();
    for name in &api.standalone {
        let shape = api.shapes.get(name);
        pending.extend(shape.map(|shape| (SurfacePlace::of(area, name), shape)));
    }
    for (name, operation) in &api.operations {
        let place = SurfacePlace::of(area, name);
        tell(place.clone(), operation.deprecation.as_ref(), found);
        pending.push((place.with_path("request ".to_owned()), &operation.request));
        for (key, shape) in &operation.answers {
            pending.push((place.with_path(format!("answer {key} ")), shape));
        }
    }
    while let Some((place, shape)) = pending.pop() {
        match shape {
            ValueShape::Object(object) => {
                for (name, field) in &object.fields {
                    tell(place.field(name), field.deprecation.as_ref(), found);
                    pending.push((place.field(name), &field.shape));
                }
                let values = object.values.as_deref();
                pending.extend(values.map(|shape| (place.field("{}"), shape)));
            }
            ValueShape::List(list) => pending.push((place.elements(), &list.element)),
            ValueShape::AnyOf(all) => pending.extend(all.iter().map(|one| (place.clone(), one))),
            ValueShape::Reference(name) if followed.insert(name) => {
                let shape = api.shapes.get(name);
                pending.extend(shape.map(|shape| (SurfacePlace::of(area, name), shape)));
            }
            ValueShape::Anything
            | ValueShape::Nothing
            | ValueShape::Scalar(_)
            | ValueShape::Reference(_) => {}
        }
    }
}
