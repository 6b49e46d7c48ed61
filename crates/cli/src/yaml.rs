//! Resources as YAML that reads back as exactly what it was.

use coeval_core::types::{BodyLimits, read_documents, same};
use serde_json::Value;

/// More than any resource.
const LIMITS: BodyLimits = BodyLimits {
    bytes: 64 << 20,
    depth: 160,
};

/// A value as YAML. JSON where YAML would say something else, and JSON is YAML too.
pub(crate) fn text(value: &Value) -> String {
    // Checked by reading it back: YAML has many ways to say something else than what was meant.
    if let Ok(text) = serde_norway::to_string(value)
        && reads_back(&text, value)
    {
        return text;
    }
    format!("{value:#}\n")
}

fn reads_back(text: &str, value: &Value) -> bool {
    match read_documents(text.as_bytes(), LIMITS).as_deref() {
        Ok([document]) => same(&document.content(), value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn text_that_looks_like_something_else_stays_text() {
        for odd in [
            "1.10",
            "0x1F",
            "0o17",
            "007",
            "+1",
            ".5",
            "1.",
            "yes",
            "on",
            "~",
            "",
            "null",
            "true",
            "- a",
            "a: b",
            "# c",
            "---",
            "...",
            " x ",
            "a\nb\n",
            "\t",
            "\u{85}",
            "\u{feff}",
            "<<",
            "2030-01-01",
            "!tag",
            "&a",
            "*a",
            "1e3",
            "1_000",
            ".inf",
            "%x",
            "@x",
            "`x",
        ] {
            let value = json!({"odd": odd, odd: 1});
            let text = text(&value);
            let read = read_documents(text.as_bytes(), LIMITS).unwrap();
            assert_eq!(read[0].content(), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(words in prop::collection::vec(any::<String>(), 0..5),
            number in any::<i64>(), real in any::<f64>()
        ) {
            let value = json!({"words": words, "number": number, "real": real,
                "keys": words.iter().map(|w| (w.clone(), json!([w]))).collect::<serde_json::Map<_, _>>()});
            let text = text(&value);
            let read = read_documents(text.as_bytes(), LIMITS).unwrap();
            prop_assert!(same(&read[0].content(), &value), "{}", text);
        }
    }
}
