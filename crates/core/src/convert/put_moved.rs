//! A body that was read at the stored version and is saved as another one: how clients of the RDE API
//! upgrade and downgrade an entity. Neither version alone says what is missing in it on purpose, so
//! nothing is taken as deleted that the body could not have, and nothing as set that only a default
//! filled in.

use super::kept::KeptValues;
use super::note::{KeptNote, Margin, NoteCondition, NoteOrigin};
use super::path::{Trail, pattern};
use super::put::PutOutcome;
use super::refusal::ConversionRefusal;
use super::step::{Budget, StepWay, trace_all};
use super::versions::{CarryPurpose, ContentRecord, Versions};
use crate::types::pointer::{child, tokens};
use crate::types::{PathToken, Visibility};
use crate::version::Version;
use serde_json::Value;
use std::collections::HashSet;

impl Versions {
    /// Puts a body onto a record that the same write moves to the body's version, for a caller that
    /// sees so much. The body was read before the move, at the stored version: what it lacks and its
    /// version requires is filled in, what it could not have stays as it was, and what its version
    /// forbids and the one before had is kept.
    ///
    /// # Errors
    ///
    /// As [`Versions::put_for`].
    pub fn put_moved(
        &self,
        stored: ContentRecord,
        to: Version,
        body: Value,
        sees: Visibility,
    ) -> Result<PutOutcome, ConversionRefusal> {
        let from = stored.version;
        let mut tree = stored.into_tree()?;
        let mut run = Budget::new();
        run.marking = true;
        let (home, there) = (self.number(from)?, self.number(to)?);
        // First the move, as if the client had done it alone: then the body is a write at the
        // version that the record has already.
        self.carry(home, there, &mut tree, &mut run, CarryPurpose::Move)?;
        let moved = ContentRecord {
            version: to,
            content: tree.value,
            kept: KeptValues(tree.margin),
        };
        // Asked of all versions, not only of the target: what is kept beside the content may be
        // restricted by another one.
        let sees = self.restricts().then_some(sees);
        self.put_seeing(moved, to, body, sees, Some(from))
    }

    /// The body with what its version requires, and where that is.
    pub(super) fn filled(&self, number: usize, body: Value) -> (Value, HashSet<String>) {
        let schema = self.type_version(number).map(|version| &version.schema);
        let filled = schema.and_then(|schema| schema.fill_defaults(body.clone()).ok());
        match filled {
            Some(filled) => (filled.content, filled.filled.into_iter().collect()),
            None => (body, HashSet::new()),
        }
    }

    /// The body without what its version forbids and another one has; that is kept.
    pub(super) fn without_forbidden(
        &self,
        (at, had): (usize, usize),
        body: Value,
        margin: &mut Margin,
    ) -> Value {
        let (Some(own), Some(other)) = (self.type_version(at), self.type_version(had)) else {
            return body;
        };
        let steps = self.path(at, had);
        let forbidden = own.schema.prune(body.clone()).pruned.into_iter();
        // Only what the old version declares under the place's own name: anything else that is
        // forbidden is the sender's mistake, and is refused by the check of the content.
        let has = |pointer: &String| {
            let trail =
                trail_in(&body, pointer).and_then(|at| trace_all(&steps, StepWay::Forward, at));
            trail.is_some_and(|trail| other.schema.declares_some(&pattern(&trail)))
        };
        let kept: Vec<String> = forbidden.filter(has).collect();
        let mut body = body;
        for pointer in kept {
            hide(&mut body, margin, &pointer, other.id.version);
        }
        body
    }
}

/// What a move has brought back, and the sender of the body could not see, is out of the way while
/// the body is compared with what it replaces.
pub(super) fn hide_restored(value: &mut Value, margin: &mut Margin, version: Version) {
    match value {
        // Collected first, since taking a field out changes the map that would be walked.
        Value::Object(map) => {
            let back = |(key, inner): (&String, &Margin)| inner.restored.then(|| key.clone());
            let restored: Vec<String> = margin.keys.iter().filter_map(back).collect();
            for key in restored {
                // The margin goes into the note, to come back with the field and not with another
                // one of its name.
                let inner = margin.take_key(&key);
                if let Some(value) = map.shift_remove(&key) {
                    let note = KeptNote::new(NoteOrigin::Hidden(version), NoteCondition::There);
                    margin.notes.push(note.key(&key).value(value).margin(inner));
                }
            }
            for (key, inner) in &mut margin.keys {
                if let Some(value) = map.get_mut(key) {
                    hide_restored(value, inner, version);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in &mut margin.items {
                if let Some(value) = items.get_mut(*index) {
                    hide_restored(value, inner, version);
                }
            }
        }
        _ => {}
    }
}

/// It is back in a body that has not set it itself; what was only filled in makes way for it.
pub(super) fn show_restored(
    body: &mut Value,
    margin: &mut Margin,
    at: &str,
    filled: &HashSet<String>,
) {
    match body {
        Value::Object(map) => {
            // A value that was only filled in is no statement of the sender: what was really there
            // wins.
            let is_free = |note: &mut KeptNote| {
                let key = note.key.as_ref().filter(|_| note.margin.restored);
                key.is_some_and(|key| !map.contains_key(key) || filled.contains(&child(at, key)))
            };
            let back: Vec<KeptNote> = margin.notes.extract_if(.., is_free).collect();
            for note in back {
                if let (Some(key), Some(value)) = (note.key, note.value) {
                    map.insert(key.clone(), value);
                    margin.set_key(&key, note.margin);
                }
            }
            for (key, inner) in &mut margin.keys {
                if let Some(value) = map.get_mut(key) {
                    show_restored(value, inner, &child(at, key), filled);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in &mut margin.items {
                if let Some(value) = items.get_mut(*index) {
                    show_restored(value, inner, &format!("{at}/{index}"), filled);
                }
            }
        }
        _ => {}
    }
}

/// The place that a pointer leads to in a document, as a trail.
fn trail_in(document: &Value, pointer: &str) -> Option<Trail> {
    let mut value = document;
    let mut trail = Vec::new();
    for token in tokens(pointer)? {
        let (step, inner) = match value {
            // Items count as one place in a trail: schemas and steps don't know their numbers.
            Value::Object(map) => (PathToken::Key(token.clone()), map.get(&token)?),
            Value::Array(items) => (PathToken::Every, items.get(token.parse::<usize>().ok()?)?),
            _ => return None,
        };
        trail.push(step);
        value = inner;
    }
    Some(trail)
}

/// Takes a field out of a document and keeps it, with what is kept for it.
fn hide(document: &mut Value, margin: &mut Margin, pointer: &str, version: Version) {
    let Some(mut tokens) = tokens(pointer) else {
        return;
    };
    // Down both at once, since the margin of a place has to be beside it.
    let Some(key) = tokens.pop() else { return };
    let (mut value, mut margin) = (document, margin);
    for token in tokens {
        let inner = match value {
            Value::Object(map) => {
                let inner = map.get_mut(&token);
                inner.map(|inner| (inner, margin.keys.entry(token).or_default()))
            }
            Value::Array(items) => token.parse().ok().and_then(|index: usize| {
                let inner = items.get_mut(index)?;
                Some((inner, margin.items.entry(index).or_default()))
            }),
            _ => None,
        };
        let Some(inner) = inner else { return };
        (value, margin) = inner;
    }
    // If the field is not there its margin stays empty, and is tidied away later.
    if let Some(field) = value.as_object_mut().and_then(|map| map.shift_remove(&key)) {
        let inner = margin.take_key(&key);
        let note = KeptNote::new(NoteOrigin::Hidden(version), NoteCondition::There);
        margin.notes.push(note.key(&key).value(field).margin(inner));
    }
}
