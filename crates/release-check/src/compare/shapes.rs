//! The shapes of two documents, side by side.
//!
//! Shapes may contain themselves, and two of them may do so in different rhythms. The walk keeps a
//! list of pairs to look at, and looks at each pair once: there are only so many, so it ends, and it
//! needs no stack. Where both sides refer to a shape by name, the place of what is found is that
//! shape: a field that fifty operations share is told once.

use super::alternatives::{ShapeAlternatives, ValueKinds};
use super::{MessageSide, SurfaceArea, SurfaceChange, SurfaceDifference, SurfacePlace};
use crate::model::{ApiDocument, ObjectShape, SurfaceField, ValueShape};
use std::collections::HashSet;

static ANYTHING: ValueShape = ValueShape::Anything;
static NOTHING: ValueShape = ValueShape::Nothing;

struct ShapePair<'a> {
    side: MessageSide,
    old: &'a ValueShape,
    new: &'a ValueShape,
    place: SurfacePlace,
}

pub(super) struct ShapeWalk<'a> {
    old: &'a ApiDocument,
    new: &'a ApiDocument,
    pending: Vec<ShapePair<'a>>,
    seen: HashSet<(MessageSide, *const ValueShape, *const ValueShape)>,
    found: Vec<SurfaceDifference<'a>>,
}

impl<'a> ShapeWalk<'a> {
    pub(super) fn new(old: &'a ApiDocument, new: &'a ApiDocument) -> Self {
        Self {
            old,
            new,
            pending: Vec::new(),
            seen: HashSet::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn push(
        &mut self,
        side: MessageSide,
        old: &'a ValueShape,
        new: &'a ValueShape,
        place: SurfacePlace,
    ) {
        self.pending.push(ShapePair {
            side,
            old,
            new,
            place,
        });
    }

    pub(super) fn differences(mut self) -> Vec<SurfaceDifference<'a>> {
        // In the order in which they were given, so that a shape is told with its first operation.
        self.pending.reverse();
        while let Some(pair) = self.pending.pop() {
            self.look_at(pair);
        }
        self.found
    }

    fn look_at(&mut self, mut pair: ShapePair<'a>) {
        while let (ValueShape::Reference(old), ValueShape::Reference(new)) = (pair.old, pair.new) {
            let (Some(before), Some(now)) = (self.old.shapes.get(old), self.new.shapes.get(new))
            else {
                return;
            };
            // Walked before: what several operations share is told once.
            if !self.seen.insert((pair.side, pair.old, pair.new)) {
                return;
            }
            (pair.old, pair.new) = (before, now);
            let operation = pair.place.seen_in.take().unwrap_or(pair.place.anchor);
            pair.place = SurfacePlace {
                seen_in: Some(operation),
                ..SurfacePlace::of(SurfaceArea::from(self.old.style), old)
            };
        }
        if self.seen.insert((pair.side, pair.old, pair.new)) {
            self.compare(pair);
        }
    }

    fn compare(&mut self, pair: ShapePair<'a>) {
        let ShapePair {
            side,
            old,
            new,
            place,
        } = pair;
        let old = ShapeAlternatives::of(self.old, old);
        let new = ShapeAlternatives::of(self.new, new);
        let (old_kinds, new_kinds) = (ValueKinds::of(&old), ValueKinds::of(&new));
        if old_kinds != new_kinds {
            let change = SurfaceChange::Kinds {
                side,
                old: old_kinds,
                new: new_kinds,
            };
            self.tell(place.clone(), change);
        }
        // Alternatives have no names, so every old element is held to every new one.
        for before in &old.lists {
            for now in &new.lists {
                self.push(side, &before.element, &now.element, place.elements());
            }
        }
        for (before, now) in alike(&old.objects, &new.objects) {
            self.compare_objects(side, before, now, &place);
        }
    }

    fn tell(&mut self, place: SurfacePlace, change: SurfaceChange<'a>) {
        self.found.push(SurfaceDifference { place, change });
    }

    fn compare_objects(
        &mut self,
        side: MessageSide,
        old: &'a ObjectShape,
        new: &'a ObjectShape,
        place: &SurfacePlace,
    ) {
        for (name, before) in &old.fields {
            let place = place.field(name);
            match new.fields.get(name) {
                None => self.tell(
                    place,
                    SurfaceChange::GoneField {
                        side,
                        field: before,
                    },
                ),
                Some(now) => self.compare_fields(side, before, now, place),
            }
        }
        for (name, now) in &new.fields {
            if old.fields.contains_key(name) {
                continue;
            }
            let place = place.field(name);
            self.tell(place.clone(), SurfaceChange::NewField { side, field: now });
            // It may have been another field's number: then old clients read the wrong thing.
            let taken = old
                .fields
                .iter()
                .find(|(_, before)| now.number.is_some() && before.number == now.number);
            if let (Some((by_old, _)), Some(number)) = (taken, now.number) {
                self.tell(place, SurfaceChange::NumberTaken { number, by_old });
            }
        }
        self.compare_other_keys(side, old, new, place);
    }

    fn compare_fields(
        &mut self,
        side: MessageSide,
        old: &'a SurfaceField,
        new: &'a SurfaceField,
        place: SurfacePlace,
    ) {
        if (old.required, old.populated) != (new.required, new.populated) {
            self.tell(place.clone(), SurfaceChange::Presence { side, old, new });
        }
        if let (Some(before), Some(now)) = (old.number, new.number)
            && before != now
        {
            let change = SurfaceChange::Number {
                old: before,
                new: now,
            };
            self.tell(place.clone(), change);
        }
        self.push(side, &old.shape, &new.shape, place);
    }

    fn compare_other_keys(
        &mut self,
        side: MessageSide,
        old: &'a ObjectShape,
        new: &'a ObjectShape,
        place: &SurfacePlace,
    ) {
        let place = place.field("{}");
        match (old.values.as_deref(), new.values.as_deref()) {
            (Some(before), Some(now)) => self.push(side, before, now, place),
            (Some(before), None) => {
                // Not described any more: refused keys are gone, and others may still be anything.
                let now = if new.closed { &NOTHING } else { &ANYTHING };
                self.push(side, before, now, place);
            }
            // Only where nothing was described did keys mean anything before.
            (None, Some(now)) if old.fields.is_empty() && !old.closed => {
                self.push(side, &ANYTHING, now, place);
            }
            (None, _) => {}
        }
    }
}

/// Which object of several is which: each goes with the one that has most fields in common, so that
/// an alternative may be added in front of others.
fn alike<'a>(
    old: &[&'a ObjectShape],
    new: &[&'a ObjectShape],
) -> Vec<(&'a ObjectShape, &'a ObjectShape)> {
    let common = |one: &ObjectShape, other: &ObjectShape| {
        one.fields
            .keys()
            .filter(|name| other.fields.contains_key(*name))
            .count()
    };
    let nearest = |one: &ObjectShape, others: &[&'a ObjectShape]| {
        // Of equals the first one; max_by_key takes the last.
        let ranked = others.iter().rev().max_by_key(|other| common(one, other));
        ranked.copied()
    };
    let mut pairs = Vec::new();
    for before in old {
        pairs.extend(nearest(before, new).map(|now| (*before, now)));
    }
    // Also from the other side, so that each new object is compared with one.
    for now in new {
        let pair = nearest(now, old).map(|before| (before, *now));
        let known = |pair: &(&ObjectShape, &ObjectShape)| {
            pairs
                .iter()
                .any(|(before, now)| std::ptr::eq(*before, pair.0) && std::ptr::eq(*now, pair.1))
        };
        if let Some(pair) = pair.filter(|pair| !known(pair)) {
            pairs.push(pair);
        }
    }
    pairs
}
