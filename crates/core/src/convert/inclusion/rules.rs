//! The keywords of a schema, each with what must be known for it to hold.

use super::conjunction::Conjunction;
use super::{
    GUESSES, GapReason, ProofEffort, QUESTIONS, SEARCHED, SchemaComparison, algebra, bounds,
    counterexample, disjoint, is_unconstrained,
};
use crate::convert::sketch::{JsonKinds, has_reference};
use crate::convert::weight::weight;
use crate::examples::DocumentEdit;
use jsonschema::Draft;
use serde_json::{Map, Value, json};

const NUMBERS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
const TEXTS: [&str; 6] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
];
const LISTS: [&str; 3] = ["minItems", "maxItems", "uniqueItems"];
const CONTAINS: [&str; 3] = ["contains", "minContains", "maxContains"];
const CONDITION: [&str; 3] = ["if", "then", "else"];
const OBJECTS: [&str; 2] = ["minProperties", "maxProperties"];

/// Keywords that are always asked for together, and the types that they speak of.
const FAMILIES: [(&[&str], JsonKinds); 6] = [
    (&NUMBERS, JsonKinds::NUMBER),
    (&TEXTS, JsonKinds::STRING),
    (&LISTS, JsonKinds::ARRAY),
    (&OBJECTS, JsonKinds::OBJECT),
    (&CONTAINS, JsonKinds::ARRAY),
    (&CONDITION, JsonKinds::ALL),
];

/// Keywords that are asked for one by one.
const SINGLE: [(&str, JsonKinds); 11] = [
    ("enum", JsonKinds::ALL),
    ("const", JsonKinds::ALL),
    ("not", JsonKinds::ALL),
    ("propertyNames", JsonKinds::OBJECT),
    ("dependencies", JsonKinds::OBJECT),
    ("dependentRequired", JsonKinds::OBJECT),
    ("dependentSchemas", JsonKinds::OBJECT),
    ("unevaluatedProperties", JsonKinds::OBJECT),
    ("unevaluatedItems", JsonKinds::ARRAY),
    ("$dynamicRef", JsonKinds::ALL),
    ("$recursiveRef", JsonKinds::ALL),
];

/// Keywords with rules of their own.
const RULED: [&str; 10] = [
    "type",
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "items",
    "prefixItems",
    "additionalItems",
    "anyOf",
    "oneOf",
];

/// Whether a keyword says nothing of what fits, or is read elsewhere.
pub(super) fn is_annotation(word: &str) -> bool {
    let in_family = FAMILIES.iter().any(|(words, _)| words.contains(&word));
    let single = SINGLE.iter().any(|(single, _)| *single == word);
    let elsewhere = ["$ref", "allOf"].contains(&word);
    !(in_family || single || elsewhere || RULED.contains(&word))
}

impl<'a> SchemaComparison<'a> {
    /// Every keyword of a part of the target.
    pub(super) fn rules(
        &mut self,
        c: &Conjunction<'a>,
        part: &'a Value,
        t: &'a Map<String, Value>,
    ) {
        let kinds = c.kinds();
        // Types first: without the wanted type no other keyword matters.
        if t.contains_key("type") {
            let wanted = JsonKinds::of(&project(part, &["type"]));
            // In draft 4 the number 1.0 is no integer.
            let old = self.to.draft == Draft::Draft4 && self.from.draft != Draft::Draft4;
            // Only one way: a document of draft 4 has an integer wherever the others want one.
            let may_differ =
                old && kinds.has(JsonKinds::INTEGER) && !JsonKinds::NUMBER.within(wanted);
            if may_differ || !kinds.within(wanted) {
                self.leaf(c, Some(&["type"]), part);
                // A gap in the type makes all gaps below superfluous.
                return;
            }
        }
        for (words, speaks_of) in FAMILIES {
            // A keyword that speaks of another type than the value can have holds anyway.
            let any = words.iter().any(|word| t.contains_key(*word));
            if any && kinds.has(speaks_of) {
                self.leaf(c, Some(words), part);
            }
        }
        for (word, speaks_of) in SINGLE {
            // One keyword at a time, because each is proven by itself.
            if t.contains_key(word) && kinds.has(speaks_of) {
                self.leaf(c, Some(&[word]), part);
            }
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(list)) = t.get(word) {
                self.some_of(c, part, word, list);
            }
        }
        if kinds.has(JsonKinds::OBJECT) {
            self.object(c, t);
        }
        let items = ["items", "prefixItems"]
            .iter()
            .any(|word| t.contains_key(*word));
        if items && kinds.has(JsonKinds::ARRAY) {
            self.list(c, part);
        }
    }

    /// It is enough that one alternative always fits, if no other one can fit too where only one
    /// may.
    fn some_of(&mut self, c: &Conjunction<'a>, part: &'a Value, word: &str, list: &'a [Value]) {
        if self.cancels(c, &[word], part) {
            return;
        }
        // With `oneOf` a second alternative that fits would break it; only if no two can fit is
        // one enough.
        if word == "oneOf" && !disjoint::all(self.to, list) {
            self.leaf(c, Some(&[word]), part);
            return;
        }
        // A null inside an alternative is no null of the property: which alternative applies is
        // decided with it.
        let strips = std::mem::replace(&mut self.strips_null, false);
        let mut one_fits = false;
        for one in list {
            one_fits = one_fits || self.guess(ProofEffort::Ask, |this| this.compare(c, one));
        }
        self.strips_null = strips;
        if !one_fits {
            self.leaf(c, Some(&[word]), part);
        }
    }

    /// Whether a part on the other side says the very same.
    fn cancels(&self, c: &Conjunction<'_>, words: &[&str], part: &Value) -> bool {
        let wanted = project(part, words);
        let old = |draft| matches!(draft, Draft::Draft4);
        // In draft 4 the same words can mean something else.
        let one_language = old(self.from.draft) == old(self.to.draft);
        one_language
            && !has_reference(&wanted)
            && c.parts.iter().any(|known| project(known, words) == wanted)
    }

    /// Asks the algebra for some keywords of a part, or for the whole of it.
    pub(super) fn leaf(&mut self, c: &Conjunction<'a>, words: Option<&[&str]>, part: &Value) {
        let wanted = match words {
            // The very same words among what is known keep them.
            Some(words) if self.cancels(c, words, part) => return,
            Some(words) => {
                let mut wanted = project(part, words);
                bounds::omit_kept(c, &mut wanted);
                wanted
            }
            None => part.clone(),
        };
        if is_unconstrained(&wanted) {
            return;
        }
        // The attempt has failed already, and what it still asks would cost for nothing.
        if self.failed() {
            return;
        }
        let why = GapReason::of(words, part);
        // At a glance nothing is asked of the algebra.
        if self.effort == ProofEffort::Glance {
            self.gap(why, Vec::new());
            return;
        }
        let mut wanted = wanted;
        let text = self.patterns.omit_kept(c, &mut wanted);
        if is_unconstrained(&wanted) {
            return;
        }
        let kinds = c.kinds();
        // The types that are known help the algebra to drop alternatives.
        let typed = (kinds != JsonKinds::ALL).then(|| json!({"type": kinds.to_json()}));
        // Only the parts that can matter for these words: the algebra's cost grows with all that
        // is given to it.
        let relevant = words.and_then(relevant);
        let known = c.parts.iter().map(|part| match relevant {
            Some(words) => project(part, words),
            None => (*part).clone(),
        });
        let known = json!({"allOf": known.chain(typed).collect::<Vec<_>>()});
        let (known, wanted) = (self.from.bundle(&known), self.to.bundle(&wanted));
        // Bounded before it is asked, because it can't be interrupted.
        if !self.affords(&known) || !self.affords(&wanted) {
            self.gap(GapReason::TooMuch, Vec::new());
            return;
        }
        let question = (known.to_string(), wanted.to_string());
        // The number of questions is bounded too, and an answer that is known is free.
        if self.answers.len() >= QUESTIONS && !self.answers.contains_key(&question) {
            self.gap(GapReason::TooMuch, Vec::new());
            return;
        }
        let drafts = (self.to.draft, self.from.draft);
        let ask = || algebra::covers(&wanted, &known, drafts);
        let answer = self.answers.entry(question).or_insert_with(ask);
        // Not covered is no proof that it breaks: the difference may be empty.
        let difference = match answer {
            algebra::CoverAnswer::Covers => return,
            algebra::CoverAnswer::Undecided(difference) => difference.clone(),
        };
        self.guesses += 1;
        // Documents just outside of the bounds are the most likely to break, and are told even
        // without a search.
        let counted = bounds::just_outside(&wanted);
        let mut values = Vec::new();
        if self.effort == ProofEffort::Search
            && self.guesses <= GUESSES
            && self.searched <= SEARCHED
        {
            // By weight, since large schemas take longer to search.
            self.searched += weight(&known) + weight(&wanted);
            values = counterexample::values(difference, known, wanted, self.guesses);
        }
        let values = values.into_iter().map(DocumentEdit::Set);
        let text = text.map(|text| DocumentEdit::Set(Value::from(text)));
        self.gap(why, text.into_iter().chain(values).chain(counted).collect());
    }
}

/// The keywords that can matter for others; `None` for all of them.
fn relevant(words: &[&str]) -> Option<&'static [&'static str]> {
    let are = |family: &[&str]| words.iter().all(|word| family.contains(word));
    match words {
        ["type"] => Some(&["type"]),
        _ if are(&NUMBERS) => Some(&NUMBERS),
        _ if are(&TEXTS) => Some(&TEXTS),
        _ if are(&LISTS) => Some(&LISTS),
        _ if are(&OBJECTS) => Some(&["minProperties", "maxProperties", "required"]),
        _ => None,
    }
}

/// Some keywords of a schema.
fn project(schema: &Value, words: &[&str]) -> Value {
    let Value::Object(map) = schema else {
        return schema.clone();
    };
    let kept = map
        .iter()
        .filter(|(word, _)| words.contains(&word.as_str()));
    Value::Object(
        kept.map(|(word, value)| (word.clone(), value.clone()))
            .collect(),
    )
}
