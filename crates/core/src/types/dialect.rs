//! What differs between drafts, and where schemas stand inside a schema.

use super::pointer::child;
use jsonschema::Draft;
use serde_json::{Map, Value};

/// The role of a schema inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaRole<'s> {
    Property(&'s str),
    Pattern(&'s str),
    Additional,
    Unevaluated,
    Prefix,
    Items,
    Always,
    /// Of the list with that number.
    Choice(usize),
    Under,
    Asked,
    Not,
    Inner,
    /// `definitions`: it applies where somebody refers to it.
    Stored,
}

/// The draft that `$schema` names, draft 7 without one, draft 4 where exclusive bounds are
/// booleans. `None` for a dialect that is not known.
pub(crate) fn draft_of(schema: &Value) -> Option<Draft> {
    let Some(named) = schema.get("$schema") else {
        let old = has_boolean_bounds(schema);
        return Some(if old { Draft::Draft4 } else { Draft::Draft7 });
    };
    let named = named.as_str()?.trim_end_matches('#');
    let address = named
        .strip_prefix("http://")
        .or_else(|| named.strip_prefix("https://"))?;
    match address {
        "json-schema.org/draft-04/schema" => Some(Draft::Draft4),
        "json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        "json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        _ => None,
    }
}

fn has_boolean_bounds(schema: &Value) -> bool {
    let mut todo = vec![schema];
    while let Some(next) = todo.pop() {
        let Value::Object(map) = next else { continue };
        let bounds = ["exclusiveMinimum", "exclusiveMaximum"];
        if bounds
            .iter()
            .any(|key| map.get(*key).is_some_and(Value::is_boolean))
        {
            return true;
        }
        todo.extend(
            inner_schemas("", map)
                .into_iter()
                .map(|(_, _, inner)| inner),
        );
    }
    false
}

/// Up to draft 7 whatever stands beside `$ref` is ignored.
pub(crate) const fn ref_stands_alone(draft: Draft) -> bool {
    matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
}

pub(crate) const fn id_keyword(draft: Draft) -> &'static str {
    if matches!(draft, Draft::Draft4) {
        "id"
    } else {
        "$id"
    }
}

/// All schemas directly inside of one, with their pointers.
pub(crate) fn inner_schemas<'s>(
    pointer: &str,
    schema: &'s Map<String, Value>,
) -> Vec<(SchemaRole<'s>, String, &'s Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let at = || child(pointer, keyword);
        match (keyword.as_str(), value) {
            ("properties", Value::Object(map)) => {
                found.extend(each(map, &at(), SchemaRole::Property));
            }
            ("patternProperties", Value::Object(map)) => {
                found.extend(each(map, &at(), SchemaRole::Pattern));
            }
            ("definitions" | "$defs", Value::Object(map)) => {
                found.extend(each(map, &at(), |_| SchemaRole::Stored));
            }
            ("dependentSchemas", Value::Object(map)) => {
                found.extend(each(map, &at(), |_| SchemaRole::Under));
            }
            ("dependencies", Value::Object(map)) => {
                let schemas = each(map, &at(), |_| SchemaRole::Under);
                found.extend(
                    schemas
                        .into_iter()
                        .filter(|(_, _, value)| !value.is_array()),
                );
            }
            ("items", Value::Array(list)) | ("prefixItems", Value::Array(list)) => {
                found.extend(listed(list, &at(), SchemaRole::Prefix));
            }
            ("allOf", Value::Array(list)) => found.extend(listed(list, &at(), SchemaRole::Always)),
            ("anyOf", Value::Array(list)) => {
                found.extend(listed(list, &at(), SchemaRole::Choice(0)));
            }
            ("oneOf", Value::Array(list)) => {
                found.extend(listed(list, &at(), SchemaRole::Choice(1)));
            }
            (word, Value::Object(_) | Value::Bool(_)) => {
                found.extend(single(word, schema).map(|place| (place, at(), value)));
            }
            _ => {}
        }
    }
    found
}

fn single<'s>(keyword: &str, schema: &Map<String, Value>) -> Option<SchemaRole<'s>> {
    match keyword {
        "additionalProperties" => Some(SchemaRole::Additional),
        "unevaluatedProperties" => Some(SchemaRole::Unevaluated),
        "items" => Some(SchemaRole::Items),
        // Without a list of items it means nothing.
        "additionalItems" if schema.get("items").is_some_and(Value::is_array) => {
            Some(SchemaRole::Items)
        }
        "then" | "else" if schema.contains_key("if") => Some(SchemaRole::Under),
        "if" => Some(SchemaRole::Asked),
        "not" => Some(SchemaRole::Not),
        "contains" | "propertyNames" | "unevaluatedItems" | "contentSchema" => {
            Some(SchemaRole::Inner)
        }
        _ => None,
    }
}

fn each<'s>(
    map: &'s Map<String, Value>,
    at: &str,
    place: impl Fn(&'s str) -> SchemaRole<'s>,
) -> Vec<(SchemaRole<'s>, String, &'s Value)> {
    map.iter()
        .map(|(name, inner)| (place(name), child(at, name), inner))
        .collect()
}

fn listed<'s>(
    list: &'s [Value],
    at: &str,
    place: SchemaRole<'s>,
) -> Vec<(SchemaRole<'s>, String, &'s Value)> {
    let numbered = list.iter().enumerate();
    numbered
        .map(|(index, inner)| (place, format!("{at}/{index}"), inner))
        .collect()
}

/// A URI fragment as text.
pub(crate) fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
