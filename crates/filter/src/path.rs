//! Paths into content: keys, and `*` for every item or value.
//!
//! Where a key meets a list it goes on in every item; a number names the item of that number. So a path
//! can lead to many values, each value is visited once, and a walk is linear in the content.

use crate::error::{FilterError, FilterLimit};
use crate::limits::FIELD_BYTES;
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{PathPattern, PathToken};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::fmt;

/// Content is never deeper; a value made otherwise is not followed further.
const DEEPEST: usize = 2 * CONTENT_DEPTH;

/// A path into the content of what is seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentPath(Vec<PathToken>);

impl ContentPath {
    /// Of `metadata.orgName`. A backslash takes the next character as it is: `a\.b` is one key, `\*` a key
    /// that is a star, where a bare `*` is every item or value.
    ///
    /// # Errors
    ///
    /// If it is too long, has too many steps, an empty one, or ends in a backslash.
    pub fn from_dotted(text: &str) -> Result<Self, FilterError> {
        bounded(text)?;
        let refuse = |why| Err(FilterError::no_field(text, why));
        let mut steps = Vec::new();
        // Built character by character, since an escape may stand anywhere.
        let mut key = String::new();
        let mut escaped = false;
        let mut chars = text.chars();
        loop {
            match chars.next() {
                Some('\\') => match chars.next() {
                    Some(c) => {
                        key.push(c);
                        escaped = true;
                    }
                    None => return refuse("it ends in a backslash"),
                },
                Some(c) if c != '.' => key.push(c),
                // A dot or the end of the text: both end a name.
                end => {
                    match key.as_str() {
                        "" => return refuse("a name in it is empty"),
                        // An escaped star is a key that is called so.
                        "*" if !escaped => steps.push(PathToken::Every),
                        _ => steps.push(PathToken::Key(std::mem::take(&mut key))),
                    }
                    key.clear();
                    escaped = false;
                    if end.is_none() {
                        break;
                    }
                }
            }
        }
        // Longer paths lead nowhere, and would only cost.
        if steps.len() > CONTENT_DEPTH {
            return refuse("it has more steps than content has levels");
        }
        Ok(Self(steps))
    }

    /// Of a JSON pointer, `/metadata/orgName`, in which `*` is every item or value.
    ///
    /// # Errors
    ///
    /// If it is too long, or not a pointer to something inside.
    pub fn from_pointer(text: &str) -> Result<Self, FilterError> {
        bounded(text)?;
        let pattern = PathPattern::parse(text).map_err(|why| FilterError::no_field(text, why))?;
        Ok(Self::from(&pattern))
    }

    /// Its steps.
    #[must_use]
    pub fn steps(&self) -> &[PathToken] {
        &self.0
    }

    /// Visits the values that it leads to, until one says that it is enough.
    pub(crate) fn visit<'v>(
        &self,
        content: &'v Value,
        enough: &mut dyn FnMut(&'v Value) -> bool,
    ) -> bool {
        walk(&self.0, content, DEEPEST, enough)
    }
}

fn bounded(text: &str) -> Result<(), FilterError> {
    if text.len() > FIELD_BYTES {
        Err(FilterError::too_much(FilterLimit::FieldBytes))
    } else {
        Ok(())
    }
}

fn walk<'v>(
    steps: &[PathToken],
    value: &'v Value,
    deeper: usize,
    enough: &mut dyn FnMut(&'v Value) -> bool,
) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return enough(value);
    };
    // The content was bounded when it was written; this bounds the walk whatever is stored.
    let Some(deeper) = deeper.checked_sub(1) else {
        return false;
    };
    let mut on = |steps, value| walk(steps, value, deeper, enough);
    match (step, value) {
        (PathToken::Key(key), Value::Object(map)) => {
            map.get(key).is_some_and(|inner| on(rest, inner))
        }
        // Either the number or every item, never both: a walk that could do both would branch at
        // every level of nested lists.
        (PathToken::Key(key), Value::Array(items)) => match item_number(key) {
            Some(number) => items.get(number).is_some_and(|item| on(rest, item)),
            None => items.iter().any(|item| on(steps, item)),
        },
        (PathToken::Every, Value::Object(map)) => map.values().any(|inner| on(rest, inner)),
        (PathToken::Every, Value::Array(items)) => items.iter().any(|item| on(rest, item)),
        _ => false,
    }
}

fn item_number(key: &str) -> Option<usize> {
    let digits = key.bytes().all(|b| b.is_ascii_digit());
    let canonical = key == "0" || !key.starts_with('0');
    (digits && canonical).then(|| key.parse().ok()).flatten()
}

impl From<&PathPattern> for ContentPath {
    fn from(pattern: &PathPattern) -> Self {
        Self(pattern.steps().to_vec())
    }
}

impl From<Vec<PathToken>> for ContentPath {
    fn from(steps: Vec<PathToken>) -> Self {
        Self(steps)
    }
}

/// Dotted, with the escapes that [`ContentPath::from_dotted`] reads.
impl fmt::Display for ContentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str(".")?;
            }
            match step {
                PathToken::Every => f.write_str("*")?,
                PathToken::Key(key) => {
                    for c in key.chars() {
                        match c {
                            '.' | '\\' | '*' => write!(f, "\\{c}")?,
                            _ => write!(f, "{c}")?,
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Serialize for ContentPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentPath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::from_dotted(&text).map_err(de::Error::custom)
    }
}
