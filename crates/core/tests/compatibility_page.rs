//! What docs/compatibility.md shows is true: every YAML block of it is an example, and is run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod page;

use coeval_core::compat::{
    ChangeKind, CompatFinding, CompatRule, FindingVerdict, SchemaChange, SchemaSide, check,
};
use coeval_core::types::{Schema, TypeVersion};
use page::{Example, examples, only, v};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn page() -> String {
    page::read("compatibility.md")
}

fn compiled(schema: &Value) -> Schema {
    Schema::compile(schema.clone()).unwrap()
}

fn version_file(version: &str, spec: &Value) -> TypeVersion {
    let known = ["schema", "conversion", "meaningChanged"];
    page::version_file(version, spec, &known)
}

/// What is found, and the two schemas that the example's finding is about.
struct Found {
    kind: ChangeKind,
    verdict: FindingVerdict,
    findings: Vec<CompatFinding>,
    old: Schema,
    new: Schema,
}

/// `old` and `new`.
fn of_schemas(example: &Example) -> Found {
    let known = ["old", "new", "kind", "verdict", "rule", "path", "witness"];
    only(example, &known);
    let (old, new) = (compiled(&example["old"]), compiled(&example["new"]));
    let change = SchemaChange::between(&old, &new);
    Found {
        kind: change.kind,
        verdict: change.verdict,
        findings: change.findings,
        old,
        new,
    }
}

/// `versions`; the highest is the new one, and the finding is against its parent or `against`.
fn of_versions(example: &Example) -> Found {
    let known = [
        "versions", "kind", "verdict", "rule", "path", "against", "witness",
    ];
    only(example, &known);
    let files = example["versions"].as_object().unwrap().iter();
    let mut files: Vec<_> = files.map(|(name, spec)| version_file(name, spec)).collect();
    files.sort_by_key(|file| file.id.version);
    let new = files.pop().unwrap();
    let checked = check(&files, &new);
    let (kind, verdict) = (checked.kind(), checked.verdict());
    let (version, findings) = match example.get("against") {
        None => (checked.parent.unwrap(), checked.change.unwrap().findings),
        Some(version) => {
            let version = v(version.as_str().unwrap());
            let mut against = checked.against.into_iter();
            let against = against.find(|against| against.version == version);
            (version, against.unwrap().findings)
        }
    };
    let old = files.iter().find(|file| file.id.version == version);
    Found {
        kind,
        verdict,
        findings,
        old: compiled(old.unwrap().schema.source()),
        new: compiled(new.schema.source()),
    }
}

/// Who accepts a document that the other one rejects. A null that counts as absent is none that is
/// accepted.
fn accepted_by(found: &Found, document: &Value) -> SchemaSide {
    let stands = |schema: &Schema| matches!(schema.without_absent(document), Cow::Borrowed(_));
    let fits = |schema: &Schema| schema.validate(document).is_ok() && stands(schema);
    match (fits(&found.old), fits(&found.new)) {
        (true, false) => SchemaSide::Old,
        (false, true) => SchemaSide::New,
        (both, _) => panic!("{document} is accepted by both or by none ({both})"),
    }
}

fn run(example: &Example) {
    let found = if example.contains_key("versions") {
        of_versions(example)
    } else {
        of_schemas(example)
    };
    assert_eq!(json!(found.kind.name()), example["kind"]);
    assert_eq!(json!(found.verdict.name()), example["verdict"]);
    if found.kind == ChangeKind::Identical {
        assert!(found.findings.is_empty(), "{:#?}", found.findings);
        only(example, &["old", "new", "kind", "verdict"]);
        return;
    }
    let meant = |finding: &&CompatFinding| {
        example["rule"] == finding.rule.id() && example["path"] == finding.path.as_str()
    };
    let finding = found.findings.iter().find(meant);
    let finding = finding.unwrap_or_else(|| panic!("not found: {:#?}", found.findings));
    assert_eq!(
        (finding.kind, finding.verdict),
        (found.kind, found.verdict),
        "it does not decide"
    );
    let shown = example
        .get("witness")
        .map(|document| accepted_by(&found, document));
    let made = finding.witness.as_ref().map(|witness| {
        assert_eq!(
            witness.accepted_by,
            accepted_by(&found, &witness.document),
            "{witness:?}"
        );
        witness.accepted_by
    });
    assert_eq!(shown, made, "{:?}", finding.witness);
}

fn is_true(example: &Example) -> bool {
    catch_unwind(AssertUnwindSafe(|| run(example))).is_ok()
}

#[test]
fn every_example_on_the_page_is_true() {
    let examples = examples(&page());
    assert!(examples.len() > 45, "only {} examples", examples.len());
    let wrong = examples.iter().filter(|(_, _, example)| !is_true(example));
    let wrong: Vec<_> = wrong
        .map(|(line, heading, _)| format!("line {line} ({heading})"))
        .collect();
    assert!(wrong.is_empty(), "not true: {}", wrong.join(", "));
}

#[test]
fn an_example_that_is_not_true_is_found() {
    let right = "\
old: {properties: {a: {type: [string, integer]}}}
new: {properties: {a: {type: string}}}
kind: breaking
verdict: proven
rule: type-narrowed
path: /a
witness: {a: 1}
";
    let history = "\
versions:
  1.0.0: {schema: {properties: {a: {}}}}
  1.1.0: {schema: {properties: {a: {}}}, meaningChanged: [/a]}
kind: breaking
verdict: by policy
rule: meaning-changed
path: /a
";
    let is_true = |text: &str| {
        let (_, _, example) = examples(&format!("```yaml\n{text}```\n")).remove(0);
        is_true(&example)
    };
    assert!(is_true(right) && is_true(history));
    for (is, wrong) in [
        ("kind: breaking", "kind: additive"),
        ("verdict: proven", "verdict: by policy"),
        ("rule: type-narrowed", "rule: text-narrowed"),
        ("path: /a", "path: /b"),
        ("witness: {a: 1}", "witness: {a: x}"),
        ("witness: {a: 1}", "witness: {a: true}"),
        ("witness: {a: 1}\n", ""),
        ("path: /a", "path: /a\nnotice: nobody reads this"),
        ("path: /a", "path: /a\nagainst: 1.0.0"),
    ] {
        assert!(!is_true(&right.replace(is, wrong)), "{wrong}");
    }
    for (is, wrong) in [
        ("by policy", "proven"),
        ("path: /a", "path: /b"),
        ("path: /a", "path: /a\nwitness: {a: 1}"),
        ("path: /a", "path: /a\nagainst: 1.0.0"),
        ("path: /a", "path: /a\nold: {}"),
        ("meaningChanged", "since"),
    ] {
        assert!(!is_true(&history.replace(is, wrong)), "{wrong}");
    }
    let same = "old: {}\nnew: {}\nkind: identical\nverdict: proven\n";
    assert!(is_true(same) && !is_true(&format!("{same}rule: unclear\n")));
}

#[test]
fn every_rule_has_its_section_with_an_example_and_there_is_no_other() {
    let page = page();
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let headings: Vec<&str> = headings.collect();
    let sections: BTreeSet<&str> = headings.iter().copied().collect();
    assert_eq!(sections.len(), headings.len(), "a section is there twice");
    let rules: BTreeSet<&str> = CompatRule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(sections, rules);
    let examples = examples(&page);
    for rule in CompatRule::ALL {
        let shown = examples
            .iter()
            .any(|(_, heading, example)| heading == rule.id() && example["rule"] == rule.id());
        assert!(shown, "{rule} has no example of its own");
        let anchor = format!("docs/compatibility.md#{rule}");
        assert_eq!(rule.page(), anchor);
    }
}

#[test]
fn every_kind_verdict_and_bump_is_on_the_page() {
    let page = page();
    let kinds = [
        ChangeKind::Identical,
        ChangeKind::Additive,
        ChangeKind::Undecided,
        ChangeKind::Breaking,
    ];
    for kind in kinds {
        let row = page
            .lines()
            .find(|line| {
                line.starts_with(&format!("| *{kind}* |")) && line.matches('|').count() == 4
            })
            .unwrap_or_else(|| panic!("{kind} has no row"));
        assert!(row.ends_with(&format!("| {} |", kind.bump())), "{row}");
    }
    for verdict in [
        FindingVerdict::Proven,
        FindingVerdict::ByPolicy,
        FindingVerdict::Undecided,
    ] {
        assert!(page.contains(&format!("| *{verdict}* |")), "{verdict}");
    }
}
