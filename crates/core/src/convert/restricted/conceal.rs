//! Content as a caller sees it, with all that it does not see noted beside the places where it was.

use super::{PlaceRestrictions, PlaceRight, RestrictedPlace};
use crate::convert::note::{KeptNote, Margin, NoteCondition, NoteOrigin};
use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::child;
use crate::types::{Restriction, under_index, under_key};
use serde_json::{Map, Value};

/// What a caller sees, and what not.
pub(super) struct ConcealedContent {
    /// An empty object if it sees nothing at all.
    pub(super) shown: Value,
    /// What was taken out, and what must stay as it is.
    pub(super) margin: Margin,
    /// Pointers to what was taken out, into the content as it was, with the marks there.
    pub(super) hidden: Vec<(String, Restriction)>,
}

enum SeenValue {
    No(Restriction),
    Yes(Value, Margin),
}

impl PlaceRestrictions<'_> {
    pub(super) fn conceal(&self, content: &Value) -> ConcealedContent {
        self.conceal_at(self.root(), content, "")
    }

    /// The same for a value inside of a document.
    pub(super) fn conceal_at(
        &self,
        place: RestrictedPlace<'_>,
        value: &Value,
        at: &str,
    ) -> ConcealedContent {
        let mut conceal = ConcealWalk {
            marks: self,
            hidden: Vec::new(),
        };
        let (shown, margin) = match conceal.value(place, value, at, 0) {
            SeenValue::Yes(shown, margin) => (shown, margin),
            // The place itself is not shown: an empty object says so without saying what it was.
            SeenValue::No(_) => (Value::Object(Map::new()), Margin::default()),
        };
        ConcealedContent {
            shown,
            margin,
            hidden: conceal.hidden,
        }
    }
}

struct ConcealWalk<'m> {
    marks: &'m PlaceRestrictions<'m>,
    hidden: Vec<(String, Restriction)>,
}

impl<'m> ConcealWalk<'m> {
    fn value(
        &mut self,
        place: RestrictedPlace<'_>,
        value: &Value,
        at: &str,
        depth: usize,
    ) -> SeenValue {
        // Deeper than content may be is treated as unseen, which is safe; it never happens to
        // bounded content.
        if !place.right.is_shown() || depth > CONTENT_DEPTH {
            self.hidden.push((at.to_owned(), place.mark));
            return SeenValue::No(place.mark);
        }
        match value {
            Value::Object(map) => self.object(&place, map, at, depth),
            Value::Array(items) => self.list(&place, items, at, depth),
            other => SeenValue::Yes(other.clone(), Margin::default()),
        }
    }

    fn object(
        &mut self,
        place: &RestrictedPlace<'_>,
        map: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> SeenValue {
        let mut shown = Map::with_capacity(map.len());
        let mut margin = Margin::default();
        for (key, value) in map {
            let at = child(at, key);
            let inner = self.marks.inside(place, &under_key(&place.parts, key), &at);
            // Before the value is moved: the flag depends on the place and not on what is in it.
            let guarded = guarded(&inner);
            match self.value(inner, value, &at, depth + 1) {
                SeenValue::No(mark) => {
                    let note = KeptNote::new(NoteOrigin::Unseen(mark), NoteCondition::There);
                    margin.notes.push(note.key(key).value(value.clone()));
                }
                SeenValue::Yes(value, inside) => {
                    // Its value goes along, so that a write can find out whether the sender has
                    // changed it.
                    if guarded {
                        let note = KeptNote::new(NoteOrigin::Guarded, NoteCondition::There);
                        margin.notes.push(note.key(key).value(value.clone()));
                    }
                    margin.set_key(key, inside);
                    shown.insert(key.clone(), value);
                }
            }
        }
        SeenValue::Yes(Value::Object(shown), margin)
    }

    /// Items that stay keep their numbers: a gap is null, unless nothing stays. The note beside the
    /// list has all items then, or else those that are gaps, by number.
    fn list(
        &mut self,
        place: &RestrictedPlace<'_>,
        items: &[Value],
        at: &str,
        depth: usize,
    ) -> SeenValue {
        let mut shown = Vec::with_capacity(items.len());
        let mut margin = Margin::default();
        let (mut gaps, mut guarded_items) = (Map::new(), Map::new());
        let mut strongest = Restriction::default();
        for (index, value) in items.iter().enumerate() {
            let at = format!("{at}/{index}");
            let ids = under_index(&place.parts, index);
            let inner = self.marks.inside(place, &ids, &at);
            let guarded = guarded(&inner);
            match self.value(inner, value, &at, depth + 1) {
                SeenValue::No(mark) => {
                    strongest = strongest.and(mark);
                    gaps.insert(index.to_string(), value.clone());
                    // Null keeps the numbers of the items behind it: pointers in the view and in a
                    // write have to agree.
                    shown.push(Value::Null);
                }
                SeenValue::Yes(value, inside) => {
                    if guarded {
                        guarded_items.insert(index.to_string(), value.clone());
                    }
                    margin.set_item(index, inside);
                    shown.push(value);
                }
            }
        }
        if !guarded_items.is_empty() {
            let note = KeptNote::new(NoteOrigin::Guarded, NoteCondition::There);
            margin.notes.push(note.value(Value::Object(guarded_items)));
        }
        if !gaps.is_empty() {
            // With nothing left to show, gaps would only tell how many items there are.
            let all = gaps.len() == items.len();
            let value = if all {
                Value::Array(items.to_vec())
            } else {
                Value::Object(gaps)
            };
            if all {
                shown.clear();
            }
            let note = KeptNote::new(NoteOrigin::Unseen(strongest), NoteCondition::There);
            margin.notes.push(note.value(value));
        }
        SeenValue::Yes(Value::Array(shown), margin)
    }
}

/// Whether a place is the outermost one of those that must stay as they are.
fn guarded(place: &RestrictedPlace<'_>) -> bool {
    place.right == PlaceRight::Guarded && !place.inside_guarded
}
