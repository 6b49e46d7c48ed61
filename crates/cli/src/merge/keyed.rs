//! Lists whose items have names of their own.

use serde_json::Value;
use std::collections::HashSet;

/// What items are told apart by, the first that fits.
const KEYS: [&str; 2] = ["name", "key"];

/// The field that tells the items of a list apart, if there is one.
pub(super) fn key_of(items: &[Value]) -> Option<&'static str> {
    // Without items there is nothing to be told apart, and an empty list is one value.
    if items.is_empty() {
        return None;
    }
    KEYS.into_iter().find(|key| {
        let mut seen = HashSet::new();
        let names = items.iter().map(|item| name(item, key));
        let mut unique = names.map(|name| name.is_some_and(|name| seen.insert(name)));
        // All or none: one item without a name, and nothing could address it.
        unique.all(|new| new)
    })
}

/// The field that tells the items of both lists apart.
pub(super) fn common_key(a: &[Value], b: &[Value]) -> Option<&'static str> {
    key_of(a).filter(|key| key_of(b) == Some(key))
}

/// What an item is called.
pub(super) fn name<'v>(item: &'v Value, key: &str) -> Option<&'v str> {
    item.as_object()?.get(key)?.as_str()
}

/// The item of that name.
pub(super) fn find<'v>(items: &'v [Value], key: &str, named: &str) -> Option<&'v Value> {
    items.iter().find(|item| name(item, key) == Some(named))
}

/// How a path names an item.
pub(super) fn token(key: &str, name: &str) -> String {
    format!("[{key}={name}]")
}

/// What such a token says: the key and the name.
pub(super) fn parse(token: &str) -> Option<(&'static str, &str)> {
    let inner = token.strip_prefix('[')?.strip_suffix(']')?;
    let (said, name) = inner.split_once('=')?;
    let key = KEYS.into_iter().find(|key| *key == said)?;
    Some((key, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_objects_with_unique_names_have_a_key() {
        for (list, key) in [
            (json!([{"name": "a"}, {"name": "b"}]), Some("name")),
            (
                json!([{"key": "a"}, {"key": "b", "name": "x"}]),
                Some("key"),
            ),
            (json!([{"name": "a"}, {"name": "a"}]), None),
            (json!([{"name": "a"}, {"other": "b"}]), None),
            (json!([{"name": 1}]), None),
            (json!(["a", "b"]), None),
            (json!([]), None),
        ] {
            assert_eq!(key_of(list.as_array().unwrap()), key, "{list}");
        }
    }

    #[test]
    fn a_token_says_the_key_and_the_name() {
        assert_eq!(parse(&token("name", "a=b]")), Some(("name", "a=b]")));
        for other in ["name=a", "[name]", "[id=a]", "0", ""] {
            assert_eq!(parse(other), None);
        }
    }
}
