//! Every field that ever had a number, for one major of a type. It only grows: a number, once
//! given, means the same for ever, whether or not a version still has the field.
//!
//! Protobuf tells fields apart by number alone. A client that was generated years ago reads today's
//! messages by the numbers of its day: a number that is given again would hand it a value of another
//! field, without any error. So numbers are given in the order in which versions are registered, are
//! never taken back, and are *reserved* where the newest version has no use for them.
//!
//! The same registrations in the same order lead to the same ledger, on every server and at every time:
//! nothing is drawn, and nothing depends on what else is stored. An unproven version, and what was
//! registered after it, gets no numbers until somebody decides that it may stay.

use crate::finding::PackageFindingKind;
use crate::kind::{FieldForm, ItemKind};
use crate::limits::{LEDGER_BYTES, NUMBER};
use crate::names::{EXTRA, lower_camel, lower_snake, upper_camel};
use crate::sketch::{ContentSketch, SketchNode, sketch};
use coeval_core::types::{TypeVersion, pointer};
use coeval_core::version::Version;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A field that has a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedField {
    /// As the content calls it.
    pub json: String,
    /// As protobuf calls it.
    pub name: String,
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub kind: FieldForm,
    /// The first version that has it.
    #[serde(serialize_with = "print", deserialize_with = "read")]
    pub since: Version,
    /// The version from which on it is reserved: what was reserved once stays so.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "print_some",
        deserialize_with = "read_some"
    )]
    pub gone: Option<Version>,
}

fn print_some<S: Serializer>(version: &Option<Version>, to: S) -> Result<S::Ok, S::Error> {
    match version {
        Some(version) => to.collect_str(version),
        None => to.serialize_none(),
    }
}

fn read_some<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Version>, D::Error> {
    read(from).map(Some)
}

fn print<S: Serializer>(version: &Version, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(version)
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Version, D::Error> {
    let text = String::deserialize(from)?;
    Version::parse_full(&text).map_err(de::Error::custom)
}

/// A version that a package may describe.
#[derive(Clone, Copy, Debug)]
pub struct PackageCandidate<'v> {
    /// The version.
    pub version: &'v TypeVersion,
    /// Whether it is marked so: neither it nor what was registered after it is described.
    pub unproven: bool,
}

/// The versions before the first unproven one, in the order of their registration.
pub(crate) fn proven<'c, 'v>(
    candidates: &'c [PackageCandidate<'v>],
) -> impl Iterator<Item = &'v TypeVersion> + 'c {
    let proven = candidates.iter().take_while(|one| !one.unproven);
    proven.map(|one| one.version)
}

/// The numbers of one major of a type, by the path of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    messages: BTreeMap<String, Vec<NumberedField>>,
}

impl Ledger {
    /// With numbers for all that these versions of the major have; they come in the order of their
    /// registration.
    #[must_use]
    pub fn extended(&self, candidates: &[PackageCandidate<'_>]) -> Self {
        let sketches = proven(candidates).map(|one| (one.id.version, sketch(&one.schema)));
        let sketches: Vec<(Version, ContentSketch)> = sketches.collect();
        let mut extended = self.clone();
        // What is registered out of order may retire something of what was noted before.
        for _ in 0..=sketches.len() {
            let before = extended.clone();
            extended.fold(&sketches);
            if extended == before {
                break;
            }
        }
        extended
    }

    fn fold(&mut self, sketches: &[(Version, ContentSketch)]) {
        let mut newest: Option<&(Version, ContentSketch)> = None;
        for one in sketches {
            let (number, content) = one;
            self.note(*number, content);
            if newest.is_none_or(|(newest, _)| newest < number) {
                // As if it had been registered alone: the same history has the same numbers.
                self.retire("", *number, &content.inside);
                newest = Some(one);
            }
        }
        if let Some((described, content)) = newest {
            self.retire("", *described, &content.inside);
        }
    }

    /// Whether nothing has a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The fields of a message, by its path: empty for the whole content, `/nodes/*` for items.
    #[must_use]
    pub fn fields(&self, path: &str) -> &[NumberedField] {
        self.messages.get(path).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn note(&mut self, version: Version, content: &ContentSketch) {
        let mut bytes = self.bytes();
        self.note_inside("", version, &content.inside, content.free, &mut bytes);
    }

    /// What the newest version does not have under its number is reserved from now on.
    fn retire(&mut self, path: &str, described: Version, inside: &[(String, SketchNode)]) {
        let Some(fields) = self.messages.get_mut(path) else {
            return;
        };
        let index = FieldIndex::of(fields, described);
        let own = |(json, node): &(String, SketchNode)| match index.place(json, node.kind) {
            Ok(FieldPlace::Own(at)) => Some(at),
            _ => None,
        };
        let used: HashSet<usize> = inside.iter().filter_map(own).collect();
        for (at, field) in fields.iter_mut().enumerate() {
            // `extra` stays for ever, and what came with a newer version is not this one's to retire.
            let there = used.contains(&at) || field.name == EXTRA || field.since > described;
            if !there && field.gone.is_none() {
                field.gone = Some(described);
            }
        }
        // Only into messages that keep their number: below one that is retired nothing is used any more.
        for (json, node) in inside {
            let is_message = node.kind.item() == ItemKind::Message;
            if is_message && let Ok(FieldPlace::Own(_)) = index.place(json, node.kind) {
                self.retire(&below(path, json, node.kind), described, &node.inside);
            }
        }
    }

    fn note_inside(
        &mut self,
        path: &str,
        version: Version,
        inside: &[(String, SketchNode)],
        free: bool,
        bytes: &mut usize,
    ) {
        let mut fields = self.messages.remove(path).unwrap_or_default();
        // Kept beside the fields, since each look-up by name over all of them would be quadratic.
        let mut index = FieldIndex::of(&fields, version);
        let mut needs_extra = free;
        for (json, node) in inside {
            let placed = index.place(json, node.kind);
            let at = match placed {
                Ok(FieldPlace::Own(at)) => at,
                Ok(FieldPlace::Extra(_)) => {
                    needs_extra = true;
                    continue;
                }
                Err(FreeName(name)) => {
                    let more = weight(path, json, &name);
                    // One number is left for `extra`.
                    if next(&fields) >= NUMBER || *bytes + more > LEDGER_BYTES {
                        needs_extra = true;
                        continue;
                    }
                    *bytes += more;
                    push(&mut fields, version, json, name, node.kind);
                    index.add(&fields)
                }
            };
            // An older version may be registered after a newer one.
            if let Some(field) = fields.get_mut(at) {
                field.since = field.since.min(version);
            }
        }
        if needs_extra && !fields.iter().any(|field| field.name == EXTRA) {
            let kind = FieldForm::One(ItemKind::Struct);
            push(&mut fields, version, EXTRA, EXTRA.to_owned(), kind);
        }
        if !fields.is_empty() {
            self.messages.insert(path.to_owned(), fields);
        }
        // After the fields of this message have their numbers: how deep a type is never changes them.
        let messages = inside
            .iter()
            .filter(|(_, node)| node.kind.item() == ItemKind::Message);
        for (json, node) in messages {
            if let Ok(FieldPlace::Own(_)) = index.place(json, node.kind) {
                let path = below(path, json, node.kind);
                self.note_inside(&path, version, &node.inside, false, bytes);
            }
        }
    }

    fn bytes(&self) -> usize {
        let of_message = |(path, fields): (&String, &Vec<NumberedField>)| {
            let fields = fields.iter();
            fields
                .map(|field| weight(path, &field.json, &field.name))
                .sum::<usize>()
        };
        self.messages.iter().map(of_message).sum()
    }
}

/// Roughly what a field takes; its path is counted with each, though it is written once.
fn weight(path: &str, json: &str, name: &str) -> usize {
    80 + path.len() + json.len() + name.len()
}

/// The path of the message that a field holds.
pub(crate) fn below(path: &str, json: &str, kind: FieldForm) -> String {
    let own = pointer::child(path, json);
    match kind {
        FieldForm::One(_) => own,
        FieldForm::Repeated(_) | FieldForm::Map(_) => own + "/*",
    }
}

fn next(fields: &[NumberedField]) -> u32 {
    fields.last().map_or(0, |field| field.number) + 1
}

fn push(
    fields: &mut Vec<NumberedField>,
    since: Version,
    json: &str,
    name: String,
    kind: FieldForm,
) {
    fields.push(NumberedField {
        json: json.to_owned(),
        name,
        number: next(fields),
        kind,
        since,
        gone: None,
    });
}

/// Where a field of a version is: among those with a number, or in `extra`.
pub(crate) enum FieldPlace {
    Own(usize),
    Extra(PackageFindingKind),
}

/// It has no number yet, and can have one under this name.
pub(crate) struct FreeName(String);

/// The fields of one message, found by name.
pub(crate) struct FieldIndex {
    by_json: HashMap<String, (usize, FieldForm, bool)>,
    /// As this version sees them.
    version: Version,
    /// What can't be twice in a message: `a1` and `a_1` have one JSON name in protobuf.
    camels: HashSet<String>,
    /// Names of the messages inside; the entries of a map are one too.
    types: HashSet<String>,
    count: usize,
}

impl FieldIndex {
    pub(crate) fn of(fields: &[NumberedField], version: Version) -> Self {
        let mut index = Self {
            by_json: HashMap::new(),
            version,
            camels: HashSet::new(),
            types: HashSet::new(),
            count: 0,
        };
        while index.count < fields.len() {
            index.add(fields);
        }
        index
    }

    /// One more of these; its place.
    fn add(&mut self, fields: &[NumberedField]) -> usize {
        let at = self.count;
        self.count += 1;
        if let Some(field) = fields.get(at) {
            // `extra` is no property.
            if field.name != EXTRA {
                let gone = field.gone.is_some_and(|gone| gone <= self.version);
                let own = (at, field.kind, gone);
                self.by_json.insert(field.json.clone(), own);
            }
            self.camels.insert(lower_camel(&field.name));
            self.types.extend(types(&field.name, field.kind));
        }
        at
    }

    pub(crate) fn place(&self, json: &str, kind: FieldForm) -> Result<FieldPlace, FreeName> {
        // A number means one kind for ever. A field that came back, or holds something else now, would give old
        // clients values that they read as another thing: it is in `extra` instead.
        match self.by_json.get(json) {
            Some((at, before, gone)) if *before == kind => {
                return Ok(if *gone {
                    FieldPlace::Extra(PackageFindingKind::CameBack)
                } else {
                    FieldPlace::Own(*at)
                });
            }
            Some(_) => return Ok(FieldPlace::Extra(PackageFindingKind::KindChanged)),
            None => {}
        }
        let Some(name) = lower_snake(json).filter(|name| name != EXTRA) else {
            return Ok(FieldPlace::Extra(PackageFindingKind::NameUnsayable));
        };
        let taken = self.camels.contains(&lower_camel(&name))
            || types(&name, kind).any(|name| self.types.contains(&name));
        if taken {
            Ok(FieldPlace::Extra(PackageFindingKind::NameCollides))
        } else {
            Err(FreeName(name))
        }
    }
}

fn types(name: &str, kind: FieldForm) -> impl Iterator<Item = String> {
    let own = (kind.item() == ItemKind::Message).then(|| upper_camel(name));
    let entry = matches!(kind, FieldForm::Map(_)).then(|| upper_camel(name) + "Entry");
    own.into_iter().chain(entry)
}
