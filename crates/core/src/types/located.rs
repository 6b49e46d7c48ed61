//! A type file as a tree in which every value knows its place. YAML and JSON, bounded: aliases are
//! counted as if they were written out, before they are.

use super::body::BodyError;
use super::file_error::{FileError, FileProblem};
use super::json;
use super::limits::{FILE_BYTES, FILE_DEPTH, FILE_NODES};
use super::pointer::tokens;
use super::position::{LineStarts, Position};
use super::yaml;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A value and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct LocatedNode {
    pub(crate) position: Position,
    pub(crate) tree: LocatedTree,
}

#[derive(Clone, Debug)]
pub(crate) enum LocatedTree {
    /// With the text as it was written, so that `1.10` can be a version.
    Scalar(Value, String),
    List(Vec<LocatedNode>),
    Map(Vec<LocatedEntry>),
}

#[derive(Clone, Debug)]
pub(crate) struct LocatedEntry {
    pub(crate) key: String,
    pub(crate) at: Position,
    pub(crate) node: LocatedNode,
}

impl LocatedNode {
    /// The plain value. Levels are bounded where the tree is built.
    pub(crate) fn to_json(&self) -> Value {
        match &self.tree {
            LocatedTree::Scalar(value, _) => value.clone(),
            LocatedTree::List(items) => items.iter().map(Self::to_json).collect(),
            LocatedTree::Map(entries) => {
                let pairs = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Where the place that a pointer names begins, or the last one on the way that exists.
    pub(crate) fn locate(&self, pointer: &str) -> Position {
        let mut node = self;
        let mut position = self.position;
        for token in tokens(pointer).unwrap_or_default() {
            let next = match &node.tree {
                LocatedTree::Map(entries) => {
                    let entry = entries.iter().find(|entry| entry.key == token);
                    entry.map(|entry| (entry.at, &entry.node))
                }
                LocatedTree::List(items) => {
                    let item = token.parse().ok().and_then(|index: usize| items.get(index));
                    item.map(|item| (item.position, item))
                }
                LocatedTree::Scalar(..) => None,
            };
            let Some((at, inner)) = next else { break };
            (position, node) = (at, inner);
        }
        position
    }
}

/// The documents of a file.
pub(crate) fn read(text: &str) -> Result<Vec<LocatedNode>, Vec<FileProblem>> {
    if text.len() > FILE_BYTES {
        return Err(vec![FileProblem::at(
            Position::START,
            FileError::TooLarge(text.len()),
        )]);
    }
    // YAML is nearly, but not quite, a superset of JSON: tabs and surrogate pairs differ. What
    // begins like JSON is tried as JSON first.
    if text.trim_start().starts_with('{') {
        match read_json(text, BOUNDS) {
            Err(BodyError::NotJson { .. }) => {}
            Err(error) => return Err(vec![from_body(error)]),
            Ok(built) => return built.map(|node| vec![node]),
        }
    }
    yaml::read(text, BOUNDS)
}

/// How much a type file may be.
const BOUNDS: yaml::YamlBounds = yaml::YamlBounds {
    depth: FILE_DEPTH,
    nodes: FILE_NODES,
};

pub(crate) fn read_json(
    text: &str,
    bounds: yaml::YamlBounds,
) -> Result<Result<LocatedNode, Vec<FileProblem>>, BodyError> {
    let lines = LineStarts::of(text);
    let mut events = json::JsonEvents::of(text, bounds.depth);
    let mut builder = LocatedBuilder::default();
    while let Some((offset, event)) = events.next()? {
        let position = lines.position(offset);
        let scalar = match event {
            json::JsonEvent::Object => {
                builder.begin(position, true);
                continue;
            }
            json::JsonEvent::Array => {
                builder.begin(position, false);
                continue;
            }
            json::JsonEvent::End => {
                builder.end();
                continue;
            }
            json::JsonEvent::Key(key) => {
                builder.key(key.into_owned(), position);
                continue;
            }
            json::JsonEvent::String(text) => Value::String(text.into_owned()),
            json::JsonEvent::Number(number) => Value::Number(number),
            json::JsonEvent::Bool(yes) => Value::Bool(yes),
            json::JsonEvent::Null => Value::Null,
        };
        let text = match &scalar {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        builder.scalar(position, scalar, text);
        if builder.nodes > bounds.nodes {
            return Ok(Err(vec![FileProblem::at(
                position,
                FileError::TooManyNodes,
            )]));
        }
    }
    Ok(builder.finish())
}

fn from_body(error: BodyError) -> FileProblem {
    match error {
        BodyError::TooDeep { position, .. } => FileProblem::at(position, FileError::TooDeep),
        BodyError::Number { position, text } => FileProblem::at(position, FileError::Number(text)),
        other => FileProblem::at(Position::START, FileError::Syntax(other.to_string())),
    }
}

enum OpenNode {
    List(Vec<LocatedNode>),
    Map {
        entries: Vec<LocatedEntry>,
        seen: HashSet<String>,
        key: Option<(String, Position)>,
    },
}

/// Puts a tree together from a stream of events, without recursion.
#[derive(Default)]
pub(crate) struct LocatedBuilder {
    open: Vec<(Position, OpenNode)>,
    done: Option<LocatedNode>,
    pub(crate) nodes: usize,
    pub(crate) problems: Vec<FileProblem>,
}

impl LocatedBuilder {
    pub(crate) fn begin(&mut self, position: Position, map: bool) {
        self.nodes += 1;
        let open = if map {
            OpenNode::Map {
                entries: Vec::new(),
                seen: HashSet::new(),
                key: None,
            }
        } else {
            OpenNode::List(Vec::new())
        };
        self.open.push((position, open));
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the next scalar is a key.
    pub(crate) fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some((_, OpenNode::Map { key: None, .. })))
    }

    pub(crate) fn key(&mut self, name: String, at: Position) {
        if let Some((_, OpenNode::Map { seen, key, .. })) = self.open.last_mut() {
            if !seen.insert(name.clone()) {
                self.problems
                    .push(FileProblem::at(at, FileError::KeyTwice(name.clone())));
            }
            *key = Some((name, at));
        }
    }

    pub(crate) fn scalar(&mut self, position: Position, value: Value, text: String) {
        self.nodes += 1;
        let tree = LocatedTree::Scalar(value, text);
        self.add(LocatedNode { position, tree });
    }

    /// Closes the innermost list or map; the node, for those who keep anchors.
    pub(crate) fn end(&mut self) -> Option<&LocatedNode> {
        let (position, open) = self.open.pop()?;
        let tree = match open {
            OpenNode::List(items) => LocatedTree::List(items),
            OpenNode::Map { entries, .. } => LocatedTree::Map(entries),
        };
        self.add(LocatedNode { position, tree });
        self.last()
    }

    pub(crate) fn add(&mut self, node: LocatedNode) {
        match self.open.last_mut() {
            Some((_, OpenNode::List(items))) => items.push(node),
            Some((_, OpenNode::Map { entries, key, .. })) => {
                if let Some((key, at)) = key.take() {
                    entries.push(LocatedEntry { key, at, node });
                }
            }
            None => self.done = Some(node),
        }
    }

    /// What was added last.
    pub(crate) fn last(&self) -> Option<&LocatedNode> {
        match self.open.last() {
            Some((_, OpenNode::List(items))) => items.last(),
            Some((_, OpenNode::Map { entries, .. })) => entries.last().map(|entry| &entry.node),
            None => self.done.as_ref(),
        }
    }

    pub(crate) fn finish(self) -> Result<LocatedNode, Vec<FileProblem>> {
        match self.done {
            Some(node) if self.problems.is_empty() => Ok(node),
            Some(_) => Err(self.problems),
            None => Err(vec![FileProblem::at(
                Position::START,
                FileError::Syntax("there is nothing in it".to_owned()),
            )]),
        }
    }
}
