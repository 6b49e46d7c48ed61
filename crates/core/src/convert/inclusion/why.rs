//! What a schema says that another one may not.

use serde_json::Value;

/// The keyword, or the family of keywords, for which it is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum GapReason {
    /// `required`.
    Required,
    /// `type`.
    Type,
    /// Values that are listed, on either side.
    Values,
    /// `minimum` and the like.
    Numbers,
    /// `pattern`, `format`, lengths.
    Texts,
    /// `minItems` and the like.
    Lists,
    /// `minProperties`, `maxProperties`.
    Objects,
    /// `contains`.
    Contains,
    /// Nothing may be there at all.
    Forbidden,
    /// `anyOf`, `oneOf`.
    Alternatives,
    /// `if`, and what depends on other properties.
    Conditions,
    /// `not`.
    Exclusion,
    /// `propertyNames`.
    Names,
    /// `unevaluatedProperties`, `unevaluatedItems`.
    Unevaluated,
    /// A reference that can't be followed.
    Reference,
    /// It would take too long.
    TooMuch,
}

impl GapReason {
    /// Of keywords; without any, of a schema as a whole.
    pub(super) fn of(words: Option<&[&str]>, schema: &Value) -> Self {
        let Some(first) = words.and_then(<[&str]>::first) else {
            let never = *schema == Value::Bool(false);
            return if never { Self::Forbidden } else { Self::Type };
        };
        match *first {
            "type" => Self::Type,
            "enum" | "const" => Self::Values,
            "minimum" => Self::Numbers,
            "minLength" => Self::Texts,
            "minItems" => Self::Lists,
            "minProperties" => Self::Objects,
            "contains" => Self::Contains,
            "anyOf" | "oneOf" => Self::Alternatives,
            "if" | "dependencies" | "dependentRequired" | "dependentSchemas" => Self::Conditions,
            "not" if rejects_everything(schema) => Self::Forbidden,
            "not" => Self::Exclusion,
            "propertyNames" => Self::Names,
            "unevaluatedProperties" | "unevaluatedItems" => Self::Unevaluated,
            _ => Self::Reference,
        }
    }
}

/// `not: {}`, as draft 4 has to say it.
pub(crate) fn rejects_everything(schema: &Value) -> bool {
    match schema.get("not") {
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Bool(all)) => *all,
        _ => false,
    }
}
