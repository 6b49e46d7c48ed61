//! Where two documents differ, for people who have to merge them.

use super::limits::CONTENT_DEPTH;
use super::pointer::child;
use super::since::same;
use serde_json::Value;

/// JSON pointers to the smallest places where two documents differ, in the first one's order, then
/// those that only the second has; at most so many. Lists of different lengths differ as a whole,
/// because their items have no names. What is too deep is one place. Equality is that of [`same`].
///
/// ```
/// use coeval_core::types::differing;
/// use serde_json::json;
///
/// let (one, other) = (json!({"a": 1, "b": {"c": 2}}), json!({"a": 1, "b": {"c": 3}, "d": [1]}));
/// assert_eq!(differing(&one, &other, 10), ["/b/c", "/d"]);
/// ```
#[must_use]
pub fn differing(a: &Value, b: &Value, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![(Some(a), Some(b), String::new(), 0_usize)];
    while let Some((a, b, at, depth)) = todo.pop() {
        if found.len() >= limit {
            break;
        }
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) if same_scalars(a, b) => continue,
            (Some(a), Some(b)) => (a, b),
            _ => {
                found.push(at);
                continue;
            }
        };
        let next = todo.len();
        match (a, b) {
            (Value::Object(a), Value::Object(b)) if depth < CONTENT_DEPTH => {
                for (key, inner) in a {
                    todo.push((Some(inner), b.get(key), child(&at, key), depth + 1));
                }
                let new = b.iter().filter(|(key, _)| !a.contains_key(*key));
                todo.extend(
                    new.map(|(key, inner)| (None, Some(inner), child(&at, key), depth + 1)),
                );
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() && depth < CONTENT_DEPTH => {
                let pairs = a.iter().zip(b).enumerate();
                todo.extend(
                    pairs.map(|(index, (a, b))| {
                        (Some(a), Some(b), format!("{at}/{index}"), depth + 1)
                    }),
                );
            }
            (a, b) => {
                if !same(a, b) {
                    found.push(at);
                }
            }
        }
        // What was added last is taken first.
        if let Some(added) = todo.get_mut(next..) {
            added.reverse();
        }
    }
    found
}

fn same_scalars(a: &Value, b: &Value) -> bool {
    let inside = |value: &Value| value.is_object() || value.is_array();
    !inside(a) && !inside(b) && same(a, b)
}
