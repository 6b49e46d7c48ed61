//! What a document can't hold, written beside the place where it belongs. When a step moves a
//! place, its margin moves along, so a note always stands in the terms of the version at hand.

use crate::types::Restriction;
use crate::version::Version;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which step of which conversion wrote a note, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NoteOrigin {
    /// A declared step. `version` is the one that can hold what was noted.
    Step {
        conversion: Version,
        number: u16,
        version: Version,
        what: NotePurpose,
    },
    /// The version at hand does not express the field; the one named here had it.
    Hidden(Version),
    /// A default that the version at hand filled in.
    Filled,
    /// A field that the version named here does not express, and has nevertheless.
    Own(Version),
    /// What a caller does not see, for these marks. Never stored.
    Unseen(Restriction),
    /// What a caller sees and may not change. Never stored.
    Guarded,
}

/// The purpose of a step's note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NotePurpose {
    /// The value of a field, or that there was none.
    Field,
    /// An empty list, where the other version has nothing.
    Empty,
    /// A value that was in the way.
    Displaced,
    /// The container was made by the step.
    Created,
    /// What the value was made from.
    Original,
    /// What comes with the value.
    Rest,
    /// The order of a list.
    Order,
    /// The branch that was taken.
    Branch,
    /// An item that stays where it is.
    Stays,
    /// One of several values that were made from one.
    Part,
}

/// As long as what a note is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoteCondition {
    /// While the place exists and is of the same kind.
    There,
    /// While the value is the same: a refinement of it.
    Same,
    /// While the object has no such key.
    Absent,
    /// While there is JSON in the string; the margin is that of the JSON.
    Parsed,
}

/// One thing kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptNote {
    pub(crate) by: NoteOrigin,
    pub(crate) holds: NoteCondition,
    /// The key in the object that the note stands beside.
    pub(crate) key: Option<String>,
    /// `None`: there was nothing.
    pub(crate) value: Option<Value>,
    /// What is kept beside places in the value.
    pub(crate) margin: Margin,
}

impl KeptNote {
    pub(crate) fn new(by: NoteOrigin, holds: NoteCondition) -> Self {
        Self {
            by,
            holds,
            key: None,
            value: None,
            margin: Margin::default(),
        }
    }

    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(crate) fn value(mut self, value: impl Into<Option<Value>>) -> Self {
        self.value = value.into();
        self
    }

    pub(crate) fn margin(mut self, margin: Margin) -> Self {
        self.margin = margin;
        self
    }
}

/// The notes beside a place, and the margins of the places inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Margin {
    pub(crate) notes: Vec<KeptNote>,
    pub(crate) keys: BTreeMap<String, Self>,
    pub(crate) items: BTreeMap<usize, Self>,
    /// Restored by this very write: how the answer's `kept` is collected. It is no note.
    pub(crate) restored: bool,
}

impl Margin {
    pub(crate) fn is_empty(&self) -> bool {
        !self.restored && self.notes.is_empty() && self.keys.is_empty() && self.items.is_empty()
    }

    /// Whether nothing is noted, here and inside.
    pub(crate) fn is_bare(&self) -> bool {
        let inside = self.keys.values().chain(self.items.values());
        self.notes.is_empty() && inside.into_iter().all(Self::is_bare)
    }

    /// The margin of a place inside.
    pub(crate) fn get(&self, keys: &[String]) -> Option<&Self> {
        keys.iter()
            .try_fold(self, |margin, key| margin.keys.get(key))
    }

    pub(crate) fn get_mut(&mut self, keys: &[String]) -> Option<&mut Self> {
        keys.iter()
            .try_fold(self, |margin, key| margin.keys.get_mut(key))
    }

    /// The same, made where it is not.
    pub(crate) fn make(&mut self, keys: &[String]) -> &mut Self {
        keys.iter().fold(self, |margin, key| {
            margin.keys.entry(key.clone()).or_default()
        })
    }

    pub(crate) fn take_key(&mut self, key: &str) -> Self {
        self.keys.remove(key).unwrap_or_default()
    }

    pub(crate) fn set_key(&mut self, key: &str, margin: Self) {
        if !margin.is_empty() {
            self.keys.insert(key.to_owned(), margin);
        }
    }

    pub(crate) fn take_item(&mut self, index: usize) -> Self {
        if self.items.is_empty() {
            return Self::default();
        }
        self.items.remove(&index).unwrap_or_default()
    }

    pub(crate) fn set_item(&mut self, index: usize, margin: Self) {
        if !margin.is_empty() {
            self.items.insert(index, margin);
        }
    }

    /// Takes a note out.
    pub(crate) fn take_note(&mut self, by: NoteOrigin) -> Option<KeptNote> {
        let at = self.notes.iter().position(|note| note.by == by)?;
        Some(self.notes.remove(at))
    }

    pub(crate) fn has_note(&self, by: NoteOrigin) -> bool {
        self.notes.iter().any(|note| note.by == by)
    }

    /// Removes margins that have become empty.
    pub(crate) fn tidy(&mut self) {
        self.notes.iter_mut().for_each(|note| note.margin.tidy());
        self.keys.retain(|_, margin| {
            margin.tidy();
            !margin.is_empty()
        });
        self.items.retain(|_, margin| {
            margin.tidy();
            !margin.is_empty()
        });
    }
}

/// Whether a note has something that people would miss. Refinements of a value that was changed are
/// what the change replaced.
pub(crate) fn is_of_use(note: &KeptNote) -> bool {
    let independent = note.holds == NoteCondition::There && note.value.is_some();
    let of_use = match note.by {
        NoteOrigin::Step { what, .. } => matches!(
            what,
            NotePurpose::Field | NotePurpose::Displaced | NotePurpose::Rest
        ),
        NoteOrigin::Hidden(_) | NoteOrigin::Unseen(_) | NoteOrigin::Guarded => true,
        NoteOrigin::Filled | NoteOrigin::Own(_) => false,
    };
    independent && of_use
}
