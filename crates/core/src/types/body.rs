//! Bodies as they are sent: strict JSON, nothing changed silently.

use super::json::{JsonEvent, JsonEvents};
use super::limits::BodyLimits;
use super::position::Position;
use coeval_codes::{Code, Coded};
use serde_json::{Map, Value};

/// Why a body can't be taken as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Not JSON.
    #[error("{position}: {reason}")]
    NotJson {
        /// Where.
        position: Position,
        /// Why.
        reason: &'static str,
    },
    /// Bytes that are no text.
    #[error("the bytes from number {offset} on are not UTF-8")]
    NotUtf8 {
        /// The first bad one, counted from zero.
        offset: usize,
    },
    /// Too many bytes.
    #[error("{bytes} bytes, {limit} at most")]
    TooLarge {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Too many levels.
    #[error("{position}: more than {limit} levels of objects and lists")]
    TooDeep {
        /// Where the level begins that is one too many.
        position: Position,
        /// How many there may be.
        limit: usize,
    },
    /// Two values for one key.
    #[error("{position}: the key {key:?} is there twice in one object")]
    DuplicateKey {
        /// Of the second.
        position: Position,
        /// Which.
        key: String,
    },
    /// A number that would be changed.
    #[error("{position}: the number {text} can't be held exactly in 64 bits")]
    Number {
        /// Where.
        position: Position,
        /// How it begins.
        text: String,
    },
}

impl Coded for BodyError {
    fn code(&self) -> Code {
        match self {
            Self::NotJson { .. } => coeval_codes::BODY_NOT_JSON,
            Self::NotUtf8 { .. } => coeval_codes::BODY_NOT_UTF8,
            Self::TooLarge { .. } => coeval_codes::BODY_TOO_LARGE,
            Self::TooDeep { .. } => coeval_codes::BODY_TOO_DEEP,
            Self::DuplicateKey { .. } => coeval_codes::BODY_DUPLICATE_KEY,
            Self::Number { .. } => coeval_codes::BODY_NUMBER,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NotJson { .. } => {
                "Send one JSON value; comments and trailing commas are not JSON."
            }
            Self::NotUtf8 { .. } => "Encode the body as UTF-8.",
            Self::TooLarge { .. } => "Move large parts out of the content and refer to them.",
            Self::TooDeep { .. } => "Flatten the content; a list with references says the same.",
            Self::DuplicateKey { .. } => "Send each key of an object once.",
            Self::Number { .. } => "Send it as a string, or with the digits that 64 bits can hold.",
        }
        .to_owned()
    }
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
