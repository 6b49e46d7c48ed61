//! Strict reading of a map: every key is asked for by name, and what nobody asked for is unknown.

use super::file_error::{FileError, FileProblem};
use super::located::{LocatedEntry, LocatedNode, LocatedTree};
use super::position::Position;
use crate::version::Version;
use serde_json::Value;

/// Problems as they are found.
#[derive(Debug, Default)]
pub(crate) struct FileProblems(Vec<FileProblem>);

impl FileProblems {
    pub(crate) fn push(&mut self, at: Position, found: FileError) {
        self.0.push(FileProblem::at(at, found));
    }

    pub(crate) fn value(&mut self, at: Position, what: impl Into<String>) {
        self.push(at, FileError::Value(what.into()));
    }

    pub(crate) fn into_vec(self) -> Vec<FileProblem> {
        self.0
    }
}

/// The entries of a map, and which of them were asked for.
pub(crate) struct MapFields<'n> {
    at: Position,
    entries: &'n [LocatedEntry],
    asked: Vec<&'static str>,
}

impl<'n> MapFields<'n> {
    pub(crate) fn of(
        what: &str,
        node: &'n LocatedNode,
        problems: &mut FileProblems,
    ) -> Option<Self> {
        let LocatedTree::Map(entries) = &node.tree else {
            problems.value(node.position, format!("{what} must be a map"));
            return None;
        };
        Some(Self {
            at: node.position,
            entries,
            asked: Vec::new(),
        })
    }

    /// The value of a key; a null is as good as none.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'n LocatedNode> {
        self.asked.push(key);
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        let is_null = matches!(entry.node.tree, LocatedTree::Scalar(Value::Null, _));
        (!is_null).then_some(&entry.node)
    }

    pub(crate) fn need(
        &mut self,
        key: &'static str,
        problems: &mut FileProblems,
    ) -> Option<&'n LocatedNode> {
        let found = self.take(key);
        if found.is_none() {
            let at = self.entries.iter().find(|entry| entry.key == key);
            problems.push(
                at.map_or(self.at, |entry| entry.at),
                FileError::KeyMissing(key),
            );
        }
        found
    }

    /// Complains of all keys that nobody asked for.
    pub(crate) fn finish(self, problems: &mut FileProblems) {
        for entry in self.entries {
            if !self.asked.contains(&entry.key.as_str()) {
                let nearest = self
                    .asked
                    .iter()
                    .copied()
                    .find(|known| is_near(&entry.key, known));
                let key = entry.key.chars().take(60).collect();
                problems.push(entry.at, FileError::KeyUnknown { key, nearest });
            }
        }
    }
}

/// Whether one character less, more or other, or another case, makes them equal.
fn is_near(found: &str, known: &str) -> bool {
    if found.eq_ignore_ascii_case(known) {
        return true;
    }
    let same = found
        .chars()
        .zip(known.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |text: &str, more: usize| text.chars().skip(same + more).collect::<String>();
    let swapped = || {
        let (a, b): (Vec<_>, Vec<_>) = (
            rest(found, 0).chars().collect(),
            rest(known, 0).chars().collect(),
        );
        matches!((a.as_slice(), b.as_slice()), ([p, q, x @ ..], [r, s, y @ ..]) if p == s && q == r && x == y)
    };
    rest(found, 1) == rest(known, 0)
        || rest(found, 0) == rest(known, 1)
        || rest(found, 1) == rest(known, 1)
        || swapped()
}

/// A text; numbers and the like need quotes.
pub(crate) fn text<'n>(
    what: &str,
    node: &'n LocatedNode,
    problems: &mut FileProblems,
) -> Option<&'n str> {
    match &node.tree {
        LocatedTree::Scalar(Value::String(text), _) => Some(text),
        _ => {
            problems.value(
                node.position,
                format!("{what} must be a text; a number needs quotes"),
            );
            None
        }
    }
}

/// A version, in quotes or not.
pub(crate) fn version(
    what: &str,
    node: &LocatedNode,
    problems: &mut FileProblems,
) -> Option<Version> {
    let LocatedTree::Scalar(_, written) = &node.tree else {
        problems.value(
            node.position,
            format!("{what} must be a version such as 1.2.0"),
        );
        return None;
    };
    match Version::parse_full(written) {
        Ok(version) => Some(version),
        Err(error) => {
            problems.value(node.position, format!("{what} is not a version: {error}"));
            None
        }
    }
}

pub(crate) fn boolean(what: &str, node: &LocatedNode, problems: &mut FileProblems) -> Option<bool> {
    match &node.tree {
        LocatedTree::Scalar(Value::Bool(yes), _) => Some(*yes),
        _ => {
            problems.value(node.position, format!("{what} must be true or false"));
            None
        }
    }
}

pub(crate) fn list<'n>(
    what: &str,
    node: &'n LocatedNode,
    problems: &mut FileProblems,
) -> &'n [LocatedNode] {
    match &node.tree {
        LocatedTree::List(items) => items,
        _ => {
            problems.value(node.position, format!("{what} must be a list"));
            &[]
        }
    }
}

pub(crate) fn map<'n>(
    what: &str,
    node: &'n LocatedNode,
    problems: &mut FileProblems,
) -> &'n [LocatedEntry] {
    match &node.tree {
        LocatedTree::Map(entries) => entries,
        _ => {
            problems.value(node.position, format!("{what} must be a map"));
            &[]
        }
    }
}
