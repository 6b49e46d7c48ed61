//! What other versions of a resource can hold and the stored one can't: part of the record.

use super::note::{KeptNote, Margin, NoteCondition, NoteOrigin, NotePurpose, is_of_use};
use crate::types::deeper_than;
use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::child;
use crate::version::Version;
use serde_json::{Map, Value};

/// Everything that is kept beside a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptValues(pub(crate) Margin);

/// One value that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptEntry<'k> {
    /// The version that can hold it.
    pub version: Version,
    /// Where it belongs, in the terms of the document that it is kept beside.
    pub path: String,
    /// What it is.
    pub value: &'k Value,
    /// Whether it is what a value of the document was made from, and so goes when that changes.
    pub refines: bool,
}

/// Where something is kept, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlace {
    /// The version that can hold it.
    pub version: Version,
    /// Where it belongs, in the terms of the document that it is kept beside.
    pub path: String,
    /// Whether it is what a value of the document was made from.
    pub refines: bool,
}

impl KeptPlace {
    pub(crate) fn of(entry: KeptEntry<'_>) -> Self {
        Self {
            version: entry.version,
            path: entry.path,
            refines: entry.refines,
        }
    }
}

impl KeptValues {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_bare()
    }

    /// The values, without what is only bookkeeping.
    #[must_use]
    pub fn entries(&self) -> Vec<KeptEntry<'_>> {
        entries(&self.0)
    }

    /// As it is stored.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// use coeval_core::convert::KeptValues;
    ///
    /// let stored = ContentRecord::new(v2, json!({"image": "web", "gpu": 4}));
    /// let kept = app.moved(stored, v1).unwrap().kept;
    /// assert_eq!(KeptValues::from_json(&kept.to_json()), Some(kept));
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut entries = Vec::new();
        write(&self.0, &mut Vec::new(), &mut entries);
        Value::Array(entries)
    }

    /// From how it is stored; `None` if this is nothing that was ever stored.
    #[must_use]
    pub fn from_json(json: &Value) -> Option<Self> {
        read(json, 0).map(Self)
    }
}

/// The values in a margin, without what is only bookkeeping.
pub(crate) fn entries(margin: &Margin) -> Vec<KeptEntry<'_>> {
    let mut found = Vec::new();
    gather(margin, "", &mut found);
    found
}

fn gather<'k>(margin: &'k Margin, at: &str, found: &mut Vec<KeptEntry<'k>>) {
    for note in &margin.notes {
        let path = match &note.key {
            Some(key) => child(at, key),
            None => at.to_owned(),
        };
        // Whose version can hold it: that of the step's other side, or the one that it was hidden
        // from.
        let version = match note.by {
            NoteOrigin::Step { version, .. }
            | NoteOrigin::Hidden(version)
            | NoteOrigin::Own(version) => Some(version),
            NoteOrigin::Filled | NoteOrigin::Unseen(_) | NoteOrigin::Guarded => None,
        };
        // Such a note only completes a value that is shown, like the remainder of a rounded
        // number.
        let refines = note.holds == NoteCondition::Same;
        if let (Some(version), Some(value)) = (version, &note.value)
            // Remarks without a use are for the next conversion, not for people.
            && (refines || is_of_use(note))
        {
            found.push(KeptEntry {
                version,
                path: path.clone(),
                value,
                refines,
            });
        }
        gather(&note.margin, &path, found);
    }
    for (key, inner) in &margin.keys {
        gather(inner, &child(at, key), found);
    }
    for (index, inner) in &margin.items {
        gather(inner, &format!("{at}/{index}"), found);
    }
}

const HOLDS: [(&str, NoteCondition); 4] = [
    ("there", NoteCondition::There),
    ("same", NoteCondition::Same),
    ("absent", NoteCondition::Absent),
    ("parsed", NoteCondition::Parsed),
];

const WHAT: [(&str, NotePurpose); 10] = [
    ("field", NotePurpose::Field),
    ("empty", NotePurpose::Empty),
    ("displaced", NotePurpose::Displaced),
    ("created", NotePurpose::Created),
    ("original", NotePurpose::Original),
    ("rest", NotePurpose::Rest),
    ("order", NotePurpose::Order),
    ("branch", NotePurpose::Branch),
    ("stays", NotePurpose::Stays),
    ("part", NotePurpose::Part),
];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> Value {
    let found = table.iter().find(|(_, known)| known == value);
    found.map_or(Value::Null, |(name, _)| Value::from(*name))
}

fn named<T: Clone>(table: &[(&str, T)], name: Option<&Value>) -> Option<T> {
    let name = name?.as_str()?;
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone())
}

/// Keys are texts and items numbers, so that the two can't be taken for each other.
fn write(margin: &Margin, at: &mut Vec<Value>, entries: &mut Vec<Value>) {
    for note in &margin.notes {
        entries.push(write_note(note, at));
    }
    for (key, inner) in &margin.keys {
        at.push(Value::from(key.as_str()));
        write(inner, at, entries);
        at.pop();
    }
    for (index, inner) in &margin.items {
        at.push(Value::from(*index));
        write(inner, at, entries);
        at.pop();
    }
}

fn write_note(note: &KeptNote, at: &[Value]) -> Value {
    let mut map = Map::new();
    let mut set = |key: &str, value: Value| map.insert(key.to_owned(), value);
    // Written only where it says something: a note on the whole content has no path.
    if !at.is_empty() {
        set("at", Value::Array(at.to_vec()));
    }
    match note.by {
        NoteOrigin::Step {
            conversion,
            number,
            version,
            what,
        } => {
            set("by", name_of(&WHAT, &what));
            set("conversion", Value::from(conversion.to_string()));
            set("step", Value::from(number));
            set("version", Value::from(version.to_string()));
        }
        NoteOrigin::Hidden(version) => {
            set("by", Value::from("hidden"));
            set("version", Value::from(version.to_string()));
        }
        NoteOrigin::Own(version) => {
            set("by", Value::from("own"));
            set("version", Value::from(version.to_string()));
        }
        NoteOrigin::Filled => {
            set("by", Value::from("filled"));
        }
        // What a caller sees is decided for each caller, and is in no record.
        NoteOrigin::Unseen(_) | NoteOrigin::Guarded => {}
    }
    set("while", name_of(&HOLDS, &note.holds));
    if let Some(key) = &note.key {
        set("key", Value::from(key.as_str()));
    }
    if let Some(value) = &note.value {
        set("value", value.clone());
    }
    // Nothing is kept inside: written out it would only make the record larger.
    if !note.margin.is_bare() {
        let mut inner = Vec::new();
        write(&note.margin, &mut Vec::new(), &mut inner);
        set("kept", Value::Array(inner));
    }
    Value::Object(map)
}

/// Kept values inside of kept values.
const LEVELS: usize = 128;

fn read(json: &Value, level: usize) -> Option<Margin> {
    // What is read may not be what this code has written: unbounded nesting could overflow the
    // stack.
    if level > LEVELS {
        return None;
    }
    let mut margin = Margin::default();
    for entry in json.as_array()? {
        let at = entry.get("at").and_then(Value::as_array);
        // Both bounds are those of content, which is where the value would be put.
        let value = entry.get("value");
        if at.is_some_and(|at| at.len() > CONTENT_DEPTH)
            || value.is_some_and(|value| deeper_than(value, CONTENT_DEPTH))
        {
            return None;
        }
        let mut place = &mut margin;
        for token in entry
            .get("at")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        // A number stands for an item and a text for a key, also if the key looks like a number.
        {
            place = match token {
                Value::String(key) => place.keys.entry(key.clone()).or_default(),
                token => {
                    let index = usize::try_from(token.as_u64()?).ok()?;
                    place.items.entry(index).or_default()
                }
            };
        }
        place.notes.push(read_note(entry, level)?);
    }
    Some(margin)
}

fn read_note(entry: &Value, level: usize) -> Option<KeptNote> {
    let version = |key| Version::parse_full(entry.get(key)?.as_str()?).ok();
    let by = match entry.get("by")?.as_str()? {
        "hidden" => NoteOrigin::Hidden(version("version")?),
        "own" => NoteOrigin::Own(version("version")?),
        "filled" => NoteOrigin::Filled,
        // Every other word is one of a step. What this release does not know ends in `None` and is
        // refused, rather than dropped.
        _ => NoteOrigin::Step {
            conversion: version("conversion")?,
            number: u16::try_from(entry.get("step")?.as_u64()?).ok()?,
            version: version("version")?,
            what: named(&WHAT, entry.get("by"))?,
        },
    };
    let mut note = KeptNote::new(by, named(&HOLDS, entry.get("while"))?);
    if let Some(key) = entry.get("key") {
        note.key = Some(key.as_str()?.to_owned());
    }
    note.value = entry.get("value").cloned();
    if let Some(inner) = entry.get("kept") {
        note.margin = read(inner, level + 1)?;
    }
    Some(note)
}
