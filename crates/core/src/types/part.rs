//! One schema inside a schema, in the form that walks over content need.

use super::declared_key::DeclaredKey;
use super::restriction::Restriction;
use regex::Regex;
use serde_json::Value;
use std::collections::HashMap;

/// The number of a part; the whole schema is part 0.
pub(crate) type PartId = usize;

/// What holds for properties that are neither named nor matched by a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AdditionalSchema {
    /// Nothing is said, or `true`: allowed and not declared.
    #[default]
    Open,
    /// `false`.
    Closed,
    /// All of them have this schema: a map.
    Each(PartId),
}

/// JSON types as bits. Whole numbers have one of their own, and `number` is both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartTypes(u8);

impl PartTypes {
    pub(crate) const ANY: Self = Self(0x7f);
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const OBJECT: Self = Self(2);
    pub(crate) const ARRAY: Self = Self(4);
    const STRING: Self = Self(8);
    const WHOLE: Self = Self(16);
    const BROKEN: Self = Self(64);
    const BOOLEAN: Self = Self(32);

    pub(crate) fn of(keyword: Option<&Value>) -> Self {
        let bit = |word: &Value| match word.as_str() {
            Some("null") => Self::NULL.0,
            Some("object") => Self::OBJECT.0,
            Some("array") => Self::ARRAY.0,
            Some("string") => Self::STRING.0,
            Some("integer") => Self::WHOLE.0,
            Some("number") => Self::WHOLE.0 | Self::BROKEN.0,
            Some("boolean") => Self::BOOLEAN.0,
            _ => 0,
        };
        match keyword {
            None => Self::ANY,
            Some(Value::Array(words)) => Self(words.iter().map(bit).fold(0, |a, b| a | b)),
            Some(word) => Self(bit(word)),
        }
    }

    /// Of the only values that fit, where a schema lists them.
    pub(crate) fn of_values(values: &[Value]) -> Self {
        let of_one = |value: &Value| match value {
            Value::Null => Self::NULL,
            Value::Object(_) => Self::OBJECT,
            Value::Array(_) => Self::ARRAY,
            Value::String(_) => Self::STRING,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() != 0.0) => {
                Self::BROKEN
            }
            Value::Number(_) => Self::WHOLE,
        };
        values.iter().map(of_one).fold(Self::NONE, Self::either)
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn either(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Their names; `integer` where only whole numbers fit.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let number = if self.has(Self::BROKEN) {
            "number"
        } else {
            "integer"
        };
        let named = [
            (Self::NULL, "null"),
            (Self::OBJECT, "object"),
            (Self::ARRAY, "array"),
            (Self::STRING, "string"),
            (Self::WHOLE.either(Self::BROKEN), number),
            (Self::BOOLEAN, "boolean"),
        ];
        let present = named.into_iter().filter(|(bits, _)| self.has(*bits));
        present.map(|(_, name)| name).collect()
    }
}

/// A schema, with other schemas by number.
#[derive(Debug)]
pub(crate) struct SchemaPart {
    /// Where it is in the schema.
    pub(crate) pointer: String,
    /// `false`: nothing fits.
    pub(crate) never: bool,
    /// What `type`, `enum` and `const` leave.
    pub(crate) types: PartTypes,
    /// What `enum` or `const` lists.
    pub(crate) values: Option<Vec<Value>>,
    /// What `enum` and `const` say of null; `None` where they are absent.
    pub(crate) null_listed: Option<bool>,
    /// In the author's order.
    pub(crate) names: Vec<String>,
    pub(crate) properties: HashMap<String, PartId>,
    pub(crate) patterns: Vec<(Regex, PartId)>,
    pub(crate) additional: AdditionalSchema,
    /// `additionalProperties: true`, said in so many words.
    pub(crate) opened: bool,
    /// `unevaluatedProperties: false`.
    pub(crate) sealed: bool,
    pub(crate) prefix: Vec<PartId>,
    /// Of the items after the prefix.
    pub(crate) items: Option<PartId>,
    pub(crate) required: Vec<String>,
    pub(crate) default: Option<Value>,
    pub(crate) description: Option<String>,
    pub(crate) restriction: Restriction,
    /// Of the items of a list.
    pub(crate) list_key: Option<DeclaredKey>,
    /// `$ref` and `allOf`: they always apply, to the same value.
    pub(crate) always: Vec<PartId>,
    /// `anyOf` and `oneOf`, a list each: some of them apply.
    pub(crate) choices: Vec<Vec<PartId>>,
    /// `then`, `else`, `dependentSchemas`: they apply under a condition.
    pub(crate) under: Vec<PartId>,
    /// `if` and `not`: they are asked, and declare nothing.
    pub(crate) asked: Vec<PartId>,
    /// The one under `not`, which is also asked.
    pub(crate) not: Option<PartId>,
    /// What else is reached by a step into the value: `contains`, `propertyNames` and the like.
    pub(crate) inner: Vec<PartId>,
}

impl SchemaPart {
    pub(crate) fn at(pointer: String) -> Self {
        Self {
            pointer,
            never: false,
            types: PartTypes::ANY,
            values: None,
            null_listed: None,
            names: Vec::new(),
            properties: HashMap::new(),
            patterns: Vec::new(),
            additional: AdditionalSchema::Open,
            opened: false,
            sealed: false,
            prefix: Vec::new(),
            items: None,
            required: Vec::new(),
            default: None,
            description: None,
            restriction: Restriction::default(),
            list_key: None,
            always: Vec::new(),
            choices: Vec::new(),
            under: Vec::new(),
            asked: Vec::new(),
            not: None,
            inner: Vec::new(),
        }
    }

    /// Those that apply to the same value, for certain or perhaps.
    pub(crate) fn beside(&self) -> impl Iterator<Item = PartId> + '_ {
        let choices = self.choices.iter().flatten();
        let all = self.always.iter().chain(choices).chain(&self.under);
        all.chain(&self.asked).copied()
    }

    /// Those that apply to values inside.
    pub(crate) fn below(&self) -> impl Iterator<Item = PartId> + '_ {
        let map = match self.additional {
            AdditionalSchema::Each(id) => Some(id),
            AdditionalSchema::Open | AdditionalSchema::Closed => None,
        };
        let properties = self.properties.values().copied();
        let patterns = self.patterns.iter().map(|(_, id)| *id);
        let items = self.prefix.iter().copied().chain(self.items);
        let rest = map.into_iter().chain(self.inner.iter().copied());
        properties.chain(patterns).chain(items).chain(rest)
    }

    /// Whether it says anything of what is inside.
    pub(crate) fn declares_inside(&self) -> bool {
        !self.properties.is_empty()
            || !self.patterns.is_empty()
            || !self.prefix.is_empty()
            || self.items.is_some()
            || self.sealed
            || self.additional != AdditionalSchema::Open
    }

    /// The schemas that this one gives to a property; none if it does not speak of it.
    pub(crate) fn of_property(&self, key: &str) -> Vec<PartId> {
        let named = self.properties.get(key).copied();
        let matched = self
            .patterns
            .iter()
            .filter(|(regex, _)| regex.is_match(key));
        let mut found: Vec<_> = named
            .into_iter()
            .chain(matched.map(|(_, id)| *id))
            .collect();
        if let (true, AdditionalSchema::Each(id)) = (found.is_empty(), self.additional) {
            found.push(id);
        }
        found
    }

    /// The schema that this one gives to an item.
    pub(crate) fn of_item(&self, index: usize) -> Option<PartId> {
        self.prefix.get(index).copied().or(self.items)
    }
}
