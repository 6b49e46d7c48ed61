//! YAML 1.2 documents as located trees: the part of YAML that JSON can say, with anchors.

use super::file_error::{FileError, FileProblem};
use super::located::{LocatedBuilder, LocatedNode, LocatedTree};
use super::number;
use super::position::Position;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;
use std::collections::HashMap;

/// What an anchor stands for, and how much that is.
struct AnchoredNode {
    node: LocatedNode,
    nodes: usize,
    height: usize,
}

/// How much a stream may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct YamlBounds {
    /// Levels of objects and lists.
    pub(crate) depth: usize,
    /// Values, with every alias written out.
    pub(crate) nodes: usize,
}

struct YamlReader {
    bounds: YamlBounds,
    documents: Vec<LocatedNode>,
    builder: LocatedBuilder,
    anchors: HashMap<usize, AnchoredNode>,
    /// The anchors of what is open, with the count of nodes when each began.
    open: Vec<(usize, usize)>,
    /// Nodes of the documents before.
    before: usize,
}

/// The documents of a stream.
pub(crate) fn read(text: &str, bounds: YamlBounds) -> Result<Vec<LocatedNode>, Vec<FileProblem>> {
    let mut reader = YamlReader {
        bounds,
        documents: Vec::new(),
        builder: LocatedBuilder::default(),
        anchors: HashMap::new(),
        open: Vec::new(),
        before: 0,
    };
    let mut problems = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = position(error.marker().line(), error.marker().col());
                let deep = error.info().contains("recursion limit");
                let found = if deep {
                    FileError::TooDeep
                } else {
                    FileError::Syntax(error.info().to_owned())
                };
                problems.append(&mut reader.builder.problems);
                problems.push(FileProblem::at(at, found));
                return Err(problems);
            }
        };
        let at = start(span);
        if let Err(found) = reader.take(event, at, &mut problems) {
            problems.append(&mut reader.builder.problems);
            problems.push(FileProblem::at(at, found));
            return Err(problems);
        }
    }
    if problems.is_empty() {
        Ok(reader.documents)
    } else {
        Err(problems)
    }
}

fn start(span: Span) -> Position {
    position(span.start.line(), span.start.col())
}

const fn position(line: usize, column: usize) -> Position {
    Position {
        line,
        column: column + 1,
    }
}

impl YamlReader {
    fn take(
        &mut self,
        event: Event<'_>,
        at: Position,
        problems: &mut Vec<FileProblem>,
    ) -> Result<(), FileError> {
        match event {
            Event::Scalar(_, _, _, Some(tag))
            | Event::SequenceStart(_, Some(tag))
            | Event::MappingStart(_, Some(tag)) => {
                let name = format!("{}{}", tag.handle, tag.suffix);
                return Err(FileError::Yaml(format!("the tag {name}")));
            }
            Event::Scalar(text, style, anchor, None) => self.scalar(&text, style, anchor, at)?,
            Event::SequenceStart(anchor, None) => self.begin(anchor, at, false)?,
            Event::MappingStart(anchor, None) => self.begin(anchor, at, true)?,
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => self.alias(anchor)?,
            Event::DocumentEnd => {
                let builder = std::mem::take(&mut self.builder);
                self.before += builder.nodes;
                self.anchors.clear();
                match builder.finish() {
                    Ok(node) => self.documents.push(node),
                    Err(mut found) => problems.append(&mut found),
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
        if self.before + self.builder.nodes > self.bounds.nodes {
            return Err(FileError::TooManyNodes);
        }
        Ok(())
    }

    fn begin(&mut self, anchor: usize, at: Position, map: bool) -> Result<(), FileError> {
        if self.builder.wants_key() {
            return Err(FileError::Yaml("a list or a map as a key".to_owned()));
        }
        if self.builder.depth() >= self.bounds.depth {
            return Err(FileError::TooDeep);
        }
        self.open.push((anchor, self.builder.nodes));
        self.builder.begin(at, map);
        Ok(())
    }

    fn end(&mut self) {
        let began = self.open.pop();
        let nodes = self.builder.nodes;
        let last = self.builder.end();
        if let (Some((anchor, before)), Some(node)) = (began, last)
            && anchor > 0
        {
            let kept = AnchoredNode {
                height: height(node),
                nodes: nodes - before,
                node: node.clone(),
            };
            self.anchors.insert(anchor, kept);
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        at: Position,
    ) -> Result<(), FileError> {
        let plain = style == ScalarStyle::Plain;
        if self.builder.wants_key() {
            if plain && text == "<<" {
                return Err(FileError::Yaml("the merge key <<".to_owned()));
            }
            if plain && text.is_empty() {
                return Err(FileError::Yaml("an empty key".to_owned()));
            }
            self.builder.key(text.to_owned(), at);
            return Ok(());
        }
        let value = if plain {
            resolve(text)?
        } else {
            Value::String(text.to_owned())
        };
        self.builder.scalar(at, value, text.to_owned());
        if let (true, Some(node)) = (anchor > 0, self.builder.last()) {
            let kept = AnchoredNode {
                node: node.clone(),
                nodes: 1,
                height: 0,
            };
            self.anchors.insert(anchor, kept);
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize) -> Result<(), FileError> {
        if self.builder.wants_key() {
            return Err(FileError::Yaml("an alias as a key".to_owned()));
        }
        let Some(kept) = self.anchors.get(&anchor) else {
            return Err(FileError::Yaml("an alias to what it is part of".to_owned()));
        };
        if self.builder.depth() + kept.height > self.bounds.depth {
            return Err(FileError::TooDeep);
        }
        self.builder.nodes += kept.nodes;
        if self.before + self.builder.nodes > self.bounds.nodes {
            return Err(FileError::TooManyNodes);
        }
        self.builder.add(kept.node.clone());
        Ok(())
    }
}

fn height(node: &LocatedNode) -> usize {
    let inner = match &node.tree {
        LocatedTree::Scalar(..) => return 0,
        LocatedTree::List(items) => items.iter().map(height).max(),
        LocatedTree::Map(entries) => entries.iter().map(|entry| height(&entry.node)).max(),
    };
    inner.unwrap_or(0) + 1
}

/// A plain scalar by YAML's core schema.
fn resolve(text: &str) -> Result<Value, FileError> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    let lost = || FileError::Number(text.chars().take(40).collect());
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(FileError::Yaml(format!("the number {text}")));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            let number = u64::from_str_radix(digits, radix).map_err(|_| lost())?;
            return Ok(Value::from(number));
        }
    }
    match as_json_number(text) {
        Some(json) => number::exact(&json).map(Value::Number).ok_or_else(lost),
        None => Ok(Value::String(text.to_owned())),
    }
}

/// YAML allows `+1`, `.5`, `1.` and `007`; the same in JSON's form, if it is a number at all.
fn as_json_number(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fraction_digits = fraction.unwrap_or_default();
    let some = !whole.is_empty() || !fraction_digits.is_empty();
    if !some || !digits(whole) || !digits(fraction_digits) {
        return None;
    }
    let mut json = format!("{sign}{}", whole.trim_start_matches('0'));
    if whole.trim_start_matches('0').is_empty() {
        json.push('0');
    }
    if fraction.is_some() {
        json.push('.');
        json.push_str(if fraction_digits.is_empty() {
            "0"
        } else {
            fraction_digits
        });
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.is_empty() || !digits(unsigned) {
            return None;
        }
        json.push('e');
        json.push_str(exponent);
    }
    Some(json)
}
