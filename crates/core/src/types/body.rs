//! Bodies as they are sent: strict JSON, nothing changed silently.

use super::json::{JsonEvent, JsonEvents};
use super::limits::BodyLimits;
use super::position::Position;
use coeval_codes::Coded;
use serde_json::{Map, Value};

/// Why a body can't be taken as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum BodyError {
    /// Not JSON.
    #[error("{position}: {reason}")]
    #[code(
        BODY_NOT_JSON,
        advice = "Send one JSON value; comments and trailing commas are not JSON."
    )]
    NotJson {
        /// Where.
        position: Position,
        /// Why.
        reason: &'static str,
    },
    /// Bytes that are no text.
    #[error("the bytes from number {offset} on are not UTF-8")]
    #[code(BODY_NOT_UTF8, advice = "Encode the body as UTF-8.")]
    NotUtf8 {
        /// The first bad one, counted from zero.
        offset: usize,
    },
    /// Too many bytes.
    #[error("{bytes} bytes, {limit} at most")]
    #[code(
        BODY_TOO_LARGE,
        advice = "Move large parts out of the content and refer to them."
    )]
    TooLarge {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Too many levels.
    #[error("{position}: more than {limit} levels of objects and lists")]
    #[code(
        BODY_TOO_DEEP,
        advice = "Flatten the content; a list with references says the same."
    )]
    TooDeep {
        /// Where the level begins that is one too many.
        position: Position,
        /// How many there may be.
        limit: usize,
    },
    /// Two values for one key.
    #[error("{position}: the key {key:?} is there twice in one object")]
    #[code(BODY_DUPLICATE_KEY, advice = "Send each key of an object once.")]
    DuplicateKey {
        /// Of the second.
        position: Position,
        /// Which.
        key: String,
    },
    /// A number that would be changed.
    #[error("{position}: the number {text} can't be held exactly in 64 bits")]
    #[code(
        BODY_NUMBER,
        advice = "Send it as a string, or with the digits that 64 bits can hold."
    )]
    Number {
        /// Where.
        position: Position,
        /// How it begins.
        text: String,
    },
}

/// An object or a list that is not complete yet.
enum OpenContainer {
    Object(Map<String, Value>, String),
    Array(Vec<Value>),
}

/// The value of a JSON text: what is returned means exactly what was sent.
///
/// ```
/// use coeval_core::types::{BodyError, BodyLimits, read_body};
///
/// let twice = br#"{"size": 1, "size": 2}"#;
/// let error = read_body(twice, BodyLimits::default()).unwrap_err();
/// assert!(matches!(error, BodyError::DuplicateKey { key, .. } if key == "size"));
/// ```
///
/// # Errors
///
/// Whatever would be lost, guessed or too much.
pub fn read_body(bytes: &[u8], limits: BodyLimits) -> Result<Value, BodyError> {
    if bytes.len() > limits.bytes {
        return Err(BodyError::TooLarge {
            bytes: bytes.len(),
            limit: limits.bytes,
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| BodyError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let mut events = JsonEvents::of(text, limits.depth);
    let mut open: Vec<OpenContainer> = Vec::new();
    let mut whole = Value::Null;
    while let Some((offset, event)) = events.next()? {
        let value = match event {
            JsonEvent::Key(key) => {
                if let Some(OpenContainer::Object(map, current)) = open.last_mut() {
                    if map.contains_key(key.as_ref()) {
                        return Err(BodyError::DuplicateKey {
                            position: events.position(offset),
                            key: key.chars().take(100).collect(),
                        });
                    }
                    *current = key.into_owned();
                }
                continue;
            }
            JsonEvent::Object => {
                open.push(OpenContainer::Object(Map::new(), String::new()));
                continue;
            }
            JsonEvent::Array => {
                open.push(OpenContainer::Array(Vec::new()));
                continue;
            }
            JsonEvent::End => match open.pop() {
                Some(OpenContainer::Object(map, _)) => Value::Object(map),
                Some(OpenContainer::Array(items)) => Value::Array(items),
                None => Value::Null,
            },
            JsonEvent::String(text) => Value::String(text.into_owned()),
            JsonEvent::Number(number) => Value::Number(number),
            JsonEvent::Bool(yes) => Value::Bool(yes),
            JsonEvent::Null => Value::Null,
        };
        match open.last_mut() {
            Some(OpenContainer::Object(map, key)) => {
                map.insert(std::mem::take(key), value);
            }
            Some(OpenContainer::Array(items)) => items.push(value),
            None => whole = value,
        }
    }
    Ok(whole)
}
