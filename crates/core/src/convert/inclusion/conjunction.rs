//! Schemas that apply to the same value, all of them.

use super::address;
use crate::convert::sketch::{
    JsonKinds, SchemaSource, finite, is_required, item_parts, property_parts,
};
use crate::types::limits::SCHEMA_WORK;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A schema and all that it refers to or combines, each to be read by its own keywords; `None` if a
/// reference can't be followed.
pub(super) fn parts<'a>(source: &'a SchemaSource, schema: &'a Value) -> Option<Vec<&'a Value>> {
    let mut found: Vec<&Value> = Vec::new();
    let mut seen = HashSet::new();
    // A stack and a set: references may lead in circles.
    let mut todo = vec![schema];
    while let Some(next) = todo.pop() {
        if !seen.insert(address(next)) {
            continue;
        }
        // Bounded: a schema that is larger counts as one that can't be followed.
        if found.len() > SCHEMA_WORK {
            return None;
        }
        let reference = next.get("$ref").and_then(Value::as_str);
        if let Some(reference) = reference {
            todo.push(source.resolve(reference)?);
            // Up to draft 7 the words beside a reference do not count.
            if source.ref_stands_alone() {
                continue;
            }
        }
        if let Some(Value::Array(all)) = next.get("allOf") {
            todo.extend(all);
        }
        found.push(next);
    }
    Some(found)
}

/// Lists of alternatives for one value that are looked into, each inside of the one before.
const OPENED: usize = 4;

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) struct Conjunction<'a> {
    pub(super) parts: Vec<&'a Value>,
    /// Lists of alternatives that were not looked into yet.
    choices: Vec<&'a Vec<Value>>,
    /// Alternatives in all lists: each look at a value is a look at all of them.
    pub(super) width: usize,
    /// How many lists were looked into.
    opened: usize,
    /// Null is left out.
    pub(super) no_null: bool,
}

impl<'a> Conjunction<'a> {
    /// What can't be followed says nothing.
    pub(super) fn of(
        source: &'a SchemaSource,
        schemas: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let mut all: Vec<&'a Value> = Vec::new();
        let mut seen = HashSet::new();
        for schema in schemas {
            // Less is known then, so less is proven, and nothing wrongly.
            let parts = parts(source, schema).unwrap_or_default();
            // A schema that refers to itself twice would double on every level.
            all.extend(parts.into_iter().filter(|part| seen.insert(address(part))));
        }
        let listed = |part: &&'a Value| {
            let words = ["anyOf", "oneOf"].into_iter();
            let lists = words.filter_map(|word| part.get(word).and_then(Value::as_array));
            lists.collect::<Vec<_>>()
        };
        // Not opened yet: each alternative doubles the work.
        let choices: Vec<&'a Vec<Value>> = all.iter().flat_map(listed).collect();
        Self {
            width: choices.iter().map(|list| list.len()).sum(),
            choices,
            parts: all,
            opened: 0,
            no_null: false,
        }
    }

    pub(super) fn addresses(&self) -> Vec<usize> {
        let mut all: Vec<_> = self.parts.iter().map(|part| address(part)).collect();
        all.sort_unstable();
        all
    }

    pub(super) fn open_choices(&self) -> Vec<usize> {
        let choices = self.choices.iter().filter_map(|list| list.first());
        choices.map(address).collect()
    }

    pub(super) fn kinds(&self) -> JsonKinds {
        let all = self.parts.iter().map(|part| JsonKinds::of(part));
        let all = all.fold(JsonKinds::ALL, JsonKinds::and);
        if self.no_null {
            all.without(JsonKinds::NULL)
        } else {
            all
        }
    }

    pub(super) fn is_never(&self) -> bool {
        self.kinds().is_none()
    }

    /// The values, if a part lists them.
    pub(super) fn finite(&self) -> Option<Vec<Value>> {
        let mut values = self.parts.iter().find_map(|part| finite(part))?;
        let kinds = self.kinds();
        values.retain(|value| JsonKinds::of_value(value).within(kinds));
        Some(values)
    }

    /// The objects among the parts.
    pub(super) fn maps(&self) -> impl Iterator<Item = &'a Map<String, Value>> {
        self.parts.iter().filter_map(|part| part.as_object())
    }

    /// One for each of the first alternatives that were not looked into.
    pub(super) fn alternatives(&self, source: &'a SchemaSource) -> Option<Vec<Self>> {
        let (list, rest) = self.choices.split_first()?;
        // Bounded by depth, since each opened choice multiplies with the next one.
        if self.opened >= OPENED {
            return None;
        }
        let one = |alternative: &'a Value| {
            let inner = Self::of(source, [alternative]);
            let mut all = self.clone();
            // A part that is known already would only be compared twice.
            let known: HashSet<usize> = all.parts.iter().map(|part| address(part)).collect();
            let new = inner.parts.into_iter();
            all.parts
                .extend(new.filter(|part| !known.contains(&address(part))));
            all.opened += 1;
            all.width += inner.width;
            all.choices = rest.iter().copied().chain(inner.choices).collect();
            all
        };
        Some(list.iter().map(one).collect())
    }

    /// What is known of a property.
    pub(super) fn property(&self, source: &'a SchemaSource, key: &str) -> Self {
        let schemas = self.maps().flat_map(|map| property_parts(map, key));
        Self::of(source, schemas)
    }

    /// What is known of properties with other names than those.
    pub(super) fn others(&self, source: &'a SchemaSource) -> Self {
        let rest = self
            .maps()
            .filter_map(|map| map.get("additionalProperties"));
        Self::of(source, rest)
    }

    /// What is known of the items, in order; the last one is for all others.
    pub(super) fn items(&self, source: &'a SchemaSource) -> Vec<Self> {
        let lists: Vec<Vec<&Value>> = self.parts.iter().map(|part| item_parts(part)).collect();
        let longest = lists.iter().map(Vec::len).max().unwrap_or(1);
        let item = |number: usize| {
            let schemas = lists
                .iter()
                .filter_map(|list| list.get(number).or(list.last()));
            Self::of(source, schemas.copied())
        };
        (0..longest).map(item).collect()
    }

    pub(super) fn requires(&self, key: &str) -> bool {
        self.maps().any(|map| is_required(map, key))
    }
}
