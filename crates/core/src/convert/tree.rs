//! A value with its margin, and the moves that steps are made of. Nothing here forgets: what is in
//! the way is noted and comes back.

use super::note::{KeptNote, Margin, NoteCondition, NotePurpose};
use super::path::FieldPath;
use super::step::{Budget, StepId, StepWay};
use serde_json::{Map, Value};

/// A value and what is kept beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NotedValue {
    pub(crate) value: Value,
    pub(crate) margin: Margin,
}

impl From<Value> for NotedValue {
    fn from(value: Value) -> Self {
        Self {
            value,
            margin: Margin::default(),
        }
    }
}

/// The object at the end of the keys.
fn object<'v>(value: &'v mut Value, keys: &[String]) -> Option<&'v mut Map<String, Value>> {
    let mut map = value.as_object_mut()?;
    for key in keys {
        map = map.get_mut(key)?.as_object_mut()?;
    }
    Some(map)
}

impl NotedValue {
    pub(crate) fn get(&self, path: &FieldPath) -> Option<&Value> {
        path.keys()
            .iter()
            .try_fold(&self.value, |value, key| value.as_object()?.get(key))
    }

    pub(crate) fn get_mut(&mut self, path: &FieldPath) -> Option<&mut Value> {
        let (parents, key) = path.split();
        object(&mut self.value, parents)?.get_mut(key)
    }

    /// Whether there is an object that could have the field.
    pub(crate) fn has_parent(&mut self, path: &FieldPath) -> bool {
        object(&mut self.value, path.split().0).is_some()
    }

    /// Takes a field out, with its margin.
    pub(crate) fn take(&mut self, path: &FieldPath) -> Option<Self> {
        let (parents, key) = path.split();
        let value = object(&mut self.value, parents)?.shift_remove(key)?;
        let margin = match self.margin.get_mut(parents) {
            Some(around) => around.take_key(key),
            None => Margin::default(),
        };
        Some(Self { value, margin })
    }

    /// Puts a field into an object that is there; nothing if it is not.
    pub(crate) fn place(&mut self, path: &FieldPath, field: Self) {
        let (parents, key) = path.split();
        if let Some(map) = object(&mut self.value, parents) {
            map.insert(key.to_owned(), field.value);
            if !field.margin.is_empty() {
                self.margin.make(parents).set_key(key, field.margin);
            }
        }
    }

    /// The value of a field, and its margin apart from the rest.
    pub(crate) fn lift(&mut self, path: &FieldPath) -> Option<(&mut Value, Margin)> {
        let (parents, key) = path.split();
        let value = object(&mut self.value, parents)?.get_mut(key)?;
        let around = self.margin.get_mut(parents);
        let margin = around
            .map(|margin| margin.take_key(key))
            .unwrap_or_default();
        Some((value, margin))
    }

    /// Gives a field its margin back.
    pub(crate) fn set_margin(&mut self, path: &FieldPath, margin: Margin) {
        if !margin.is_empty() {
            let (parents, key) = path.split();
            self.margin.make(parents).set_key(key, margin);
        }
    }

    /// Notes what stands where a step is going to write.
    pub(crate) fn displace(&mut self, path: &FieldPath, id: &StepId, way: StepWay) {
        if let Some(field) = self.take(path) {
            let (parents, key) = path.split();
            let note = id.note(way, NotePurpose::Displaced, NoteCondition::There);
            let note = note.key(key).value(field.value).margin(field.margin);
            self.margin.make(parents).notes.push(note);
        }
    }

    /// Makes the objects around a field that are not there, and notes that it did.
    pub(crate) fn open(&mut self, path: &FieldPath, id: &StepId, way: StepWay) {
        // The last key is the field itself, which the caller places.
        let keys = path.keys();
        for length in 1..keys.len() {
            let Some(around) = keys.get(..length).map(FieldPath::of) else {
                return;
            };
            if self.get(&around).is_some_and(Value::is_object) {
                continue;
            }
            // Something that is no object is in the way: it is kept beside the place and comes
            // back.
            self.displace(&around, id, way);
            let mut made = Self::from(Value::Object(Map::new()));
            // Noted, because on the way back only an object that was created here may be removed
            // when it is empty.
            let note = id.note(way, NotePurpose::Created, NoteCondition::There);
            made.margin.notes.push(note);
            self.place(&around, made);
        }
    }

    /// The way back from `displace` and `open`: objects that were made for the field and are empty
    /// now go, if the field was `taken`; then what was in the way returns.
    pub(crate) fn close(
        &mut self,
        path: &FieldPath,
        id: &StepId,
        way: StepWay,
        taken: bool,
        run: &Budget,
    ) {
        // Nothing was noted on the way here, so there is nothing to undo; this is the common case.
        if self.margin.is_empty() {
            return;
        }
        let keys = path.keys();
        // From the inside out: an outer object can only be empty once the inner ones are gone.
        for length in (1..=keys.len()).rev() {
            let Some(at) = keys.get(..length).map(FieldPath::of) else {
                return;
            };
            if taken && length < keys.len() {
                self.remove_created(&at, id, way);
            }
            self.replace_displaced(&at, id, way, run);
        }
    }

    /// Removes an empty container that the step made on the way here.
    pub(crate) fn remove_created(&mut self, path: &FieldPath, id: &StepId, way: StepWay) {
        let created = id.uses(way, NotePurpose::Created);
        // Other notes inside would be lost with it: then the empty object stays.
        let only = |margin: &Margin| {
            margin.keys.is_empty()
                && margin.items.is_empty()
                && margin.notes.iter().all(|note| note.by == created)
                && margin.has_note(created)
        };
        let empty = match self.get(path) {
            Some(Value::Object(map)) => map.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            _ => false,
        };
        if empty && self.margin.get(path.keys()).is_some_and(only) {
            self.take(path);
        }
    }

    fn replace_displaced(&mut self, path: &FieldPath, id: &StepId, way: StepWay, run: &Budget) {
        let (parents, key) = path.split();
        // Something has taken the place since, and is newer. Without a parent there is no place to
        // return to.
        if self.get(path).is_some() || !self.has_parent(path) {
            return;
        }
        let around = self.margin.get_mut(parents);
        let note =
            around.and_then(|margin| id.take_note_on(margin, way, NotePurpose::Displaced, key));
        if let Some(KeptNote {
            value: Some(value),
            margin,
            ..
        }) = note
        {
            self.place(path, run.restored(Self { value, margin }));
        }
    }
}
