//! Differences for people: a line a field, or the lines of two YAML texts. The styles are always in
//! them; who prints them to something else than a terminal takes them out.

use super::differences::ContentChange;
use super::three_way::MergeConflict;
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::time::Duration;

const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Characters of a value in a line; a difference of texts shows all of it.
const WIDTH: usize = 160;
/// Very different texts are compared only so long; the difference is right then, not small.
const PATIENCE: Duration = Duration::from_secs(2);

/// A value in one line, cut where it is long. Control characters are escaped: a terminal obeys them.
pub(crate) fn value(value: &Value) -> String {
    let text = match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    };
    // Cut by characters, never inside of one.
    let mut cut: String = text.chars().take(WIDTH).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
}

/// Two lines for each change: what was there, what is there.
pub(crate) fn lines(changes: &[ContentChange]) -> String {
    let mut text = String::new();
    for ContentChange { path, from, to } in changes {
        let path = place(path);
        if let Some(from) = from {
            let from = value(from);
            let _ = writeln!(text, "{GONE}- {path}: {from}{GONE:#}");
        }
        if let Some(to) = to {
            let to = value(to);
            let _ = writeln!(text, "{NEW}+ {path}: {to}{NEW:#}");
        }
    }
    text
}

/// Each conflict with its three sides, called as the caller calls them.
pub(crate) fn conflicts(conflicts: &[MergeConflict], called: [&str; 3]) -> String {
    let mut text = String::new();
    let width = called.iter().map(|name| name.len()).max().unwrap_or(0);
    for conflict in conflicts {
        let path = place(&conflict.path);
        let _ = writeln!(text, "{PLACE}{path}{PLACE:#}");
        // In the order of time: what was, what is, what would be.
        let sides = [&conflict.then, &conflict.live, &conflict.file];
        for ((name, side), style) in called.iter().zip(sides).zip([Style::new(), GONE, NEW]) {
            let said = side.as_ref().map_or("(nothing)".to_owned(), value);
            let _ = writeln!(text, "  {name:<width$}  {style}{said}{style:#}");
        }
    }
    text
}

/// A path as people read it.
pub(crate) fn place(path: &str) -> String {
    match path {
        "" => "(all)".to_owned(),
        path => path
            .chars()
            .map(|c| if c.is_control() { '�' } else { c })
            .collect(),
    }
}

/// The lines of two texts that differ, with a few around them; nothing if none does.
pub(crate) fn unified(before: &str, after: &str, called: (&str, &str)) -> String {
    let mut config = TextDiff::configure();
    // The diff is exact only while there is time; afterwards it is correct, but longer.
    config.timeout(PATIENCE);
    let diff = config.diff_lines(before, after);
    let mut text = String::new();
    // The heads are printed with the first hunk: equal texts print nothing.
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        if text.is_empty() {
            let _ = writeln!(text, "{GONE}--- {}{GONE:#}", called.0);
            let _ = writeln!(text, "{NEW}+++ {}{NEW:#}", called.1);
        }
        let _ = writeln!(text, "{PLACE}{}{PLACE:#}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', GONE),
                ChangeTag::Insert => ('+', NEW),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().trim_end_matches('\n');
            let _ = writeln!(text, "{style}{sign}{line}{style:#}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::differences;
    use serde_json::json;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_change_is_a_line_for_each_side() {
        let changes = differences(
            &json!({"image": "web:1", "gone": [1], "odd": "\u{1b}[2J"}),
            &json!({"image": "web:2", "new": {"a": ""}, "odd": " x"}),
        );
        let text = lines(&changes);
        assert!(text.contains("\u{1b}[31m"), "{text:?}");
        assert_eq!(
            plain(&text),
            "- /image: web:1\n+ /image: web:2\n- /gone: [1]\n- /odd: \"\\u001b[2J\"\n+ /odd: \" x\"\n+ /new: {\"a\":\"\"}\n"
        );
    }

    #[test]
    fn a_long_value_is_cut_in_a_line() {
        assert_eq!(value(&json!("x".repeat(500))).chars().count(), WIDTH + 1);
    }

    #[test]
    fn a_conflict_has_three_sides() {
        let conflict = MergeConflict {
            path: "/image".to_owned(),
            then: Some(json!("a")),
            live: None,
            file: Some(json!("b")),
        };
        let text = conflicts(&[conflict], ["last applied", "now", "file"]);
        assert_eq!(
            plain(&text),
            "/image\n  last applied  a\n  now           (nothing)\n  file          b\n"
        );
    }

    #[test]
    fn texts_that_are_the_same_have_no_difference() {
        assert_eq!(unified("a\n", "a\n", ("x", "y")), "");
        let text = plain(&unified("a\nb\n", "a\nc\n", ("x", "y")));
        assert_eq!(text, "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    }
}
