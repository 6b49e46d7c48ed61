//! A field of a generated type, with the identity that it keeps over all versions.

use crate::expected::ValueChange;
use serde_json::Value;

/// The identity of a field, the same in all versions that have it.
pub type FieldId = u32;

#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Any text, also with separators in it.
    Text,
    /// A text with a whole number in it.
    Digits,
    /// A text with JSON in it, of this kind.
    Json(Box<FieldKind>),
    /// One of these.
    Enum(Vec<String>),
    Int,
    Bool,
    Object(Vec<WorldField>),
    /// A list of objects with a key, which all have `name`.
    Keyed(Vec<WorldField>),
    /// A list of objects without a key.
    Items(Vec<WorldField>),
    /// A list of scalars.
    List(Box<FieldKind>),
    Map(Vec<WorldField>),
}

/// How the key of a list is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBy {
    /// By the steps that work on it; without one it has none.
    Step,
    Schema,
    /// By the schema, with a second field that has a default.
    Two,
    /// By nobody: the name is required.
    Nobody,
}

impl KeyBy {
    /// The same in all versions.
    pub fn of(list: FieldId) -> Self {
        match list % 4 {
            0 => Self::Step,
            1 => Self::Schema,
            2 => Self::Two,
            _ => Self::Nobody,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WorldField {
    pub id: FieldId,
    /// The identity that it had before those of fields that are made from each other became one.
    pub origin: FieldId,
    pub name: String,
    pub kind: FieldKind,
    pub required: bool,
    pub default: Option<Value>,
    /// Where it is not stored, its value depends on another field.
    pub derived: bool,
    /// It is what other versions have in an item of a list.
    pub alias: bool,
    /// It is made from others, or others from it.
    pub family: bool,
    /// What became of its value on the way to this version.
    pub changes: Vec<ValueChange>,
}

/// Whether readers of an enum promise to tolerate other values, in all versions.
pub fn extensible(field: FieldId) -> bool {
    field.is_multiple_of(2)
}
