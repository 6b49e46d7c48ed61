//! What one index has to be read for a filter, if it can serve it at all.

use crate::check::{FieldCheck, Relation, WantedValue, encoded, millis_of};
use crate::compiled::FilterNode;
use crate::encoding::{
    MANY, NULL, NUMBER, STRING, VERSION, number_bytes, put_number, put_text, put_text_start,
    put_version,
};
use crate::field::{FieldClass, FilterField};
use crate::index::{IndexInfo, cut};
use crate::limits::POINTS;
use serde_json::Value;

/// Keys of one index that hold every match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndexReach {
    /// All that begin with one of these; complete keys are no beginnings of others.
    Points(Vec<Vec<u8>>),
    /// All that begin so.
    Prefix(Vec<u8>),
    /// From the first, up to but without the second.
    Span {
        from: Vec<u8>,
        to: Vec<u8>,
        ends: SpanEnds,
    },
}

/// How much a span leaves out; the more the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpanEnds {
    Both,
    One,
    None,
}

impl IndexReach {
    /// Lower is better.
    pub(crate) const fn rank(&self) -> (u8, usize) {
        match self {
            Self::Points(points) => (0, points.len()),
            Self::Prefix(bytes) => (1, usize::MAX - bytes.len()),
            Self::Span { ends, .. } => (2, *ends as usize),
        }
    }
}

pub(crate) fn reach(node: &FilterNode, index: &IndexInfo) -> Option<IndexReach> {
    match node {
        // Only a comparison of the very field that is indexed.
        FilterNode::Test { field, check } if *field == index.field => of_check(field, check),
        FilterNode::And(nodes) => {
            // Any of several conditions is enough: what is read is filtered again.
            let reaches: Vec<_> = nodes.iter().filter_map(|node| reach(node, index)).collect();
            // With several values each condition could be met by another value, so spans can't be
            // cut with each other.
            let spans = if index.single {
                narrowed(&reaches)
            } else {
                None
            };
            reaches
                .into_iter()
                .chain(spans)
                .min_by_key(IndexReach::rank)
        }
        // Every branch has to be found by the index; one that can't be makes the others useless.
        FilterNode::Or(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                match reach(node, index)? {
                    IndexReach::Points(points) => all.extend(points),
                    // A union of spans could be most of the index.
                    _ => return None,
                }
            }
            points(all)
        }
        FilterNode::Test { .. } | FilterNode::Not(_) => None,
    }
}

/// Two spans of one value are one: with several values each could be met by another of them.
fn narrowed(reaches: &[IndexReach]) -> Option<IndexReach> {
    let mut open = reaches.iter().filter_map(|reach| match reach {
        IndexReach::Span { from, to, .. } => Some((from, to)),
        _ => None,
    });
    let first = open.next()?;
    // The later beginning and the earlier end.
    let (from, to) = open.fold(first, |(from, to), (start, end)| {
        (from.max(start), to.min(end))
    });
    // A single span stays what it was, and is ranked as it was.
    let same = (from, to) == first;
    (!same).then(|| IndexReach::Span {
        from: from.clone(),
        to: to.clone(),
        ends: SpanEnds::Both,
    })
}

fn points(mut all: Vec<Vec<u8>>) -> Option<IndexReach> {
    all.sort_unstable();
    all.dedup();
    (all.len() <= POINTS).then_some(IndexReach::Points(all))
}

fn of_check(field: &FilterField, check: &FieldCheck) -> Option<IndexReach> {
    match check {
        // All keys of values. Those of resources with too many values are read in any case.
        FieldCheck::Exists => Some(IndexReach::Span {
            from: vec![NULL],
            to: vec![MANY],
            ends: SpanEnds::None,
        }),
        // What is unequal is nearly everything.
        FieldCheck::OneOf { negated: true, .. } => None,
        FieldCheck::OneOf { wanted, .. } => match wanted.as_slice() {
            // An empty prefix would read the whole index.
            [WantedValue::Pattern(pattern)] if field.class() != FieldClass::Version => {
                let mut bytes = Vec::new();
                put_text_start(pattern.prefix(), &mut bytes);
                (!pattern.prefix().is_empty()).then(|| IndexReach::Prefix(cut(bytes)))
            }
            several => {
                let mut all = Vec::new();
                // One operand that has no key makes the whole unusable.
                for wanted in several {
                    put_points(field.class(), wanted, &mut all)?;
                }
                points(all)
            }
        },
        FieldCheck::Stands(relation, wanted) => span(*relation, wanted),
    }
}

/// Every key at which an equal value can be.
fn put_points(class: FieldClass, wanted: &WantedValue, points: &mut Vec<Vec<u8>>) -> Option<()> {
    let mut bytes = Vec::new();
    match wanted {
        WantedValue::Text { text, number } => {
            put_text(text, &mut bytes);
            // In content, a text operand may stand for a number or a word of JSON too: it has to
            // be found at each.
            if class == FieldClass::Content {
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
        WantedValue::String(text) => put_text(text, &mut bytes),
        WantedValue::Number(number) => put_number(number, &mut bytes),
        WantedValue::Time(nanos) => put_time(*nanos, &mut bytes),
        WantedValue::Version(version) => put_version(*version, &mut bytes),
        // A list has the keys of its items, not one of its own.
        WantedValue::Other {
            value: Value::Array(_) | Value::Object(_),
            ..
        } => return None,
        WantedValue::Other { bytes: own, .. } => bytes.clone_from(own),
        // Its keys begin with its prefix, but it is no single key.
        WantedValue::Pattern(_) => return None,
    }
    points.push(cut(bytes));
    Some(())
}

fn put_time(nanos: i128, bytes: &mut Vec<u8>) {
    put_number(&number_bytes(&millis_of(nanos).into()), bytes);
}

/// From or to the operand, both included: what lies exactly there is decided by evaluating the filter.
fn span(relation: Relation, wanted: &WantedValue) -> Option<IndexReach> {
    let mut at = Vec::new();
    let tag = match wanted {
        // Strings that look like numbers are compared with it as numbers, and stand elsewhere in the index.
        WantedValue::Text {
            number: Some(_), ..
        } => return None,
        WantedValue::Text { text, .. } | WantedValue::String(text) => {
            put_text(text, &mut at);
            STRING
        }
        WantedValue::Number(number) => {
            put_number(number, &mut at);
            NUMBER
        }
        WantedValue::Time(nanos) => {
            put_time(*nanos, &mut at);
            NUMBER
        }
        WantedValue::Version(version) => {
            put_version(*version, &mut at);
            VERSION
        }
        WantedValue::Other { .. } | WantedValue::Pattern(_) => return None,
    };
    // Cut as the keys in the index are, so that both compare.
    let at = cut(at);
    // Both ends included: a key that was cut stands for several values, and the filter decides
    // which.
    let (from, to) = match relation {
        Relation::Less | Relation::LessOrEqual => (vec![tag], after(&at)),
        Relation::Greater | Relation::GreaterOrEqual => (at, after(&[tag])),
    };
    let ends = SpanEnds::One;
    Some(IndexReach::Span { from, to, ends })
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
