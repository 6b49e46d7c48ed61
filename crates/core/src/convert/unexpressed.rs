//! Fields of other versions in a document: what its own version does not express.

use super::place_graph::{FieldRoute, PlaceGraph};
use super::refusal::{ConversionObstacle, ConversionRefusal};
use super::versions::Versions;
use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::child;
use crate::version::Version;
use serde_json::Value;
use std::collections::HashSet;

/// How many an error names.
const TOLD: usize = 32;

impl Versions {
    /// Whether a document has no field that only other versions of the type declare, beside those
    /// that `before` had at the same places: what was stored stays writable when a later version
    /// gives its name a meaning. Items of lists count as one place.
    ///
    /// # Errors
    ///
    /// The fields.
    pub fn check_expressed(
        &self,
        at: Version,
        document: &Value,
        before: Option<&Value>,
    ) -> Result<(), ConversionRefusal> {
        let graph = self.graph(self.number(at)?)?;
        let found = unexpressed(graph, document);
        if found.is_empty() {
            return Ok(());
        }
        // By pattern and not by pointer: items may have moved since.
        let had = before.map(|before| unexpressed(graph, before));
        let had = had.into_iter().flatten().map(|place| place.pattern);
        let had: HashSet<String> = had.collect();
        let new = found.into_iter().filter(|one| !had.contains(&one.pattern));
        // Cut, because the list is told to people, and a body can have thousands.
        let fields: Vec<String> = new.map(|one| one.pointer).take(TOLD).collect();
        if fields.is_empty() {
            return Ok(());
        }
        let version = at;
        Err(ConversionRefusal::whole(ConversionObstacle::Unexpressed {
            version,
            fields,
        }))
    }
}

struct UnexpressedPlace {
    pointer: String,
    /// The same with a star for every item.
    pattern: String,
}

fn unexpressed(graph: &PlaceGraph, document: &Value) -> Vec<UnexpressedPlace> {
    let FieldRoute::Into(start) = graph.start else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // A stack and no recursion, since the document comes from outside.
    let mut todo = vec![(start, document, String::new(), String::new(), 0_usize)];
    while let Some((at, value, pointer, pattern, depth)) = todo.pop() {
        let Some(state) = graph.state(at).filter(|_| depth < CONTENT_DEPTH) else {
            continue;
        };
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    let (pointer, pattern) = (child(&pointer, key), child(&pattern, key));
                    match state.next(key) {
                        FieldRoute::Quiet => {}
                        FieldRoute::Into(next) => {
                            todo.push((next, inner, pointer, pattern, depth + 1));
                        }
                        FieldRoute::Hide => found.push(UnexpressedPlace { pointer, pattern }),
                    }
                }
            }
            // Items are never unexpressed, only what is inside of them.
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let next = state.prefix.get(index).copied().unwrap_or(state.items);
                    if let FieldRoute::Into(next) = next {
                        let pointer = format!("{pointer}/{index}");
                        todo.push((next, item, pointer, format!("{pattern}/*"), depth + 1));
                    }
                }
            }
            _ => {}
        }
    }
    found.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    found
}
