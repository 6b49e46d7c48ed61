//! The set algebra of crate `jsonschema`, within bounds.

use crate::convert::sketch::{has_reference, objects_in};
use crate::convert::weight::weight;
use crate::types::pattern_limits;
use jsonschema::Draft;
use jsonschema::canonical::{self, CanonicalSchema, Containment};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes, roughly, of two schemas that are compared.
const BYTES: usize = 128 * 1024;
/// Alternatives and conditions in them: each can double the work.
const CHOICES: usize = 10;

pub(super) enum CoverAnswer {
    /// Everything that fits the one fits the other.
    Covers,
    /// Not so, or nobody knows; with a schema of what fits the one alone, where there is one.
    Undecided(Option<Value>),
}

/// Whether `wanted` accepts all that `known` does. Drafts are those of the two.
pub(super) fn covers(wanted: &Value, known: &Value, drafts: (Draft, Draft)) -> CoverAnswer {
    let simple =
        weight(wanted) + weight(known) <= BYTES && choices(wanted) + choices(known) <= CHOICES;
    if !simple || !one_language(drafts, wanted, known) {
        return CoverAnswer::Undecided(None);
    }
    // The algebra is young; whatever it does must not end a registration.
    let asked = catch_unwind(AssertUnwindSafe(|| ask(wanted, known, drafts.0)));
    asked.ok().flatten().unwrap_or(CoverAnswer::Undecided(None))
}

fn choices(schema: &Value) -> usize {
    const WORDS: [&str; 7] = [
        "anyOf",
        "oneOf",
        "not",
        "if",
        "dependencies",
        "dependentSchemas",
        "dependentRequired",
    ];
    // Counted also where the word is a property's name: too many is safe.
    let words = objects_in(schema).flat_map(Map::keys);
    words.filter(|word| WORDS.contains(&word.as_str())).count()
}

fn ask(wanted: &Value, known: &Value, draft: Draft) -> Option<CoverAnswer> {
    let (wanted, known) = (canonical(wanted, draft)?, canonical(known, draft)?);
    if wanted.covers(&known).ok()? == Containment::Yes {
        return Some(CoverAnswer::Covers);
    }
    let difference = known.subtract(&wanted).ok();
    let difference = difference.map(|difference| difference.to_json_schema());
    Some(CoverAnswer::Undecided(difference))
}

fn canonical(schema: &Value, draft: Draft) -> Option<CanonicalSchema> {
    let options = canonical::options().with_draft(draft).offline();
    let options = options.with_pattern_options(pattern_limits());
    options.canonicalize(schema).ok()
}

/// Keywords that mean the same in every draft from 6 on.
const STABLE: [&str; 24] = [
    "$schema",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "properties",
    "patternProperties",
    "additionalProperties",
    "allOf",
    "anyOf",
    "not",
];

fn one_language(drafts: (Draft, Draft), wanted: &Value, known: &Value) -> bool {
    if drafts.0 == drafts.1 {
        return true;
    }
    // From draft 6 on these keywords have kept their meaning; draft 4 had booleans for exclusive
    // bounds.
    let new = |draft| !matches!(draft, Draft::Draft4);
    let stable = |schema: &Value| {
        let words = schema.as_object().into_iter().flatten();
        let flat = words.map(|(word, _)| word.as_str());
        // A reference could lead to other words.
        !has_reference(schema) && flat.into_iter().all(|word| STABLE.contains(&word))
    };
    let all_of = known.get("allOf").and_then(Value::as_array);
    let parts = all_of.into_iter().flatten();
    new(drafts.0) && new(drafts.1) && stable(wanted) && parts.chain([known]).all(stable)
}
