//! Type files of built-in kinds. A version that was released stays as it is: stored resources are
//! checked and converted by it.

use super::super::DocumentProblem;
use crate::model::{CatalogItem, CatalogKind};
use serde_json::Value;

/// One type file. It is compared as data: comments and layout may change.
pub fn read_kind_version(text: &str) -> Result<CatalogItem, DocumentProblem> {
    let content: Value = serde_norway::from_str(text)
        .map_err(|error| DocumentProblem::new(format!("no type file: {error}")))?;
    let part = |key: &str| {
        let found = content.get("spec").and_then(|spec| spec.get(key));
        let found = found.and_then(Value::as_str);
        found.ok_or_else(|| DocumentProblem::new(format!("it has no spec.{key}")))
    };
    let name = format!("{}:{}:{}", part("vendor")?, part("nss")?, part("version")?);
    let mut item = CatalogItem::named(CatalogKind::KindVersion, name);
    item.facts.insert("content".to_owned(), content);
    Ok(item)
}
