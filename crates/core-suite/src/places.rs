//! The leaves of a document, by an identity that is the same in all versions.

use crate::field::{FieldId, FieldKind, WorldField};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A value that the document has, and the field that it is the value of.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'d> {
    /// As the version has it.
    pub field: &'d WorldField,
    /// The value: a scalar, a list of scalars, or a whole list of items without a key.
    pub value: &'d Value,
}

/// A leaf, by its identity and the keys of the items that it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeafPlace(pub Vec<(FieldId, Option<String>)>);

impl LeafPlace {
    /// The items of lists and maps that it is in, from the outside in.
    pub fn items(&self) -> Vec<&(FieldId, Option<String>)> {
        self.0.iter().filter(|(_, key)| key.is_some()).collect()
    }

    /// Whether both are in the same item of a list or map, or in none.
    pub fn shares_item(&self, other: &Self) -> bool {
        self.items().starts_with(&other.items())
    }

    /// Whether it is in an item of that name.
    pub fn has_item(&self, name: &str) -> bool {
        self.0.iter().any(|(_, key)| key.as_deref() == Some(name))
    }

    /// The same without the names of items.
    pub fn pattern(&self) -> Vec<FieldId> {
        self.0.iter().map(|(id, _)| *id).collect()
    }
}

/// All of them. Several have one place if they are made from each other.
pub fn leaves<'d>(
    fields: &'d [WorldField],
    value: &'d Value,
) -> BTreeMap<LeafPlace, Vec<Leaf<'d>>> {
    let mut found = BTreeMap::new();
    gather(fields, value, &mut Vec::new(), &mut found);
    found
}

fn gather<'d>(
    fields: &'d [WorldField],
    value: &'d Value,
    at: &mut Vec<(FieldId, Option<String>)>,
    found: &mut BTreeMap<LeafPlace, Vec<Leaf<'d>>>,
) {
    for field in fields {
        let Some(inner) = value.get(&field.name) else {
            continue;
        };
        match (&field.kind, inner) {
            // Objects are no level of their own: steps nest and unnest them, and the leaf stays
            // the same.
            (FieldKind::Object(fields), inner) => gather(fields, inner, at, found),
            (FieldKind::Keyed(fields), Value::Array(items)) => {
                for item in items {
                    // Items by their key, because positions change.
                    let name = item["name"].as_str().unwrap_or("?").to_owned();
                    at.push((field.id, Some(name)));
                    gather(fields, item, at, found);
                    at.pop();
                }
            }
            (FieldKind::Map(fields), Value::Object(map)) => {
                for (name, item) in map {
                    at.push((field.id, Some(name.clone())));
                    gather(fields, item, at, found);
                    at.pop();
                }
            }
            // What is no list or map at all has no leaves that could be compared.
            (FieldKind::Keyed(_) | FieldKind::Map(_), _) => {}
            (_, leaf) => {
                at.push((field.id, None));
                found
                    .entry(LeafPlace(at.clone()))
                    .or_default()
                    .push(Leaf { field, value: leaf });
                at.pop();
            }
        }
    }
}

/// The leaves that the fields declare.
pub fn declared(fields: &[WorldField]) -> BTreeSet<Vec<FieldId>> {
    let mut found = BTreeSet::new();
    declare(fields, &|_| true, &mut Vec::new(), &mut found);
    found
}

/// The leaves that a closure chooses.
pub fn chosen(
    fields: &[WorldField],
    which: &dyn Fn(&WorldField) -> bool,
) -> BTreeSet<Vec<FieldId>> {
    let mut found = BTreeSet::new();
    declare(fields, which, &mut Vec::new(), &mut found);
    found
}

fn declare(
    fields: &[WorldField],
    which: &dyn Fn(&WorldField) -> bool,
    at: &mut Vec<FieldId>,
    found: &mut BTreeSet<Vec<FieldId>>,
) {
    for field in fields {
        match &field.kind {
            FieldKind::Object(inner) => declare(inner, which, at, found),
            FieldKind::Keyed(inner) | FieldKind::Map(inner) => {
                at.push(field.id);
                declare(inner, which, at, found);
                at.pop();
            }
            // Items without a key can't be followed, so a list of them is one leaf.
            _ => {
                if which(field) {
                    at.push(field.id);
                    found.insert(at.clone());
                    at.pop();
                }
            }
        }
    }
}

/// The fields of the leaves that are declared, by their pattern.
pub fn declared_fields(fields: &[WorldField]) -> BTreeMap<Vec<FieldId>, Vec<&WorldField>> {
    let mut found = BTreeMap::new();
    collect(fields, &mut Vec::new(), &mut found);
    found
}

fn collect<'f>(
    fields: &'f [WorldField],
    at: &mut Vec<FieldId>,
    found: &mut BTreeMap<Vec<FieldId>, Vec<&'f WorldField>>,
) {
    for field in fields {
        match &field.kind {
            FieldKind::Object(inner) => collect(inner, at, found),
            FieldKind::Keyed(inner) | FieldKind::Map(inner) => {
                at.push(field.id);
                collect(inner, at, found);
                at.pop();
            }
            _ => {
                at.push(field.id);
                found.entry(at.clone()).or_default().push(field);
                at.pop();
            }
        }
    }
}
