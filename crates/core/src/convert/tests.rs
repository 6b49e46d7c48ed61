//! Conversions and writes, as their users see them.

mod arrays;
mod keys;
mod laws;
mod mirrors;
mod puts;
mod replays;
mod views;

use super::{ContentRecord, Versions};
use crate::types::TypeVersion;
use crate::version::Version;
use serde_json::{Value, json};

pub(crate) fn v(text: &str) -> Version {
    Version::parse_full(text).unwrap()
}

/// A version's file.
pub(crate) fn file(
    version: &str,
    schema: &Value,
    conversion: Option<(&str, Value)>,
) -> TypeVersion {
    let mut spec = json!({
        "vendor": "acme", "nss": "app", "version": version, "schema": schema,
    });
    if let Some((from, steps)) = conversion {
        spec["conversion"] = json!({"from": from, "steps": steps});
    }
    let name = format!("acme:app:{version}");
    let file = json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
    TypeVersion::parse(&file.to_string()).unwrap()
}

pub(crate) fn versions(files: Vec<TypeVersion>) -> Versions {
    Versions::of_files(files).unwrap()
}

pub(crate) fn record(version: &str, content: Value) -> ContentRecord {
    ContentRecord::new(v(version), content)
}

impl Versions {
    fn see(&self, record: &ContentRecord, at: &str) -> Value {
        self.view(record.clone(), v(at)).unwrap().content
    }
}
