//! What a server found out about a type version, printed as `type check` prints what it finds.

use crate::columns::{pad, sanitize, single_line, wrap};
use coeval_proto::types::v1::Finding;
use serde_json::{Value, json};

/// The rule of a change that nobody can decide.
const UNDECIDED: &str = "undecided";
/// Of a document that is shown.
const DOCUMENT: usize = 400;

/// Whether all that stands in the way is that nobody knows.
pub(super) fn only_undecided(findings: &[Finding]) -> bool {
    // Without anything that refuses there is nothing undecided either.
    let mut refusing = findings.iter().filter(|finding| finding.refuses).peekable();
    refusing.peek().is_some() && refusing.all(|finding| finding.rule == UNDECIDED)
}

/// Of a refusal: each is JSON. One that can't be read is told as it is.
pub(super) fn of_texts(texts: &[String]) -> Vec<Finding> {
    let read = |text: &String| {
        // Of a newer server it may be anything; then it is shown as it is.
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let said = |key: &str| {
            let said = value.get(key).and_then(Value::as_str);
            said.unwrap_or_default().to_owned()
        };
        let witness = value.get("witness").map(ToString::to_string);
        if value.is_object() {
            Finding {
                rule: said("rule"),
                against: said("against"),
                path: said("path"),
                message: said("message"),
                refuses: value.get("refuses").and_then(Value::as_bool) == Some(true),
                witness: witness.unwrap_or_default(),
            }
        } else {
            Finding {
                message: text.clone(),
                refuses: true,
                ..Default::default()
            }
        }
    };
    texts.iter().map(read).collect()
}

/// What stands in the way first.
pub(super) fn render(findings: &[Finding], width: Option<usize>) -> String {
    let width = width.unwrap_or(100).max(40);
    // What refuses comes first, for that is what has to be mended.
    let (refusing, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.refuses);
    let all = refusing.into_iter().chain(others);
    let told = all.map(|finding| {
        let mut lines = vec![heading(finding)];
        for said in body(finding) {
            let wrapped = wrap(&said, width.saturating_sub(2)).into_iter();
            lines.extend(wrapped.map(|line| format!("  {line}")));
        }
        lines.join("\n") + "\n"
    });
    told.collect::<Vec<_>>().join("\n")
}

fn heading(finding: &Finding) -> String {
    let kind = match (finding.refuses, finding.rule.as_str()) {
        (true, UNDECIDED) => UNDECIDED,
        (true, _) => "refuses",
        (false, _) => "note",
    };
    let place = match finding.path.as_str() {
        "" => "the whole".to_owned(),
        path => single_line(path),
    };
    format!("{}{}  {place}", pad(kind, 11), single_line(&finding.rule))
}

fn body(finding: &Finding) -> Vec<String> {
    let mut said = vec![single_line(&finding.message)];
    if !finding.against.is_empty() {
        said.push(format!("Against {}.", single_line(&finding.against)));
    }
    if !finding.witness.is_empty() {
        let document = sanitize(&finding.witness);
        let cut: String = document.chars().take(DOCUMENT).collect();
        let more = if cut.len() < document.len() {
            "…"
        } else {
            ""
        };
        said.push(format!("Shown by {cut}{more}"));
    }
    said
}

pub(super) fn values(findings: &[Finding]) -> Vec<Value> {
    let value = |finding: &Finding| {
        let witness: Value = serde_json::from_str(&finding.witness).unwrap_or_default();
        json!({
            "rule": finding.rule, "against": finding.against, "path": finding.path,
            "message": finding.message, "refuses": finding.refuses, "witness": witness,
        })
    };
    findings.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, refuses: bool) -> Finding {
        Finding {
            rule: rule.to_owned(),
            refuses,
            path: "/image".to_owned(),
            message: "It is gone.".to_owned(),
            against: "1.0.0".to_owned(),
            witness: "{\"image\":1}".to_owned(),
        }
    }

    #[test]
    fn it_is_undecided_only_if_nothing_else_stands_in_the_way() {
        for (findings, expected) in [
            (vec![], false),
            (vec![finding("undecided", true)], true),
            (vec![finding("undecided", true), finding("x", false)], true),
            (
                vec![finding("undecided", true), finding("bump", true)],
                false,
            ),
            (vec![finding("undecided", false)], false),
        ] {
            assert_eq!(only_undecided(&findings), expected, "{findings:?}");
        }
    }

    #[test]
    fn what_refuses_comes_first_and_a_refusals_json_reads_the_same() {
        let both = [finding("a", false), finding("b", true)];
        let text = render(&both, None);
        assert_eq!(
            text,
            "refuses    b  /image\n  It is gone.\n  Against 1.0.0.\n  Shown by {\"image\":1}\n\n\
             note       a  /image\n  It is gone.\n  Against 1.0.0.\n  Shown by {\"image\":1}\n"
        );
        let texts: Vec<_> = values(&both).iter().map(ToString::to_string).collect();
        assert_eq!(of_texts(&texts), both);
        let strange = of_texts(&["no JSON".to_owned()]);
        assert_eq!(strange[0].message, "no JSON");
    }
}
