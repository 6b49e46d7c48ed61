//! A schema as JSON, in the words of its draft.

use crate::node::{
    FORMATS, Keys, Kind, List, Map, Node, Number, Object, PATTERNS, Rest, Shape, Text, Tuple, World,
};
use jsonschema::Draft;
use serde_json::{Value, json};

pub(crate) fn address(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema#",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        _ => "http://json-schema.org/draft-07/schema#",
    }
}

/// Whether a draft is 2019-09 or newer.
pub(crate) fn is_new(draft: Draft) -> bool {
    matches!(draft, Draft::Draft201909 | Draft::Draft202012)
}

/// The keyword that definitions are under.
pub(crate) fn shelf(draft: Draft) -> &'static str {
    if is_new(draft) {
        "$defs"
    } else {
        "definitions"
    }
}

impl World {
    pub(crate) fn render(&self) -> Value {
        let mut schema = self.node(&self.root);
        // Draft 7 is what a schema without the word is read as.
        if self.draft != Draft::Draft7 || self.definitions.len().is_multiple_of(2) {
            schema["$schema"] = json!(address(self.draft));
        }
        if !self.definitions.is_empty() {
            let all = self.definitions.iter();
            let all = all.map(|(name, node)| (name.clone(), self.node(node)));
            schema[shelf(self.draft)] = Value::Object(all.collect());
        }
        schema
    }

    pub(crate) fn node(&self, node: &Node) -> Value {
        let mut schema = self.kind(&node.kind);
        if node.null {
            schema = with_null(schema);
        }
        if let Some(default) = &node.default {
            schema["default"] = default.clone();
        }
        schema
    }

    fn kind(&self, kind: &Kind) -> Value {
        match kind {
            Kind::Any => json!({}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Text(text) => written(text),
            Kind::Number(number) => self.number(number),
            Kind::Values(values) => self.values(values),
            Kind::Types(types) => json!({"type": types}),
            Kind::Object(object) => self.object(object),
            Kind::Map(map) => self.map(map),
            Kind::List(list) => self.list(list),
            Kind::Tuple(tuple) => self.tuple(tuple),
            Kind::Either(nodes) => {
                json!({"anyOf": nodes.iter().map(|node| self.node(node)).collect::<Vec<_>>()})
            }
            Kind::Tagged(all) => {
                json!({"oneOf": all.iter().map(|(tag, node)| self.tagged(tag, node)).collect::<Vec<_>>()})
            }
            Kind::All(all) => {
                json!({"allOf": all.iter().map(|node| self.node(node)).collect::<Vec<_>>()})
            }
            Kind::Ref(name) => json!({"$ref": format!("#/{}/{name}", shelf(self.draft))}),
        }
    }

    fn values(&self, values: &[Value]) -> Value {
        match values {
            [one] if self.draft != Draft::Draft4 => json!({"const": one}),
            _ => json!({"enum": values}),
        }
    }

    fn tagged(&self, tag: &str, node: &Node) -> Value {
        let mut schema = self.node(node);
        schema["properties"]["kind"] = self.values(&[json!(tag)]);
        let mut required = vec![json!("kind")];
        required.extend(schema["required"].as_array().into_iter().flatten().cloned());
        schema["required"] = Value::Array(required);
        schema
    }

    fn number(&self, number: &Number) -> Value {
        let mut schema = json!({"type": if number.whole { "integer" } else { "number" }});
        let sides = [
            (number.least, "minimum", "exclusiveMinimum"),
            (number.most, "maximum", "exclusiveMaximum"),
        ];
        for (bound, inclusive, exclusive) in sides {
            match bound {
                Some((bound, true)) if self.draft == Draft::Draft4 => {
                    schema[inclusive] = json!(bound);
                    schema[exclusive] = json!(true);
                }
                Some((bound, true)) => schema[exclusive] = json!(bound),
                Some((bound, false)) => schema[inclusive] = json!(bound),
                None => {}
            }
        }
        if let Some(step) = number.step {
            schema["multipleOf"] = json!(step);
        }
        schema
    }

    fn object(&self, object: &Object) -> Value {
        let mut schema = json!({"type": "object"});
        if !object.fields.is_empty() {
            let fields = object.fields.iter();
            let fields = fields.map(|field| (field.name.clone(), self.node(&field.node)));
            schema["properties"] = Value::Object(fields.collect());
        }
        let required = object.fields.iter().filter(|field| field.required);
        let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        if let Some(node) = &object.extensions {
            schema["patternProperties"] = json!({"^x-": self.node(node)});
        }
        match &object.rest {
            Rest::Open => {}
            Rest::Closed => schema["additionalProperties"] = json!(false),
            Rest::Schema(node) => schema["additionalProperties"] = self.node(node),
        }
        bounds(&mut schema, "Properties", object.least, object.most);
        for (name, needed) in &object.needs {
            let word = if is_new(self.draft) {
                "dependentRequired"
            } else {
                "dependencies"
            };
            schema[word][name] = json!([needed]);
        }
        if let Some(when) = &object.when {
            let asked = json!({"properties": {&when.field: self.values(std::slice::from_ref(&when.is))}, "required": [when.field]});
            let then = json!({"required": [when.then]});
            if matches!(self.draft, Draft::Draft4 | Draft::Draft6) {
                schema["anyOf"] = json!([{"not": asked}, then]);
            } else {
                schema["if"] = asked;
                schema["then"] = then;
            }
        }
        schema
    }

    fn map(&self, map: &Map) -> Value {
        let mut schema = json!({"type": "object"});
        let value = self.node(&map.value);
        let key = |wide: bool| {
            if wide {
                PATTERNS[0].wide
            } else {
                PATTERNS[0].narrow
            }
        };
        match map.keys {
            Keys::Any => schema["additionalProperties"] = value,
            Keys::Named(wide) if self.draft != Draft::Draft4 => {
                schema["propertyNames"] = json!({"pattern": key(wide)});
                schema["additionalProperties"] = value;
            }
            Keys::Pattern(wide) | Keys::Named(wide) => {
                schema["patternProperties"] = json!({key(wide): value});
                schema["additionalProperties"] = json!(false);
            }
        }
        bounds(&mut schema, "Properties", map.least, map.most);
        schema
    }

    fn list(&self, list: &List) -> Value {
        let mut schema = json!({"type": "array", "items": self.node(&list.item)});
        bounds(&mut schema, "Items", list.least, list.most);
        if list.unique {
            schema["uniqueItems"] = json!(true);
        }
        schema
    }

    fn tuple(&self, tuple: &Tuple) -> Value {
        let items: Vec<Value> = tuple.items.iter().map(|node| self.node(node)).collect();
        let newest = self.draft == Draft::Draft202012;
        let (first, rest) = if newest {
            ("prefixItems", "items")
        } else {
            ("items", "additionalItems")
        };
        let mut schema = json!({"type": "array", first: items, "minItems": tuple.items.len()});
        match &tuple.rest {
            Rest::Open => {}
            Rest::Closed => schema[rest] = json!(false),
            Rest::Schema(node) => schema[rest] = self.node(node),
        }
        if newest && matches!(tuple.rest, Rest::Closed) {
            schema["maxItems"] = json!(tuple.items.len());
            schema.as_object_mut().unwrap().shift_remove(rest);
        }
        schema
    }
}

fn bounds(schema: &mut Value, of: &str, least: Option<usize>, most: Option<usize>) {
    if let Some(least) = least {
        schema[format!("min{of}")] = json!(least);
    }
    if let Some(most) = most {
        schema[format!("max{of}")] = json!(most);
    }
}

fn written(text: &Text) -> Value {
    let mut schema = json!({"type": "string"});
    bounds(&mut schema, "Length", text.least, text.most);
    match text.shape {
        Shape::Free => {}
        Shape::Pattern(row, wide) => {
            let row = &PATTERNS[row];
            schema["pattern"] = json!(if wide { row.wide } else { row.narrow });
        }
        Shape::Format(row) => schema["format"] = json!(FORMATS[row].0),
    }
    if let Some(never) = &text.never {
        schema["not"] = json!({"enum": [never]});
    }
    schema
}

/// The ways in which people say that null fits too.
fn with_null(mut schema: Value) -> Value {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
        return schema;
    }
    match schema.get("type").cloned() {
        Some(Value::String(word)) => {
            schema["type"] = json!([word, "null"]);
            schema
        }
        Some(Value::Array(mut words)) => {
            words.push(json!("null"));
            schema["type"] = Value::Array(words);
            schema
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}
