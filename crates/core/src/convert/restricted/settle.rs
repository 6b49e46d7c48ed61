//! What a body says of restricted fields: what its sender could not see comes back, and what it may
//! not change is unchanged, or told.

use super::{PlaceRestrictions, PlaceRight, RestrictedPlace, is_mask};
use crate::convert::note::{Margin, NoteOrigin};
use crate::convert::refusal::Carried;
use crate::types::pointer::child;
use crate::types::{PartId, Restriction, same, under_key, without_absent_at};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A walk over a body beside the notes on what was there before.
pub(super) struct SettleWalk<'m> {
    pub(super) marks: &'m PlaceRestrictions<'m>,
    /// Pointers to what was changed and may not be.
    pub(super) wrong: Vec<String>,
}

/// What a body says of a place that its sender does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyIntent {
    /// It stays as it is, or absent.
    Keep,
    Remove,
    Set,
    /// It is changed and may not be.
    Wrong,
}

impl<'m> SettleWalk<'m> {
    pub(super) const fn new(marks: &'m PlaceRestrictions<'m>) -> Self {
        Self {
            marks,
            wrong: Vec::new(),
        }
    }

    /// Settles a place that the sender sees.
    pub(super) fn value(
        &mut self,
        place: &RestrictedPlace<'m>,
        value: &mut Value,
        margin: Margin,
        at: &str,
    ) -> Carried<()> {
        match value {
            Value::Object(map) => self.object(place, map, margin, at),
            Value::Array(items) => self.list(place, items, margin, at),
            _ => Ok(()),
        }
    }

    fn object(
        &mut self,
        place: &RestrictedPlace<'m>,
        map: &mut Map<String, Value>,
        mut margin: Margin,
        at: &str,
    ) -> Carried<()> {
        // What aligning has left beside this object: values of fields that the sender could not
        // see, or not change.
        let mut unseen: BTreeMap<String, (Restriction, Value)> = BTreeMap::new();
        let mut guarded: BTreeMap<String, Value> = BTreeMap::new();
        for note in std::mem::take(&mut margin.notes) {
            match (note.by, note.key, note.value) {
                (NoteOrigin::Unseen(mark), Some(key), Some(value)) => {
                    unseen.insert(key, (mark, value));
                }
                (NoteOrigin::Guarded, Some(key), Some(value)) => {
                    guarded.insert(key, value);
                }
                _ => {}
            }
        }
        // The keys are collected, because fields are removed while the body is walked.
        let keys: Vec<String> = map.keys().cloned().collect();
        for key in keys {
            let Some(value) = map.get_mut(&key) else {
                continue;
            };
            let at = child(at, &key);
            let ids = under_key(&place.parts, &key);
            let inner = self.marks.inside(place, &ids, &at);
            let stored = unseen.remove(&key);
            let right = self.right(&inner, stored.as_ref().map(|(mark, _)| *mark));
            if right.is_shown() {
                // Inside of a guarded place that was compared as a whole there is nothing more to
                // find.
                if right == PlaceRight::Guarded && !inner.inside_guarded {
                    self.compare(&ids, place, value, guarded.remove(&key).as_ref(), &at);
                }
                self.value(&inner, value, margin.take_key(&key), &at)?;
                continue;
            }
            // The sender did not see the place, so what it says is either nothing or an attempt to
            // set it.
            let stored = stored.map(|(_, value)| value);
            match self.body_intent(right, &inner, &ids, value, stored.as_ref()) {
                BodyIntent::Set => {}
                BodyIntent::Wrong => self.wrong.push(at),
                BodyIntent::Remove => {
                    map.shift_remove(&key);
                }
                BodyIntent::Keep => match stored {
                    Some(stored) => *value = stored,
                    None => {
                        map.shift_remove(&key);
                    }
                },
            }
        }
        // What the body does not mention comes back: the sender could not have deleted what it
        // never saw.
        map.extend(unseen.into_iter().map(|(key, (_, value))| (key, value)));
        // What it saw and left out it has deleted, and a guarded field may not be.
        let removed = guarded.into_keys().filter(|key| !map.contains_key(key));
        self.wrong.extend(removed.map(|key| child(at, &key)));
        Ok(())
    }

    /// The sender's right, where something it does not see may be noted for another version's sake.
    pub(super) fn right(
        &self,
        place: &RestrictedPlace<'m>,
        noted: Option<Restriction>,
    ) -> PlaceRight {
        let mark = noted.map_or(place.mark, |noted| place.mark.and(noted));
        PlaceRight::of(mark, self.marks.sees)
    }

    /// What the body says of a place that its sender does not see.
    pub(super) fn body_intent(
        &self,
        right: PlaceRight,
        place: &RestrictedPlace<'m>,
        ids: &[PartId],
        sent: &Value,
        stored: Option<&Value>,
    ) -> BodyIntent {
        // A secret may be set without being seen, as passwords are.
        let may_set = right == PlaceRight::Secure { guarded: false };
        let secure = place.mark.secure || matches!(right, PlaceRight::Secure { .. });
        let unchanged = stored.is_some_and(|stored| same(stored, sent));
        // The mask, and the very value that is stored, are what a client sends that only passes on
        // what it read.
        if unchanged || (secure && is_mask(sent)) {
            return BodyIntent::Keep;
        }
        if sent.is_null() && secure {
            // To remove nothing changes nothing, so it needs no right.
            let nothing = stored.is_none();
            return if may_set || nothing {
                BodyIntent::Remove
            } else {
                BodyIntent::Wrong
            };
        }
        // Where null is no value of the schema it is the same as leaving the field out.
        if sent.is_null() && !self.is_value(ids) {
            return BodyIntent::Keep;
        }
        if may_set {
            BodyIntent::Set
        } else {
            BodyIntent::Wrong
        }
    }

    /// Whether null is a value there, and does not count as absent.
    fn is_value(&self, ids: &[PartId]) -> bool {
        let shape = &self.marks.schema.shape;
        ids.iter().all(|id| shape.takes_null_at(*id))
    }

    /// Whether what the sender may not change is what it saw.
    pub(super) fn compare(
        &mut self,
        ids: &[PartId],
        around: &RestrictedPlace<'m>,
        sent: &Value,
        saw: Option<&Value>,
        at: &str,
    ) {
        // Left out and null are the same where the schema has no null.
        let absent = sent.is_null() && !self.is_value(ids);
        let unchanged = match saw {
            None => absent,
            Some(saw) => {
                let shape = &self.marks.schema.shape;
                // Compared as the sender saw it: without nulls that mean nothing, and without what
                // is concealed inside.
                let sent = without_absent_at(shape, ids, sent.clone());
                let place = self.marks.inside(around, ids, at);
                same(saw, &self.marks.conceal_at(place, &sent, at).shown)
            }
        };
        if !unchanged {
            self.wrong.push(at.to_owned());
        }
    }
}
