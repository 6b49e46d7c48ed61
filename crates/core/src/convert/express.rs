//! Walks over content by what a version expresses: to hide, to fill in, to check.

use super::note::{KeptNote, Margin, NoteCondition, NoteOrigin};
use super::place_graph::{FieldRoute, PlaceGraph, PlaceState};
use super::step::Budget;
use super::tree::NotedValue;
use super::weight::weight;
use crate::convert::refusal::Carried;
use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::child;
use crate::types::same;
use crate::version::Version;
use serde_json::{Map, Value};

/// What a walk is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressPurpose {
    /// The version is arrived at: hide what it does not express, unless it was there before.
    Arrive {
        /// The version that could say what is hidden.
        from: Version,
        /// The version that is arrived at.
        to: Version,
        /// Whether to fill in what it requires.
        fill: bool,
    },
    /// The content goes away from where it is stored: mark what is there beyond the version.
    Mark(Version),
    /// The content stays where it is: fill in what the version requires, and nothing else.
    Fill,
}

/// Walks over content and notes what it does in the margin.
pub(crate) fn walk(
    graph: &PlaceGraph,
    tree: &mut NotedValue,
    purpose: ExpressPurpose,
    run: &mut Budget,
) -> Carried<()> {
    let FieldRoute::Into(start) = graph.start else {
        return Ok(());
    };
    let mut walk = ExpressWalk {
        graph,
        purpose,
        run,
    };
    // New notes are collected apart and merged at the end, so that the walk does not meet its own.
    let new = walk.place(start, &mut tree.value, Some(&tree.margin), 0)?;
    merge(&mut tree.margin, new);
    Ok(())
}

struct ExpressWalk<'w> {
    graph: &'w PlaceGraph,
    purpose: ExpressPurpose,
    run: &'w mut Budget,
}

impl ExpressWalk<'_> {
    /// The notes to add for a place and all inside of it.
    fn place(
        &mut self,
        at: usize,
        value: &mut Value,
        margin: Option<&Margin>,
        depth: usize,
    ) -> Carried<Margin> {
        // Content that is too deep was refused when it was read; the bound only ends the
        // recursion.
        let Some(state) = self.graph.state(at).filter(|_| depth < CONTENT_DEPTH) else {
            return Ok(Margin::default());
        };
        match value {
            Value::Object(map) => self.object(state, map, margin, depth),
            Value::Array(items) => {
                let mut new = Margin::default();
                for (index, item) in items.iter_mut().enumerate() {
                    let next = state.prefix.get(index).copied().unwrap_or(state.items);
                    if let FieldRoute::Into(inner) = next {
                        let beside = margin.and_then(|margin| margin.items.get(&index));
                        let inner = self.place(inner, item, beside, depth + 1)?;
                        new.set_item(index, inner);
                    }
                }
                Ok(new)
            }
            _ => Ok(Margin::default()),
        }
    }

    fn object(
        &mut self,
        state: &PlaceState,
        map: &mut Map<String, Value>,
        margin: Option<&Margin>,
        depth: usize,
    ) -> Carried<Margin> {
        let mut new = Margin::default();
        let mut hidden = Vec::new();
        for (key, value) in map.iter_mut() {
            let beside = margin.and_then(|margin| margin.keys.get(key));
            match state.next(key) {
                // Nothing inside is to be hidden or filled in: most of a document is not walked at all.
                FieldRoute::Quiet => {}
                FieldRoute::Into(inner) => {
                    let inner = self.place(inner, value, beside, depth + 1)?;
                    new.set_key(key, inner);
                }
                FieldRoute::Hide => match self.purpose {
                    ExpressPurpose::Arrive { from, to, .. } => {
                        // It was in a document of this version before, though its schema does not express it: to hide it
                        // now would change what the version shows.
                        if !beside.is_some_and(|margin| margin.has_note(NoteOrigin::Own(to))) {
                            hidden.push((key.clone(), from));
                        }
                    }
                    // Noted and not moved: on the way back it has to be told apart from what comes
                    // from the other version.
                    ExpressPurpose::Mark(version) => {
                        let note = KeptNote::new(NoteOrigin::Own(version), NoteCondition::There);
                        new.keys.entry(key.clone()).or_default().notes.push(note);
                    }
                    ExpressPurpose::Fill => {}
                },
            }
        }
        // After the loop, because the map can't change while it is walked. `shift_remove` keeps
        // the order that the author gave to the fields.
        for (key, from) in hidden {
            if let Some(value) = map.shift_remove(&key) {
                let note = KeptNote::new(NoteOrigin::Hidden(from), NoteCondition::There);
                new.notes.push(note.key(&key).value(value));
            }
        }
        if let ExpressPurpose::Arrive { fill: true, .. } | ExpressPurpose::Fill = self.purpose {
            for default in &state.defaults {
                if !map.contains_key(&default.key) {
                    // A default can be large, and there is one for every item of a list: a small document must not
                    // become a huge one.
                    self.run.spend(weight(&default.value))?;
                    map.insert(default.key.clone(), default.value.clone());
                    // As long as it is unchanged it was filled in; once the client changes it, it
                    // is the client's.
                    let note = KeptNote::new(NoteOrigin::Filled, NoteCondition::Same);
                    let beside = new.keys.entry(default.key.clone()).or_default();
                    beside.notes.push(note);
                }
            }
        }
        Ok(new)
    }
}

/// New notes join those that are there; the margin of what was hidden goes with it.
fn merge(margin: &mut Margin, new: Margin) {
    for mut note in new.notes {
        if let (NoteOrigin::Hidden(_), Some(key)) = (note.by, &note.key) {
            // The field is out of the document, so what is kept for it has no other place left.
            note.margin = margin.take_key(key);
        }
        margin.notes.push(note);
    }
    for (key, new) in new.keys {
        merge(margin.keys.entry(key).or_default(), new);
    }
    for (index, new) in new.items {
        merge(margin.items.entry(index).or_default(), new);
    }
}

/// The way out of a version: what it did not express is back, what it filled in is gone, unless it
/// was changed.
pub(crate) fn leave(tree: &mut NotedValue, run: &Budget) {
    let NotedValue { value, margin } = tree;
    leave_place(value, margin, run);
}

fn leave_place(value: &mut Value, margin: &mut Margin, run: &Budget) {
    match value {
        Value::Object(map) => {
            let mut returning = Vec::new();
            margin.keys.retain(|key, margin| {
                // A note with a key speaks of a field inside.
                let of_itself =
                    |note: &KeptNote| note.by == NoteOrigin::Filled && note.key.is_none();
                let filled = margin.notes.iter().any(of_itself);
                // What was changed since has lost its note, and is a value like any other.
                let Some(value) = filled.then(|| map.shift_remove(key)).flatten() else {
                    return true;
                };
                // Only before a write: the body may leave the field out, and then it is filled in
                // again on the way back.
                if run.there {
                    let note = KeptNote::new(NoteOrigin::Filled, NoteCondition::There);
                    returning.push(note.key(key).value(value));
                }
                false
            });
            margin.notes.extend(returning);
            for (key, margin) in &mut margin.keys {
                if let Some(value) = map.get_mut(key) {
                    leave_place(value, margin, run);
                }
            }
            // Taken out all at once: what can't return under its name is not kept as hidden
            // either.
            let is_hidden = |note: &mut KeptNote| matches!(note.by, NoteOrigin::Hidden(_));
            let hidden: Vec<KeptNote> = margin.notes.extract_if(.., is_hidden).collect();
            for note in hidden {
                if let (Some(key), Some(value)) = (note.key, note.value) {
                    let margin_inside = note.margin;
                    // A step has put another field under the name: that one is newer.
                    if map.contains_key(&key) {
                        own_again(margin, &key, margin_inside);
                        continue;
                    }
                    // In a write this flags it as restored, so that the answer can tell what was
                    // left alone.
                    let field = run.restored(NotedValue {
                        value,
                        margin: margin_inside,
                    });
                    map.insert(key.clone(), field.value);
                    margin.set_key(&key, field.margin);
                }
            }
        }
        Value::Array(items) => {
            for (index, margin) in &mut margin.items {
                if let Some(value) = items.get_mut(*index) {
                    leave_place(value, margin, run);
                }
            }
        }
        _ => {}
    }
}

/// A body at the stored version may hold what the version does not express. What was kept of the
/// same field is outdated then: the field in the body is the newer one, at every version that had it.
pub(crate) fn supersede(body: &Value, margin: &mut Margin) {
    match body {
        // The value in the body is what the sender wants now; the older one would return at the
        // version that had it.
        Value::Object(map) => {
            let outdated = |note: &mut KeptNote| {
                let there = note.key.as_ref().is_some_and(|key| map.contains_key(key));
                matches!(note.by, NoteOrigin::Hidden(_)) && there
            };
            let outdated: Vec<KeptNote> = margin.notes.extract_if(.., outdated).collect();
            for note in outdated {
                // Notes inside of it belong to places of the field, which the body still has.
                if let Some(key) = note.key {
                    own_again(margin, &key, note.margin);
                }
            }
            for (key, margin) in &mut margin.keys {
                if let Some(value) = map.get(key) {
                    supersede(value, margin);
                }
            }
        }
        Value::Array(items) => {
            for (index, margin) in &mut margin.items {
                if let Some(value) = items.get(*index) {
                    supersede(value, margin);
                }
            }
        }
        _ => {}
    }
}

/// The field that is there belongs to the versions that had what was kept.
fn own_again(margin: &mut Margin, key: &str, kept: Margin) {
    let beside = margin.keys.entry(key.to_owned()).or_default();
    for note in kept.notes {
        if matches!(note.by, NoteOrigin::Own(_)) && !beside.has_note(note.by) {
            beside.notes.push(note);
        }
    }
}

/// What the version had filled in before a body went through another one is filled in again.
pub(crate) fn fill_again(tree: &mut NotedValue) {
    let NotedValue { value, margin } = tree;
    fill_place(value, margin);
}

fn fill_place(value: &mut Value, margin: &mut Margin) {
    match value {
        Value::Object(map) => {
            let again = |note: &mut KeptNote| note.by == NoteOrigin::Filled && note.key.is_some();
            // Taken whether it is used or not: the body that it was noted for is complete now.
            let notes: Vec<KeptNote> = margin.notes.extract_if(.., again).collect();
            for note in notes {
                if let (Some(key), Some(value)) = (note.key, note.value)
                    && !map.contains_key(&key)
                {
                    map.insert(key.clone(), value);
                    // Filled in once more, so that the next way out treats it as it did this one.
                    let beside = margin.keys.entry(key).or_default();
                    beside
                        .notes
                        .push(KeptNote::new(NoteOrigin::Filled, NoteCondition::Same));
                }
            }
            for (key, margin) in &mut margin.keys {
                if let Some(value) = map.get_mut(key) {
                    fill_place(value, margin);
                }
            }
        }
        Value::Array(items) => {
            for (index, margin) in &mut margin.items {
                if let Some(value) = items.get_mut(*index) {
                    fill_place(value, margin);
                }
            }
        }
        _ => {}
    }
}

/// The marks of fields that were there beyond the version are used up.
pub(crate) fn forget_own(margin: &mut Margin, version: Version) {
    margin
        .notes
        .retain(|note| note.by != NoteOrigin::Own(version));
    margin
        .keys
        .values_mut()
        .for_each(|inner| forget_own(inner, version));
    margin
        .items
        .values_mut()
        .for_each(|inner| forget_own(inner, version));
}

/// Takes out of a body what its version does not express and what is unchanged; the pointers of
/// what is not.
pub(crate) fn check(
    graph: &PlaceGraph,
    version: Version,
    body: &mut Value,
    margin: &Margin,
) -> Vec<String> {
    let mut check = ExpressCheck {
        graph,
        version,
        wrong: Vec::new(),
    };
    // A version that expresses everything has no graph to walk: nothing can be wrong.
    if let FieldRoute::Into(start) = graph.start {
        check.place(start, body, Some(margin), "", 0);
    }
    check.wrong
}

struct ExpressCheck<'g> {
    graph: &'g PlaceGraph,
    version: Version,
    wrong: Vec<String>,
}

impl ExpressCheck<'_> {
    fn place(
        &mut self,
        at: usize,
        value: &mut Value,
        margin: Option<&Margin>,
        pointer: &str,
        depth: usize,
    ) {
        let Some(state) = self.graph.state(at).filter(|_| depth < CONTENT_DEPTH) else {
            return;
        };
        match value {
            Value::Object(map) => {
                let mut unchanged = Vec::new();
                for (key, value) in map.iter_mut() {
                    let beside = margin.and_then(|margin| margin.keys.get(key));
                    match state.next(key) {
                        FieldRoute::Quiet => {}
                        FieldRoute::Into(inner) => {
                            let at = child(pointer, key);
                            self.place(inner, value, beside, &at, depth + 1);
                        }
                        // A client may send back what it read at another version, as long as it is
                        // what is kept anyway.
                        FieldRoute::Hide => {
                            // A field that the version had although it does not express it is its own.
                            let own = NoteOrigin::Own(self.version);
                            if beside.is_some_and(|margin| margin.has_note(own)) {
                                continue;
                            }
                            if is_hidden(margin, key, value) {
                                unchanged.push(key.clone());
                            } else {
                                self.wrong.push(child(pointer, key));
                            }
                        }
                    }
                }
                // It comes back from the margin. In the body it would be stored a second time,
                // under this version's name.
                for key in unchanged {
                    map.shift_remove(&key);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let next = state.prefix.get(index).copied().unwrap_or(state.items);
                    if let FieldRoute::Into(inner) = next {
                        let beside = margin.and_then(|margin| margin.items.get(&index));
                        let at = format!("{pointer}/{index}");
                        self.place(inner, item, beside, &at, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a field of a body is what is kept there.
fn is_hidden(margin: Option<&Margin>, key: &str, value: &Value) -> bool {
    let hides = |note: &KeptNote| {
        let on_key = note.key.as_deref() == Some(key);
        let same = note
            .value
            .as_ref()
            .is_some_and(|hidden| same(hidden, value));
        note.holds == NoteCondition::There && on_key && same
    };
    margin.is_some_and(|margin| margin.notes.iter().any(hides))
}

/// Whether a document has something that its version does not express.
pub(crate) fn beyond(graph: &PlaceGraph, document: &Value) -> bool {
    let FieldRoute::Into(start) = graph.start else {
        return false;
    };
    let mut todo = vec![(start, document)];
    while let Some((at, value)) = todo.pop() {
        let Some(state) = graph.state(at) else {
            continue;
        };
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match state.next(key) {
                        FieldRoute::Quiet => {}
                        FieldRoute::Into(inner) => todo.push((inner, value)),
                        FieldRoute::Hide => return true,
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let next = state.prefix.get(index).copied().unwrap_or(state.items);
                    if let FieldRoute::Into(inner) = next {
                        todo.push((inner, item));
                    }
                }
            }
            _ => {}
        }
    }
    false
}
