//! Files with several documents, as people keep resources: each document knows where its parts are.

use super::body::BodyError;
use super::document::{DocumentError, first};
use super::limits::BodyLimits;
use super::located::{LocatedNode, read_json};
use super::position::Position;
use super::yaml::{self, YamlBounds};
use serde_json::Value;

/// Values of one file, whatever its size: each takes far more memory than in the text.
const NODES: usize = 1_000_000;

/// One document of a file.
#[derive(Clone, Debug)]
pub struct LocatedDocument {
    node: LocatedNode,
}

impl LocatedDocument {
    /// What it says.
    #[must_use]
    pub fn content(&self) -> Value {
        self.node.to_json()
    }

    /// Where it begins.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.node.position
    }

    /// Where the place that a JSON pointer names begins, or the last one on the way that exists.
    #[must_use]
    pub fn locate(&self, pointer: &str) -> Position {
        self.node.locate(pointer)
    }
}

/// The documents of a file: one in JSON, or a stream of YAML. They mean exactly what was written, as
/// with [`read_document`](super::read_document). The limits are those of the whole file.
///
/// # Errors
///
/// Whatever would be lost, guessed or too much.
pub fn read_documents(
    bytes: &[u8],
    limits: BodyLimits,
) -> Result<Vec<LocatedDocument>, DocumentError> {
    if bytes.len() > limits.bytes {
        let (bytes, limit) = (bytes.len(), limits.bytes);
        return Err(BodyError::TooLarge { bytes, limit }.into());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| BodyError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let bounds = YamlBounds {
        depth: limits.depth,
        nodes: NODES.min(limits.bytes / 2),
    };
    let mut not_json = None;
    // YAML is nearly, but not quite, a superset of JSON.
    if text.trim_start().starts_with(['{', '[']) {
        match read_json(text, bounds) {
            Ok(read) => {
                let node = read.map_err(|problems| first(problems, limits))?;
                return Ok(vec![LocatedDocument { node }]);
            }
            Err(error @ BodyError::NotJson { .. }) => not_json = Some(error),
            Err(other) => return Err(other.into()),
        }
    }
    match yaml::read(text, bounds).map_err(|problems| first(problems, limits)) {
        Ok(nodes) => Ok(nodes
            .into_iter()
            .map(|node| LocatedDocument { node })
            .collect()),
        Err(error @ DocumentError::Yaml { .. }) => Err(not_json.map_or(error, Into::into)),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<Vec<LocatedDocument>, DocumentError> {
        read_documents(text.as_bytes(), BodyLimits::default())
    }

    #[test]
    fn each_document_of_a_stream_knows_its_lines() {
        let all = read("a: 1\n---\nb:\n  c: x\n---\n{\"d\": [1, 2]}\n").unwrap();
        let contents: Vec<_> = all.iter().map(LocatedDocument::content).collect();
        assert_eq!(
            contents,
            [
                json!({"a": 1}),
                json!({"b": {"c": "x"}}),
                json!({"d": [1, 2]})
            ]
        );
        let lines: Vec<_> = all.iter().map(|one| one.position().line).collect();
        assert_eq!(lines, [1, 3, 6]);
        assert_eq!(all[1].locate("/b/c").line, 4);
        assert_eq!(all[1].locate("/b/nothing").line, 3);
    }

    #[test]
    fn json_is_read_as_json_and_located_too() {
        let all = read("{\n \"a\":\t\"\\ud83d\\ude00\",\n \"b\": 2}").unwrap();
        assert_eq!(all[0].content(), json!({"a": "😀", "b": 2}));
        assert_eq!(all[0].locate("/b").line, 3);
    }

    #[test]
    fn what_would_be_lost_or_too_much_is_refused_with_its_line() {
        let deep = "[".repeat(200);
        for (text, said) in [
            ("a: 1\n---\nb: 1\nb: 2\n", "line 4, column 1: the key"),
            ("{\"a\": 1, \"a\": 2}", "the key \"a\" is there twice"),
            ("a: 1\n---\nb: [\n", "line "),
            ("{\"a\": 1,}x", "line 1"),
            (deep.as_str(), "levels"),
            ("a: !tag x", "the tag"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let limits = BodyLimits { bytes: 3, depth: 9 };
        let error = read_documents(b"a: 1", limits).unwrap_err();
        assert_eq!(error.to_string(), "4 bytes, 3 at most");
        assert!(read_documents(b"\xff", BodyLimits::default()).is_err());
    }

    #[test]
    fn a_file_with_nothing_has_no_documents() {
        assert!(read("").unwrap().is_empty());
        assert!(read("# only a comment\n").unwrap().is_empty());
    }
}
