//! What `-o jsonpath=` takes: a path as RFC 9535 has it, or a text with paths between braces, as
//! kubectl's users write it: `{.metadata.name}{"\t"}{.spec.image}`.
//!
//! It is about one resource. Of a list every resource gets a line, so `{.items[*].metadata.name}`
//! means the same as `{.metadata.name}`.

use serde_json::Value;
use serde_json_path::JsonPath;

/// Longer ones nobody writes.
const LONGEST: usize = 4096;

/// A text with paths in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Clone, Debug, PartialEq)]
enum TemplatePart {
    Text(String),
    Path(JsonPath),
}

impl Template {
    /// From what the flag says.
    ///
    /// # Errors
    /// If it is none, with the reason.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("an expression has at most {LONGEST} characters"));
        }
        let text = text.trim();
        if text.is_empty() {
            return Err("write an expression: jsonpath='{.metadata.name}'".into());
        }
        // As RFC 9535 has it: a path alone, without braces.
        if !text.contains('{') {
            return Ok(Self(vec![TemplatePart::Path(path(text)?)]));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        // Text outside of braces is printed as it is.
        while let Some((before, after)) = rest.split_once('{') {
            if !before.is_empty() {
                parts.push(TemplatePart::Text(before.to_owned()));
            }
            let end = end_of(after).ok_or_else(|| format!("a `}}` is missing in `{text}`"))?;
            let (inside, tail) = after.split_at(end);
            parts.push(part(inside.trim())?);
            rest = tail.strip_prefix('}').unwrap_or(tail);
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    /// What it makes of a resource. What is not there is empty.
    pub(crate) fn render(&self, value: &Value) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Path(path) => {
                    let found = path.query(value).all().into_iter().map(plainly);
                    out.push_str(&found.collect::<Vec<_>>().join(" "));
                }
            }
        }
        out
    }

    /// Whether any of its paths leads somewhere.
    pub(crate) fn finds(&self, value: &Value) -> bool {
        self.0.iter().any(|part| match part {
            TemplatePart::Path(path) => !path.query(value).is_empty(),
            TemplatePart::Text(_) => false,
        })
    }
}

/// Where the part that has begun ends: a brace that is in no string.
fn end_of(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        // A brace inside of a string is part of the string.
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '}') => return Some(at),
            _ => {}
        }
    }
    None
}

fn part(inside: &str) -> Result<TemplatePart, String> {
    if inside.starts_with('"') {
        let text = serde_json::from_str(inside);
        return text
            .map(TemplatePart::Text)
            .map_err(|error| format!("`{inside}` is no text: {error}"));
    }
    if inside == "end" || inside.starts_with("range ") {
        // Not needed here, and silently ignored it would print braces.
        return Err("range is not needed: every resource gets a line".into());
    }
    path(inside).map(TemplatePart::Path)
}

/// `.spec.x`, `$.spec.x` and `spec.x` are the same.
fn path(text: &str) -> Result<JsonPath, String> {
    let after = text.strip_prefix('$').unwrap_or(text);
    // kubectl's users write it for lists.
    let after = after.strip_prefix(".items[*]").unwrap_or(after);
    if after.starts_with(".items") {
        return Err(
            "the expression is about each resource, not about the list: leave .items away".into(),
        );
    }
    let whole = match after.chars().next() {
        None | Some('.' | '[') if after != "." => format!("${after}"),
        None | Some('.' | '[') => "$".to_owned(),
        Some(_) => format!("$.{after}"),
    };
    JsonPath::parse(&whole).map_err(|error| format!("`{text}` is no path: {error}"))
}

/// A string as it is, anything else as JSON.
fn plainly(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_and_texts_are_rendered_as_people_write_them() {
        let value = json!({"metadata": {"name": "web", "labels": {"a/b": "c"}},
            "spec": {"n": 3, "ports": [{"p": 1}, {"p": 2}], "o": {"x": null}}});
        for (expression, expected) in [
            ("{.metadata.name}", "web"),
            (".metadata.name", "web"),
            ("$.metadata.name", "web"),
            ("metadata.name", "web"),
            ("{.items[*].metadata.name}", "web"),
            ("{.spec.n}", "3"),
            ("{.spec.ports[*].p}", "1 2"),
            ("{.spec.o}", "{\"x\":null}"),
            ("{.spec.nothing}", ""),
            ("{.metadata.labels['a/b']}", "c"),
            (r#"{.metadata.name}{"\t"}{.spec.n}"#, "web\t3"),
            (r#"{.spec.ports[?@.p > 1].p}"#, "2"),
            ("name={.metadata.name}!", "name=web!"),
            (r#"{"}"}{.spec.n}"#, "}3"),
        ] {
            let template = Template::parse(expression).unwrap();
            assert_eq!(template.render(&value), expected, "{expression}");
        }
        assert!(Template::parse("{.spec.o.x}").unwrap().finds(&value));
        assert!(!Template::parse("x{.spec.y}").unwrap().finds(&value));
    }

    #[test]
    fn what_is_no_expression_is_refused_with_the_reason() {
        for (wrong, reason) in [
            ("", "write an expression"),
            ("{.a", "`}` is missing"),
            ("{.a[}", "no path"),
            ("{range .items[*]}{.a}{end}", "range is not needed"),
            ("{.items[0].a}", "leave .items away"),
            (r#"{"a}"#, "`}` is missing"),
            (&"[".repeat(5000), "at most"),
        ] {
            let told = Template::parse(wrong).unwrap_err();
            assert!(told.contains(reason), "{wrong}: {told}");
        }
    }
}
