//! What a type version says for people and may change while it has resources: whether it is
//! deprecated, and which columns lists show. Neither changes what a resource is, so neither is part
//! of the definition that stays as it was registered.

use super::located::{self, LocatedNode};
use super::map_fields::{self, FileProblems, MapFields};
use super::pointer::{PathPattern, PathToken};
use super::schema::Schema;
use super::since::same;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// Columns of a type version, at most.
pub const COLUMNS: usize = 16;
/// Characters of a column's name, at most.
const COLUMN_NAME: usize = 40;
/// Characters of the message of a deprecation, at most.
const MESSAGE: usize = 500;

/// The keys of a type file that this module reads.
const DEPRECATED: &str = "deprecated";
const COLUMNS_KEY: &str = "columns";

/// That a version should no longer be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionDeprecation {
    /// The day from which on it is: `2026-11-18`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The day on which it is to be retired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sunset: Option<String>,
    /// What to use instead, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl VersionDeprecation {
    /// What is wrong with it.
    #[must_use]
    pub fn flaw(&self) -> Option<String> {
        for (what, day) in [("since", &self.since), ("sunset", &self.sunset)] {
            if let Some(day) = day.as_deref().filter(|day| !is_day(day)) {
                let day: String = day.chars().take(40).collect();
                return Some(format!(
                    "{what} must be a day such as 2026-11-18, not {day:?}"
                ));
            }
        }
        // Days of this form sort as texts.
        if let (Some(since), Some(sunset)) = (&self.since, &self.sunset)
            && sunset < since
        {
            return Some(format!("the sunset {sunset} is before {since}"));
        }
        let length = self
            .message
            .as_deref()
            .map_or(0, |text| text.chars().count());
        (length > MESSAGE)
            .then(|| format!("the message has {length} characters, {MESSAGE} at most"))
    }
}

/// As a sentence goes on after the version: `deprecated since 2026-11-18, to be retired on …`.
impl fmt::Display for VersionDeprecation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deprecated")?;
        if let Some(since) = &self.since {
            write!(f, " since {since}")?;
        }
        if let Some(sunset) = &self.sunset {
            write!(f, ", to be retired on {sunset}")?;
        }
        match self.message.as_deref() {
            Some(message) if !message.is_empty() => write!(f, ": {message}"),
            _ => Ok(()),
        }
    }
}

/// How the values of a column are shown and sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// As it is.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An RFC 3339 time or day; lists show how long ago it was.
    Date,
}

impl ColumnType {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("date", Self::Date),
    ];

    /// By its name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, kind)| kind)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, kind)| *kind == self);
        found.map_or("string", |(name, _)| name)
    }
}

/// One column of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListColumn {
    /// What stands above it.
    pub name: String,
    /// A JSON pointer into the content.
    pub path: String,
    /// What its values are.
    #[serde(rename = "type", default)]
    pub kind: ColumnType,
}

impl ListColumn {
    fn flaw(&self, schema: &Schema) -> Option<String> {
        let name: String = self.name.chars().take(COLUMN_NAME).collect();
        let long = self.name.chars().count() > COLUMN_NAME;
        if long || self.name.trim().is_empty() || self.name.chars().any(char::is_control) {
            return Some(format!(
                "a column's name has 1 to {COLUMN_NAME} characters in one line, not {name:?}"
            ));
        }
        let place: String = self.path.chars().take(120).collect();
        let unfit = |why: &str| Some(format!("the path {place:?} of column {name:?}: {why}"));
        match PathPattern::parse(&self.path) {
            Err(why) => unfit(why),
            Ok(path) if path.steps().contains(&PathToken::Every) => {
                unfit("a column shows one value; * names many")
            }
            Ok(path) if !schema.declares_some(&path) => unfit("the schema declares no such field"),
            Ok(_) => None,
        }
    }
}

/// What is wrong with columns of a version with this schema.
#[must_use]
pub fn columns_flaw(columns: &[ListColumn], schema: &Schema) -> Option<String> {
    if columns.len() > COLUMNS {
        return Some(format!("{} columns, {COLUMNS} at most", columns.len()));
    }
    let mut names = BTreeSet::new();
    for column in columns {
        if let Some(flaw) = column.flaw(schema) {
            return Some(flaw);
        }
        if !names.insert(column.name.to_lowercase()) {
            return Some(format!("two columns are called {:?}", column.name));
        }
    }
    None
}

/// `2026-11-18`, a day that the calendar has.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let part =
        |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    shaped && (1..=days).contains(&day)
}

/// Reads `deprecated`.
pub(super) fn deprecation(
    node: Option<&LocatedNode>,
    problems: &mut FileProblems,
) -> Option<VersionDeprecation> {
    let node = node?;
    let mut fields = MapFields::of(DEPRECATED, node, problems)?;
    let mut words = |key: &'static str, problems: &mut FileProblems| {
        let found = fields.take(key)?;
        map_fields::text(key, found, problems).map(str::to_owned)
    };
    let read = VersionDeprecation {
        since: words("since", problems),
        sunset: words("sunset", problems),
        message: words("message", problems),
    };
    fields.finish(problems);
    if let Some(flaw) = read.flaw() {
        problems.value(node.position, flaw);
    }
    Some(read)
}

/// Reads `columns`.
pub(super) fn columns(
    node: Option<&LocatedNode>,
    schema: Option<&Schema>,
    problems: &mut FileProblems,
) -> Option<Vec<ListColumn>> {
    let node = node?;
    let mut found = Vec::new();
    for item in map_fields::list(COLUMNS_KEY, node, problems) {
        let Some(mut fields) = MapFields::of("a column", item, problems) else {
            continue;
        };
        let (name, path) = (fields.need("name", problems), fields.need("path", problems));
        let kind = fields.take("type");
        fields.finish(problems);
        let name = name.and_then(|node| map_fields::text("name", node, problems));
        let path = path.and_then(|node| map_fields::text("path", node, problems));
        let kind =
            match kind.and_then(|node| Some((node, map_fields::text("type", node, problems)?))) {
                None => ColumnType::default(),
                Some((node, text)) => ColumnType::of(text).unwrap_or_else(|| {
                    let all = ColumnType::ALL.map(|(name, _)| name).join(", ");
                    problems.value(node.position, format!("type must be one of {all}"));
                    ColumnType::default()
                }),
            };
        if let (Some(name), Some(path)) = (name, path) {
            found.push(ListColumn {
                name: name.to_owned(),
                path: path.to_owned(),
                kind,
            });
        }
    }
    if let Some(flaw) = schema.and_then(|schema| columns_flaw(&found, schema)) {
        problems.value(node.position, flaw);
    }
    Some(found)
}

/// The document of a type file, and its annotations taken out; nothing if it is no type file.
fn bare(text: &str) -> Option<(Value, bool)> {
    let mut documents = located::read(text).ok()?;
    let mut document = documents.pop().filter(|_| documents.is_empty())?.to_json();
    let spec = document.get_mut("spec")?.as_object_mut()?;
    let annotated = [DEPRECATED, COLUMNS_KEY].map(|key| spec.remove(key).is_some());
    // A null counts as absent.
    spec.retain(|_, value| !value.is_null());
    Some((document, annotated.contains(&true)))
}

/// Whether two type files define the same, whatever they say of deprecation and columns.
#[must_use]
pub fn same_definition(one: &str, other: &str) -> bool {
    match (bare(one), bare(other)) {
        (Some((one, _)), Some((other, _))) => same(&one, &other),
        _ => false,
    }
}

/// A type file without its annotations: as it was written if it has none, else as JSON.
#[must_use]
pub fn without_annotations(text: &str) -> String {
    match bare(text) {
        Some((document, true)) => document.to_string(),
        _ => text.to_owned(),
    }
}
