//! Schemas as the generator knows them: only such whose documents it can build.

use jsonschema::Draft;
use serde_json::Value;
use std::collections::BTreeMap;

/// A whole schema.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) draft: Draft,
    pub(crate) root: Node,
    pub(crate) definitions: BTreeMap<String, Node>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Whether null fits as well.
    pub(crate) null: bool,
    pub(crate) default: Option<Value>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Any,
    Flag,
    Text(Text),
    Number(Number),
    /// `enum`, or `const`.
    Values(Vec<Value>),
    /// A list of types.
    Types(Vec<&'static str>),
    Object(Object),
    Map(Map),
    List(List),
    Tuple(Tuple),
    /// `anyOf`, of different types.
    Either(Vec<Node>),
    /// `oneOf`, told apart by the property `kind`.
    Tagged(Vec<(String, Node)>),
    /// `allOf`, of open objects without a name in common.
    All(Vec<Node>),
    Ref(String),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
    pub(crate) shape: Shape,
    /// `not`.
    pub(crate) never: Option<String>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Shape {
    #[default]
    Free,
    /// A row of `PATTERNS`; the wider one, or the other.
    Pattern(usize, bool),
    /// A row of `FORMATS`.
    Format(usize),
}

pub(crate) struct Pattern {
    pub(crate) narrow: &'static str,
    pub(crate) wide: &'static str,
    pub(crate) fits: &'static str,
    /// What only the wider one takes.
    pub(crate) between: &'static str,
}

const fn pattern(
    narrow: &'static str,
    wide: &'static str,
    fits: &'static str,
    between: &'static str,
) -> Pattern {
    Pattern {
        narrow,
        wide,
        fits,
        between,
    }
}

pub(crate) const PATTERNS: [Pattern; 8] = [
    pattern("^[a-z]+$", "^[a-z0-9]+$", "abc", "a1"),
    pattern("^[a-z0-9]+$", "^[a-z0-9-]+$", "a1", "a-1"),
    pattern("^v[0-9]+$", "^v[0-9]+(\\.[0-9]+)?$", "v1", "v1.2"),
    pattern("^[0-9]+(m|Mi|Gi)?$", "^[0-9]+(m|Mi|Gi|Ti)?$", "10Gi", "1Ti"),
    pattern(
        "^[A-Z]{2}-[0-9]{3}$",
        "^[A-Z]{2}-[0-9]{3,5}$",
        "AB-123",
        "AB-1234",
    ),
    pattern("^urn:", "^(urn|id):", "urn:x", "id:x"),
    pattern("^(GET|PUT)$", "^(GET|PUT|POST)$", "GET", "POST"),
    pattern(
        "^[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}$",
        "^[0-9]{1,3}(\\.[0-9]{1,3}){3}(/[0-9]{1,2})?$",
        "10.0.0.0/8",
        "10.0.0.0",
    ),
];

/// A format, a text of it and one that is not.
pub(crate) const FORMATS: [(&str, &str, &str); 7] = [
    ("date", "2024-01-31", "soon"),
    ("date-time", "2024-01-31T10:00:00Z", "today"),
    ("ipv4", "10.0.0.1", "10.0.0"),
    ("ipv6", "::1", "a:b"),
    ("email", "a@b.example", "nobody"),
    ("hostname", "db.example", "not a host"),
    ("uri", "https://example.com/a", "no uri"),
];

/// With whole numbers as bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Number {
    pub(crate) whole: bool,
    /// And whether it is exclusive.
    pub(crate) least: Option<(i64, bool)>,
    pub(crate) most: Option<(i64, bool)>,
    pub(crate) step: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) node: Node,
    pub(crate) required: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    pub(crate) rest: Rest,
    /// Values of names with `x-` in front.
    pub(crate) extensions: Option<Box<Node>>,
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
    /// Where the first is, the second must be.
    pub(crate) needs: Vec<(String, String)>,
    pub(crate) when: Option<When>,
}

/// Where a field has a value, another one is required.
#[derive(Clone, Debug)]
pub(crate) struct When {
    pub(crate) field: String,
    pub(crate) is: Value,
    pub(crate) then: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Rest {
    #[default]
    Open,
    Closed,
    Schema(Box<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) value: Box<Node>,
    pub(crate) keys: Keys,
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys {
    Any,
    /// `patternProperties` with the first patterns; and whether it is the wider one.
    Pattern(bool),
    /// `propertyNames`.
    Named(bool),
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) item: Box<Node>,
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
    pub(crate) unique: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    pub(crate) items: Vec<Node>,
    pub(crate) rest: Rest,
}

impl Node {
    pub(crate) fn of(kind: Kind) -> Self {
        Self {
            kind,
            null: false,
            default: None,
        }
    }

    /// The word of its type, if it has one.
    pub(crate) fn kind_of_value(&self) -> &'static str {
        match &self.kind {
            Kind::Flag => "boolean",
            Kind::Text(_) => "string",
            Kind::Number(number) if number.whole => "integer",
            Kind::Number(_) => "number",
            Kind::Object(_) | Kind::Map(_) | Kind::Tagged(_) | Kind::All(_) => "object",
            Kind::List(_) | Kind::Tuple(_) => "array",
            _ => "",
        }
    }
}
