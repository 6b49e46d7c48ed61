//! Writing at a version that is perhaps not the stored one: the body replaces everything that its
//! version expresses, and nothing else.

use super::align::Align;
use super::expressing::{Purpose, check, supersede, walk};
use super::item_keys::{ItemKey, covers};
use super::kept::{Kept, KeptEntry, entries};
use super::note::Margin;
use super::path::{Trail, pattern};
use super::put_moved::{hide_restored, show_restored};
use super::refusal::{Reason, Refusal, bounded};
use super::same_items::partners;
use super::step::{Mirror, Run};
use super::versions::{Carry, Record, Versions};
use crate::types::pointer::child;
use crate::types::{Step as Token, Visibility, same};
use crate::version::Version;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What a write leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    /// To be stored, at the version that was stored.
    pub record: Record,
    /// Pointers, in the stored version's terms, to what the write left alone because the body's
    /// version can't express it.
    pub kept: Vec<String>,
    /// Pointers, in the body's terms before the write, to what went with items or objects that the
    /// body deleted.
    pub dropped: Vec<String>,
}

impl Versions {
    /// A record of a body that replaces nothing.
    ///
    /// # Errors
    ///
    /// If the version is unknown, or fields that mirror each other differ.
    pub fn create(&self, at: Version, body: Value) -> Result<Record, Refusal> {
        let body = bounded(body)?;
        let number = self.number(at)?;
        let mut body = self.without_absent(number, body);
        follow_mirrors(self, number, &Value::Null, &mut body)?;
        Ok(Record::new(at, body))
    }

    /// Puts a body at some version onto a stored record.
    ///
    /// # Errors
    ///
    /// If the body sets what its version can't express, or what is kept can't be told to belong to
    /// which item of a list, or fields that mirror each other were changed differently, or a value
    /// has no counterpart. Nothing has changed then.
    pub fn put(&self, stored: Record, at: Version, body: Value) -> Result<Put, Refusal> {
        self.put_seeing(stored, at, body, None, None)
    }

    /// A record in which a body at another version has left something out that the stored version
    /// requires and has a default for: an item of a list that is new, say. It is filled in, and at the
    /// body's version it is still not there.
    ///
    /// # Errors
    ///
    /// If the version is unknown, or the content would become too large.
    pub fn with_defaults(&self, record: Record) -> Result<Record, Refusal> {
        let version = record.version;
        let graph = self.graph(self.number(version)?)?;
        let mut tree = record.into_tree()?;
        walk(graph, &mut tree, Purpose::Fill, &mut Run::new())?;
        Ok(Record {
            version,
            content: tree.value,
            kept: Kept(tree.margin),
        })
    }

    /// The same for a sender that perhaps sees only a part.
    pub(crate) fn put_seeing(
        &self,
        stored: Record,
        at: Version,
        body: Value,
        sees: Option<Visibility>,
        moved_from: Option<Version>,
    ) -> Result<Put, Refusal> {
        let version = stored.version;
        let (tree, body) = (stored.into_tree(), bounded(body));
        let (mut tree, mut body) = (tree?, body?);
        let (home, there) = (self.number(version)?, self.number(at)?);
        let unseen = match sees {
            Some(sees) => self.unseen_at(&tree, home, there, sees)?,
            None => HashMap::new(),
        };
        let mut run = Run::new();
        run.there = true;
        self.carry(home, there, &mut tree, &mut run, Carry::There)?;
        let mut dropped = Vec::new();
        if let Some(sees) = sees {
            let completed = self.completed(there, &tree.value, unseen, body, sees)?;
            body = completed.body;
            dropped = completed.dropped;
        }
        let mut body = self.without_absent(there, body);
        let mut filled = HashSet::new();
        if moved_from.is_some() {
            // Before the items of lists are matched, so that those match that were filled in.
            (body, filled) = self.filled(there, body);
            hide_restored(&mut tree.value, &mut tree.margin, at);
        }
        run.there = false;
        run.marking = true;
        follow_mirrors(self, there, &tree.value, &mut body)?;
        let mut align = Align::new(self, there);
        align.replaces = home == there;
        align.align(&tree.value, &body, &mut tree.margin)?;
        dropped.extend(align.dropped.into_iter().map(|lost| lost.pointer));
        if home != there {
            let fields = check(self.graph(there)?, at, &mut body, &tree.margin);
            if !fields.is_empty() {
                let version = at;
                return Err(Refusal::whole(Reason::Unexpressed { version, fields }));
            }
        } else {
            show_restored(&mut body, &mut tree.margin, "", &filled);
            supersede(&body, &mut tree.margin);
        }
        if let Some(from) = moved_from {
            body = self.without_forbidden((there, self.number(from)?), body, &mut tree.margin);
        }
        tree.value = body;
        let left_alone: Vec<_> = independent(&tree.margin)
            .map(|entry| (entry.version, entry.value.clone()))
            .collect();
        self.carry(there, home, &mut tree, &mut run, Carry::Back)?;
        let mut kept = Vec::new();
        collect_restored(&mut tree.margin, "", Some(&mut kept));
        tree.margin.tidy();
        if self
            .program(there, home)
            .is_some_and(|program| program.fickle)
        {
            let mut again = tree.clone();
            self.carry(home, there, &mut again, &mut Run::new(), Carry::View)?;
        }
        // What the stored version can't hold and the body itself set was not left alone.
        let remains = independent(&tree.margin).filter(|entry| {
            let was = |(version, value): &(Version, Value)| {
                *version == entry.version && same(value, entry.value)
            };
            left_alone.iter().any(was)
        });
        kept.extend(remains.map(|entry| entry.path));
        kept.sort();
        kept.dedup();
        dropped.sort();
        dropped.dedup();
        Ok(Put {
            record: Record {
                version,
                content: tree.value,
                kept: Kept(tree.margin),
            },
            kept,
            dropped,
        })
    }

    fn without_absent(&self, number: usize, body: Value) -> Value {
        let stripped = self.type_version(number).and_then(|version| {
            match version.schema.without_absent(&body) {
                Cow::Owned(stripped) => Some(stripped),
                Cow::Borrowed(_) => None,
            }
        });
        stripped.unwrap_or(body)
    }
}

/// What is kept whatever becomes of the document's values.
fn independent(margin: &Margin) -> impl Iterator<Item = KeptEntry<'_>> {
    let entries = entries(margin).into_iter();
    entries.filter(|entry| !entry.refines)
}

/// Takes the marks of restored values away, and says where they were.
fn collect_restored(margin: &mut Margin, at: &str, mut found: Option<&mut Vec<String>>) {
    if std::mem::take(&mut margin.restored)
        && let Some(found) = found.as_deref_mut()
    {
        found.push(at.to_owned());
    }
    for note in &mut margin.notes {
        collect_restored(&mut note.margin, "", None);
    }
    for (key, inner) in &mut margin.keys {
        collect_restored(inner, &child(at, key), found.as_deref_mut());
    }
    for (index, inner) in &mut margin.items {
        collect_restored(inner, &format!("{at}/{index}"), found.as_deref_mut());
    }
}

/// Where one of two mirroring fields was changed, the other follows.
pub(crate) fn follow_mirrors(
    versions: &Versions,
    number: usize,
    old: &Value,
    new: &mut Value,
) -> Result<(), Refusal> {
    for mirror in versions.mirrors(number) {
        let pairs = mirror.from.iter().zip(&mirror.to);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        let only_keys = |trail: &Trail| {
            let rest = trail.iter().skip(shared);
            rest.map(|token| match token {
                Token::Key(key) => Some(key.clone()),
                Token::Every => None,
            })
            .collect::<Option<Vec<_>>>()
        };
        if let (Some(from), Some(to)) = (only_keys(&mirror.from), only_keys(&mirror.to)) {
            let follow = Follow {
                keys: versions.item_keys(number),
                mirror,
                shared,
                from,
                to,
            };
            follow.place(old, new, 0)?;
        }
    }
    Ok(())
}

struct Follow<'m> {
    /// Of lists.
    keys: &'m [ItemKey],
    mirror: &'m Mirror,
    /// So many tokens lead to the object that both fields are in.
    shared: usize,
    from: Vec<String>,
    to: Vec<String>,
}

impl Follow<'_> {
    fn place(&self, old: &Value, new: &mut Value, depth: usize) -> Result<(), Refusal> {
        let token = match self.mirror.from.get(depth) {
            Some(token) if depth < self.shared => token,
            _ => return self.follow(old, new),
        };
        let nothing = Value::Null;
        match (token, new) {
            (Token::Key(key), Value::Object(map)) => {
                if let Some(new) = map.get_mut(key) {
                    let old = old.get(key).unwrap_or(&nothing);
                    return self.place(old, new, depth + 1);
                }
            }
            (Token::Every, Value::Object(map)) => {
                for (key, new) in map.iter_mut() {
                    let old = old.get(key).unwrap_or(&nothing);
                    self.place(old, new, depth + 1)?;
                }
            }
            (Token::Every, Value::Array(items)) => {
                let list = self.mirror.from.get(..depth).unwrap_or_default();
                let here: Vec<_> = self
                    .keys
                    .iter()
                    .filter(|key| covers(&key.list, list))
                    .collect();
                let olds = old.as_array().map_or(&[][..], Vec::as_slice);
                let partners = partners(olds, items, &here);
                for (index, new) in items.iter_mut().enumerate() {
                    let old = partners.get(&index).and_then(|at| olds.get(*at));
                    self.place(old.unwrap_or(&nothing), new, depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn follow(&self, old: &Value, new: &mut Value) -> Result<(), Refusal> {
        let field = |value: &Value, keys: &[String]| {
            let found = keys
                .iter()
                .try_fold(value, |value, key| value.as_object()?.get(key));
            found.cloned()
        };
        let alike = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
            (Some(one), Some(other)) => same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let (from, to) = (field(new, &self.from), field(new, &self.to));
        let from_changed = !alike(&field(old, &self.from), &from);
        let to_changed = !alike(&field(old, &self.to), &to);
        match (from_changed, to_changed) {
            (false, false) => {}
            (true, false) => set(new, &self.to, from),
            (false, true) => set(new, &self.from, to),
            (true, true) => {
                if !alike(&from, &to) {
                    return Err(Refusal::whole(Reason::Mirrors {
                        from: pattern(&self.mirror.from).to_string(),
                        to: pattern(&self.mirror.to).to_string(),
                    }));
                }
            }
        }
        Ok(())
    }
}

/// Sets a field, or removes it.
fn set(value: &mut Value, keys: &[String], field: Option<Value>) {
    let Some((last, parents)) = keys.split_last() else {
        return;
    };
    let mut map = match value.as_object_mut() {
        Some(map) => map,
        None => return,
    };
    for key in parents {
        let inner = map
            .entry(key.as_str())
            .or_insert_with(|| Value::Object(Map::new()));
        map = match inner.as_object_mut() {
            Some(map) => map,
            None => return,
        };
    }
    match field {
        Some(field) => {
            map.insert(last.clone(), field);
        }
        None => {
            map.shift_remove(last);
        }
    }
}
