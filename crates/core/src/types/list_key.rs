//! The key of a list's items, as a schema declares it: `x-coeval-list-key`, a field or several that
//! are the key together, or the same under Kubernetes' name, `x-kubernetes-list-map-keys`.
//!
//! A declaration that can't be meant is refused when a version is registered, and ignored where the
//! version is in use already: a release that did not know these words has stored any value of them.

use super::declared_key::DeclaredKey;
use super::part::{PartId, PartTypes, SchemaPart};
use super::pointer::{PathPattern, PathToken, child};
use super::schema::Schema;
use super::schema_error::{SchemaError, SchemaFlaw};
use super::shape::{under_index, under_key};
use serde_json::Value;
use std::collections::HashMap;

/// A list of objects that a schema declares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeclaredList {
    pub(crate) path: PathPattern,
    /// Where its schema stands.
    pub(crate) pointer: String,
    /// What the schema declares to be the key.
    pub(crate) key: Option<Vec<String>>,
    /// The fields of the items, in the author's order.
    pub(crate) fields: Vec<ItemField>,
}

/// A field of a list's items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ItemField {
    pub(crate) name: String,
    pub(crate) required: bool,
    /// Neither an object nor a list nor null fits.
    pub(crate) scalar: bool,
    pub(crate) default: Option<Value>,
}

impl DeclaredList {
    pub(crate) fn field(&self, name: &str) -> Option<&ItemField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether every item has the field, and it is a scalar.
    pub(crate) fn has_scalar(&self, name: &str) -> bool {
        let field = self.field(name);
        field.is_some_and(|field| field.required && field.scalar)
    }
}

impl Schema {
    /// Every list of objects that is declared, parents before their children. Where the schema
    /// repeats itself the walk ends.
    pub(crate) fn declared_lists(&self) -> Vec<DeclaredList> {
        let paths = self.declared_paths().paths;
        let mut lists: Vec<DeclaredList> = Vec::new();
        let mut numbers: HashMap<Vec<PathToken>, usize> = HashMap::new();
        for path in paths {
            let steps = path.path.steps().to_vec();
            if let [list @ .., PathToken::Every, PathToken::Key(name)] = steps.as_slice()
                && let Some(list) = numbers.get(list).and_then(|at| lists.get_mut(*at))
            {
                let scalar =
                    |name: &&str| matches!(*name, "string" | "integer" | "number" | "boolean");
                list.fields.push(ItemField {
                    name: name.clone(),
                    required: path.required,
                    scalar: !path.types.is_empty() && path.types.iter().all(scalar),
                    default: path.default.cloned(),
                });
            }
            let ids = self.parts_at(path.path.steps());
            let has_items = |part: &&SchemaPart| part.items.is_some();
            if path.types.contains(&"array") && self.shape.possible(&ids).iter().any(has_items) {
                numbers.insert(steps, lists.len());
                let own = ids.first().and_then(|id| self.shape.part(*id));
                lists.push(DeclaredList {
                    pointer: own.map(|part| part.pointer.clone()).unwrap_or_default(),
                    key: self.key_at(&ids),
                    path: path.path,
                    fields: Vec::new(),
                });
            }
        }
        lists.retain(|list| !list.fields.is_empty());
        lists
    }

    /// What stands nearest to the list wins; what only an alternative says counts too.
    fn key_at(&self, ids: &[PartId]) -> Option<Vec<String>> {
        let sound = |part: &SchemaPart| {
            let key = part.list_key.as_ref()?.fields()?;
            self.why_no_key(part, key).is_none().then(|| key.clone())
        };
        let own = ids.iter().find_map(|id| sound(self.shape.part(*id)?));
        own.or_else(|| self.shape.possible(ids).into_iter().find_map(sound))
    }

    /// Every declaration of a key that can't be meant.
    #[must_use]
    pub fn list_key_flaws(&self) -> Vec<SchemaError> {
        let flaw = |part: &SchemaPart| {
            let DeclaredKey { word, fields } = part.list_key.as_ref()?;
            let why = match fields {
                Err(why) => (*why).to_owned(),
                Ok(fields) => self.why_no_key(part, fields)?,
            };
            let flaw = SchemaFlaw::ListKey { word, why };
            Some(SchemaError::at(child(&part.pointer, word), flaw))
        };
        self.shape.parts().iter().filter_map(flaw).collect()
    }

    /// Why these fields can't be the key of the list, as a clause.
    fn why_no_key(&self, part: &SchemaPart, fields: &[String]) -> Option<String> {
        let own = self
            .shape
            .parts()
            .iter()
            .position(|one| one.pointer == part.pointer)?;
        if !self.shape.types_at(own).has(PartTypes::ARRAY) {
            return Some("it is declared for something that is not a list".to_owned());
        }
        let items = under_index(&self.shape.possible(&[own]), usize::MAX);
        let items = self.shape.possible(&items);
        fields.iter().find_map(|field| {
            let ids = under_key(&items, field);
            if ids.is_empty() {
                return Some(format!("the items declare no field {field:?}"));
            }
            let is = ids.iter().map(|id| self.shape.types_at(*id));
            let is = is.fold(PartTypes::ANY, PartTypes::both).names();
            let holds = |name: &&str| matches!(*name, "object" | "array" | "null");
            is.iter()
                .all(holds)
                .then(|| format!("{field:?} is not a scalar"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(list: Value) -> Schema {
        let schema = json!({"type": "object", "properties": {"nodes": list}});
        Schema::compile(schema).unwrap()
    }

    fn nodes(key: Value) -> Value {
        let mut list = json!({"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string"}, "zone": {}, "disk": {"type": "object"},
        }}});
        list.as_object_mut()
            .unwrap()
            .extend(key.as_object().unwrap().clone());
        list
    }

    #[test]
    fn a_key_is_declared_in_either_word_by_one_field_or_several() {
        for (said, key) in [
            (json!({"x-coeval-list-key": "name"}), vec!["name"]),
            (
                json!({"x-coeval-list-key": ["name", "zone"]}),
                vec!["name", "zone"],
            ),
            (
                json!({"x-kubernetes-list-map-keys": ["zone"]}),
                vec!["zone"],
            ),
            (
                json!({"x-kubernetes-list-map-keys": ["zone"], "x-coeval-list-key": "name"}),
                vec!["name"],
            ),
        ] {
            let schema = schema(nodes(said));
            assert_eq!(schema.list_key_flaws(), []);
            let lists = schema.declared_lists();
            assert_eq!(lists[0].pointer, "/properties/nodes");
            let key: Vec<String> = key.into_iter().map(str::to_owned).collect();
            assert_eq!(lists[0].key, Some(key));
        }
    }

    #[test]
    fn a_key_stands_beside_a_reference_and_behind_it() {
        let list = json!({"items": {"properties": {"name": {"type": "string"}}}});
        let behind = json!({
            "definitions": {"nodes": {"type": "array", "items": list["items"], "x-coeval-list-key": "name"}},
            "properties": {"nodes": {"$ref": "#/definitions/nodes"}},
        });
        let beside = json!({
            "definitions": {"nodes": {"type": "array", "items": list["items"]}},
            "properties": {"nodes": {"$ref": "#/definitions/nodes", "x-coeval-list-key": "name"}},
        });
        for schema in [behind, beside] {
            let schema = Schema::compile(schema).unwrap();
            assert_eq!(schema.list_key_flaws(), []);
            assert_eq!(
                schema.declared_lists()[0].key,
                Some(vec!["name".to_owned()])
            );
        }
    }

    #[test]
    fn what_can_not_be_a_key_is_told_with_its_place_and_does_not_count() {
        let cases = [
            (
                nodes(json!({"x-coeval-list-key": 7})),
                "it is a field of the items, or a list of fields",
            ),
            (nodes(json!({"x-coeval-list-key": []})), "it names no field"),
            (
                nodes(json!({"x-coeval-list-key": ""})),
                "the name of a field is empty",
            ),
            (
                nodes(json!({"x-coeval-list-key": ["name", 7]})),
                "each of its fields is a string",
            ),
            (
                nodes(json!({"x-kubernetes-list-map-keys": "name"})),
                "it is a list of fields",
            ),
            (
                nodes(json!({"x-coeval-list-key": "nmae"})),
                "the items declare no field \"nmae\"",
            ),
            (
                nodes(json!({"x-coeval-list-key": "disk"})),
                "\"disk\" is not a scalar",
            ),
            (
                json!({"type": "string", "x-coeval-list-key": "name"}),
                "it is declared for something that is not a list",
            ),
        ];
        for (list, why) in cases {
            let schema = schema(list.clone());
            let flaws = schema.list_key_flaws();
            let [flaw] = flaws.as_slice() else {
                panic!("{list}: {flaws:?}");
            };
            assert!(flaw.pointer.starts_with("/properties/nodes/x-"), "{flaw}");
            assert!(flaw.to_string().ends_with(why), "{flaw}");
            assert!(
                schema
                    .declared_lists()
                    .iter()
                    .all(|list| list.key.is_none())
            );
        }
    }
}
