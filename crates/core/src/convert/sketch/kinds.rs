//! The JSON types that a schema lets through.

use serde_json::Value;

/// JSON types as bits; an integer is a number, but not the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonKinds(u8);

const NAMES: [(&str, JsonKinds); 7] = [
    ("null", JsonKinds::NULL),
    ("boolean", JsonKinds::BOOLEAN),
    ("number", JsonKinds::NUMBER),
    ("integer", JsonKinds::INTEGER),
    ("string", JsonKinds::STRING),
    ("array", JsonKinds::ARRAY),
    ("object", JsonKinds::OBJECT),
];

/// Alternatives in alternatives that are looked into.
const LEVELS: usize = 4;

impl JsonKinds {
    pub(crate) const ALL: Self = Self(0x7f);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const NUMBER: Self = Self(12);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);

    /// At most those that a schema lets through, as it can be seen without following references.
    pub(crate) fn of(schema: &Value) -> Self {
        Self::seen(schema, LEVELS)
    }

    fn seen(schema: &Value, levels: usize) -> Self {
        if *schema == Value::Bool(false) {
            return Self(0);
        }
        // A reference may lead anywhere, also back to here.
        if levels == 0 || schema.get("$ref").is_some() {
            return Self::ALL;
        }
        // Each keyword restricts by itself, so all of them are intersected.
        let typed = match schema.get("type") {
            None => Self::ALL,
            Some(Value::Array(words)) => words
                .iter()
                .fold(Self(0), |kinds, word| kinds.or(Self::named(word))),
            Some(word) => Self::named(word),
        };
        let listed = schema.get("enum").and_then(Value::as_array);
        let listed = listed.map_or(Self::ALL, |values| Self::of_values(values.iter()));
        let constant = schema.get("const");
        let constant = constant.map_or(Self::ALL, |value| Self::of_values([value]));
        let mut kinds = typed.and(listed).and(constant);
        let list = |word| schema.get(word).and_then(Value::as_array);
        // One of the alternatives has to fit, so their kinds are united.
        for choices in [list("anyOf"), list("oneOf")].into_iter().flatten() {
            let each = choices.iter().map(|one| Self::seen(one, levels - 1));
            kinds = kinds.and(each.fold(Self(0), Self::or));
        }
        for one in list("allOf").into_iter().flatten() {
            kinds = kinds.and(Self::seen(one, levels - 1));
        }
        kinds
    }

    fn of_values<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let all = values.into_iter().map(Self::of_value);
        all.fold(Self(0), Self::or)
    }

    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) if super::whole_number(value) => Self::INTEGER,
            Value::Number(_) => Self(Self::NUMBER.0 & !Self::INTEGER.0),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// By its name in schemas.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, kinds)| *kinds)
    }

    fn named(word: &Value) -> Self {
        let known = word.as_str().and_then(Self::by_name);
        known.unwrap_or(Self(0))
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// As the value of `type`. A number that is no integer has no name, and becomes a number.
    pub(crate) fn to_json(self) -> Value {
        let fraction = self.has(Self::NUMBER.without(Self::INTEGER));
        // `number` includes integers: with it, `integer` would be said twice.
        let named = |(name, kinds): &(&'static str, Self)| match *name {
            "number" => fraction,
            "integer" => self.has(Self::INTEGER) && !fraction,
            _ => self.has(*kinds),
        };
        let names = NAMES.iter().filter(|entry| named(entry));
        let mut names: Vec<Value> = names.map(|(name, _)| Value::from(*name)).collect();
        // A single name is written as a text, as authors do.
        match names.len() {
            1 => names.pop().unwrap_or_default(),
            _ => Value::Array(names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_integer_is_a_number_and_not_the_other_way_round() {
        let of = |name: &str| JsonKinds::of(&json!({"type": name}));
        assert!(of("integer").within(of("number")));
        assert!(!of("number").within(of("integer")));
        assert!(JsonKinds::of(&json!({"enum": [1, 2.0]})).within(of("integer")));
        assert!(!JsonKinds::of(&json!({"const": 1.5})).within(of("integer")));
    }

    #[test]
    fn kinds_are_written_as_they_are_read() {
        for kinds in [json!("null"), json!(["boolean", "string"]), json!("number")] {
            assert_eq!(JsonKinds::of(&json!({"type": kinds})).to_json(), kinds);
        }
        assert_eq!(JsonKinds::of(&json!(true)), JsonKinds::ALL);
        assert!(JsonKinds::of(&json!(false)).is_none());
    }
}
