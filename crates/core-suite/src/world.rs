//! A type with several versions. Every field has an identity that the steps carry along, so that
//! it is known which field of one version is which of another.

use crate::evolve::evolve;
use crate::field::{FieldKind, KeyBy, WorldField, extensible};
use coeval_core::convert::Versions;
use coeval_core::types::TypeVersion;
use coeval_core::version::Version;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug)]
pub struct WorldVersion {
    pub version: Version,
    pub parent: Option<usize>,
    pub fields: Vec<WorldField>,
    pub steps: Vec<Value>,
    /// Whether the schema forbids what it does not declare.
    pub closed: bool,
    /// Pairs of fields at the top that mirror each other.
    pub mirrors: Vec<(String, String)>,
}

pub struct TypeWorld {
    pub seed: u64,
    pub made: Vec<WorldVersion>,
    pub versions: Versions,
    /// All names that some version declares at the top.
    pub names: Vec<String>,
}

pub fn schema_of(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Text | FieldKind::Digits | FieldKind::Json(_) => json!({"type": "string"}),
        FieldKind::Enum(values) => json!({"type": "string", "enum": values}),
        FieldKind::Int => json!({"type": "integer"}),
        FieldKind::Bool => json!({"type": "boolean"}),
        FieldKind::Object(fields) => object(fields, false),
        FieldKind::Keyed(fields) => {
            let mut item = object(fields, false);
            item["properties"]["name"] = json!({"type": "string"});
            json!({"type": "array", "items": item})
        }
        FieldKind::Items(fields) => json!({"type": "array", "items": object(fields, false)}),
        FieldKind::List(kind) => json!({"type": "array", "items": schema_of(kind)}),
        FieldKind::Map(fields) => {
            json!({"type": "object", "additionalProperties": object(fields, false)})
        }
    }
}

pub fn object(fields: &[WorldField], closed: bool) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = schema_of(&field.kind);
        // Depends on the identity and on nothing else, so that all versions of the field agree.
        if let FieldKind::Enum(_) = field.kind
            && extensible(field.id)
        {
            schema["x-extensible-enum"] = json!(true);
        }
        if let FieldKind::Keyed(_) = field.kind {
            declare_key(&mut schema, KeyBy::of(field.id));
        }
        if let Some(default) = &field.default {
            schema["default"] = default.clone();
        }
        properties.insert(field.name.clone(), schema);
        if field.required {
            required.push(json!(field.name));
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    if closed {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

fn declare_key(list: &mut Value, by: KeyBy) {
    match by {
        // The step names it.
        KeyBy::Step => {}
        KeyBy::Schema => list["x-coeval-list-key"] = json!("name"),
        KeyBy::Two => {
            list["items"]["properties"]["part"] = json!({"type": "string", "default": "p"});
            list["x-kubernetes-list-map-keys"] = json!(["name", "part"]);
        }
        // Nobody declares a key, but the name is required: it can be inferred.
        KeyBy::Nobody => {
            let required = list["items"]["required"].as_array();
            let mut required = required.cloned().unwrap_or_default();
            required.push(json!("name"));
            list["items"]["required"] = Value::Array(required);
        }
    }
}

fn file(made: &[WorldVersion], number: usize, nss: &str) -> Value {
    let one = &made[number];
    let version = one.version.to_string();
    let mut spec = json!({
        "vendor": "acme", "nss": nss, "version": version,
        "schema": object(&one.fields, one.closed),
    });
    // Without steps no conversion is declared, so that the nearest older version is the parent.
    if let (Some(parent), false) = (one.parent, one.steps.is_empty()) {
        let from = made[parent].version.to_string();
        spec["conversion"] = json!({"from": from, "steps": one.steps});
    }
    let name = format!("acme:{nss}:{version}");
    json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec})
}

impl TypeWorld {
    pub fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let made = evolve(&mut rng);
        let files = (0..made.len()).map(|number| {
            let file = file(&made, number, "thing");
            let read = TypeVersion::parse(&file.to_string());
            // A generated file that is refused is a mistake of this crate, and the world's number
            // finds it again.
            std::sync::Arc::new(read.unwrap_or_else(|error| {
                let problems: Vec<_> = error.problems().map(ToString::to_string).collect();
                panic!("world {seed}: {problems:?}\n{file:#}")
            }))
        });
        let versions = Versions::new(files.collect());
        let versions = versions.unwrap_or_else(|error| panic!("world {seed}: {error}"));
        let names = made
            .iter()
            .flat_map(|one| one.fields.iter().map(|field| field.name.clone()));
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        Self {
            seed,
            names,
            versions,
            made,
        }
    }

    /// The type file of a version, of a type of this name.
    pub fn file(&self, number: usize, nss: &str) -> Value {
        file(&self.made, number, nss)
    }

    pub fn describe(&self) -> String {
        let mut text = String::new();
        for one in &self.made {
            let parent = one
                .parent
                .map(|parent| self.made[parent].version.to_string());
            text.push_str(&format!(
                "{} from {parent:?}: {}\n  {}\n",
                one.version,
                Value::Array(one.steps.clone()),
                object(&one.fields, one.closed)
            ));
        }
        text
    }
}
