//! A body takes the place of a view: which of the notes still hold, and for which items.
//!
//! A note stays where its place is still there. Items of a list are told apart by their key, or, if
//! they have none, by being equal. Nothing is ever attached by position.

use super::note::{By, Holds, Margin, Note, What};
use super::refusal::{Reason, Refusal};
use super::step::ListKey;
use super::steps::parsed;
use crate::types::pointer::child;
use crate::types::{Step as Token, same};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// What went with places that are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) by: By,
    pub(crate) pointer: String,
}

pub(crate) struct Align<'k> {
    /// The keys of lists, in the version at hand.
    pub(crate) keys: &'k [ListKey],
    pub(crate) dropped: Vec<Lost>,
}

impl Align<'_> {
    /// Turns the margin of the view into that of the body.
    pub(crate) fn align(
        &mut self,
        old: &Value,
        new: &Value,
        margin: &mut Margin,
    ) -> Result<(), Refusal> {
        let keys: Vec<_> = self.keys.iter().collect();
        self.place(old, new, margin, "", &keys, 0)
    }

    /// `keys` are those of lists here and inside; `depth` is how far their trails are used up.
    fn place(
        &mut self,
        old: &Value,
        new: &Value,
        margin: &mut Margin,
        at: &str,
        keys: &[&ListKey],
        depth: usize,
    ) -> Result<(), Refusal> {
        if margin.is_empty() {
            return Ok(());
        }
        let mut notes = Vec::new();
        for mut note in std::mem::take(&mut margin.notes) {
            if self.holds(old, new, &mut note)? {
                notes.push(note);
            } else {
                self.drop_note(note, at);
            }
        }
        margin.notes = notes;
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                for (key, mut inner) in std::mem::take(&mut margin.keys) {
                    let at = child(at, &key);
                    match (old.get(&key), new.get(&key)) {
                        (Some(old), Some(new)) => {
                            let inside = within(keys, depth, Some(&key));
                            self.place(old, new, &mut inner, &at, &inside, depth + 1)?;
                            margin.set_key(&key, inner);
                        }
                        _ => self.drop_all(inner, &at),
                    }
                }
            }
            (Value::Array(old), Value::Array(new)) => {
                let old_margins = std::mem::take(&mut margin.items);
                if old_margins.is_empty() {
                    return Ok(());
                }
                let here = keys.iter().filter(|key| key.list.len() == depth);
                let here: Vec<_> = here.map(|key| key.key.as_str()).collect();
                let ambiguous = || Refusal {
                    pointer: at.to_owned(),
                    reason: Reason::Ambiguous,
                };
                let matched = match_items(old, new, &old_margins, &here).ok_or_else(ambiguous)?;
                let inside = within(keys, depth, None);
                for (index, mut inner) in old_margins {
                    let at = format!("{at}/{index}");
                    let target = matched.get(&index).copied();
                    let pair = target.and_then(|to| Some((to, old.get(index)?, new.get(to)?)));
                    match pair {
                        Some((to, old, new)) => {
                            self.place(old, new, &mut inner, &at, &inside, depth + 1)?;
                            margin.set_item(to, inner);
                        }
                        None => self.drop_all(inner, &at),
                    }
                }
            }
            _ => {
                let rest = std::mem::take(margin);
                margin.notes = rest.notes;
                self.drop_all(
                    Margin {
                        notes: Vec::new(),
                        ..rest
                    },
                    at,
                );
            }
        }
        Ok(())
    }

    fn holds(&mut self, old: &Value, new: &Value, note: &mut Note) -> Result<bool, Refusal> {
        Ok(match note.holds {
            Holds::There => kind(old) == kind(new),
            Holds::Same => same(old, new),
            // The key is that of the step, and may be another field's here; what counts is that
            // nothing appears under it.
            Holds::Absent => match (new, &note.key) {
                (Value::Object(map), Some(key)) => !map.contains_key(key) || old.get(key).is_some(),
                _ => false,
            },
            Holds::Parsed => {
                let json = |value: &Value| parsed(value.as_str()?).ok();
                match (json(old), json(new)) {
                    (Some(old), Some(new)) => {
                        // No key of a list is known inside a string.
                        self.place(&old, &new, &mut note.margin, "", &[], 0)?;
                        !note.margin.is_empty()
                    }
                    _ => false,
                }
            }
        })
    }

    fn drop_note(&mut self, note: Note, at: &str) {
        let pointer = match &note.key {
            Some(key) => child(at, key),
            None => at.to_owned(),
        };
        if is_of_use(&note) {
            self.dropped.push(Lost {
                by: note.by,
                pointer: pointer.clone(),
            });
        }
        self.drop_all(note.margin, &pointer);
    }

    fn drop_all(&mut self, margin: Margin, at: &str) {
        for note in margin.notes {
            self.drop_note(note, at);
        }
        for (key, inner) in margin.keys {
            self.drop_all(inner, &child(at, &key));
        }
        for (index, inner) in margin.items {
            self.drop_all(inner, &format!("{at}/{index}"));
        }
    }
}

/// Whether a note has something that people would miss. Refinements of a value that was changed are
/// what the change replaced.
pub(crate) fn is_of_use(note: &Note) -> bool {
    let independent = note.holds == Holds::There && note.value.is_some();
    let of_use = match note.by {
        By::Step { what, .. } => matches!(what, What::Field | What::Displaced | What::Rest),
        By::Hidden(_) | By::Unseen(_) | By::Guarded => true,
        By::Filled | By::Own(_) => false,
    };
    independent && of_use
}

/// Objects, lists and scalars: a note on one of them has no meaning on another.
const fn kind(value: &Value) -> u8 {
    match value {
        Value::Object(_) => 0,
        Value::Array(_) => 1,
        _ => 2,
    }
}

/// The keys of lists that are inside a field, or inside items.
fn within<'k>(keys: &[&'k ListKey], depth: usize, key: Option<&str>) -> Vec<&'k ListKey> {
    let leads = |list: &&&ListKey| match (list.list.get(depth), key) {
        (Some(Token::Every), _) => true,
        (Some(Token::Key(token)), Some(key)) => token == key,
        _ => false,
    };
    keys.iter().filter(leads).copied().collect()
}

/// Which item of the body each old item is that has something kept; those that are gone are not in
/// it. `None` if that can't be told.
fn match_items(
    old: &[Value],
    new: &[Value],
    margins: &BTreeMap<usize, Margin>,
    keys: &[&str],
) -> Option<HashMap<usize, usize>> {
    let by_key = keys
        .iter()
        .find_map(|key| match_by_key(old, new, margins, key));
    by_key.or_else(|| match_equal(old, new, margins))
}

/// By a key, if it tells all items apart that have something kept.
fn match_by_key(
    old: &[Value],
    new: &[Value],
    margins: &BTreeMap<usize, Margin>,
    key: &str,
) -> Option<HashMap<usize, usize>> {
    let mut old_keys = keyed(old, key);
    let mut new_keys = keyed(new, key);
    let mut matched = HashMap::new();
    for index in margins.keys() {
        let of_item = key_of(old.get(*index)?, key)?;
        match old_keys.remove(&of_item)?.as_slice() {
            [_] => {}
            _ => return None,
        }
        match new_keys.remove(&of_item).unwrap_or_default().as_slice() {
            [] => {}
            [to] => {
                matched.insert(*index, *to);
            }
            _ => return None,
        }
    }
    Some(matched)
}

fn keyed(items: &[Value], key: &str) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(of_item) = key_of(item, key) {
            found.entry(of_item).or_default().push(index);
        }
    }
    found
}

/// The value under a key, in a form in which equal values are equal.
fn key_of(item: &Value, key: &str) -> Option<String> {
    match item.as_object()?.get(key)? {
        Value::Array(_) | Value::Object(_) | Value::Null => None,
        value => Some(canonical(value)),
    }
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
            let whole = super::steps::whole(value);
            let number = whole.map_or_else(|| number.to_string(), |whole| whole.to_string());
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

/// By being equal: the first of equal ones with the first, the second with the second.
fn match_equal(
    old: &[Value],
    new: &[Value],
    margins: &BTreeMap<usize, Margin>,
) -> Option<HashMap<usize, usize>> {
    let mut groups: HashMap<String, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (index, item) in old.iter().enumerate() {
        groups.entry(canonical(item)).or_default().0.push(index);
    }
    for (index, item) in new.iter().enumerate() {
        groups.entry(canonical(item)).or_default().1.push(index);
    }
    let is_new = |(old, new): &(Vec<usize>, Vec<usize>)| new.len() > old.len();
    let added = groups.values().any(is_new);
    let mut matched = HashMap::new();
    for (olds, news) in groups.values() {
        let margin = |index: &usize| margins.get(index);
        let kept = olds.iter().any(|index| margin(index).is_some());
        if !kept {
            continue;
        }
        let alike = olds
            .iter()
            .skip(1)
            .all(|index| margin(index) == olds.first().and_then(margin));
        let changed = olds.len() != news.len();
        if (changed && !alike) || (news.len() < olds.len() && added) {
            return None;
        }
        matched.extend(olds.iter().copied().zip(news.iter().copied()));
        // An equal item more than there were: which of them is the new one can't be told, and need
        // not be, because they are alike in all respects.
    }
    Some(matched)
}

/// For every item of the body, the old item that it is; for those that are new, none.
pub(crate) fn partners(old: &[Value], new: &[Value], keys: &[&str]) -> HashMap<usize, usize> {
    let unique = |keyed: &HashMap<String, Vec<usize>>| keyed.values().all(|at| at.len() == 1);
    for key in keys {
        let (olds, news) = (keyed(old, key), keyed(new, key));
        if unique(&olds) && unique(&news) {
            let pair = |(of_item, to): (&String, &Vec<usize>)| {
                Some((*to.first()?, *olds.get(of_item)?.first()?))
            };
            return news.iter().filter_map(pair).collect();
        }
    }
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, item) in old.iter().enumerate().rev() {
        waiting.entry(canonical(item)).or_default().push(index);
    }
    let numbered = new.iter().enumerate();
    numbered
        .filter_map(|(index, item)| Some((index, waiting.get_mut(&canonical(item))?.pop()?)))
        .collect()
}
