//! What is asked of an object.

use super::patterns::ExamplePattern;
use super::place::{PartNumber, hash};
use super::rules::{AdditionalRule, PartRule, PartRules};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A property that some part names.
#[derive(Debug)]
pub(super) struct PropertyDemand<'s> {
    pub(super) name: &'s str,
    pub(super) hash: u64,
    /// What applies to its value.
    pub(super) ids: Vec<PartNumber>,
    pub(super) required: bool,
}

/// Where the keys of a map come from.
#[derive(Debug)]
pub(super) enum KeySource {
    Any,
    Matching(ExamplePattern),
}

#[derive(Debug)]
pub(super) struct ObjectDemand<'s> {
    /// Those that can be there.
    pub(super) fields: Vec<PropertyDemand<'s>>,
    /// A property is required that can't be there.
    pub(super) impossible: bool,
    /// Keys that nobody names but somebody describes.
    pub(super) keys: Vec<KeySource>,
    /// Whether keys that nobody speaks of may be there.
    pub(super) open: bool,
    pub(super) least: usize,
    pub(super) most: usize,
    /// What applies to each key.
    pub(super) names: Vec<PartNumber>,
    /// A property, and others that are required where it is.
    pub(super) needs: Vec<(&'s str, Vec<&'s str>)>,
}

impl<'s> ObjectDemand<'s> {
    pub(super) fn of(all: &PartRules<'s>, rules: &[&PartRule<'s>]) -> Self {
        let counts = |keyword| rules.iter().filter_map(move |rule| rule.count(keyword));
        let required: HashSet<&str> = rules
            .iter()
            .flat_map(|rule| rule.required.iter().map(String::as_str))
            .collect();
        let named = rules.iter().flat_map(|rule| rule.names.iter());
        let needed = rules.iter().flat_map(|rule| rule.required.iter());
        let mut seen = HashSet::new();
        let mut fields = Vec::new();
        let mut impossible = false;
        for name in named.chain(needed).filter(|name| seen.insert(*name)) {
            let required = required.contains(name.as_str());
            let ids = of_key(rules, name).filter(|ids| all.height_of(ids).is_some());
            impossible |= required && ids.is_none();
            fields.extend(ids.map(|ids| PropertyDemand {
                name,
                hash: hash(name),
                ids,
                required,
            }));
        }
        let open_to =
            |rule: &&PartRule<'_>| rule.additional == AdditionalRule::Open && !rule.sealed;
        let declares = |rule: &&PartRule<'_>| !rule.names.is_empty() || !rule.patterns.is_empty();
        let open = rules.iter().all(open_to);
        let mut keys: Vec<KeySource> = rules
            .iter()
            .flat_map(|rule| rule.patterns)
            .filter(|(_, id)| all.height(*id).is_some())
            .filter_map(|(regex, _)| ExamplePattern::of(regex).map(KeySource::Matching))
            .collect();
        let each = |rule: &&PartRule<'_>| matches!(rule.additional, AdditionalRule::Each(id) if all.height(id).is_some());
        // An object without a word about its inside is a map of anything.
        if rules.iter().any(each) || (open && !rules.iter().any(declares)) {
            keys.push(KeySource::Any);
        }
        Self {
            fields,
            impossible,
            keys,
            open,
            least: counts("minProperties").max().unwrap_or(0),
            most: counts("maxProperties").min().unwrap_or(usize::MAX),
            names: rules.iter().filter_map(|rule| rule.keys).collect(),
            needs: needs(rules),
        }
    }

    /// Names and numbers of its fields, for a lookup.
    pub(super) fn numbered(&self) -> HashMap<&str, usize> {
        let numbered = self.fields.iter().enumerate();
        numbered
            .map(|(number, field)| (field.name, number))
            .collect()
    }
}

/// The schemas that some rules give to a property; `None` if one forbids it.
pub(super) fn of_key(rules: &[&PartRule<'_>], key: &str) -> Option<Vec<PartNumber>> {
    let mut ids = Vec::new();
    for rule in rules {
        ids.extend(rule.of_key(key)?);
    }
    if ids.is_empty() && rules.iter().any(|rule| rule.sealed) {
        return None;
    }
    ids.sort_unstable();
    ids.dedup();
    Some(ids)
}

/// `dependentRequired`, and `dependencies` where they are lists.
fn needs<'s>(rules: &[&PartRule<'s>]) -> Vec<(&'s str, Vec<&'s str>)> {
    let mut found = Vec::new();
    for keyword in ["dependentRequired", "dependencies"] {
        let maps = rules
            .iter()
            .filter_map(|rule| rule.keywords?.get(keyword)?.as_object());
        for (name, needed) in maps.flatten() {
            if let Value::Array(needed) = needed {
                let needed = needed.iter().filter_map(Value::as_str);
                found.push((name.as_str(), needed.collect()));
            }
        }
    }
    found
}
