//! Error codes, metrics, levels of stored formats, and what commands print.

use super::super::DocumentProblem;
use super::{filled_object, texts};
use crate::model::{CatalogItem, CatalogKind, CommandOutputs};
use crate::read::openapi::deprecation;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `errors.json`. The constant's name stands for the meaning; the title may be reworded.
pub fn read_errors(document: &Value) -> Result<Vec<CatalogItem>, DocumentProblem> {
    let all = filled_object(document, "error codes")?.iter();
    let read = all.map(|(code, described)| {
        let mut item = CatalogItem::named(CatalogKind::ErrorCode, code);
        let name = described.get("name").cloned().unwrap_or_default();
        item.facts.insert("meaning".to_owned(), name);
        item
    });
    Ok(read.collect())
}

/// `metrics.json`. Labels are compared as a set: dashboards group by all of them.
pub fn read_metrics(document: &Value) -> Result<Vec<CatalogItem>, DocumentProblem> {
    let all = filled_object(document, "metrics")?.iter();
    let read = all.map(|(name, described)| {
        let mut item = CatalogItem::named(CatalogKind::Metric, name);
        item.deprecation = deprecation(described);
        let kind = described.get("kind").cloned().unwrap_or_default();
        let labels: BTreeSet<String> = texts(described.get("labels")).collect();
        item.facts.insert("kind".to_owned(), kind);
        item.facts.insert("labels".to_owned(), json!(labels));
        item
    });
    Ok(read.collect())
}

/// `levels.json`.
pub fn read_levels(document: &Value) -> Result<Vec<CatalogItem>, DocumentProblem> {
    let all = filled_object(document, "formats")?.iter();
    let read = all.map(|(format, described)| {
        let mut item = CatalogItem::named(CatalogKind::Level, format);
        let reads = texts(described.get("reads")).collect();
        item.sets.insert("levels that are read".to_owned(), reads);
        item
    });
    Ok(read.collect())
}

/// `outputs.json`: by command and path the types, as `null | string`.
pub fn read_outputs(document: &Value) -> Result<CommandOutputs, DocumentProblem> {
    let all = filled_object(document, "outputs")?.iter();
    let read = all.map(|(command, paths)| {
        let paths = filled_object(paths, &format!("paths for {command:?}"))?.iter();
        let paths = paths.map(|(path, types)| {
            let Some(types) = types.as_str() else {
                let problem = format!("{command}: {path} has no types");
                return Err(DocumentProblem::new(problem));
            };
            let types = types.split(" | ").map(str::to_owned).collect();
            Ok((path.clone(), types))
        });
        Ok((command.clone(), paths.collect::<Result<_, _>>()?))
    });
    read.collect()
}
