//! What a conversion kept, in a file: with the document that it belongs to, so that a later
//! conversion can tell which of it still holds after the document was changed.

use coeval_core::convert::{ContentRecord, KeptValues};
use coeval_core::types::{BodyLimits, read_body, same};
use coeval_core::version::Version;
use serde_json::{Value, json};

/// The form of the file.
const FORM: u64 = 1;
/// What is kept has levels of its own around those of content.
const LEVELS: usize = 1024;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeptFile {
    /// Of the document.
    pub(super) version: Version,
    content: Value,
    kept: KeptValues,
}

impl KeptFile {
    pub(super) fn of(record: &ContentRecord) -> Self {
        Self {
            version: record.version,
            content: record.content.clone(),
            kept: record.kept.clone(),
        }
    }

    /// Whether the document is as it was.
    pub(super) fn is_of(&self, content: &Value) -> bool {
        same(&self.content, content)
    }

    pub(super) fn into_record(self) -> ContentRecord {
        ContentRecord {
            version: self.version,
            content: self.content,
            kept: self.kept,
        }
    }

    pub(super) fn print(&self) -> String {
        let file = json!({
            "coeval_kept": FORM,
            "version": self.version.to_string(),
            "content": self.content,
            "kept": self.kept.to_json(),
        });
        format!("{file:#}\n")
    }

    /// What is wrong, as a clause.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        // Of its own writing, so the limits are those of the file and not of requests.
        let limits = BodyLimits {
            bytes: bytes.len(),
            depth: LEVELS,
        };
        let file = read_body(bytes, limits).map_err(|_| "it is not JSON")?;
        // Looked at first: a newer form may have the same fields and mean something else by them.
        match file.get("coeval_kept").and_then(Value::as_u64) {
            Some(FORM) => {}
            Some(_) => return Err("it was written by a newer release"),
            None => return Err("it is not what a conversion kept"),
        }
        let version = file.get("version").and_then(Value::as_str);
        let version = version.and_then(|text| Version::parse_full(text).ok());
        let kept = file.get("kept").and_then(KeptValues::from_json);
        match (version, file.get("content"), kept) {
            (Some(version), Some(content), Some(kept)) => Ok(Self {
                version,
                content: content.clone(),
                kept,
            }),
            _ => Err("a part of it is missing or damaged"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let version = Version::new(1, 0, 0);
        let file = KeptFile::of(&ContentRecord::new(version, json!({"a": 1})));
        assert_eq!(KeptFile::read(file.print().as_bytes()), Ok(file));
        for (text, reason) in [
            ("a: 1", "not JSON"),
            ("[]", "not what a conversion kept"),
            (r#"{"coeval_kept": 2}"#, "newer release"),
            (r#"{"coeval_kept": 1, "version": "1.0.0"}"#, "missing"),
            (
                r#"{"coeval_kept": 1, "version": "1.0.0", "content": {}, "kept": [{}]}"#,
                "damaged",
            ),
        ] {
            let said = KeptFile::read(text.as_bytes()).unwrap_err();
            assert!(said.contains(reason), "{text}: {said}");
        }
    }
}
