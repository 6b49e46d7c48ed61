//! The words of a schema that declare the key of a list.

use serde_json::{Map, Value};

/// The words that declare a key, the stronger first.
const WORDS: [&str; 2] = ["x-coeval-list-key", "x-kubernetes-list-map-keys"];

/// What a schema says of the key of the list's items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredKey {
    pub(crate) word: &'static str,
    /// The fields that are the key together, or what is wrong with them, as a clause.
    pub(crate) fields: Result<Vec<String>, &'static str>,
}

impl DeclaredKey {
    pub(crate) fn read(schema: &Map<String, Value>) -> Option<Self> {
        let (word, value) = WORDS
            .iter()
            .find_map(|word| Some((*word, schema.get(*word)?)))?;
        let fields = match value {
            Value::String(field) if word == WORDS[0] => Ok(vec![field.clone()]),
            Value::Array(fields) => fields
                .iter()
                .map(|field| field.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or("each of its fields is a string"),
            _ if word == WORDS[0] => Err("it is a field of the items, or a list of fields"),
            _ => Err("it is a list of fields"),
        };
        let fields = fields.and_then(|fields| match fields.as_slice() {
            [] => Err("it names no field"),
            all if all.iter().any(String::is_empty) => Err("the name of a field is empty"),
            _ => Ok(fields),
        });
        Some(Self { word, fields })
    }

    pub(crate) fn fields(&self) -> Option<&Vec<String>> {
        self.fields.as_ref().ok()
    }
}
