//! Fields and the versions that they came with.

use super::pointer::PathPattern;
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::{Number, Value};
use std::fmt;

/// A field that a body sets although its version did not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooNew {
    /// Where the body sets it.
    pub pointer: String,
    /// The version that the field came with.
    pub since: Version,
}

/// A body that sets fields of later versions.
#[derive(Clone, Debug, PartialEq, Eq, Coded)]
#[code(FIELD_TOO_NEW, advice = self.how_to_write())]
pub struct FieldsTooNew {
    /// The version that the body was written at.
    pub written_at: Version,
    /// Each of them, at least one.
    pub fields: Vec<TooNew>,
}

impl fmt::Display for FieldsTooNew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a body at version {} sets", self.written_at)?;
        for (number, field) in self.fields.iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            write!(f, "{separator} {} (since {})", field.pointer, field.since)?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldsTooNew {}

impl FieldsTooNew {
    fn how_to_write(&self) -> String {
        let needed = self.fields.iter().map(|field| field.since).max();
        let needed = needed.unwrap_or(self.written_at);
        format!("Leave these fields out, or write at version {needed} or later.")
    }
}

/// For each field that did not always exist, since when it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldsSince(Vec<(PathPattern, Version)>);

impl FieldsSince {
    /// Of pairs in the author's order.
    #[must_use]
    pub const fn new(fields: Vec<(PathPattern, Version)>) -> Self {
        Self(fields)
    }

    /// The fields and their versions.
    #[must_use]
    pub fn fields(&self) -> &[(PathPattern, Version)] {
        &self.0
    }

    /// The places that a body at a version sets although the field came later. What equals the
    /// stored value at the same place is unchanged, not set: a reader may send back what it saw.
    ///
    /// ```
    /// # use coeval_core::types::{PathPattern, FieldsSince};
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// let (v1, v1_1) = (Version::new(1, 0, 0), Version::new(1, 1, 0));
    /// let since = FieldsSince::new(vec![(PathPattern::parse("/gpu").unwrap(), v1_1)]);
    /// let body = json!({"gpu": 4});
    /// assert_eq!(since.check(v1, &body, None).unwrap_err().fields[0].since, v1_1);
    /// assert!(since.check(v1, &body, Some(&body)).is_ok(), "it only sends back what is stored");
    /// ```
    ///
    /// # Errors
    ///
    /// All of them.
    pub fn check(
        &self,
        written_at: Version,
        body: &Value,
        stored: Option<&Value>,
    ) -> Result<(), FieldsTooNew> {
        let mut fields = Vec::new();
        for (path, since) in self.0.iter().filter(|(_, since)| *since > written_at) {
            for (pointer, value) in path.find(body) {
                let before = stored.and_then(|stored| stored.pointer(&pointer));
                if !before.is_some_and(|before| same(before, value)) {
                    fields.push(TooNew {
                        pointer,
                        since: *since,
                    });
                }
            }
        }
        if fields.is_empty() {
            return Ok(());
        }
        Err(FieldsTooNew { written_at, fields })
    }
}

/// Whether two JSON values are equal: 1 and 1.0 are, the order of keys is nothing.
///
/// ```
/// use coeval_core::types::same;
/// use serde_json::json;
///
/// assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2.0, "a": 1})));
/// assert!(!same(&json!([1, 2]), &json!([2, 1])), "lists have an order");
/// ```
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    let mut todo = vec![(a, b)];
    while let Some(pair) = todo.pop() {
        match pair {
            (Value::Object(a), Value::Object(b)) => {
                if a.len() != b.len() || !a.keys().all(|key| b.contains_key(key)) {
                    return false;
                }
                todo.extend(a.iter().filter_map(|(key, a)| Some((a, b.get(key)?))));
            }
            (Value::Array(a), Value::Array(b)) => {
                if a.len() != b.len() {
                    return false;
                }
                todo.extend(a.iter().zip(b));
            }
            (Value::Number(a), Value::Number(b)) => {
                if !same_number(a, b) {
                    return false;
                }
            }
            (a, b) => {
                if a != b {
                    return false;
                }
            }
        }
    }
    true
}

fn same_number(a: &Number, b: &Number) -> bool {
    if a.is_f64() == b.is_f64() {
        return a == b;
    }
    // One is whole: it is the same if the other, as a double, is whole and exactly that.
    let whole = |n: &Number| n.as_i64().map(i128::from).or(n.as_u64().map(i128::from));
    let (double, whole) = if a.is_f64() {
        (a, whole(b))
    } else {
        (b, whole(a))
    };
    let double = double
        .as_f64()
        .filter(|x| x.fract() == 0.0 && x.abs() < 1e20);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole and small enough"
    )]
    let double = double.map(|x| x as i128);
    double.is_some() && double == whole
}
