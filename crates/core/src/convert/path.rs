//! Where a step works: keys of objects, from the content or from the item that `each` is at. A
//! number is a key like any other, because nothing is ever found by its position in a list.

use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::{child, tokens};
use crate::types::{PathPattern, PathToken};
use std::fmt;

/// At least one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldPath(Vec<String>);

impl FieldPath {
    /// Of a JSON pointer; what is wrong with it otherwise, as a clause.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let keys = tokens(text).ok_or("a path is a JSON pointer such as /spec/image")?;
        if keys.is_empty() {
            return Err("a path names a field, not the whole");
        }
        // Bounded, since a conversion makes the objects on the way where they are missing.
        if keys.len() > CONTENT_DEPTH {
            return Err("it has more steps than content has levels");
        }
        // A star would name many places, and a field can be moved from or to one only.
        if keys.iter().any(|key| key.is_empty() || key == "*") {
            return Err("a path names one place; for every item of a list use each");
        }
        Ok(Self(keys))
    }

    pub(crate) fn of(keys: &[String]) -> Self {
        Self(keys.to_vec())
    }

    pub(crate) fn keys(&self) -> &[String] {
        &self.0
    }

    /// The keys of the object that holds the field, and the field's own.
    pub(crate) fn split(&self) -> (&[String], &str) {
        match self.0.split_last() {
            Some((last, parents)) => (parents, last),
            None => (&[], ""),
        }
    }

    /// The field's own key, as a path from the object that holds it.
    pub(crate) fn last(&self) -> &[String] {
        self.after(self.0.len().saturating_sub(1))
    }

    /// The keys after the first ones.
    pub(crate) fn after(&self, keys: usize) -> &[String] {
        self.0.get(keys..).unwrap_or_default()
    }

    /// Another field of the same object.
    pub(crate) fn beside(&self, key: &str) -> Self {
        let mut keys = self.0.clone();
        keys.pop();
        keys.push(key.to_owned());
        Self(keys)
    }

    /// A field inside of this one.
    pub(crate) fn inside(&self, key: &str) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.to_owned());
        Self(keys)
    }

    /// Whether one is the other or inside of it.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    pub(crate) fn trail(&self) -> Trail {
        self.0.iter().cloned().map(PathToken::Key).collect()
    }

    /// What follows this path in a trail that goes through it.
    pub(crate) fn rest<'t>(&self, trail: &'t [PathToken]) -> Option<&'t [PathToken]> {
        let (start, rest) = trail.split_at_checked(self.0.len())?;
        let is =
            |(key, token): (&String, &PathToken)| matches!(token, PathToken::Key(k) if k == key);
        self.0.iter().zip(start).all(is).then_some(rest)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&pointer(&self.0))
    }
}

/// Keys as a JSON pointer.
pub(crate) fn pointer(keys: &[String]) -> String {
    keys.iter()
        .fold(String::new(), |pointer, key| child(&pointer, key))
}

/// A path that can name many places, on its way through steps.
pub(crate) type Trail = Vec<PathToken>;

/// A trail as people read it.
pub(crate) fn pattern(trail: &Trail) -> PathPattern {
    PathPattern::of(trail.clone())
}

/// Whether a trail of a list leads to a place.
pub(crate) fn covers(list: &[PathToken], place: &[PathToken]) -> bool {
    pattern(&list.to_vec()).covers(&pattern(&place.to_vec()))
}
