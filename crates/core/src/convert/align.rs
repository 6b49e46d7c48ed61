//! A body takes the place of a view: which of the notes still hold, and for which items.
//!
//! The margin of a view has notes on places: a field that the view hides, the number that a value was
//! rounded from, the object that a step made. The body is another document. This decides, place by
//! place, which notes go on to the body.
//!
//! # What it promises
//!
//! - A note stays where its place is still there, and as long as what it depends on is unchanged: a
//!   hidden field needs its object, a remainder needs the very value that it was cut from.
//! - A note on an item follows the item to wherever it stands in the body. Nothing is ever attached by
//!   position: clients reorder lists, and position would give one item's secrets to another.
//! - What loses its place is dropped, and told to the caller where somebody would miss it. A remainder
//!   is not told: the value that it refined was replaced on purpose.
//! - Where two items could be meant, the write is refused (COEVAL-3202 tells the type's author what to
//!   declare). A guess would be noticed by nobody.
//!
//! # How it gets there
//!
//! Items are told apart by the key of their list ([`item_keys`](super::item_keys)). A list without a key,
//! or whose key does not tell the items apart, falls back on equality ([`same_items`](super::same_items)):
//! an item that was not touched is found wherever it stands, and only a *changed* item without a key, for
//! which something is kept, is ambiguous. Lists for whose items nothing is kept are not looked at at all.
//!
//! # What it relies on
//!
//! - View and body are in the terms of the same version, so that paths mean the same in both.
//! - A key holds for all versions of the type: an item keeps its identity on the whole way.
//!
//! # Example
//!
//! An older client swaps two ports and changes one; `tls`, which it does not know, stays with its port:
//!
//! ```
//! # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
//! # use coeval_core::convert::{ContentRecord, Versions};
//! # use coeval_core::types::TypeVersion;
//! # use coeval_core::version::Version;
//! # use serde_json::json;
//! # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
//! # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
//! let ports = json!([{"name": "http", "port": 80}, {"name": "https", "port": 443, "tls": true}]);
//! let stored = ContentRecord::new(v2, json!({"ports": ports}));
//! let body = json!({"ports": [{"name": "https", "port": 8443}, {"name": "http", "port": 80}]});
//! let put = app.put(stored.clone(), v1, body).unwrap();
//! let https = &put.record.content["ports"][0];
//! assert_eq!(https, &json!({"name": "https", "port": 8443, "tls": true}));
//!
//! let without_https = json!({"ports": [{"name": "http", "port": 80}]});
//! assert_eq!(app.put(stored, v1, without_https).unwrap().dropped, ["/ports/1/tls"]);
//! ```

use super::note::{KeptNote, Margin, NoteCondition, NoteOrigin, NotePurpose, is_of_use};
use super::path::{Trail, covers};
use super::refusal::ConversionRefusal;
use super::same_items::{ItemLikeness, differ, match_by_key, match_equal};
use super::steps::parsed;
use super::versions::Versions;
use crate::convert::refusal::Carried;
use crate::types::pointer::child;
use crate::types::{PathToken, same};
use serde_json::Value;
use std::collections::BTreeMap;

/// What went with places that are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostPlace {
    pub(crate) by: NoteOrigin,
    pub(crate) pointer: String,
}

pub(crate) struct ItemAlignment<'v> {
    versions: &'v Versions,
    /// The version at hand.
    number: usize,
    /// The place at hand.
    trail: Trail,
    /// Whether it is inside of JSON in a string, of which no schema speaks.
    in_text: bool,
    /// Whether what a body has takes the place of what is hidden under the same name: it is written
    /// at the stored version.
    pub(crate) replaces: bool,
    pub(crate) dropped: Vec<LostPlace>,
}

impl<'v> ItemAlignment<'v> {
    pub(crate) const fn new(versions: &'v Versions, number: usize) -> Self {
        Self {
            versions,
            number,
            trail: Vec::new(),
            in_text: false,
            replaces: false,
            dropped: Vec::new(),
        }
    }

    /// Turns the margin of the view into that of the body.
    pub(crate) fn align(&mut self, old: &Value, new: &Value, margin: &mut Margin) -> Carried<()> {
        self.place(old, new, margin, "")
    }

    fn place(&mut self, old: &Value, new: &Value, margin: &mut Margin, at: &str) -> Carried<()> {
        // Most of a document has nothing kept, and is not looked at.
        if margin.is_empty() {
            return Ok(());
        }
        let mut notes = Vec::new();
        // Judged one by one: on one place a remainder can be void while a hidden field stays.
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
                // Taken out and put back one by one: whatever is not put back went with its place.
                for (key, mut inner) in std::mem::take(&mut margin.keys) {
                    let at = child(at, &key);
                    match (old.get(&key), new.get(&key)) {
                        (Some(old), Some(new)) => {
                            self.trail.push(PathToken::Key(key.clone()));
                            self.place(old, new, &mut inner, &at)?;
                            self.trail.pop();
                            margin.set_key(&key, inner);
                        }
                        // The field is new or gone. A field of that name that comes later is
                        // another one, and must not inherit this margin.
                        _ => self.drop_all(inner, &at),
                    }
                }
            }
            (Value::Array(old), Value::Array(new)) => {
                // Taken at once, because items move to other numbers and would overwrite each
                // other's margins.
                let old_margins = std::mem::take(&mut margin.items);
                if old_margins.is_empty() {
                    return Ok(());
                }
                let matched = self.match_items(old, new, &old_margins, at)?;
                self.trail.push(PathToken::Every);
                for (index, mut inner) in old_margins {
                    let at = format!("{at}/{index}");
                    // None: the body has deleted the item.
                    let target = matched.get(&index).copied();
                    let pair = target.and_then(|to| Some((to, old.get(index)?, new.get(to)?)));
                    match pair {
                        Some((to, old, new)) => {
                            self.place(old, new, &mut inner, &at)?;
                            margin.set_item(to, inner);
                        }
                        None => self.drop_all(inner, &at),
                    }
                }
                self.trail.pop();
            }
            _ => {
                // No place inside is left; notes on the place itself were judged above.
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

    /// Which item of the body each old item is that has something kept; those that are gone are not
    /// in it.
    fn match_items(
        &self,
        old: &[Value],
        new: &[Value],
        margins: &BTreeMap<usize, Margin>,
        at: &str,
    ) -> Carried<BTreeMap<usize, usize>> {
        // No key of a list is known inside a string.
        if self.in_text {
            // The list is the text of a field that a step parses: schemas speak of the parsed
            // value at other versions only.
            let matched = match_equal(old, new, margins, &ItemLikeness::exact(), false);
            return matched.ok_or_else(|| ConversionRefusal::ambiguous(at, None));
        }
        let keys = self.versions.item_keys(self.number).iter();
        let mut here = keys.filter(|key| covers(&key.list, &self.trail));
        // Several steps can name different keys for one list. The first that tells all the items apart
        // wins; one that fails for these items says nothing against the next.
        let by_key = here.find_map(|key| match_by_key(old, new, margins, &key.fields));
        if let Some(matched) = by_key {
            return Ok(matched);
        }
        // What the version does not show, or fills in by itself, must not make an item another
        // one.
        let likeness = ItemLikeness::at(self.versions.graph(self.number).ok(), &self.trail);
        match_equal(old, new, margins, &likeness, self.replaces).ok_or_else(|| {
            // A remedy helps only if the field tells apart both the items before and those of this
            // body.
            let tells = |field: &str| differ(old, field) && differ(new, field);
            let remedy = self.versions.key_remedy(self.number, &self.trail, tells);
            ConversionRefusal::ambiguous(at, remedy)
        })
    }

    fn holds(&mut self, old: &Value, new: &Value, note: &mut KeptNote) -> Carried<bool> {
        Ok(match note.holds {
            NoteCondition::There => {
                // A container of the same kind is the same place, however its content has changed.
                // An object that a step created only to hold a field is no longer needed once it
                // is empty.
                kind(old) == kind(new) && !(is_created(note) && is_emptied(old, new))
            }
            NoteCondition::Same => same(old, new),
            // The key is that of the step, and may be another field's here; what counts is that
            // nothing appears under it.
            NoteCondition::Absent => match (new, &note.key) {
                (Value::Object(map), Some(key)) => !map.contains_key(key) || old.get(key).is_some(),
                _ => false,
            },
            NoteCondition::Parsed => {
                // The text may be formatted differently by now; what is kept belongs to what it
                // says.
                let json = |value: &Value| parsed(value.as_str()?).ok();
                match (json(old), json(new)) {
                    (Some(old), Some(new)) => {
                        let around = std::mem::replace(&mut self.in_text, true);
                        self.place(&old, &new, &mut note.margin, "")?;
                        self.in_text = around;
                        !note.margin.is_empty()
                    }
                    _ => false,
                }
            }
        })
    }

    fn drop_note(&mut self, note: KeptNote, at: &str) {
        let pointer = match &note.key {
            Some(key) => child(at, key),
            None => at.to_owned(),
        };
        // Remarks without a value, such as who filled in a field, are nothing that anybody would
        // miss.
        if is_of_use(&note) {
            self.dropped.push(LostPlace {
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

/// Whether a step made the object or list for what it moved there.
const fn is_created(note: &KeptNote) -> bool {
    let by = note.by;
    matches!(by, NoteOrigin::Step { what, .. } if matches!(what, NotePurpose::Created))
}

/// Whether a body says that it is there, with nothing in it. Then it is the body's, and does not go with
/// what a step moves out of it.
fn is_emptied(old: &Value, new: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    is_empty(new) && !is_empty(old)
}

/// Objects, lists and scalars: a note on one of them has no meaning on another.
const fn kind(value: &Value) -> u8 {
    match value {
        Value::Object(_) => 0,
        Value::Array(_) => 1,
        _ => 2,
    }
}
