//! What a value may be: what JSON Schema and messages have in common, and no more.

use super::DeprecationNote;
use std::collections::{BTreeMap, BTreeSet};

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueShape {
    /// Whatever there is, or nothing was said.
    Anything,
    /// No body at all.
    Nothing,
    /// A value without parts.
    Scalar(ScalarShape),
    /// Any number of one shape.
    List(Box<ListShape>),
    /// Fields by name.
    Object(ObjectShape),
    /// The shape of that name; so shapes may contain themselves.
    Reference(String),
    /// One of these.
    AnyOf(Vec<ValueShape>),
}

/// A value without parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScalarShape {
    /// `string`, `null`, `int32`, `enum coeval.x.v1.Y`, `google.protobuf.Timestamp`.
    pub kind: String,
    /// The only values that there are; absent if any value will do. Enums of gRPC are open.
    pub values: Option<BTreeSet<String>>,
    /// How large or long it may be.
    pub limits: ValueLimits,
}

/// Limits that a request is refused by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueLimits {
    /// `maximum`, `maxLength`, `maxItems`.
    pub upper: BTreeMap<String, f64>,
    /// `minimum`, `minLength`, `minItems`.
    pub lower: BTreeMap<String, f64>,
    /// The regular expression that a text must match.
    pub pattern: Option<String>,
}

/// Any number of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ListShape {
    /// What each one is.
    pub element: ValueShape,
    /// How many.
    pub limits: ValueLimits,
}

/// Fields by name, and what other keys hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectShape {
    /// Those that have a name.
    pub fields: BTreeMap<String, SurfaceField>,
    /// What any other key holds, if it is a map.
    pub values: Option<Box<ValueShape>>,
    /// Whether any other key is refused.
    pub closed: bool,
}

/// A field, or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceField {
    /// What it holds.
    pub shape: ValueShape,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Whether every answer has it.
    pub populated: bool,
    /// Whether it is declared that a server which does not know it may ignore it.
    pub ignorable: bool,
    /// Set if it is to go.
    pub deprecation: Option<DeprecationNote>,
    /// Its number on the wire; only gRPC has them.
    pub number: Option<u32>,
}

impl SurfaceField {
    /// One that nothing is declared about.
    #[must_use]
    pub fn optional(shape: ValueShape) -> Self {
        Self {
            shape,
            required: false,
            populated: false,
            ignorable: false,
            deprecation: None,
            number: None,
        }
    }
}

impl ValueShape {
    /// A value of that kind, whichever.
    #[must_use]
    pub fn scalar(kind: impl Into<String>) -> Self {
        Self::Scalar(ScalarShape {
            kind: kind.into(),
            ..ScalarShape::default()
        })
    }

    /// The shapes directly inside.
    pub fn parts(&self) -> Vec<&ValueShape> {
        match self {
            Self::List(list) => vec![&list.element],
            Self::AnyOf(all) => all.iter().collect(),
            Self::Object(object) => {
                let fields = object.fields.values().map(|field| &field.shape);
                fields.chain(object.values.as_deref()).collect()
            }
            Self::Anything | Self::Nothing | Self::Scalar(_) | Self::Reference(_) => Vec::new(),
        }
    }

    pub(crate) fn field_count(&self) -> usize {
        let mut count = 0;
        let mut pending = vec![self];
        while let Some(shape) = pending.pop() {
            if let Self::Object(object) = shape {
                count += object.fields.len();
            }
            pending.extend(shape.parts());
        }
        count
    }
}
