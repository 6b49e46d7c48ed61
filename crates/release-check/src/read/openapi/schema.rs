//! A schema becomes a shape.

use super::merge::{both, has_structure, merged};
use super::references::{schema_name, target};
use super::{DocumentProblem, deprecation, entries, is_ignorable, items, member};
use crate::model::{ListShape, ObjectShape, ScalarShape, SurfaceField, ValueLimits, ValueShape};
use serde_json::Value;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// How deep a shape may be, and of how many parts: `allOf` can be written so that merging it never
/// ends.
const MOST_LEVELS: usize = 128;
const MOST_PARTS: usize = 100_000;

/// Where a schema is read, and how much more may be.
#[derive(Clone, Copy)]
struct SchemaScope<'a> {
    document: &'a Value,
    levels: usize,
    parts: &'a Cell<usize>,
}

impl SchemaScope<'_> {
    fn deeper(self) -> Result<Self, DocumentProblem> {
        let parts = self.parts.get().checked_sub(1);
        let (Some(levels), Some(parts)) = (self.levels.checked_sub(1), parts) else {
            return Err(DocumentProblem::new(
                "schemas that are nested too deep, or without end",
            ));
        };
        self.parts.set(parts);
        Ok(Self { levels, ..self })
    }
}

pub(super) fn shape(document: &Value, schema: &Value) -> Result<ValueShape, DocumentProblem> {
    let parts = Cell::new(MOST_PARTS);
    let scope = SchemaScope {
        document,
        levels: MOST_LEVELS,
        parts: &parts,
    };
    shape_within(scope, schema)
}

fn shape_within(scope: SchemaScope<'_>, schema: &Value) -> Result<ValueShape, DocumentProblem> {
    let scope = scope.deeper()?;
    let document = scope.document;
    if schema == &Value::Bool(false) {
        return Ok(ValueShape::Nothing);
    }
    if schema.get("allOf").is_some() {
        return shape_within(scope, &merged(document, schema)?);
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        if has_structure(schema) {
            return shape_within(scope, &merged(document, schema)?);
        }
        // Looked up only to refuse a reference that leads nowhere.
        target(document, reference)?;
        let Some(name) = schema_name(reference) else {
            return Err(DocumentProblem::new(format!("{reference} is no schema")));
        };
        return Ok(ValueShape::Reference(name.to_owned()));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(all) = schema.get(key) {
            return any_of(scope, schema, key, all);
        }
    }
    let kinds = kinds(schema);
    let read = kinds.iter().map(|kind| one_kind(scope, schema, kind));
    let mut all = read.collect::<Result<Vec<_>, _>>()?;
    Ok(match (all.pop(), all.is_empty()) {
        (None, _) => ValueShape::Anything,
        (Some(only), true) => only,
        (Some(last), false) => {
            all.push(last);
            ValueShape::AnyOf(all)
        }
    })
}

/// One of several; what is said beside them holds for each.
fn any_of(
    scope: SchemaScope<'_>,
    schema: &Value,
    key: &str,
    all: &Value,
) -> Result<ValueShape, DocumentProblem> {
    let mut beside = schema.clone();
    beside.as_object_mut().and_then(|map| map.remove(key));
    let read = items(all).map(|one| {
        if has_structure(&beside) {
            shape_within(scope, &both(beside.clone(), merged(scope.document, one)?))
        } else {
            shape_within(scope, one)
        }
    });
    Ok(ValueShape::AnyOf(read.collect::<Result<_, _>>()?))
}

/// The types that it names, or that follow from what else it says.
fn kinds(schema: &Value) -> Vec<String> {
    let named = match member(schema, "type") {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all
            .iter()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    if !named.is_empty() {
        return named;
    }
    // Without a type the listed values tell it.
    let values = listed_values(schema);
    if !values.is_empty() {
        let kinds: BTreeSet<&str> = values.iter().map(kind_of).collect();
        return kinds.into_iter().map(str::to_owned).collect();
    }
    // Else keywords that only one type has.
    let implied = [
        (
            "object",
            &["properties", "required", "additionalProperties"][..],
        ),
        ("array", &["items"][..]),
    ];
    let implied = implied
        .into_iter()
        .find(|(_, keys)| keys.iter().any(|key| schema.get(key).is_some()));
    implied
        .map(|(kind, _)| kind.to_owned())
        .into_iter()
        .collect()
}

fn listed_values(schema: &Value) -> Vec<Value> {
    let values = items(member(schema, "enum")).chain(schema.get("const"));
    values.cloned().collect()
}

pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn one_kind(
    scope: SchemaScope<'_>,
    schema: &Value,
    kind: &str,
) -> Result<ValueShape, DocumentProblem> {
    Ok(match kind {
        "object" => ValueShape::Object(object(scope, schema)?),
        "array" => ValueShape::List(Box::new(ListShape {
            element: schema
                .get("items")
                .map_or(Ok(ValueShape::Anything), |one| shape_within(scope, one))?,
            limits: limits(schema, &["maxItems"], &["minItems"]),
        })),
        "null" => ValueShape::scalar(kind),
        _ => ValueShape::Scalar(ScalarShape {
            kind: kind.to_owned(),
            values: values_of(schema, kind),
            limits: match kind {
                "string" => limits(schema, &["maxLength"], &["minLength"]),
                "integer" | "number" => limits(schema, &["maximum"], &["minimum"]),
                _ => ValueLimits::default(),
            },
        }),
    })
}

fn values_of(schema: &Value, kind: &str) -> Option<BTreeSet<String>> {
    let listed = listed_values(schema);
    let closed = !listed.is_empty();
    // Every integer is a number as well.
    let fits = |value: &&Value| kind_of(value) == kind || kind == "number";
    closed.then(|| listed.iter().filter(fits).map(Value::to_string).collect())
}

fn limits(schema: &Value, upper: &[&str], lower: &[&str]) -> ValueLimits {
    let read = |keys: &[&str]| -> BTreeMap<String, f64> {
        let found = keys.iter().filter_map(|key| {
            let limit = member(schema, key).as_f64()?;
            Some(((*key).to_owned(), limit))
        });
        found.collect()
    };
    ValueLimits {
        upper: read(upper),
        lower: read(lower),
        pattern: member(schema, "pattern").as_str().map(str::to_owned),
    }
}

fn object(scope: SchemaScope<'_>, schema: &Value) -> Result<ObjectShape, DocumentProblem> {
    let mut object = ObjectShape::default();
    for (name, property) in entries(member(schema, "properties")) {
        object
            .fields
            .insert(name.clone(), field_within(scope, property)?);
    }
    for name in items(member(schema, "required")).filter_map(Value::as_str) {
        // A name may be required without being described.
        let field = object.fields.entry(name.to_owned());
        let field = field.or_insert_with(|| SurfaceField::optional(ValueShape::Anything));
        // One word for both sides: a request needs it, and an answer always has it.
        (field.required, field.populated) = (true, true);
    }
    match member(schema, "additionalProperties") {
        Value::Bool(false) => object.closed = true,
        values @ Value::Object(_) => object.values = Some(Box::new(shape_within(scope, values)?)),
        _ => {}
    }
    Ok(object)
}

/// A property, or the schema of a parameter.
pub(super) fn field(document: &Value, described: &Value) -> Result<SurfaceField, DocumentProblem> {
    Ok(declared(described, shape(document, described)?))
}

fn field_within(
    scope: SchemaScope<'_>,
    described: &Value,
) -> Result<SurfaceField, DocumentProblem> {
    Ok(declared(described, shape_within(scope, described)?))
}

fn declared(described: &Value, shape: ValueShape) -> SurfaceField {
    SurfaceField {
        ignorable: is_ignorable(described),
        deprecation: deprecation(described),
        ..SurfaceField::optional(shape)
    }
}
