//! Kinds of JSON values. Whole numbers and fractions are told apart, as `integer` does.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExampleKind {
    Object,
    List,
    Text,
    Number,
    Bool,
    Null,
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExampleKinds(u8);

impl ExampleKinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const OBJECT: Self = Self(1);
    pub(super) const LIST: Self = Self(2);
    pub(super) const TEXT: Self = Self(4);
    pub(super) const WHOLE: Self = Self(8);
    pub(super) const FRACTION: Self = Self(16);
    pub(super) const BOOL: Self = Self(32);
    pub(super) const NULL: Self = Self(64);
    pub(super) const NUMBER: Self = Self(8 | 16);
    pub(super) const ANY: Self = Self(127);

    /// What the keyword `type` allows.
    pub(super) fn of_keyword(keyword: Option<&Value>) -> Self {
        let named = |word: &Value| match word.as_str() {
            Some("object") => Self::OBJECT,
            Some("array") => Self::LIST,
            Some("string") => Self::TEXT,
            Some("integer") => Self::WHOLE,
            Some("number") => Self::NUMBER,
            Some("boolean") => Self::BOOL,
            Some("null") => Self::NULL,
            _ => Self::NONE,
        };
        match keyword {
            None => Self::ANY,
            Some(Value::Array(words)) => words.iter().map(named).fold(Self::NONE, Self::or),
            Some(word) => named(word),
        }
    }

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::OBJECT,
            Value::Array(_) => Self::LIST,
            Value::String(_) => Self::TEXT,
            Value::Bool(_) => Self::BOOL,
            Value::Null => Self::NULL,
            Value::Number(n) if n.as_f64().is_some_and(|x| x.fract() != 0.0) => Self::FRACTION,
            Value::Number(_) => Self::WHOLE,
        }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// One by one, those with something inside first.
    pub(super) fn list(self) -> Vec<ExampleKind> {
        let all = [
            (Self::OBJECT, ExampleKind::Object),
            (Self::LIST, ExampleKind::List),
            (Self::TEXT, ExampleKind::Text),
            (Self::NUMBER, ExampleKind::Number),
            (Self::BOOL, ExampleKind::Bool),
            (Self::NULL, ExampleKind::Null),
        ];
        let some = all.into_iter().filter(|(bit, _)| self.has(*bit));
        some.map(|(_, kind)| kind).collect()
    }
}
