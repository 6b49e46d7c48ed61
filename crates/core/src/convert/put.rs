//! Writing at a version that is perhaps not the stored one: the body replaces everything that its
//! version expresses, and nothing else.
//!
//! # Flow
//!
//! 1. The stored record is carried to the body's version, as a reader there would see it. What that
//!    version can't hold goes into the *margin*, each note at the place where it belongs.
//! 2. The body takes the place of that view. [Aligning](super::align) decides which notes still have a
//!    place, and moves those of list items to where the items are now.
//! 3. What the body may not say is refused: a field that only other versions have would, once it is
//!    carried back, be taken for what is kept there.
//! 4. The body is carried back to the stored version, and the margin gives back what it holds: hidden
//!    fields, the remainders of rounded numbers, the items' own extras.
//!
//! # What it promises
//!
//! - *Nothing is lost by not knowing it.* A client that sends back what it read changes nothing (the
//!   law *get, then put*), and an edit changes nothing that its version can't express (*edit safety*).
//! - *What was put is what is read* at the same version (*put, then get*).
//! - All or nothing: after a refusal, nothing has changed.
//! - The answer says what was left alone ([`PutOutcome::kept`]) and what went with items that the body deleted
//!   ([`PutOutcome::dropped`]).
//!
//! `Versions::check_laws` tries these laws on documents made from the schemas, and `docs/conversions.md`
//! explains them.
//!
//! # What it relies on
//!
//! - The body is the edit of a view of *this* record: the caller has compared revisions, or decided to
//!   go without ([`decide_write`](crate::decide::decide_write)).
//! - A body is complete. What it leaves out is deleted, as far as its version expresses it.
//! - Items of a list can be told apart ([`item_keys`](super::item_keys)), wherever something is kept for
//!   one. Otherwise the write is refused rather than guessed.
//!
//! # Example
//!
//! A client that knows `acme:app` up to 1.0.0 doubles the memory of an app that is stored at 2.0.0, where
//! memory is in MiB and where there is a GPU:
//!
//! ```
//! # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
//! # use coeval_core::convert::{ContentRecord, Versions};
//! # use coeval_core::types::TypeVersion;
//! # use coeval_core::version::Version;
//! # use serde_json::json;
//! # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
//! # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
//! let stored = ContentRecord::new(v2, json!({"image": "web", "memory": 2049, "gpu": 4}));
//! let mut body = app.view(stored.clone(), v1).unwrap().content;
//! assert_eq!(app.put(stored.clone(), v1, body.clone()).unwrap().record, stored);
//!
//! body["memory"] = json!(4);
//! let put = app.put(stored, v1, body).unwrap();
//! assert_eq!(put.record.content, json!({"image": "web", "memory": 4096, "gpu": 4}));
//! ```
//!
//! The remainder, 1 MiB, belonged to the 2 GiB that the client has replaced: it goes with them.

use super::align::ItemAlignment;
use super::express::{ExpressPurpose, check, supersede, walk};
use super::identity::ItemKey;
use super::kept::{KeptEntry, KeptValues, entries};
use super::note::Margin;
use super::path::{Trail, covers, pattern};
use super::put_moved::{hide_restored, show_restored};
use super::refusal::{ConversionObstacle, ConversionRefusal, bounded};
use super::same_items::partners;
use super::step::{Budget, MirroredFields};
use super::versions::{CarryPurpose, ContentRecord, Versions};
use crate::convert::refusal::Carried;
use crate::types::pointer::child;
use crate::types::{PathToken, Visibility, same};
use crate::version::Version;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What a write leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct PutOutcome {
    /// To be stored, at the version that was stored.
    pub record: ContentRecord,
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
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let record = app.create(v1, json!({"img": "web", "memory": null})).unwrap();
    /// assert_eq!(record, ContentRecord::new(v1, json!({"img": "web"})), "v1 takes no null there");
    /// ```
    ///
    /// # Errors
    ///
    /// If the version is unknown, or fields that mirror each other differ.
    pub fn create(&self, at: Version, body: Value) -> Result<ContentRecord, ConversionRefusal> {
        let body = bounded(body)?;
        let number = self.number(at)?;
        let mut body = self.without_absent(number, body);
        follow_mirrors(self, number, &Value::Null, &mut body)?;
        Ok(ContentRecord::new(at, body))
    }

    /// Puts a body at some version onto a stored record.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let stored = ContentRecord::new(v2, json!({"image": "web", "memory": 2049, "gpu": 4}));
    /// let put = app.put(stored.clone(), v1, json!({"img": "db", "memory": 2})).unwrap();
    /// assert_eq!(put.record.content, json!({"image": "db", "memory": 2049, "gpu": 4}));
    /// assert_eq!(put.kept, ["/gpu"]);
    /// // What v1 has no word for can't be set through v1.
    /// let refusal = app.put(stored, v1, json!({"img": "db", "gpu": 1})).unwrap_err();
    /// assert!(refusal.to_string().contains("/gpu"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the body sets what its version can't express, or what is kept can't be told to belong to
    /// which item of a list, or fields that mirror each other were changed differently, or a value
    /// has no counterpart. Nothing has changed then.
    pub fn put(
        &self,
        stored: ContentRecord,
        at: Version,
        body: Value,
    ) -> Result<PutOutcome, ConversionRefusal> {
        self.put_seeing(stored, at, body, None, None)
    }

    /// A record in which a body at another version has left something out that the stored version
    /// requires and has a default for: an item of a list that is new, say. It is filled in, and at the
    /// body's version it is still not there.
    ///
    /// # Errors
    ///
    /// If the version is unknown, or the content would become too large.
    pub fn with_defaults(&self, record: ContentRecord) -> Result<ContentRecord, ConversionRefusal> {
        let version = record.version;
        let graph = self.graph(self.number(version)?)?;
        let mut tree = record.into_tree()?;
        // Only fills: hiding here would take away what the record holds under a name that only
        // another version declares.
        walk(graph, &mut tree, ExpressPurpose::Fill, &mut Budget::new())?;
        Ok(ContentRecord {
            version,
            content: tree.value,
            kept: KeptValues(tree.margin),
        })
    }

    /// The same for a sender that perhaps sees only a part.
    pub(crate) fn put_seeing(
        &self,
        stored: ContentRecord,
        at: Version,
        body: Value,
        sees: Option<Visibility>,
        moved_from: Option<Version>,
    ) -> Carried<PutOutcome> {
        let version = stored.version;
        // Both are bounded before either error is returned: what is too deep must be taken apart, since
        // merely dropping it would recurse.
        let (tree, body) = (stored.into_tree(), bounded(body));
        let (mut tree, mut body) = (tree?, body?);
        let (home, there) = (self.number(version)?, self.number(at)?);
        // Asked of the stored content, before it is carried: the marks of the stored version decide too.
        let unseen = match sees {
            Some(sees) => self.unseen_at(&tree, home, there, sees)?,
            None => HashMap::new(),
        };
        let mut run = Budget::new();
        // The body will replace this view, so also what it could change by the way is noted.
        // Reset below: the way back is no view, and must not note again what it undoes.
        run.there = true;
        self.carry(home, there, &mut tree, &mut run, CarryPurpose::There)?;
        let mut dropped = Vec::new();
        // What the caller does not see is put into the body, so that from here on it looks like one by
        // somebody who sees everything and left it alone.
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
        // Before the items are matched too: an item whose mirrored field followed is the item it was.
        follow_mirrors(self, there, &tree.value, &mut body)?;
        let mut align = ItemAlignment::new(self, there);
        // At the stored version the body may say what is kept there; elsewhere saying it is an error.
        align.replaces = home == there;
        align.align(&tree.value, &body, &mut tree.margin)?;
        dropped.extend(align.dropped.into_iter().map(|lost| lost.pointer));
        if home != there {
            // Such a field would be stored under a name that means something at the stored version.
            let fields = check(self.graph(there)?, at, &mut body, &tree.margin);
            if !fields.is_empty() {
                let version = at;
                return Err(ConversionRefusal::whole(ConversionObstacle::Unexpressed {
                    version,
                    fields,
                }));
            }
        } else {
            // At the stored version nothing is unexpressed, but the body may set what is kept
            // there itself: what was kept makes way.
            show_restored(&mut body, &mut tree.margin, "", &filled);
            supersede(&body, &mut tree.margin);
        }
        // What this version forbids and the old one had was not deleted by the sender, who has
        // never seen the new schema.
        if let Some(from) = moved_from {
            body = self.without_forbidden((there, self.number(from)?), body, &mut tree.margin);
        }
        tree.value = body;
        // Remembered by value, because the way back moves and renames the places.
        let left_alone: Vec<_> = independent(&tree.margin)
            .map(|entry| (entry.version, entry.value.clone()))
            .collect();
        self.carry(there, home, &mut tree, &mut run, CarryPurpose::Back)?;
        let mut kept = Vec::new();
        // After the way back, so that the pointers are in the terms of the stored version, as
        // `kept` promises.
        collect_restored(&mut tree.margin, "", Some(&mut kept));
        tree.margin.tidy();
        if self
            .program(there, home)
            .is_some_and(|program| program.fickle)
        {
            // A fickle step may refuse the very document that it has made: nobody could read the record at
            // the body's version again. The only proof that it goes is to go there.
            let mut again = tree.clone();
            self.carry(
                home,
                there,
                &mut again,
                &mut Budget::new(),
                CarryPurpose::View,
            )?;
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
        Ok(PutOutcome {
            record: ContentRecord {
                version,
                content: tree.value,
                kept: KeptValues(tree.margin),
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
    // A margin inside of a note belongs to a value that is itself kept: it is not in the content,
    // so its place is not told.
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
) -> Carried<()> {
    for mirror in versions.mirrors(number) {
        // Both fields are in one object, or in objects below one that they share; only below that do
        // the paths part, and there they must name one place each to be set.
        let pairs = mirror.from.iter().zip(&mirror.to);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        let only_keys = |trail: &Trail| {
            let rest = trail.iter().skip(shared);
            rest.map(|token| match token {
                PathToken::Key(key) => Some(key.clone()),
                PathToken::Every => None,
            })
            .collect::<Option<Vec<_>>>()
        };
        if let (Some(from), Some(to)) = (only_keys(&mirror.from), only_keys(&mirror.to)) {
            let follow = MirrorFollower {
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

struct MirrorFollower<'m> {
    /// Of lists.
    keys: &'m [ItemKey],
    mirror: &'m MirroredFields,
    /// So many tokens lead to the object that both fields are in.
    shared: usize,
    from: Vec<String>,
    to: Vec<String>,
}

impl MirrorFollower<'_> {
    fn place(&self, old: &Value, new: &mut Value, depth: usize) -> Carried<()> {
        let token = match self.mirror.from.get(depth) {
            Some(token) if depth < self.shared => token,
            _ => return self.follow(old, new),
        };
        let nothing = Value::Null;
        match (token, new) {
            (PathToken::Key(key), Value::Object(map)) => {
                // A body without the object around the fields says nothing of either of them.
                if let Some(new) = map.get_mut(key) {
                    let old = old.get(key).unwrap_or(&nothing);
                    return self.place(old, new, depth + 1);
                }
            }
            (PathToken::Every, Value::Object(map)) => {
                // A map's values are matched by their names, which cannot move.
                for (key, new) in map.iter_mut() {
                    let old = old.get(key).unwrap_or(&nothing);
                    self.place(old, new, depth + 1)?;
                }
            }
            (PathToken::Every, Value::Array(items)) => {
                let list = self.mirror.from.get(..depth).unwrap_or_default();
                let here: Vec<_> = self
                    .keys
                    .iter()
                    .filter(|key| covers(&key.list, list))
                    .collect();
                let olds = old.as_array().map_or(&[][..], Vec::as_slice);
                // By the list's key, as everywhere: the same position may be another item by now.
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

    fn follow(&self, old: &Value, new: &mut Value) -> Carried<()> {
        let field = |value: &Value, keys: &[String]| {
            let found = keys
                .iter()
                .try_fold(value, |value, key| value.as_object()?.get(key));
            found.cloned()
        };
        // Missing and null are told apart: a version may give null a meaning of its own.
        let alike = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
            (Some(one), Some(other)) => same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let (from, to) = (field(new, &self.from), field(new, &self.to));
        let from_changed = !alike(&field(old, &self.from), &from);
        let to_changed = !alike(&field(old, &self.to), &to);
        match (from_changed, to_changed) {
            (false, false) => {}
            // The field that the client changed is the one that it meant; the other is a copy that
            // it does not know of.
            (true, false) => set(new, &self.to, from),
            (false, true) => set(new, &self.from, to),
            // Both changed to the same value is what a client does that knows both fields.
            (true, true) => {
                if !alike(&from, &to) {
                    return Err(ConversionRefusal::whole(ConversionObstacle::Mirrors {
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
    // A client that sets one of the two may not know the objects around the other.
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
            // `remove` would move the last field into its place, and the order is the author's.
            map.shift_remove(last);
        }
    }
}
