//! Examples on a page of the documentation: its YAML blocks.

use coeval_core::types::{BodyLimits, TypeVersion, read_document};
use coeval_core::version::Version;
use serde_json::{Map, Value, json};

pub(crate) type Example = Map<String, Value>;

/// A page of `docs/`.
pub(crate) fn read(name: &str) -> String {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    std::fs::read_to_string(format!("{docs}{name}")).unwrap()
}

/// The YAML blocks, each with its line and the heading that it is under.
pub(crate) fn examples(page: &str) -> Vec<(usize, String, Example)> {
    let mut found = Vec::new();
    let mut heading = String::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(page.lines()) {
        match (&mut open, line) {
            (None, "```yaml") => open = Some((number, String::new())),
            (Some((at, text)), "```") => {
                let read = read_document(text.as_bytes(), BodyLimits::default());
                let read = read.unwrap_or_else(|error| panic!("the block at line {at}: {error}"));
                let example = read.content.as_object().unwrap().clone();
                found.push((*at, heading.clone(), example));
                open = None;
            }
            (Some((_, text)), line) => *text += &format!("{line}\n"),
            (None, line) if line.starts_with('#') => {
                heading = line.trim_start_matches('#').trim().to_owned();
            }
            (None, _) => {}
        }
    }
    found
}

/// Refuses keys that no check would look at.
pub(crate) fn only(example: &Example, known: &[&str]) {
    for key in example.keys() {
        assert!(known.contains(&key.as_str()), "{key:?} is not checked");
    }
}

pub(crate) fn v(text: &str) -> Version {
    Version::parse_full(text).unwrap()
}

/// A version of a type, with these keys of its spec.
pub(crate) fn version_file(version: &str, spec: &Value, known: &[&str]) -> TypeVersion {
    let mut spec = spec.as_object().unwrap().clone();
    only(&spec, known);
    spec.insert("vendor".to_owned(), json!("acme"));
    spec.insert("nss".to_owned(), json!("app"));
    spec.insert("version".to_owned(), json!(version));
    let name = format!("acme:app:{version}");
    let file = json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
    TypeVersion::parse(&file.to_string()).unwrap_or_else(|error| panic!("{error}"))
}
