//! What a value may be, once references are followed and alternatives are side by side.

use crate::model::{ApiDocument, ListShape, ObjectShape, ScalarShape, ValueLimits, ValueShape};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The shapes that a value may have, none of them a reference.
#[derive(Debug, Default)]
pub(crate) struct ShapeAlternatives<'a> {
    pub anything: bool,
    pub nothing: bool,
    pub scalars: Vec<&'a ScalarShape>,
    pub lists: Vec<&'a ListShape>,
    pub objects: Vec<&'a ObjectShape>,
}

impl<'a> ShapeAlternatives<'a> {
    /// Terminates on shapes that refer to themselves: each name is followed once.
    pub(crate) fn of(api: &'a ApiDocument, shape: &'a ValueShape) -> Self {
        let mut all = Self::default();
        let mut followed = BTreeSet::new();
        let mut pending = vec![shape];
        while let Some(shape) = pending.pop() {
            match shape {
                ValueShape::Anything => all.anything = true,
                ValueShape::Nothing => all.nothing = true,
                ValueShape::Scalar(scalar) => all.scalars.push(scalar),
                ValueShape::List(list) => all.lists.push(list),
                ValueShape::Object(object) => all.objects.push(object),
                // In order, for those who look at the first one.
                ValueShape::AnyOf(several) => pending.extend(several.iter().rev()),
                ValueShape::Reference(name) => {
                    if followed.insert(name) {
                        pending.extend(api.shapes.get(name));
                    }
                }
            }
        }
        all
    }

    /// Whether it is always an object.
    pub(crate) fn is_object(&self) -> bool {
        !self.objects.is_empty()
            && !self.anything
            && !self.nothing
            && self.scalars.is_empty()
            && self.lists.is_empty()
    }

    /// The field of that name, in whichever of the objects.
    pub(crate) fn field(&self, name: &str) -> Option<&'a crate::model::SurfaceField> {
        self.objects
            .iter()
            .find_map(|object| object.fields.get(name))
    }
}

/// The kinds of values, without what is inside of lists and objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ValueKinds {
    pub anything: bool,
    pub nothing: bool,
    /// By kind: `string`, `list`, `object`.
    pub kinds: BTreeMap<String, KindDetails>,
}

/// What is said about values of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KindDetails {
    /// The only values that there are.
    pub values: Option<BTreeSet<String>>,
    pub limits: ValueLimits,
    /// Whether keys that are not described are refused.
    pub closed: bool,
}

impl ValueKinds {
    pub(crate) fn of(all: &ShapeAlternatives<'_>) -> Self {
        let mut kinds = Self {
            anything: all.anything,
            nothing: all.nothing,
            kinds: BTreeMap::new(),
        };
        for scalar in &all.scalars {
            let details = KindDetails {
                values: scalar.values.clone(),
                limits: scalar.limits.clone(),
                closed: false,
            };
            kinds.add(&scalar.kind, details);
        }
        for list in &all.lists {
            let details = KindDetails {
                limits: list.limits.clone(),
                ..KindDetails::default()
            };
            kinds.add("list", details);
        }
        for object in &all.objects {
            let details = KindDetails {
                closed: object.closed,
                ..KindDetails::default()
            };
            kinds.add("object", details);
        }
        kinds
    }

    /// Two alternatives of one kind: what either allows is allowed.
    fn add(&mut self, kind: &str, details: KindDetails) {
        let Some(before) = self.kinds.get_mut(kind) else {
            self.kinds.insert(kind.to_owned(), details);
            return;
        };
        before.values = match (before.values.take(), details.values) {
            (Some(mut first), Some(second)) => {
                first.extend(second);
                Some(first)
            }
            // One of them takes any value, so both together do.
            _ => None,
        };
        before.closed &= details.closed;
        // Different limits can't be joined in general, so none are claimed.
        if before.limits != details.limits {
            before.limits = ValueLimits::default();
        }
    }
}

impl fmt::Display for ValueKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.anything {
            return f.write_str("anything");
        }
        let mut names: Vec<&str> = self.kinds.keys().map(String::as_str).collect();
        if self.nothing {
            names.push("nothing");
        }
        f.write_str(&names.join(" or "))
    }
}
