//! A JSON Schema, compiled once: what fits, what is declared, what is filled in or left out.

use super::compile;
use super::dialect;
use super::extensible;
use super::limits::{COMPARED_BYTES, SCHEMA_BYTES, SCHEMA_DEPTH};
use super::pattern::{CACHE_BYTES, COMPILED_BYTES};
use super::remote_refs::{self, RemoteRef, RemoteRefs};
use super::schema_error::{SchemaError, SchemaFlaw};
use super::shape::SchemaShape;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;
use std::fmt;

/// A schema that can be used: checked, bounded, and closed in itself.
pub struct Schema {
    source: Value,
    /// As it was given, if references of it were led elsewhere.
    given: Option<Box<Value>>,
    remote_refs: Vec<RemoteRef>,
    /// What views are held to, if it is another schema.
    readers: Option<Box<Schema>>,
    draft: Draft,
    pub(crate) shape: SchemaShape,
    pub(crate) validator: Validator,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.shape.parts().len();
        write!(f, "Schema({:?}, {parts} parts)", self.draft)
    }
}

impl Schema {
    /// Checks and compiles a schema. Nothing is ever fetched.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let size = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    /// assert!(Schema::compile(size).is_ok());
    /// let elsewhere = json!({"$ref": "https://example.com/size.json"});
    /// assert!(Schema::compile(elsewhere).is_err(), "it would have to be fetched");
    /// ```
    ///
    /// # Errors
    ///
    /// Every flaw that was found, at least one.
    pub fn compile(source: Value) -> Result<Self, Vec<SchemaError>> {
        Self::compile_up_to(source, SCHEMA_BYTES)
    }

    /// The same; a reference that leads out of the schema may stand for anything.
    ///
    /// # Errors
    ///
    /// Every flaw that was found, at least one.
    pub fn compile_with(source: Value, remote: RemoteRefs) -> Result<Self, Vec<SchemaError>> {
        if remote == RemoteRefs::Refused {
            return Self::compile(source);
        }
        let errors = match Self::compile(source.clone()) {
            Ok(schema) => return Ok(schema),
            Err(errors) => errors,
        };
        let remote_refs = remote_refs::among(&errors);
        let opened = if remote_refs.is_empty() {
            None
        } else {
            remote_refs::opened(&source, &remote_refs)
        };
        let mut schema = Self::compile(opened.ok_or(errors)?)?;
        schema.given = Some(Box::new(source));
        schema.remote_refs = remote_refs;
        Ok(schema)
    }

    /// The same for a schema that is only compared with others, and stored nowhere: it may be
    /// larger.
    ///
    /// # Errors
    ///
    /// Every flaw that was found, at least one.
    pub fn compile_to_compare(source: Value) -> Result<Self, Vec<SchemaError>> {
        Self::compile_up_to(source, COMPARED_BYTES)
    }

    fn compile_up_to(source: Value, max: usize) -> Result<Self, Vec<SchemaError>> {
        if deeper_than(&source, SCHEMA_DEPTH) {
            return Err(vec![SchemaError::at("", SchemaFlaw::TooDeep)]);
        }
        let bytes = source.to_string().len();
        if bytes > max {
            return Err(vec![SchemaError::at(
                "",
                SchemaFlaw::TooLarge { bytes, max },
            )]);
        }
        let Some(draft) = dialect::draft_of(&source) else {
            let named = source.get("$schema").map(ToString::to_string);
            let named = named.unwrap_or_default().trim_matches('"').to_owned();
            return Err(vec![SchemaError::at(
                "/$schema",
                SchemaFlaw::Dialect(named),
            )]);
        };
        check_keywords(&source, draft)?;
        let parts = compile::parts(&source, draft)?;
        let shape = SchemaShape::of(parts).map_err(|error| vec![error])?;
        let validator = jsonschema::options()
            .with_draft(draft)
            .with_pattern_options(pattern_limits())
            .offline()
            .build(&source)
            .map_err(|error| vec![invalid(&error)])?;
        let readers = extensible::for_readers(&source);
        let readers = readers.map(|readers| Self::compile_up_to(readers, max));
        Ok(Self {
            source,
            given: None,
            remote_refs: Vec::new(),
            readers: readers.transpose()?.map(Box::new),
            draft,
            shape,
            validator,
        })
    }

    /// What it says: as it was given, but for references that stand for anything.
    #[must_use]
    pub const fn source(&self) -> &Value {
        &self.source
    }

    /// As it was given.
    #[must_use]
    pub fn given(&self) -> &Value {
        self.given.as_deref().unwrap_or(&self.source)
    }

    /// The schema that views of the version are held to: this one, but for enums whose readers
    /// tolerate other values (`x-extensible-enum`).
    #[must_use]
    pub fn for_readers(&self) -> &Self {
        self.readers.as_deref().unwrap_or(self)
    }

    /// References that lead out of it and stand for anything.
    #[must_use]
    pub fn remote_refs(&self) -> &[RemoteRef] {
        &self.remote_refs
    }

    /// The draft that it is read as.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }
}

/// How patterns are compiled, everywhere.
pub(crate) fn pattern_limits() -> PatternOptions<jsonschema::Regex> {
    PatternOptions::regex()
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHE_BYTES)
}

/// All that the draft's own schema has to say of this one; patterns are checked later, by better
/// words.
fn check_keywords(source: &Value, draft: Draft) -> Result<(), Vec<SchemaError>> {
    let validator = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        Draft::Draft202012 => jsonschema::draft202012::meta::validator(),
        _ => jsonschema::draft7::meta::validator(),
    };
    let of_pattern = |error: &jsonschema::ValidationError<'_>| {
        let kind = error.kind();
        matches!(kind, jsonschema::error::ValidationErrorKind::Format { format } if format == "regex")
    };
    let errors = validator.iter_errors(source).take(100);
    let mut found: Vec<_> = errors
        .filter(|e| !of_pattern(e))
        .map(|e| invalid(&e))
        .collect();
    found.dedup();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn invalid(error: &jsonschema::ValidationError<'_>) -> SchemaError {
    let pointer = error.instance_path().as_str().to_owned();
    let sentence = super::validate::sentence(error);
    SchemaError::at(pointer, SchemaFlaw::Invalid(sentence))
}

/// Whether a value has more levels of objects and lists. It does not recurse.
pub(crate) fn deeper_than(value: &Value, limit: usize) -> bool {
    let mut todo = vec![(value, 0_usize)];
    while let Some((value, above)) = todo.pop() {
        let has_inside = |value: &&Value| value.is_object() || value.is_array();
        let below = |value| (value, above + 1);
        match value {
            Value::Array(items) => todo.extend(items.iter().filter(has_inside).map(below)),
            Value::Object(map) => todo.extend(map.values().filter(has_inside).map(below)),
            _ => continue,
        }
        if above >= limit {
            return true;
        }
    }
    false
}

/// Drops a value of any depth without recursion.
pub(crate) fn dismantle(value: Value) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items),
            Value::Object(map) => todo.extend(map.into_iter().map(|(_, inner)| inner)),
            _ => {}
        }
    }
}
