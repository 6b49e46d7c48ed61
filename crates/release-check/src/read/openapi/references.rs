//! What leads where.

use super::{DocumentProblem, entries, member, schemas};
use serde_json::Value;
use std::collections::BTreeSet;

const SCHEMAS: &str = "#/components/schemas/";

/// More than any description needs, and less than a stack has.
pub(super) const MOST_STEPS: usize = 64;

/// The name of a schema that a reference leads to.
pub(super) fn schema_name(reference: &str) -> Option<&str> {
    reference.strip_prefix(SCHEMAS)
}

/// What is meant, wherever it is described: follows references until there is none.
pub(super) fn resolved<'a>(
    document: &'a Value,
    described: &'a Value,
) -> Result<&'a Value, DocumentProblem> {
    let mut now = described;
    for _ in 0..MOST_STEPS {
        let Some(reference) = now.get("$ref").and_then(Value::as_str) else {
            return Ok(now);
        };
        now = target(document, reference)?;
    }
    Err(DocumentProblem::new("a reference that leads to itself"))
}

/// What one reference leads to.
pub(super) fn target<'a>(
    document: &'a Value,
    reference: &str,
) -> Result<&'a Value, DocumentProblem> {
    let pointer = reference.strip_prefix('#');
    let found = pointer.and_then(|pointer| document.pointer(pointer));
    found.ok_or_else(|| DocumentProblem::new(format!("{reference} leads nowhere")))
}

/// Schemas that no request and no success leads to.
pub(super) fn standalone(document: &Value) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&Value> = Vec::new();
    for (_, item) in entries(member(document, "paths")) {
        pending.push(member(item, "parameters"));
        for (_, operation) in entries(item).filter(|(key, _)| *key != "parameters") {
            pending.push(member(operation, "parameters"));
            pending.push(member(operation, "requestBody"));
            let answers = entries(member(operation, "responses"));
            // What only refusals lead to is compared by itself, once.
            let successes = answers.filter(|(status, _)| status.starts_with('2'));
            pending.extend(successes.map(|(_, answer)| answer));
        }
    }
    while let Some(value) = pending.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str)
            && reached.insert(reference.to_owned())
        {
            pending.extend(target(document, reference));
        }
        match value {
            Value::Object(map) => pending.extend(map.values()),
            Value::Array(all) => pending.extend(all),
            _ => {}
        }
    }
    let reached: BTreeSet<&str> = reached.iter().filter_map(|one| schema_name(one)).collect();
    let names = schemas(document).map(|(name, _)| name);
    names
        .filter(|name| !reached.contains(name.as_str()))
        .cloned()
        .collect()
}
