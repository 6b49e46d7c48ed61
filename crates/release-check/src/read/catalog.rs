//! The files that describe no API, each as items of the catalog.

mod commands;
mod kinds;
mod tables;

pub use commands::read_commands;
pub use kinds::read_kind_version;
pub use tables::{read_errors, read_levels, read_metrics, read_outputs};

use super::DocumentProblem;
use serde_json::{Map, Value};

/// An object that is not empty: a check that reads nothing finds nothing.
fn filled_object<'a>(
    document: &'a Value,
    what: &str,
) -> Result<&'a Map<String, Value>, DocumentProblem> {
    let filled = document.as_object().filter(|map| !map.is_empty());
    filled.ok_or_else(|| DocumentProblem::new(format!("it has no {what}")))
}

fn texts(value: Option<&Value>) -> impl Iterator<Item = String> {
    let all = value.and_then(Value::as_array).into_iter().flatten();
    all.map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned))
}
