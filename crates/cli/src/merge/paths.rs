//! Paths into contents: what a file declares, and what is at a path.

use super::keyed;
use coeval_core::types::pointer::{child, tokens};
use serde_json::Value;

/// Paths that a server takes with one write, and their bytes in all.
const PATHS: usize = 10_000;
const BYTES: usize = 256 * 1024;

/// The paths of all that a file says: its scalars, its lists, its empty objects. Where they are too
/// many for the server, the paths of what they are in: then less is taken back later, never more.
pub(crate) fn declared(file: &Value) -> Vec<String> {
    // The paths of whole objects claim more than their fields, so this is the last resort, level by
    // level.
    for levels in [usize::MAX, 8, 4, 3, 2, 1] {
        let mut paths = Vec::new();
        collect(file, String::new(), levels, &mut paths);
        // The server bounds what is declared in bytes too.
        let bytes: usize = paths.iter().map(String::len).sum();
        if paths.len() <= PATHS && bytes <= BYTES {
            return paths;
        }
    }
    Vec::new()
}

fn collect(value: &Value, at: String, levels: usize, paths: &mut Vec<String>) {
    // Also as soon as there are too many: the result is thrown away anyway.
    if levels == 0 || paths.len() > PATHS {
        paths.push(at);
        return;
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, inner) in map {
                collect(inner, child(&at, key), levels - 1, paths);
            }
        }
        Value::Array(items) => match keyed::key_of(items) {
            Some(key) => {
                for item in items {
                    let name = keyed::name(item, key).unwrap_or_default();
                    let at = child(&at, &keyed::token(key, name));
                    collect(item, at, levels - 1, paths);
                }
            }
            None => paths.push(at),
        },
        _ => paths.push(at),
    }
}

/// What is at a path, if anything is.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut value = value;
    for token in tokens(path)? {
        value = match value {
            Value::Object(map) => map.get(&token)?,
            Value::Array(items) => {
                let (key, name) = keyed::parse(&token)?;
                keyed::find(items, key, name)?
            }
            _ => return None,
        };
    }
    Some(value)
}

/// Whether a file says something of a place: the place itself, something in it, or a value that it
/// would be in.
pub(super) fn says(file: &Value, path: &[String]) -> bool {
    let mut value = file;
    for token in path {
        let inner = match value {
            Value::Object(map) => match map.get(token) {
                // Where there was a list, the file says an object.
                None if keyed::parse(token).is_some() => return true,
                inner => inner,
            },
            Value::Array(items) => match (keyed::parse(token), keyed::key_of(items)) {
                (Some((key, name)), Some(own)) if key == own => keyed::find(items, key, name),
                // The list is one value.
                _ => return true,
            },
            _ => return true,
        };
        let Some(inner) = inner else { return false };
        value = inner;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_declares_its_leaves() {
        let file = json!({"image": "a", "size": {"cpu": 1, "none": {}}, "ports": [1, 2],
            "nodes": [{"name": "x/y", "gpu": true}]});
        assert_eq!(
            declared(&file),
            [
                "/image",
                "/size/cpu",
                "/size/none",
                "/ports",
                "/nodes/[name=x~1y]/name",
                "/nodes/[name=x~1y]/gpu"
            ]
        );
        assert_eq!(at(&file, "/nodes/[name=x~1y]/gpu"), Some(&json!(true)));
        assert_eq!(declared(&json!({})), [""]);
    }

    #[test]
    fn too_many_leaves_are_declared_by_what_they_are_in() {
        let many: serde_json::Map<_, _> = (0..20_000).map(|n| (n.to_string(), json!(n))).collect();
        let file = json!({"a": {"many": many, "one": 1}});
        let paths = declared(&file);
        assert_eq!(paths, ["/a/many", "/a/one"]);
    }

    #[test]
    fn a_value_says_all_that_would_be_in_it() {
        let file = json!({"a": 1, "b": {"c": {}}, "l": [1], "k": [{"name": "x"}]});
        for (path, said) in [
            ("/a", true),
            ("/a/b", true),
            ("/b", true),
            ("/b/c", true),
            ("/b/c/d", false),
            ("/b/x", false),
            ("/x", false),
            ("/l/[name=x]/name", true),
            ("/k/[name=x]/name", true),
            ("/k/[name=y]/name", false),
        ] {
            assert_eq!(says(&file, &tokens(path).unwrap()), said, "{path}");
        }
    }
}
