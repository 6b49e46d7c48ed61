//! What one index has to be read for a filter, if it can serve it at all.

use crate::check::{Check, Relation, Wanted, encoded, millis_of};
use crate::compiled::Node;
use crate::encoding::{
    MANY, NULL, NUMBER, STRING, VERSION, number_bytes, put_number, put_text, put_text_start,
    put_version,
};
use crate::field::{Class, Field};
use crate::index::{IndexInfo, cut};
use crate::limits::POINTS;
use serde_json::Value;

/// Keys of one index that hold every match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All that begin with one of these; complete keys are no beginnings of others.
    Points(Vec<Vec<u8>>),
    /// All that begin so.
    Prefix(Vec<u8>),
    /// From the first, up to but without the second.
    Span {
        from: Vec<u8>,
        to: Vec<u8>,
        ends: Ends,
    },
}

/// How much a span leaves out; the more the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ends {
    Both,
    One,
    None,
}

impl Reach {
    /// Lower is better.
    pub(crate) const fn rank(&self) -> (u8, usize) {
        match self {
            Self::Points(points) => (0, points.len()),
            Self::Prefix(bytes) => (1, usize::MAX - bytes.len()),
            Self::Span { ends, .. } => (2, *ends as usize),
        }
    }
}

pub(crate) fn reach(node: &Node, index: &IndexInfo) -> Option<Reach> {
    match node {
        Node::Test { field, check } if *field == index.field => of_check(field, check),
        Node::And(nodes) => {
            let reaches: Vec<_> = nodes.iter().filter_map(|node| reach(node, index)).collect();
            let spans = if index.single {
                narrowed(&reaches)
            } else {
                None
            };
            reaches.into_iter().chain(spans).min_by_key(Reach::rank)
        }
        Node::Or(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                match reach(node, index)? {
                    Reach::Points(points) => all.extend(points),
                    _ => return None,
                }
            }
            points(all)
        }
        Node::Test { .. } | Node::Not(_) => None,
    }
}

/// Two spans of one value are one: with several values each could be met by another of them.
fn narrowed(reaches: &[Reach]) -> Option<Reach> {
    let mut open = reaches.iter().filter_map(|reach| match reach {
        Reach::Span { from, to, .. } => Some((from, to)),
        _ => None,
    });
    let first = open.next()?;
    let (from, to) = open.fold(first, |(from, to), (start, end)| {
        (from.max(start), to.min(end))
    });
    let same = (from, to) == first;
    (!same).then(|| Reach::Span {
        from: from.clone(),
        to: to.clone(),
        ends: Ends::Both,
    })
}

fn points(mut all: Vec<Vec<u8>>) -> Option<Reach> {
    all.sort_unstable();
    all.dedup();
    (all.len() <= POINTS).then_some(Reach::Points(all))
}

fn of_check(field: &Field, check: &Check) -> Option<Reach> {
    match check {
        Check::Exists => Some(Reach::Span {
            from: vec![NULL],
            to: vec![MANY],
            ends: Ends::None,
        }),
        Check::OneOf { negated: true, .. } => None,
        Check::OneOf { wanted, .. } => match wanted.as_slice() {
            [Wanted::Pattern(pattern)] if field.class() != Class::Version => {
                let mut bytes = Vec::new();
                put_text_start(pattern.prefix(), &mut bytes);
                (!pattern.prefix().is_empty()).then(|| Reach::Prefix(cut(bytes)))
            }
            several => {
                let mut all = Vec::new();
                for wanted in several {
                    put_points(field.class(), wanted, &mut all)?;
                }
                points(all)
            }
        },
        Check::Stands(relation, wanted) => span(*relation, wanted),
    }
}

/// Every key at which an equal value can be.
fn put_points(class: Class, wanted: &Wanted, points: &mut Vec<Vec<u8>>) -> Option<()> {
    let mut bytes = Vec::new();
    match wanted {
        Wanted::Text { text, number } => {
            put_text(text, &mut bytes);
            if class == Class::Content {
                if let Some(number) = number {
                    let mut bytes = Vec::new();
                    put_number(number, &mut bytes);
                    points.push(bytes);
                }
                let word = match text.as_str() {
                    "null" => Some(Value::Null),
                    "true" => Some(Value::Bool(true)),
                    "false" => Some(Value::Bool(false)),
                    _ => None,
                };
                points.extend(word.as_ref().map(encoded));
            }
        }
        Wanted::String(text) => put_text(text, &mut bytes),
        Wanted::Number(number) => put_number(number, &mut bytes),
        Wanted::Time(nanos) => put_time(*nanos, &mut bytes),
        Wanted::Version(version) => put_version(*version, &mut bytes),
        // A list has the keys of its items, not one of its own.
        Wanted::Other {
            value: Value::Array(_) | Value::Object(_),
            ..
        } => return None,
        Wanted::Other { bytes: own, .. } => bytes.clone_from(own),
        Wanted::Pattern(_) => return None,
    }
    points.push(cut(bytes));
    Some(())
}

fn put_time(nanos: i128, bytes: &mut Vec<u8>) {
    put_number(&number_bytes(&millis_of(nanos).into()), bytes);
}

/// From or to the operand, both included: what lies exactly there is decided by evaluating the filter.
fn span(relation: Relation, wanted: &Wanted) -> Option<Reach> {
    let mut at = Vec::new();
    let tag = match wanted {
        // Strings that look like numbers are compared with it as numbers, and stand elsewhere in the index.
        Wanted::Text {
            number: Some(_), ..
        } => return None,
        Wanted::Text { text, .. } | Wanted::String(text) => {
            put_text(text, &mut at);
            STRING
        }
        Wanted::Number(number) => {
            put_number(number, &mut at);
            NUMBER
        }
        Wanted::Time(nanos) => {
            put_time(*nanos, &mut at);
            NUMBER
        }
        Wanted::Version(version) => {
            put_version(*version, &mut at);
            VERSION
        }
        Wanted::Other { .. } | Wanted::Pattern(_) => return None,
    };
    let at = cut(at);
    let (from, to) = match relation {
        Relation::Less | Relation::LessOrEqual => (vec![tag], after(&at)),
        Relation::Greater | Relation::GreaterOrEqual => (at, after(&[tag])),
    };
    let ends = Ends::One;
    Some(Reach::Span { from, to, ends })
}

/// The first bytes after all that begin so. Every key begins with a tag, which has a successor.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut bytes = prefix.to_vec();
    while bytes.last() == Some(&0xff) {
        bytes.pop();
    }
    if let Some(last) = bytes.last_mut() {
        *last += 1;
    }
    bytes
}
