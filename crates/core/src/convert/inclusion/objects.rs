//! The properties of objects.

use super::conjunction::Conjunction;
use super::{GapReason, ProofEffort, SchemaComparison, takes_null};
use crate::convert::sketch::{JsonKinds, property_parts};
use crate::examples::{DocumentEdit, DocumentStep};
use crate::types::compile_pattern;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Keywords that can depend on whether a property is there.
const WHOLE: [&str; 11] = [
    "minProperties",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "enum",
    "const",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
];

fn patterns(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let patterns = map.get("patternProperties").and_then(Value::as_object);
    patterns.into_iter().flatten()
}

/// The schemas of properties that are not named.
fn unnamed(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let rest = map.get("additionalProperties");
    patterns(map).map(|(_, schema)| schema).chain(rest)
}

impl<'a> SchemaComparison<'a> {
    pub(super) fn object(&mut self, c: &Conjunction<'a>, t: &'a Map<String, Value>) {
        let named = t.get("properties").and_then(Value::as_object);
        for (name, schema) in named.into_iter().flatten() {
            self.property(c, name, schema);
        }
        for (pattern, schema) in patterns(t) {
            let regex = compile_pattern(pattern).ok().map(|compiled| compiled.regex);
            // A pattern that can't be compiled may match any name.
            let matches = |name: &str| regex.as_ref().is_none_or(|regex| regex.is_match(name));
            self.unnamed(c, schema, Some(pattern), &matches, &|_| true);
        }
        if let Some(rest) = t.get("additionalProperties") {
            // Additional properties are those that neither `properties` nor a pattern speaks of.
            let spoken_of = |name: &str| {
                let mut without = t.clone();
                without.shift_remove("additionalProperties");
                !property_parts(&without, name).is_empty()
            };
            let known = |pattern: &str| patterns(t).any(|(text, _)| text == pattern);
            self.unnamed(c, rest, None, &|name| !spoken_of(name), &|pattern| {
                !known(pattern)
            });
        }
    }

    /// Which properties are there. A null that counts as absent is not, whatever is required.
    pub(super) fn presence(&mut self, c: &Conjunction<'a>, parts: &[&'a Map<String, Value>]) {
        let required = parts.iter().filter_map(|t| t.get("required")?.as_array());
        let required = required.flatten().filter_map(Value::as_str);
        let required: BTreeSet<&str> = required.collect();
        for name in &required {
            if !c.requires(name) {
                self.gap(
                    GapReason::Required,
                    vec![DocumentEdit::Remove((*name).to_owned())],
                );
            }
        }
        // Words that count properties: a null that vanishes changes the number.
        let counts = |t: &&Map<String, Value>| WHOLE.iter().any(|word| t.contains_key(*word));
        let counted = parts.iter().any(counts);
        // Where nulls stay, nothing vanishes.
        if !self.strips_null || (required.is_empty() && !counted) {
            return;
        }
        let named = parts
            .iter()
            .filter_map(|t| t.get("properties")?.as_object());
        let names: BTreeSet<&str> = named.flat_map(Map::keys).map(String::as_str).collect();
        for name in names.union(&required) {
            if (counted || required.contains(name)) && self.vanishes(c, parts, name) {
                self.inside(DocumentStep::Key((*name).to_owned()), |this| {
                    this.gap(GapReason::Type, vec![DocumentEdit::Set(Value::Null)]);
                });
            }
        }
        let closed = |rest: &&Value| **rest == Value::Bool(false);
        let mut wanted = parts.iter().flat_map(|t| unnamed(t)).filter(|t| !closed(t));
        let vanish = wanted.any(|schema| !takes_null(self.to, schema));
        let patterns = c.maps().flat_map(patterns).map(|(_, schema)| schema);
        let mut known = patterns.map(|schema| Conjunction::of(self.from, [schema]));
        let null = |c: Conjunction<'_>| c.kinds().has(JsonKinds::NULL);
        if counted && vanish && (null(c.others(self.from)) || known.any(null)) {
            self.inside(DocumentStep::Other, |this| {
                this.gap(GapReason::Type, vec![DocumentEdit::Set(Value::Null)]);
            });
        }
    }

    /// Whether a property can be a null that counts as absent.
    fn vanishes(&self, c: &Conjunction<'a>, parts: &[&'a Map<String, Value>], name: &str) -> bool {
        let mut wanted = parts.iter().flat_map(|t| property_parts(t, name));
        let known = c.property(self.from, name).kinds();
        known.has(JsonKinds::NULL) && wanted.any(|schema| !takes_null(self.to, schema))
    }

    fn property(&mut self, c: &Conjunction<'a>, name: &str, t: &'a Value) {
        let mut inner = c.property(self.from, name);
        // In a view nulls of optional fields are taken out before they are validated.
        inner.no_null = self.strips_null && !takes_null(self.to, t);
        let at = DocumentStep::Key(name.to_owned());
        // A forbidden name is not one that may be used freely.
        let forbidden = GapReason::of(None, t) == GapReason::Forbidden;
        // Policy: names that only the new schema declares count as unused in old documents. What
        // is noted lets the caller say so.
        if self.question.new_names_unused && !forbidden && c.leaves_open(self.from, name) {
            let fits = |this: &mut Self| this.inside(at.clone(), |this| this.compare(&inner, t));
            if !self.guess(ProofEffort::Ask, fits) {
                let mut unused = self.at.clone();
                unused.push(at);
                self.answer.unused.push(unused);
            }
            return;
        }
        self.inside(at, |this| this.compare(&inner, t));
    }

    /// All properties that a rule speaks of by other means than their names.
    fn unnamed(
        &mut self,
        c: &Conjunction<'a>,
        t: &'a Value,
        matching: Option<&str>,
        speaks_of: &dyn Fn(&str) -> bool,
        pattern: &dyn Fn(&str) -> bool,
    ) {
        let names: BTreeSet<&String> = c
            .maps()
            .filter_map(|map| map.get("properties")?.as_object())
            .flat_map(Map::keys)
            .collect();
        for name in names.into_iter().filter(|name| speaks_of(name)) {
            self.property(c, name, t);
        }
        let same = |(text, _): &(&String, &Value)| matching == Some(text.as_str());
        let own: Vec<&Value> = c
            .maps()
            .flat_map(patterns)
            .filter(same)
            .map(|(_, schema)| schema)
            .collect();
        let others = c
            .maps()
            .flat_map(patterns)
            .filter(|(text, _)| pattern(text));
        let others = others.filter(|one| !same(one));
        for (text, schema) in others.collect::<Vec<_>>() {
            // A name may match both.
            let inner = Conjunction::of(self.from, own.iter().copied().chain([schema]));
            let both = [Some(text.as_str()), matching].into_iter().flatten();
            let at = DocumentStep::Matching(both.map(str::to_owned).collect());
            self.inside(at, |this| this.compare(&inner, t));
        }
        // Whatever matches the pattern here matches it there.
        // Only patterns with the same text are known to match the same names.
        let mut rest = if own.is_empty() {
            c.others(self.from)
        } else {
            Conjunction::of(self.from, own)
        };
        rest.no_null = self.strips_null && !takes_null(self.to, t);
        let at = matching.map_or(DocumentStep::Other, |text| {
            DocumentStep::Matching(vec![text.to_owned()])
        });
        self.inside(at, |this| this.compare(&rest, t));
    }
}
