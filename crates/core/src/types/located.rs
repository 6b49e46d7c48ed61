//! A type file as a tree in which every value knows its place. YAML and JSON, bounded: aliases are
//! counted as if they were written out, before they are.

use super::body::BodyError;
use super::file_error::{FileError, Problem};
use super::json;
use super::limits::{FILE_BYTES, FILE_DEPTH, FILE_NODES};
use super::pointer::tokens;
use super::position::{Lines, Position};
use super::yaml;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A value and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) position: Position,
    pub(crate) tree: Tree,
}

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// With the text as it was written, so that `1.10` can be a version.
    Scalar(Value, String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: Position,
    pub(crate) node: Node,
}

impl Node {
    /// The plain value. Levels are bounded where the tree is built.
    pub(crate) fn to_json(&self) -> Value {
        match &self.tree {
            Tree::Scalar(value, _) => value.clone(),
            Tree::List(items) => items.iter().map(Self::to_json).collect(),
            Tree::Map(entries) => {
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
                Tree::Map(entries) => {
                    let entry = entries.iter().find(|entry| entry.key == token);
                    entry.map(|entry| (entry.at, &entry.node))
                }
                Tree::List(items) => {
                    let item = token.parse().ok().and_then(|index: usize| items.get(index));
                    item.map(|item| (item.position, item))
                }
                Tree::Scalar(..) => None,
            };
            let Some((at, inner)) = next else { break };
            (position, node) = (at, inner);
        }
        position
    }
}

/// The documents of a file.
pub(crate) fn read(text: &str) -> Result<Vec<Node>, Vec<Problem>> {
    if text.len() > FILE_BYTES {
        return Err(vec![Problem::at(
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
const BOUNDS: yaml::Bounds = yaml::Bounds {
    depth: FILE_DEPTH,
    nodes: FILE_NODES,
};

pub(crate) fn read_json(
    text: &str,
    bounds: yaml::Bounds,
) -> Result<Result<Node, Vec<Problem>>, BodyError> {
    let lines = Lines::of(text);
    let mut events = json::Events::of(text, bounds.depth);
    let mut builder = Builder::default();
    while let Some((offset, event)) = events.next()? {
        let position = lines.position(offset);
        let scalar = match event {
            json::Event::Object => {
                builder.begin(position, true);
                continue;
            }
            json::Event::Array => {
                builder.begin(position, false);
                continue;
            }
            json::Event::End => {
                builder.end();
                continue;
            }
            json::Event::Key(key) => {
                builder.key(key.into_owned(), position);
                continue;
            }
            json::Event::String(text) => Value::String(text.into_owned()),
            json::Event::Number(number) => Value::Number(number),
            json::Event::Bool(yes) => Value::Bool(yes),
            json::Event::Null => Value::Null,
        };
        let text = match &scalar {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        builder.scalar(position, scalar, text);
        if builder.nodes > bounds.nodes {
            return Ok(Err(vec![Problem::at(position, FileError::TooManyNodes)]));
        }
    }
    Ok(builder.finish())
}

fn from_body(error: BodyError) -> Problem {
    match error {
        BodyError::TooDeep { position, .. } => Problem::at(position, FileError::TooDeep),
        BodyError::Number { position, text } => Problem::at(position, FileError::Number(text)),
        other => Problem::at(Position::START, FileError::Syntax(other.to_string())),
    }
}

enum Open {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        seen: HashSet<String>,
        key: Option<(String, Position)>,
    },
}

/// Puts a tree together from a stream of events, without recursion.
#[derive(Default)]
pub(crate) struct Builder {
    open: Vec<(Position, Open)>,
    done: Option<Node>,
    pub(crate) nodes: usize,
    pub(crate) problems: Vec<Problem>,
}

impl Builder {
    pub(crate) fn begin(&mut self, position: Position, map: bool) {
        self.nodes += 1;
        let open = if map {
            Open::Map {
                entries: Vec::new(),
                seen: HashSet::new(),
                key: None,
            }
        } else {
            Open::List(Vec::new())
        };
        self.open.push((position, open));
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the next scalar is a key.
    pub(crate) fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some((_, Open::Map { key: None, .. })))
    }

    pub(crate) fn key(&mut self, name: String, at: Position) {
        if let Some((_, Open::Map { seen, key, .. })) = self.open.last_mut() {
            if !seen.insert(name.clone()) {
                self.problems
                    .push(Problem::at(at, FileError::KeyTwice(name.clone())));
            }
            *key = Some((name, at));
        }
    }

    pub(crate) fn scalar(&mut self, position: Position, value: Value, text: String) {
        self.nodes += 1;
        let tree = Tree::Scalar(value, text);
        self.add(Node { position, tree });
    }

    /// Closes the innermost list or map; the node, for those who keep anchors.
    pub(crate) fn end(&mut self) -> Option<&Node> {
        let (position, open) = self.open.pop()?;
        let tree = match open {
            Open::List(items) => Tree::List(items),
            Open::Map { entries, .. } => Tree::Map(entries),
        };
        self.add(Node { position, tree });
        self.last()
    }

    pub(crate) fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            Some((_, Open::List(items))) => items.push(node),
            Some((_, Open::Map { entries, key, .. })) => {
                if let Some((key, at)) = key.take() {
                    entries.push(Entry { key, at, node });
                }
            }
            None => self.done = Some(node),
        }
    }

    /// What was added last.
    pub(crate) fn last(&self) -> Option<&Node> {
        match self.open.last() {
            Some((_, Open::List(items))) => items.last(),
            Some((_, Open::Map { entries, .. })) => entries.last().map(|entry| &entry.node),
            None => self.done.as_ref(),
        }
    }

    pub(crate) fn finish(self) -> Result<Node, Vec<Problem>> {
        match self.done {
            Some(node) if self.problems.is_empty() => Ok(node),
            Some(_) => Err(self.problems),
            None => Err(vec![Problem::at(
                Position::START,
                FileError::Syntax("there is nothing in it".to_owned()),
            )]),
        }
    }
}
