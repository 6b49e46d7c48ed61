//! What a field is compared with.

use crate::error::{FilterError, FilterLimit};
use crate::limits::OPERAND_BYTES;
use crate::pattern::{WildcardPattern, WildcardText};
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyLimits, read_body};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// The right-hand side of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Operand {
    /// Text whose type nobody said: `5` equals the number and the string.
    Text(String),
    /// A value with a type: the string `"5"` equals the string only.
    Json(Value),
    /// A pattern for strings.
    Pattern(WildcardPattern),
}

impl Operand {
    /// Of a text in which `*` is a wildcard and a backslash takes the next character as it is.
    ///
    /// # Errors
    ///
    /// If it is too long, has too many wildcards or ends in a backslash.
    pub fn from_escaped(text: &str) -> Result<Self, FilterError> {
        Ok(match WildcardPattern::read(text)? {
            WildcardText::Plain(text) => Self::Text(text),
            WildcardText::Pattern(pattern) => Self::Pattern(pattern),
        })
    }

    /// Refuses what is too long.
    pub(crate) fn bounded(&self) -> Result<(), FilterError> {
        let fits = match self {
            Self::Text(text) => text.len() <= OPERAND_BYTES,
            Self::Pattern(pattern) => {
                let bytes: usize = pattern.pieces().iter().map(String::len).sum();
                bytes <= OPERAND_BYTES
            }
            Self::Json(value) => {
                // Counted instead of printed: a large value is refused before it is copied.
                let mut left = OPERAND_BYTES;
                takes(value, CONTENT_DEPTH, &mut left).is_some()
            }
        };
        if fits {
            Ok(())
        } else {
            Err(FilterError::too_much(FilterLimit::OperandBytes))
        }
    }

    /// For messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Json(Value::String(text)) => text.clone(),
            Self::Json(value) => value.to_string(),
            Self::Pattern(pattern) => pattern.pieces().join("*"),
        }
    }
}

/// Takes the bytes of a value, roughly, from what is left; `None` when they or the levels do not suffice.
fn takes(value: &Value, levels: usize, left: &mut usize) -> Option<()> {
    let levels = levels.checked_sub(1)?;
    let mut take = |bytes: usize| left.checked_sub(bytes).map(|rest| *left = rest);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => take(4),
        Value::String(text) => take(text.len()),
        Value::Array(items) => {
            take(1)?;
            items.iter().try_for_each(|item| takes(item, levels, left))
        }
        Value::Object(map) => map.iter().try_for_each(|(key, inner)| {
            *left = left.checked_sub(key.len() + 1)?;
            takes(inner, levels, left)
        }),
    }
}

/// The number that a text is, if 64-bit forms hold it exactly: the rule for numbers in bodies.
pub(crate) fn number_of(text: &str) -> Option<Number> {
    let begins = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    // JSON texts may have spaces around them; a number has none.
    if !begins || !text.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match read_body(text.as_bytes(), BodyLimits::default()) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}
