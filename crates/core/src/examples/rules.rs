//! What each part of a schema says, read once, in the form in which values are made from it.

use super::heights::heights;
use super::kinds::ExampleKinds;
use super::patterns::ExamplePattern;
use super::place::PartNumber;
use crate::types::Schema;
use crate::types::pointer::child;
use jsonschema::Draft;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What holds for properties that are neither named nor matched by a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdditionalRule {
    Open,
    Closed,
    Each(PartNumber),
}

/// `if`, with `then` and `else` where they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConditionalRule {
    pub(super) asked: PartNumber,
    pub(super) met: Option<PartNumber>,
    pub(super) unmet: Option<PartNumber>,
}

/// What one part says.
#[derive(Debug)]
pub(super) struct PartRule<'s> {
    /// Nothing fits.
    pub(super) never: bool,
    pub(super) kinds: ExampleKinds,
    /// The kinds that its keywords speak of; without `type` these are what its author means.
    pub(super) hints: ExampleKinds,
    /// Of `enum` and `const`.
    pub(super) listed: Option<Vec<&'s Value>>,
    /// Its other keywords.
    pub(super) keywords: Option<&'s Map<String, Value>>,
    pub(super) always: &'s [PartNumber],
    /// Of each `anyOf` and `oneOf` the alternatives that can be met.
    pub(super) choices: Vec<Vec<PartNumber>>,
    pub(super) condition: Option<ConditionalRule>,
    pub(super) names: &'s [String],
    pub(super) properties: &'s HashMap<String, PartNumber>,
    pub(super) patterns: &'s [(Regex, PartNumber)],
    pub(super) additional: AdditionalRule,
    /// `unevaluatedProperties: false`.
    pub(super) sealed: bool,
    pub(super) required: &'s [String],
    pub(super) prefix: &'s [PartNumber],
    pub(super) items: Option<PartNumber>,
    pub(super) contains: Option<PartNumber>,
    /// `propertyNames`.
    pub(super) keys: Option<PartNumber>,
    pub(super) pattern: Option<ExamplePattern>,
}

impl PartRule<'_> {
    /// Whether it only refers to others.
    pub(super) fn is_reference(&self) -> bool {
        !self.never
            && !self.always.is_empty()
            && self.kinds == ExampleKinds::ANY
            && self.hints == ExampleKinds::NONE
            && self.listed.is_none()
            && self.choices.is_empty()
            && self.condition.is_none()
    }

    /// A keyword that counts something.
    pub(super) fn count(&self, keyword: &str) -> Option<usize> {
        let number = self.keywords?.get(keyword)?;
        let whole = number.as_u64().and_then(|n| usize::try_from(n).ok());
        // The cast stops at the largest.
        whole.or_else(|| number.as_f64().map(|x| x as usize))
    }

    /// The schemas that it gives to a property; `None` if it forbids it.
    pub(super) fn of_key(&self, key: &str) -> Option<Vec<PartNumber>> {
        let named = self.properties.get(key).copied();
        let matching = self
            .patterns
            .iter()
            .filter(|(regex, _)| regex.is_match(key));
        let mut found: Vec<PartNumber> = named.into_iter().collect();
        found.extend(matching.map(|(_, id)| *id));
        match self.additional {
            _ if !found.is_empty() => {}
            AdditionalRule::Each(id) => found.push(id),
            AdditionalRule::Closed => return None,
            AdditionalRule::Open => {}
        }
        Some(found)
    }

    pub(super) fn of_item(&self, index: usize) -> Option<PartNumber> {
        self.prefix.get(index).copied().or(self.items)
    }
}

/// All rules, by the number of their part, and how many levels a value of each needs.
#[derive(Debug)]
pub(super) struct PartRules<'s> {
    pub(super) rules: Vec<PartRule<'s>>,
    heights: Vec<Option<usize>>,
    /// Whether 1.0 is an integer.
    pub(super) whole_floats: bool,
}

impl<'s> PartRules<'s> {
    pub(super) fn of(schema: &'s Schema) -> Self {
        let parts = schema.shape.parts();
        let numbered = parts.iter().enumerate();
        let ids: HashMap<&str, PartNumber> = numbered
            .map(|(id, part)| (part.pointer.as_str(), id))
            .collect();
        let mut rules: Vec<_> = (0..parts.len())
            .filter_map(|id| read(schema, id, &ids))
            .collect();
        let heights = heights(&rules);
        let can = |id: &PartNumber| heights.get(*id).copied().flatten().is_some();
        for rule in &mut rules {
            for choice in &mut rule.choices {
                choice.retain(can);
                rule.never |= choice.is_empty();
            }
        }
        Self {
            rules,
            heights,
            whole_floats: schema.draft() != Draft::Draft4,
        }
    }

    pub(super) fn get(&self, id: PartNumber) -> Option<&PartRule<'s>> {
        self.rules.get(id)
    }

    /// The levels that a value of this part needs at least; `None` if there is no end to them.
    pub(super) fn height(&self, id: PartNumber) -> Option<usize> {
        self.heights.get(id).copied().flatten()
    }

    /// The same where several parts apply.
    pub(super) fn height_of(&self, ids: &[PartNumber]) -> Option<usize> {
        ids.iter()
            .try_fold(0, |most, id| Some(self.height(*id)?.max(most)))
    }
}

fn read<'s>(
    schema: &'s Schema,
    id: PartNumber,
    ids: &HashMap<&str, PartNumber>,
) -> Option<PartRule<'s>> {
    let part = schema.shape.part(id)?;
    let at = |keyword| ids.get(child(&part.pointer, keyword).as_str()).copied();
    let source = schema.source().pointer(&part.pointer);
    let source = source.and_then(Value::as_object);
    let alone = matches!(
        schema.draft(),
        Draft::Draft4 | Draft::Draft6 | Draft::Draft7
    ) && source.is_some_and(|source| source.contains_key("$ref"));
    let keywords = source.filter(|_| !alone);
    let get = |keyword| keywords.and_then(|keywords| keywords.get(keyword));
    let inner = |keyword| get(keyword).and_then(|_| at(keyword));
    let additional = match get("additionalProperties") {
        Some(Value::Bool(false)) => AdditionalRule::Closed,
        Some(Value::Object(schema)) if !schema.is_empty() => {
            at("additionalProperties").map_or(AdditionalRule::Open, AdditionalRule::Each)
        }
        _ => AdditionalRule::Open,
    };
    let condition = inner("if").map(|asked| ConditionalRule {
        asked,
        met: inner("then"),
        unmet: inner("else"),
    });
    Some(PartRule {
        never: part.never,
        kinds: ExampleKinds::of_keyword(get("type")),
        hints: keywords.map_or(ExampleKinds::NONE, hints),
        listed: listed(get("enum"), get("const")),
        keywords,
        always: &part.always,
        choices: part.choices.clone(),
        condition,
        names: &part.names,
        properties: &part.properties,
        patterns: &part.patterns,
        additional,
        sealed: part.sealed,
        required: &part.required,
        prefix: &part.prefix,
        items: part.items,
        contains: inner("contains"),
        keys: inner("propertyNames"),
        pattern: get("pattern")
            .and_then(Value::as_str)
            .and_then(ExamplePattern::read),
    })
}

fn listed<'s>(some: Option<&'s Value>, one: Option<&'s Value>) -> Option<Vec<&'s Value>> {
    let some = some
        .and_then(Value::as_array)
        .map(|values| values.iter().collect::<Vec<_>>());
    match (some, one) {
        (some, None) => some,
        (None, Some(one)) => Some(vec![one]),
        (Some(mut some), Some(one)) => {
            some.retain(|value| crate::types::same(value, one));
            Some(some)
        }
    }
}

/// The kinds that the keywords are about.
fn hints(keywords: &Map<String, Value>) -> ExampleKinds {
    if keywords.contains_key("type") {
        return ExampleKinds::of_keyword(keywords.get("type"));
    }
    let about = |keyword: &String| match keyword.as_str() {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => ExampleKinds::OBJECT,
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
        | "unevaluatedItems" => ExampleKinds::LIST,
        "minLength" | "maxLength" | "pattern" | "format" => ExampleKinds::TEXT,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            ExampleKinds::NUMBER
        }
        _ => ExampleKinds::NONE,
    };
    keywords
        .keys()
        .map(about)
        .fold(ExampleKinds::NONE, ExampleKinds::or)
}
