//! Which item of a body is which item of the list that it replaces.
//!
//! With a key: the one with the same key, if no other has it. Without: the one that is equal, where
//! ever it stands. Equal is also what a body has beyond the view, if it is what the view hides, and
//! what it lacks, if it is what the view had filled in: a body that was read at another version
//! returns the one and omits the other. Among several that are equal, the first is the first.

use super::identity::{ItemKey, KeyField};
use super::note::{KeptNote, Margin, NoteOrigin};
use super::place_graph::{FieldRoute, PlaceGraph};
use crate::types::PathToken;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How a version sees the items of a list: without what it does not express, and with what it fills
/// in.
pub(crate) struct ItemLikeness<'g> {
    items: Option<(&'g PlaceGraph, usize)>,
}

impl<'g> ItemLikeness<'g> {
    /// Only equal items are alike.
    pub(crate) const fn exact() -> Self {
        Self { items: None }
    }

    pub(crate) fn at(graph: Option<&'g PlaceGraph>, list: &[PathToken]) -> Self {
        // Without a graph, or where the version has nothing to say of the items, they are compared
        // as they are.
        let items = graph.and_then(|graph| {
            let inside = |next: FieldRoute, token: &PathToken| match (next, token) {
                (FieldRoute::Into(at), PathToken::Key(key)) => Some(graph.state(at)?.next(key)),
                (FieldRoute::Into(at), PathToken::Every) => {
                    let state = graph.state(at)?;
                    // Where the first items have schemas of their own, no item is like another.
                    state.prefix.is_empty().then_some(state.items)
                }
                _ => None,
            };
            let mut tokens = list.iter().chain([&PathToken::Every]);
            match tokens.try_fold(graph.start, inside)? {
                FieldRoute::Into(at) => Some((graph, at)),
                FieldRoute::Hide | FieldRoute::Quiet => None,
            }
        });
        Self { items }
    }

    /// What the version sees of an item; none if it sees all of it.
    pub(crate) fn items(&self) -> Option<usize> {
        self.items.map(|(_, at)| at)
    }

    fn of(&self, item: &Value) -> String {
        match self.items {
            None => canonical(item),
            Some((graph, at)) => canonical(&seen(graph, at, item)),
        }
    }
}

/// A value as the version would show it.
fn seen(graph: &PlaceGraph, at: usize, value: &Value) -> Value {
    let Some(state) = graph.state(at) else {
        return value.clone();
    };
    let inside = |next: FieldRoute, value: &Value| match next {
        FieldRoute::Hide => None,
        FieldRoute::Quiet => Some(value.clone()),
        FieldRoute::Into(at) => Some(seen(graph, at, value)),
    };
    match value {
        Value::Object(map) => {
            let fields = map.iter();
            let mut shown: serde_json::Map<String, Value> = fields
                .filter_map(|(key, value)| Some((key.clone(), inside(state.next(key), value)?)))
                .collect();
            // An item that has a default written out is the same as one where it will be filled
            // in.
            for default in &state.defaults {
                if !map.contains_key(&default.key) {
                    shown.insert(default.key.clone(), default.value.clone());
                }
            }
            Value::Object(shown)
        }
        Value::Array(items) => {
            let next = |index: usize| state.prefix.get(index).copied().unwrap_or(state.items);
            let items = items.iter().enumerate();
            items
                .filter_map(|(index, item)| inside(next(index), item))
                .collect()
        }
        other => other.clone(),
    }
}

/// Which item of the body each old item is that has something kept; those that are gone are not in
/// it. `None` if the key does not tell them apart.
pub(crate) fn match_by_key(
    old: &[Value],
    new: &[Value],
    margins: &BTreeMap<usize, Margin>,
    key: &[KeyField],
) -> Option<BTreeMap<usize, usize>> {
    // Grouped once for both lists: comparing each item with each would be quadratic in what a
    // client sends.
    let mut old_keys = keyed(old, key);
    let mut new_keys = keyed(new, key);
    let mut matched = BTreeMap::new();
    // Only items for which something is kept have to be told apart; others may share a key.
    for index in margins.keys() {
        // An item without the key can't be found again, so the key fails for the list as a whole.
        let of_item = key_of(old.get(*index)?, key)?;
        match old_keys.remove(&of_item)?.as_slice() {
            [_] => {}
            _ => return None,
        }
        match new_keys.remove(&of_item).unwrap_or_default().as_slice() {
            // The body has deleted it.
            [] => {}
            [to] => {
                matched.insert(*index, *to);
            }
            _ => return None,
        }
    }
    Some(matched)
}

fn keyed(items: &[Value], key: &[KeyField]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(of_item) = key_of(item, key) {
            found.entry(of_item).or_default().push(index);
        }
    }
    found
}

/// The value of a key, in a form in which equal values are equal. Where several fields are the key
/// together, one that is missing is a value too, but not all of them.
fn key_of(item: &Value, key: &[KeyField]) -> Option<String> {
    let item = item.as_object()?;
    let mut text = String::new();
    let mut some = false;
    for field in key {
        // A default stands for the field where it is left out, as the version itself would fill it
        // in.
        match item.get(&field.name).or(field.default.as_ref()) {
            // A key is a scalar: containers would have to be compared without what is hidden
            // inside of them.
            Some(Value::Array(_) | Value::Object(_)) => return None,
            // Counted as an empty part, so that (a, nothing) and (nothing, a) differ by the
            // commas.
            None | Some(Value::Null) => {}
            Some(value) => {
                some = true;
                print(value, &mut text);
            }
        }
        // The parts must not run together: 1 and 23 are not 12 and 3.
        text.push(',');
    }
    some.then_some(text)
}

/// Whether a field has another value in each of the items.
pub(crate) fn differ(items: &[Value], field: &str) -> bool {
    let mut seen = HashSet::new();
    let own = |item: &Value| match item.get(field) {
        None | Some(Value::Array(_) | Value::Object(_) | Value::Null) => None,
        Some(value) => Some(canonical(value)),
    };
    items
        .iter()
        .all(|item| own(item).is_some_and(|value| seen.insert(value)))
}

/// A text that two values share exactly if they are the same.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    print(value, &mut text);
    text
}

fn print(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => {
            // 1 and 1.0 are the same number to JSON Schema, and so to a key.
            let integer = crate::types::whole(value);
            let number = integer.map_or_else(|| number.to_string(), |integer| integer.to_string());
            text.push_str(&number);
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                print(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            // Clients print objects in any order.
            pairs.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in pairs {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                print(value, text);
                text.push(',');
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// The same by being equal. `None` if that can't be told. `replaces`: what a body has takes the place
/// of what is hidden under the same name.
pub(crate) fn match_equal(
    old: &[Value],
    new: &[Value],
    margins: &BTreeMap<usize, Margin>,
    likeness: &ItemLikeness<'_>,
    replaces: bool,
) -> Option<BTreeMap<usize, usize>> {
    let mut pairing = ItemPairing {
        margins,
        olds: (0..old.len()).collect(),
        news: (0..new.len()).collect(),
        matched: BTreeMap::new(),
    };
    let margin = |index: usize| margins.get(&index);
    // Forms are texts, because JSON values can't be hashed: 1 and 1.0 are equal.
    let of = |items: &[Value], index: usize| items.get(index).map(canonical);
    // A body that has what is hidden says most clearly which item it means.
    if margins.values().any(hides) {
        let whole = |index: usize| {
            let margin = margin(index).filter(|margin| hides(margin))?;
            Some(canonical(&whole(old.get(index)?, margin)))
        };
        pairing.pair(&whole, &|index| of(new, index))?;
    }
    // Exactly equal items next, before anything that only looks alike: an unchanged item must
    // never be taken for its edited neighbour.
    pairing.pair(&|index| of(old, index), &|index| of(new, index))?;
    if likeness.items.is_some() && !pairing.is_settled() {
        let like = |items: &[Value], index: usize| Some(likeness.of(items.get(index)?));
        pairing.pair(&|index| like(old, index), &|index| like(new, index))?;
    }
    // Last, since it pairs without looking at what the items show.
    if replaces && !pairing.is_settled() {
        pairing.pair_replaced(new);
    }
    pairing.is_settled().then_some(pairing.matched)
}

/// Old and new items that are not paired yet, and those that are.
struct ItemPairing<'m> {
    margins: &'m BTreeMap<usize, Margin>,
    olds: Vec<usize>,
    news: Vec<usize>,
    matched: BTreeMap<usize, usize>,
}

impl ItemPairing<'_> {
    /// Pairs items that share a form, the first with the first. `None` if their number changed and
    /// what is kept for them differs.
    fn pair(
        // New items without a form of an old one open no group: they are new.
        &mut self,
        old_form: &dyn Fn(usize) -> Option<String>,
        new_form: &dyn Fn(usize) -> Option<String>,
    ) -> Option<()> {
        let mut groups: HashMap<String, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for index in &self.olds {
            if let Some(form) = old_form(*index) {
                groups.entry(form).or_default().0.push(*index);
            }
        }
        for index in &self.news {
            if let Some(group) = new_form(*index).and_then(|form| groups.get_mut(&form)) {
                group.1.push(*index);
            }
        }
        let mut paired = HashSet::new();
        for (olds, news) in groups.values().filter(|(_, news)| !news.is_empty()) {
            // An equal item more than there were: which of them is the new one can't be told, and
            // need not be, because they are alike in all respects.
            if olds.len() != news.len() && !self.are_alike(olds) {
                return None;
            }
            for (old, new) in olds.iter().zip(news) {
                self.matched.insert(*old, *new);
                paired.insert(*new);
            }
        }
        let matched = &self.matched;
        // What is paired is out of the way for the weaker comparisons that follow.
        self.olds.retain(|old| !matched.contains_key(old));
        self.news.retain(|new| !paired.contains(new));
        Some(())
    }

    /// Where every new item has itself all that is hidden of an old one, it does not matter which of
    /// them the old one is: its own values rule.
    fn pair_replaced(&mut self, new: &[Value]) {
        let (margins, news) = (self.margins, &self.news);
        let by = |margin: &Margin, index: &usize| {
            new.get(*index)
                .is_some_and(|item| is_replaced(margin, item))
        };
        // Every candidate must replace it, since any of them may be the one that it is paired
        // with.
        let replaced = |old: &usize| {
            let margin = margins.get(old).filter(|margin| !is_light(margin));
            margin.is_some_and(|margin| news.iter().all(|index| by(margin, index)))
        };
        let olds: Vec<usize> = self.olds.iter().copied().filter(replaced).collect();
        // In order, so that the same body leads to the same record every time.
        let paired: HashMap<usize, usize> = olds.into_iter().zip(news.iter().copied()).collect();
        self.olds.retain(|old| !paired.contains_key(old));
        self.news
            .retain(|new| paired.values().all(|paired| paired != new));
        self.matched.extend(paired);
    }

    /// Whether the same is kept for all of them.
    fn are_alike(&self, olds: &[usize]) -> bool {
        let kept = |index: &usize| self.margins.get(index).filter(|margin| !is_light(margin));
        let first = olds.first().and_then(kept);
        olds.iter().skip(1).all(|index| kept(index) == first)
    }

    /// Whether every old item that matters is paired, or was deleted.
    fn is_settled(&self) -> bool {
        let matters = |index: &usize| self.margins.get(index).is_some_and(|one| !is_light(one));
        self.news.is_empty() || !self.olds.iter().any(matters)
    }
}

/// Whether nothing is lost with the notes: they only say that a default was filled in.
fn is_light(margin: &Margin) -> bool {
    let filled = |note: &KeptNote| note.by == NoteOrigin::Filled;
    margin.notes.iter().all(filled)
        && margin.keys.values().all(is_light)
        && margin.items.values().all(is_light)
}

/// Whether a body has itself all that is hidden.
fn is_replaced(margin: &Margin, body: &Value) -> bool {
    // Only what is hidden or filled in can be replaced by name; the note of a step can't be
    // compared with a body.
    let has = |note: &KeptNote| match (note.by, &note.key) {
        (NoteOrigin::Filled, _) => true,
        (NoteOrigin::Hidden(_), Some(key)) => body.get(key).is_some(),
        _ => false,
    };
    let inside = |(key, margin): (&String, &Margin)| {
        is_light(margin) || body.get(key).is_some_and(|body| is_replaced(margin, body))
    };
    margin.notes.iter().all(has)
        && margin.keys.iter().all(inside)
        // Items inside have no name by which a body could replace what is kept for them.
        && margin.items.values().all(is_light)
}

/// Whether a field is hidden, here or inside.
fn hides(margin: &Margin) -> bool {
    let hidden = |note: &KeptNote| matches!(note.by, NoteOrigin::Hidden(_));
    margin.notes.iter().any(hidden)
        || margin.keys.values().any(hides)
        || margin.items.values().any(hides)
}

/// A value with what is hidden.
fn whole(value: &Value, margin: &Margin) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.iter().map(|(key, value)| {
                let value = match margin.keys.get(key) {
                    Some(margin) => whole(value, margin),
                    None => value.clone(),
                };
                (key.clone(), value)
            });
            let mut all: serde_json::Map<String, Value> = fields.collect();
            for note in &margin.notes {
                if let (NoteOrigin::Hidden(_), Some(key), Some(value)) =
                    (note.by, &note.key, &note.value)
                {
                    // What the item shows now is newer than what was hidden under its name.
                    all.entry(key.as_str()).or_insert_with(|| value.clone());
                }
            }
            Value::Object(all)
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .map(|(index, item)| match margin.items.get(&index) {
                    Some(margin) => whole(item, margin),
                    None => item.clone(),
                })
                .collect()
        }
        other => other.clone(),
    }
}

/// For every item of the body, the old item that it is; for those that are new, none.
pub(crate) fn partners(old: &[Value], new: &[Value], keys: &[&ItemKey]) -> HashMap<usize, usize> {
    // Unlike in a write, no margin says which items matter: the key must tell apart all of them.
    let unique = |keyed: &HashMap<String, Vec<usize>>| keyed.values().all(|at| at.len() == 1);
    for key in keys {
        let (olds, news) = (keyed(old, &key.fields), keyed(new, &key.fields));
        if unique(&olds) && unique(&news) {
            let pair = |(of_item, to): (&String, &Vec<usize>)| {
                Some((*to.first()?, *olds.get(of_item)?.first()?))
            };
            return news.iter().filter_map(pair).collect();
        }
    }
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    // From the back, so that `pop` hands out equal items in their order.
    for (index, item) in old.iter().enumerate().rev() {
        waiting.entry(canonical(item)).or_default().push(index);
    }
    let numbered = new.iter().enumerate();
    numbered
        .filter_map(|(index, item)| Some((index, waiting.get_mut(&canonical(item))?.pop()?)))
        .collect()
}
