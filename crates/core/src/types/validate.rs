//! Whether content fits its schema, and everything that does not.

use super::cost::is_affordable;
use super::limits::CONTENT_DEPTH;
use super::pointer::child;
use super::schema::{Schema, deeper_than};
use coeval_codes::Coded;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// One thing that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaViolation {
    /// Where, as a JSON pointer into the content.
    pub pointer: String,
    /// What is wrong there. Values of the content are never repeated: they may be secret.
    pub sentence: String,
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "the content"
        } else {
            &self.pointer
        };
        write!(f, "{place}: {}", self.sentence)
    }
}

/// Content that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq, Coded)]
#[code(
    CONTENT_INVALID,
    advice = "Correct the fields that are named, or write at a version whose schema has them."
)]
pub struct ContentError {
    violations: Vec<SchemaViolation>,
}

impl ContentError {
    /// All of them; none only if those who are told may know of none.
    #[must_use]
    pub fn violations(&self) -> &[SchemaViolation] {
        &self.violations
    }

    /// Without those at places that somebody may not know of.
    #[must_use]
    pub fn without(&self, hidden: impl Fn(&str) -> bool) -> Self {
        let violations = self.violations.iter();
        let told = violations.filter(|violation| !hidden(&violation.pointer));
        Self {
            violations: told.cloned().collect(),
        }
    }
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the content does not fit its schema")?;
        for (number, violation) in self.violations.iter().enumerate() {
            let separator = if number == 0 { ": " } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ContentError {}

impl Schema {
    /// Whether the content fits, with nulls as [`Schema::without_absent`] reads them.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    /// let schema = Schema::compile(source).unwrap();
    /// assert!(schema.validate(&json!({"size": null})).is_ok(), "as if it were not there");
    /// let error = schema.validate(&json!({"size": "large"})).unwrap_err();
    /// assert_eq!(error.violations()[0].pointer, "/size");
    /// ```
    ///
    /// # Errors
    ///
    /// All violations.
    pub fn validate(&self, content: &Value) -> Result<(), ContentError> {
        let refuse = |sentence: String| {
            let pointer = String::new();
            let violations = vec![SchemaViolation { pointer, sentence }];
            Err(ContentError { violations })
        };
        if deeper_than(content, CONTENT_DEPTH) {
            return refuse(format!("it has more than {CONTENT_DEPTH} levels"));
        }
        if self.shape.explosive && !is_affordable(&self.shape, content) {
            return refuse(
                "checking it would take too long, because many schemas apply to the same values"
                    .to_owned(),
            );
        }
        let content = self.without_absent(content);
        if self.validator.is_valid(&content) {
            return Ok(());
        }
        let violations = self.violations(&content);
        Err(ContentError { violations })
    }

    /// Whether the content fits as it stands, every null a value; `None` if it is too costly to
    /// find out.
    pub(crate) fn takes(&self, content: &Value) -> Option<bool> {
        let too_deep = deeper_than(content, CONTENT_DEPTH);
        let affordable = || !self.shape.explosive || is_affordable(&self.shape, content);
        (!too_deep && affordable()).then(|| self.validator.is_valid(content))
    }

    /// All that does not fit, every null a value.
    pub(crate) fn violations(&self, content: &Value) -> Vec<SchemaViolation> {
        let mut seen = HashSet::new();
        let errors = self.validator.iter_errors(content);
        let mut violations: Vec<_> = errors.flat_map(|error| violations_of(&error)).collect();
        violations.retain(|violation| seen.insert(violation.clone()));
        violations
    }
}

/// A violation for each field that an error speaks of.
fn violations_of(error: &ValidationError<'_>) -> Vec<SchemaViolation> {
    let at = error.instance_path().as_str();
    let of_fields = |names: &[String], sentence: &str| {
        let fields = names.iter().map(|name| SchemaViolation {
            pointer: child(at, name),
            sentence: sentence.to_owned(),
        });
        fields.collect()
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            of_fields(unexpected, "is not a field here")
        }
        ValidationErrorKind::Required {
            property: Value::String(name),
        } => of_fields(std::slice::from_ref(name), "is required and missing"),
        _ => vec![SchemaViolation {
            pointer: at.to_owned(),
            sentence: sentence(error),
        }],
    }
}

/// What an error says, in a sentence that repeats the schema and never the content.
pub(crate) fn sentence(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind } => format!("must be {}", types(kind)),
        Kind::Enum { options } => format!("must be one of {}", short(options)),
        Kind::Constant { expected_value } => format!("must be {}", short(expected_value)),
        Kind::Pattern { pattern } => format!("must match the pattern {}", cut(pattern)),
        Kind::Format { format } => format!("must have the format {}", cut(format)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("must have at least {limit} fields"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} fields"),
        Kind::AdditionalItems { limit } => format!("must have at most {limit} items"),
        Kind::UniqueItems => "must not have an item twice".to_owned(),
        Kind::Contains => "has no item, or too many, of the kind that it must contain".to_owned(),
        Kind::Required { property } => format!("must have the field {property}"),
        Kind::AnyOf { .. } => "fits none of the alternatives".to_owned(),
        Kind::OneOfNotValid { .. } => "fits none of the alternatives, and must fit one".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits several alternatives, and must fit one".to_owned(),
        Kind::Not { .. } => "is what the schema excludes".to_owned(),
        Kind::FalseSchema => "must not be there".to_owned(),
        Kind::PropertyNames { error } => format!("has a field whose name {}", sentence(error)),
        Kind::UnevaluatedItems { .. } => "has items that no schema describes".to_owned(),
        Kind::Referencing(_) => "has a reference that leads nowhere".to_owned(),
        kind => format!("breaks the rule {}", kind.keyword()),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(set) => {
            let names: Vec<_> = set.iter().map(|one| one.to_string()).collect();
            names.join(" or ")
        }
    }
}

fn short(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let mut start: String = text.chars().take(120).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
