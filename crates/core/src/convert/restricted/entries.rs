//! What is kept has marks too: those of the version that can hold it.
//!
//! A kept value is as restricted as its own version says of the place that it belongs to. Where that
//! place can't be told, it is as restricted as anything in that version: rather too much is hidden.

use super::PlaceRight;
use crate::convert::kept::{KeptPlace, KeptValues};
use crate::convert::note::{KeptNote, Margin, NoteOrigin, NotePurpose};
use crate::convert::path::{Trail, pattern};
use crate::convert::refusal::Carried;
use crate::convert::refusal::{ConversionObstacle, ConversionRefusal};
use crate::convert::step::{StepWay, images_all};
use crate::convert::versions::Versions;
use crate::types::{PathToken, Restriction, Schema, Visibility};
use crate::version::Version;
use std::borrow::Cow;

impl Versions {
    pub(super) fn schema(&self, number: usize) -> Carried<&Schema> {
        let version = self.type_version(number);
        let unknown = || ConversionRefusal::whole(ConversionObstacle::TooComplex);
        version.map(|version| &version.schema).ok_or_else(unknown)
    }

    /// Takes out what the caller does not see. The margin stands in the terms of a version.
    pub(super) fn forget_unseen_entries(
        &self,
        terms: usize,
        margin: &mut Margin,
        sees: Visibility,
    ) {
        let shown = |right: PlaceRight| right.is_shown();
        self.forget(terms, margin, &mut Trail::new(), sees, shown);
    }

    /// What is kept beside a document of a version for higher ones, as far as somebody of that class
    /// may know of it.
    ///
    /// # Errors
    ///
    /// If there is no such version.
    pub fn kept_above(
        &self,
        at: Version,
        kept: &KeptValues,
        sees: Visibility,
    ) -> Result<Vec<KeptPlace>, ConversionRefusal> {
        let seen = if self.restricts() {
            let mut seen = kept.clone();
            // That a secure value exists is no secret: views list where.
            let told = |right: PlaceRight| right != PlaceRight::Unseen;
            let number = self.number(at)?;
            self.forget(number, &mut seen.0, &mut Trail::new(), sees, told);
            Cow::Owned(seen)
        } else {
            Cow::Borrowed(kept)
        };
        let places = seen.entries().into_iter().map(KeptPlace::of);
        let above = places.filter_map(|place| self.place_above(place, at));
        Ok(above.collect())
    }

    /// The place, with the lowest version above that has it.
    ///
    /// A note names the version that was left when something was hidden. What came back on the way
    /// through that one belongs to another, so the schemas are asked first. Notes that refine a value
    /// are those of steps, which know their version.
    fn place_above(&self, place: KeptPlace, at: Version) -> Option<KeptPlace> {
        if place.refines {
            return (place.version > at).then_some(place);
        }
        let types = (0..).map_while(|number| self.type_version(number));
        let above = types.filter(|one| one.id.version > at && one.schema.declares(&place.path));
        let lowest = above.map(|one| one.id.version).min();
        let version = lowest.or_else(|| (place.version > at).then_some(place.version))?;
        Some(KeptPlace { version, ..place })
    }

    fn forget(
        &self,
        terms: usize,
        margin: &mut Margin,
        at: &mut Trail,
        sees: Visibility,
        stays: fn(PlaceRight) -> bool,
    ) {
        // By the strongest restriction inside, because an entry is listed as a whole.
        let seen = |note: &KeptNote| stays(PlaceRight::of(self.marks_of(terms, note, at), sees));
        margin.notes.retain(seen);
        // A note's own margin speaks of places inside of its value, so the trail goes through its
        // key.
        for note in &mut margin.notes {
            let named = note.key.clone().map(PathToken::Key);
            let pushed = named.is_some();
            at.extend(named);
            self.forget(terms, &mut note.margin, at, sees, stays);
            if pushed {
                at.pop();
            }
        }
        for (key, inner) in &mut margin.keys {
            at.push(PathToken::Key(key.clone()));
            self.forget(terms, inner, at, sees, stays);
            at.pop();
        }
        for inner in margin.items.values_mut() {
            at.push(PathToken::Every);
            self.forget(terms, inner, at, sees, stays);
            at.pop();
        }
    }

    /// Whether something secure is kept.
    pub(super) fn keeps_secure(&self, terms: usize, kept: &KeptValues) -> bool {
        self.has_secure(terms, &kept.0, &mut Trail::new())
    }

    fn has_secure(&self, terms: usize, margin: &Margin, at: &mut Trail) -> bool {
        let mut found = false;
        for note in &margin.notes {
            found = found || self.marks_of(terms, note, at).secure;
            let named = note.key.clone().map(PathToken::Key);
            let pushed = named.is_some();
            at.extend(named);
            found = found || self.has_secure(terms, &note.margin, at);
            if pushed {
                at.pop();
            }
        }
        for (key, inner) in &margin.keys {
            at.push(PathToken::Key(key.clone()));
            found = found || self.has_secure(terms, inner, at);
            at.pop();
        }
        for inner in margin.items.values() {
            at.push(PathToken::Every);
            found = found || self.has_secure(terms, inner, at);
            at.pop();
        }
        found
    }

    /// The strongest marks of a kept value and all inside of it.
    fn marks_of(&self, terms: usize, note: &KeptNote, around: &Trail) -> Restriction {
        // Remarks without a value or a version have nothing to hide.
        let (version, value) = match (version_of(note), &note.value) {
            (Some(version), Some(value)) => (version, value),
            _ => return Restriction::default(),
        };
        // A version that is gone can no longer say what it restricted: nobody sees what was kept
        // for it except who sees all.
        let Some((number, schema)) = self.known(version) else {
            return STRONGEST;
        };
        if !schema.restricts() {
            return Restriction::default();
        }
        let container = value.is_object() || value.is_array();
        // The rest of a list or the parts of a text have no place of their own in a schema, so a
        // field's restriction can't be looked up for them.
        let is_place = match note.by {
            NoteOrigin::Step { what, .. } => {
                matches!(what, NotePurpose::Field | NotePurpose::Displaced) || !container
            }
            _ => true,
        };
        let steps = self.path(terms, number);
        let mut own = around.clone();
        own.extend(note.key.clone().map(PathToken::Key));
        let mut places = images_all(&steps, StepWay::Forward, own.clone());
        // Steps may move the field or only the object around it: both readings of the note count.
        for mut image in images_all(&steps, StepWay::Forward, around.clone()) {
            image.extend(note.key.clone().map(PathToken::Key));
            places.push(image);
        }
        places.push(own);
        // No version declares the place: it can't be told what it was, so the strongest
        // restriction of the schema stands for it.
        places.retain(|place| schema.declares_some(&pattern(place)));
        if !is_place || places.is_empty() {
            return strongest(schema);
        }
        let outer = places.iter().map(|place| schema.strongest(place));
        let mut marks = outer.fold(Restriction::default(), Restriction::and);
        // A container is restricted as strongly as anything inside of it, because it is shown as a
        // whole.
        if container {
            for inner in schema.restricted_paths() {
                let inside = |place: &Trail| begins_with(inner.path.steps(), place);
                if places.iter().any(inside) {
                    marks = marks.and(inner.restriction);
                }
            }
        }
        marks
    }

    fn known(&self, version: Version) -> Option<(usize, &Schema)> {
        let number = self.number(version).ok()?;
        Some((number, &self.type_version(number)?.schema))
    }
}

const STRONGEST: Restriction = Restriction {
    visibility: Visibility::Private,
    secure: true,
};

fn strongest(schema: &Schema) -> Restriction {
    let marks = schema.shape.parts().iter().map(|part| part.restriction);
    marks.fold(Restriction::default(), Restriction::and)
}

const fn version_of(note: &KeptNote) -> Option<Version> {
    match note.by {
        NoteOrigin::Step { version, .. }
        | NoteOrigin::Hidden(version)
        | NoteOrigin::Own(version) => Some(version),
        NoteOrigin::Filled | NoteOrigin::Unseen(_) | NoteOrigin::Guarded => None,
    }
}

/// Whether a path can lead through a place.
fn begins_with(path: &[PathToken], place: &[PathToken]) -> bool {
    let meets = |(one, other): (&PathToken, &PathToken)| {
        one == other || *one == PathToken::Every || *other == PathToken::Every
    };
    path.len() >= place.len() && path.iter().zip(place).all(meets)
}
