//! apply --prune: what was applied before and is in no file any more.

use crate::desk::Desk;
use expectrl::{Eof, Expect as _, Session};
use serde_json::json;
use std::time::Duration;

#[test]
fn prune_deletes_what_was_applied_with_the_label_and_is_in_no_file() {
    let desk = Desk::new();
    let labeled = |name: &str| {
        format!(
            "kind: app\nversion: v1\nmetadata: {{name: {name}, labels: {{team: web}}}}\nspec: {{image: a}}\n"
        )
    };
    desk.file("apps/a.yaml", &labeled("a"));
    let b = desk.file("apps/b.yaml", &labeled("b"));
    desk.ok(&["apply", "-f", "apps"]);
    // Not applied, not labeled: not the files' to delete.
    desk.ok(&["create", "-f", &desk.file("c.yaml", &labeled("c"))]);
    desk.ok(&["apply", "-f", &desk.app("d", "v1", &json!({"image": "a"}))]);
    std::fs::remove_file(b).unwrap();
    let prune = ["apply", "-f", "apps", "--prune", "--label", "team=web"];
    let dry = desk.run(&[&prune[..], &["--dry-run"]].concat());
    assert!(dry.out.ends_with("app/b deleted (dry run)\n"), "{dry:?}");
    let unasked = desk.run(&prune);
    assert_eq!(unasked.code, 2, "{unasked:?}");
    assert!(unasked.err.contains("--yes"), "{unasked:?}");
    assert_ne!(desk.look("b"), json!(null));
    let done = desk.run(&[&prune[..], &["--yes"]].concat());
    assert_eq!(
        done.out, "app/a unchanged (v1)\napp/b deleted\n",
        "{done:?}"
    );
    assert_eq!(desk.look("b"), json!(null));
    for name in ["a", "c", "d"] {
        assert_ne!(desk.look(name), json!(null), "{name}");
    }
    // Without the label, or where a file lacks it, nothing can be told.
    assert_eq!(desk.run(&["apply", "-f", "apps", "--prune"]).code, 2);
    let lacks = desk.run(&[
        "apply", "-f", "apps", "--prune", "--label", "team=x", "--yes",
    ]);
    assert_eq!(lacks.code, 2, "{lacks:?}");
}

#[test]
fn prune_asks_on_a_terminal() {
    let desk = Desk::new();
    let labeled = |name: &str| {
        let text = format!(
            "kind: app\nversion: v1\nmetadata: {{name: {name}, labels: {{t: w}}}}\nspec: {{image: a}}\n"
        );
        desk.file(&format!("{name}.yaml"), &text)
    };
    let (a, b) = (labeled("a"), labeled("b"));
    desk.ok(&["apply", "-f", &a, "-f", &b]);
    for (answer, left) in [("n", true), ("y", false)] {
        let prune = desk.command(&["apply", "-f", &a, "--prune", "--label", "t=w"]);
        let mut session = Session::spawn(prune).unwrap();
        session.set_expect_timeout(Some(Duration::from_secs(60)));
        session.expect("app/b").unwrap();
        session.expect("delete them? [y/N]").unwrap();
        session.send_line(answer).unwrap();
        session.expect(Eof).unwrap();
        assert_eq!(desk.look("b") != json!(null), left, "{answer}");
    }
}

#[test]
fn nothing_is_pruned_when_a_document_failed() {
    let desk = Desk::new();
    let labeled = |name: &str, spec: &str| {
        format!(
            "kind: app\nversion: v1\nmetadata: {{name: {name}, labels: {{team: web}}}}\nspec: {spec}\n"
        )
    };
    desk.file("apps/a.yaml", &labeled("a", "{image: a}"));
    let b = desk.file("apps/b.yaml", &labeled("b", "{image: a}"));
    desk.ok(&["apply", "-f", "apps"]);
    std::fs::remove_file(b).unwrap();
    desk.file("apps/a.yaml", &labeled("a", "{image: 7}"));
    let said = desk.run(&[
        "apply", "-f", "apps", "--prune", "--label", "team=web", "--yes",
    ]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("nothing was pruned"), "{said:?}");
    assert_ne!(desk.look("b"), json!(null));
}
