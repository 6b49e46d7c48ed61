//! What a field of a message holds.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// One value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `string`
    String,
    /// `int64`
    Int64,
    /// `double`
    Double,
    /// `bool`
    Bool,
    /// A message of its own.
    Message,
    /// `google.protobuf.Struct`
    Struct,
    /// `google.protobuf.Value`
    Value,
}

/// What a field holds: one value, a list or a map of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldForm {
    /// One value.
    One(ItemKind),
    /// A list.
    Repeated(ItemKind),
    /// A map from strings.
    Map(ItemKind),
}

impl ItemKind {
    const ALL: [Self; 7] = [
        Self::String,
        Self::Int64,
        Self::Double,
        Self::Bool,
        Self::Message,
        Self::Struct,
        Self::Value,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int64 => "int64",
            Self::Double => "double",
            Self::Bool => "bool",
            Self::Message => "message",
            Self::Struct => "struct",
            Self::Value => "value",
        }
    }

    /// Whether it has no presence of its own in protobuf.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::String | Self::Int64 | Self::Double | Self::Bool)
    }
}

impl FieldForm {
    /// Of the one value, or of each.
    #[must_use]
    pub const fn item(self) -> ItemKind {
        match self {
            Self::One(item) | Self::Repeated(item) | Self::Map(item) => item,
        }
    }
}

/// As in a ledger: `string`, `repeated message`, `map<string, int64>`.
impl fmt::Display for FieldForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(item) => f.write_str(item.word()),
            Self::Repeated(item) => write!(f, "repeated {}", item.word()),
            Self::Map(item) => write!(f, "map<string, {}>", item.word()),
        }
    }
}

impl FromStr for FieldForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let item = |word: &str| ItemKind::ALL.into_iter().find(|item| item.word() == word);
        let map = text.strip_prefix("map<string, ");
        let kind = match (text.strip_prefix("repeated "), map) {
            (Some(word), _) => item(word).map(Self::Repeated),
            (None, Some(rest)) => rest.strip_suffix('>').and_then(item).map(Self::Map),
            (None, None) => item(text).map(Self::One),
        };
        kind.ok_or_else(|| format!("{text:?} is no kind of field"))
    }
}

impl Serialize for FieldForm {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldForm {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_as_it_is_written() {
        for item in ItemKind::ALL {
            for kind in [
                FieldForm::One(item),
                FieldForm::Repeated(item),
                FieldForm::Map(item),
            ] {
                assert_eq!(kind.to_string().parse(), Ok(kind));
            }
        }
        for text in [
            "",
            "int32",
            "repeated",
            "repeated ",
            "map<string, >",
            "map<string, int64",
        ] {
            assert!(text.parse::<FieldForm>().is_err(), "{text}");
        }
    }
}
