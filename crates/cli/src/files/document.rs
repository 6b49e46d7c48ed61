//! A document as a resource that somebody declares. What it does not say is not the same as what it
//! says to be empty.

use super::error::{FileProblem, LocatedProblem};
use coeval_client::{Resource, ResourceMetadata};
use coeval_core::types::LocatedDocument;
use coeval_core::types::pointer::child;
use coeval_core::version::WriteVersion;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentPlace {
    /// The file's name, or stdin.
    pub(crate) file: String,
    /// Counted from one.
    pub(crate) document: usize,
    /// Where it begins.
    pub(crate) line: usize,
}

impl fmt::Display for DocumentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            document,
            line,
        } = self;
        write!(f, "{file}: document {document}, line {line}")
    }
}

/// A resource as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeclaredResource {
    /// Where.
    pub(crate) place: DocumentPlace,
    /// Its kind.
    pub(crate) kind: String,
    /// Its variation, if the file says one.
    pub(crate) sub_kind: Option<String>,
    /// The version that it is written at, without a mark; empty: the file says none.
    pub(crate) version: String,
    /// Its name.
    pub(crate) name: String,
    /// Its organization; empty: the file says none.
    pub(crate) namespace: String,
    /// Free text, if the file says one.
    pub(crate) description: Option<String>,
    /// Labels to be set, and those to be gone (null).
    pub(crate) labels: BTreeMap<String, Option<String>>,
    /// When it vanishes, if the file says so; null: never.
    pub(crate) expires: Option<Option<Timestamp>>,
    /// The revision that was read; empty: the file says none.
    pub(crate) revision: String,
    /// The content.
    pub(crate) spec: Value,
}

/// `app/web`.
impl fmt::Display for DeclaredResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

impl DeclaredResource {
    /// As a new resource.
    pub(crate) fn to_resource(&self) -> Resource {
        let mut resource = Resource::new(
            self.kind.clone(),
            self.version.clone(),
            self.name.clone(),
            self.spec.clone(),
        );
        resource.sub_kind = self.sub_kind.clone().unwrap_or_default();
        resource.metadata.namespace = self.namespace.clone();
        self.declare(&mut resource.metadata);
        resource
    }

    /// Sets what the file says of the metadata; the rest stays.
    pub(crate) fn declare(&self, metadata: &mut ResourceMetadata) {
        if let Some(description) = &self.description {
            metadata.description.clone_from(description);
        }
        if let Some(expires) = self.expires {
            metadata.expires = expires;
        }
        for (label, value) in &self.labels {
            match value {
                Some(value) => metadata.labels.insert(label.clone(), value.clone()),
                None => metadata.labels.remove(label),
            };
        }
    }
}

/// The resources of one document: itself, or the items of a list.
pub(super) fn resources(
    file: String,
    number: usize,
    document: &LocatedDocument,
    all: &mut Vec<DeclaredResource>,
    problems: &mut Vec<LocatedProblem>,
) {
    let content = document.content();
    let mut reading = DocumentReader {
        file,
        number,
        document,
        base: String::new(),
        problems,
    };
    let map = match content {
        // What is between two separators may be nothing.
        Value::Null => return,
        Value::Object(map) => map,
        _ => return reading.wrong("", "it is no map of kind, version, metadata and spec"),
    };
    // A list of resources, as `get -o json` prints it. What has a `spec` is a resource, though it
    // may have items.
    let Some(Value::Array(items)) = map.get("items").filter(|_| !map.contains_key("spec")) else {
        all.extend(reading.resource(map));
        return;
    };
    for (index, item) in items.iter().enumerate() {
        // The place of what is wrong is told inside of the list.
        reading.base = format!("/items/{index}");
        match item {
            Value::Object(map) => all.extend(reading.resource(map.clone())),
            _ => reading.wrong("", "it is no map of kind, version, metadata and spec"),
        }
    }
}

struct DocumentReader<'r> {
    file: String,
    number: usize,
    document: &'r LocatedDocument,
    /// Where the resource is in the document.
    base: String,
    problems: &'r mut Vec<LocatedProblem>,
}

impl DocumentReader<'_> {
    fn place(&self, pointer: &str) -> DocumentPlace {
        // Line numbers are of the document as it is written, also for a field inside of a list.
        let at = self.document.locate(&format!("{}{pointer}", self.base));
        DocumentPlace {
            file: self.file.clone(),
            document: self.number,
            line: at.line,
        }
    }

    fn refuse(&mut self, pointer: &str, why: FileProblem) {
        let place = self.place(pointer).to_string();
        self.problems.push(LocatedProblem::new(place, why));
    }

    fn wrong(&mut self, pointer: &str, message: impl Into<String>) {
        self.refuse(pointer, FileProblem::Field(message.into()));
    }

    fn resource(&mut self, mut map: Map<String, Value>) -> Option<DeclaredResource> {
        let before = self.problems.len();
        let kind = self.text(&mut map, "", "kind");
        // A map of its own: what is not taken out of it in the end is unknown.
        let mut metadata = match map.remove("metadata") {
            None => Map::new(),
            Some(Value::Object(metadata)) => metadata,
            Some(_) => {
                self.wrong("/metadata", "metadata must be a map");
                return None;
            }
        };
        let name = self.text(&mut metadata, "/metadata", "name");
        // A type file is a common mix-up, and deserves a better answer than an unknown field.
        if kind.as_deref() == Some("type") {
            let name = name.unwrap_or_default();
            self.refuse("", FileProblem::Type { name });
            return None;
        }
        let version = self.text(&mut map, "", "version");
        // Normalized, so that `v1.0` and `v1` are compared as equal.
        let version = version.and_then(|version| self.version(&version));
        let sub_kind = self.text(&mut map, "", "sub_kind");
        let namespace = self.text(&mut metadata, "/metadata", "namespace");
        let description = self.text(&mut metadata, "/metadata", "description");
        let revision = self.text(&mut metadata, "/metadata", "revision");
        // Null means to remove, which is not the same as to leave alone.
        let labels = self.labels(metadata.remove("labels"));
        let expires = self.expires(metadata.remove("expires"));
        let spec = map.remove("spec");
        // The server's own: files that were read from it have them.
        // Ignored rather than refused: what `get` prints can be applied again.
        map.remove("status");
        for key in ["id", "created", "modified", "owner"] {
            metadata.remove(key);
        }
        // Whatever is left is a typo or of a newer release, and would be lost silently.
        self.unknown(&map, "", "kind, sub_kind, version, metadata, spec");
        let known = "name, namespace, description, labels, expires, revision";
        self.unknown(&metadata, "/metadata", known);
        // Reported only if nothing else is wrong: most likely another mistake hides it.
        if kind.as_deref().is_none_or(str::is_empty) && self.problems.len() == before {
            self.wrong("", "kind is missing");
        }
        if name.as_deref().is_none_or(str::is_empty) && self.problems.len() == before {
            self.wrong("/metadata", "metadata.name is missing");
        }
        if spec.is_none() && self.problems.len() == before {
            self.wrong("", "spec is missing");
        }
        if self.problems.len() > before {
            return None;
        }
        Some(DeclaredResource {
            place: self.place(""),
            kind: kind?,
            sub_kind,
            version: version.unwrap_or_default(),
            name: name?,
            namespace: namespace.unwrap_or_default(),
            description,
            labels,
            expires,
            revision: revision.unwrap_or_default(),
            spec: spec?,
        })
    }

    /// A field that is text, if it is there.
    fn text(&mut self, map: &mut Map<String, Value>, under: &str, key: &str) -> Option<String> {
        match map.remove(key)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            _ => {
                let example = match key {
                    "version" => ", such as v1.1",
                    _ => "; put it between quotes",
                };
                self.wrong(&child(under, key), format!("{key} must be text{example}"));
                None
            }
        }
    }

    fn version(&mut self, text: &str) -> Option<String> {
        match WriteVersion::parse(text) {
            Ok(version) => Some(version.version().short().to_string()),
            Err(error) => {
                self.wrong("/version", error.to_string());
                None
            }
        }
    }

    fn labels(&mut self, found: Option<Value>) -> BTreeMap<String, Option<String>> {
        let mut labels = BTreeMap::new();
        match found {
            None | Some(Value::Null) => {}
            Some(Value::Object(map)) => {
                for (label, value) in map {
                    let value = match value {
                        Value::String(value) => Some(value),
                        Value::Null => None,
                        _ => {
                            let message =
                                format!("the label {label} must be text; put it between quotes");
                            self.wrong(&child("/metadata/labels", &label), message);
                            continue;
                        }
                    };
                    labels.insert(label, value);
                }
            }
            Some(_) => self.wrong("/metadata/labels", "labels must be a map"),
        }
        labels
    }

    fn expires(&mut self, found: Option<Value>) -> Option<Option<Timestamp>> {
        match found? {
            Value::Null => Some(None),
            Value::String(text) => match text.parse() {
                Ok(time) => Some(Some(time)),
                Err(_) => {
                    let message = "expires must be a time, such as 2030-01-31T12:00:00Z";
                    self.wrong("/metadata/expires", message);
                    None
                }
            },
            _ => {
                self.wrong("/metadata/expires", "expires must be a time as text");
                None
            }
        }
    }

    fn unknown(&mut self, map: &Map<String, Value>, under: &str, known: &str) {
        for key in map.keys() {
            let key_said: String = key.chars().take(60).collect();
            let message = format!("{key_said:?} is not known here; there are {known}");
            self.wrong(&child(under, key), message);
        }
    }
}
