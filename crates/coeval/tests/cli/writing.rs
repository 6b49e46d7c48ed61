//! create, apply, diff, history, restore.

use crate::desk::{Desk, run};
use crate::stage::{app_files, type_file};
use expectrl::{Eof, Expect as _, Session};
use serde_json::{Value, json};
use std::time::Duration;

const CONFLICT: i32 = 3;

#[test]
fn apply_creates_then_changes_then_leaves_alone() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    assert_eq!(desk.ok(&["apply", "-f", &file]), "app/web created (v1)\n");
    let made = desk.revision("web");
    assert_eq!(desk.ok(&["apply", "-f", &file]), "app/web unchanged (v1)\n");
    assert_eq!(desk.revision("web"), made, "nothing is written for nothing");
    let file = desk.app("web", "v1", &json!({"image": "web:2"}));
    let said = desk.run(&["apply", "-f", &file, "-o", "name"]);
    assert_eq!((said.code, said.out.as_str()), (0, "app/web\n"));
    assert_eq!(desk.spec("web"), json!({"image": "web:2"}));
}

#[test]
fn what_the_file_itself_changed_is_no_drift() {
    let desk = Desk::new();
    for image in ["web:1", "web:2", "web:3"] {
        let file = desk.app("web", "v1", &json!({"image": image}));
        desk.ok(&["apply", "-f", &file]);
    }
    assert_eq!(desk.spec("web"), json!({"image": "web:3"}));
}

#[test]
fn others_fields_stay_and_what_the_file_no_longer_says_goes() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1", "sizing_class": "m"}));
    desk.ok(&["apply", "-f", &file]);
    desk.other_sets("web", "replicas", &json!(3));
    let file = desk.app("web", "v1", &json!({"image": "web:2"}));
    desk.ok(&["apply", "-f", &file]);
    assert_eq!(desk.spec("web"), json!({"image": "web:2", "replicas": 3}));
    // What others set is not the file's to take back.
    desk.ok(&["apply", "-f", &file]);
    assert_eq!(desk.spec("web"), json!({"image": "web:2", "replicas": 3}));
}

#[test]
fn drift_is_refused_with_its_three_sides_and_force_lists_what_it_overrides() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    desk.ok(&["apply", "-f", &file]);
    desk.other_sets("web", "image", &json!("hacked"));
    let refused = desk.run(&["apply", "-f", &file]);
    assert_eq!(refused.code, CONFLICT, "{refused:?}");
    for said in [
        "/image\n",
        "last applied  web:1",
        "now           hacked",
        "file          web:1",
        "COEVAL-6312",
        "coeval apply --force",
    ] {
        assert!(refused.err.contains(said), "{said}: {}", refused.err);
    }
    assert_eq!(desk.spec("web"), json!({"image": "hacked"}));
    let forced = desk.run(&["apply", "-f", &file, "--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    let listed = "app/web: --force overrides\n- /image: hacked\n+ /image: web:1\n";
    assert!(forced.err.contains(listed), "{}", forced.err);
    assert_eq!(desk.spec("web"), json!({"image": "web:1"}));
}

#[test]
fn a_file_of_another_revision_is_a_conflict_unless_forced() {
    let desk = Desk::new();
    desk.ok(&[
        "apply",
        "-f",
        &desk.app("web", "v1", &json!({"image": "a"})),
    ]);
    let revision = desk.revision("web");
    let said = |image: &str| {
        format!(
            "kind: app\nversion: v1\nmetadata: {{name: web, revision: '{revision}'}}\nspec: {{image: {image}}}\n"
        )
    };
    desk.other_sets("web", "image", &json!("b"));
    let file = desk.file("web.yaml", &said("c"));
    let refused = desk.run(&["apply", "-f", &file]);
    assert_eq!(refused.code, CONFLICT, "{refused:?}");
    assert!(
        refused.err.contains("file's revision  a"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("COEVAL-6313"), "{}", refused.err);
    let forced = desk.run(&["apply", "-f", &file, "--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    assert!(
        forced.err.contains("- /image: b\n+ /image: c\n"),
        "{}",
        forced.err
    );
    assert_eq!(desk.spec("web"), json!({"image": "c"}));
}

#[test]
fn a_field_that_no_version_declares_is_warned_of_and_refused_if_strict() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1", "imgae": "typo"}));
    for command in ["create", "apply"] {
        let refused = desk.run(&[command, "-f", &file, "--strict"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.err.contains("COEVAL-3206"), "{}", refused.err);
        assert!(refused.err.contains("/imgae"), "{}", refused.err);
    }
    let said = desk.run(&["apply", "-f", &file]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("warning: "), "{}", said.err);
    assert!(said.err.contains("/imgae"), "{}", said.err);
    // Also where nothing would be written.
    let again = desk.run(&["apply", "-f", &file, "--strict"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("COEVAL-3206"), "{}", again.err);
    let mut edit = desk.command(&["edit", "app/web"]);
    edit.env("EDITOR", desk.editor("printf '  mroe: 1\\n' >> \"$1\""));
    let said = run(edit);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("/mroe"), "{}", said.err);
    let right = desk.app("right", "v1", &json!({"image": "web:1"}));
    let said = desk.run(&["create", "-f", &right, "--strict"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}

#[test]
fn an_old_files_save_keeps_a_newer_field_and_says_so() {
    let desk = Desk::new();
    let new = desk.app("web", "v1.1", &json!({"image": "web:1", "region": "eu"}));
    desk.ok(&["create", "-f", &new]);
    let old = desk.app("web", "v1", &json!({"image": "web:2"}));
    let said = desk.run(&["apply", "-f", &old]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.out, "app/web changed (v1, stored at v1.1)\n");
    assert!(
        said.err.contains("kept: /region (of v1.1)\n"),
        "{}",
        said.err
    );
    assert_eq!(desk.spec("web"), json!({"image": "web:2", "region": "eu"}));
}

#[test]
fn an_old_file_takes_back_what_it_said_also_from_a_newer_resource() {
    let desk = Desk::new();
    let both = json!({"image": "web:1", "replicas": 2});
    desk.ok(&["apply", "-f", &desk.app("web", "v1", &both)]);
    // Somebody moves it to a newer version meanwhile.
    let mut edit = desk.command(&["edit", "app/web", "--version", "v1.1"]);
    edit.env("EDITOR", desk.editor("printf '  region: eu\\n' >> \"$1\""));
    let said = run(edit);
    assert_eq!(said.code, 0, "{said:?}");
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    assert_eq!(
        desk.ok(&["apply", "-f", &file]),
        "app/web changed (v1, stored at v1.1)\n"
    );
    assert_eq!(desk.spec("web"), json!({"image": "web:1", "region": "eu"}));
}

#[test]
fn a_path_that_is_another_field_at_another_version_is_not_taken_back() {
    let desk = Desk::new();
    let old = desk.app("web", "v1", &json!({"image": "web:1", "replicas": 1}));
    desk.ok(&["apply", "-f", &old]);
    let new = desk.app("web", "v1.1", &json!({"image": "web:1", "region": "eu"}));
    let said = desk.run(&["apply", "-f", &new]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.err.contains("was applied at v1 before"),
        "{}",
        said.err
    );
    assert_eq!(said.out, "app/web changed (v1.1)\n", "it is stored so now");
    let both = json!({"image": "web:1", "replicas": 1, "region": "eu"});
    assert_eq!(desk.spec("web"), both);
}

#[test]
fn force_overrides_a_refusal_on_versions_and_prints_what_the_server_warns_of() {
    let mut files = app_files();
    files[1].push_str("  skew: strict\n");
    let desk = Desk::with(&files);
    let new = desk.app("web", "v1.1", &json!({"image": "web:1", "region": "eu"}));
    desk.ok(&["apply", "-f", &new]);
    let old = desk.app("web", "v1", &json!({"image": "web:2"}));
    let refused = desk.run(&["apply", "-f", &old]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("COEVAL-1105"), "{refused:?}");
    let forced = desk.run(&["apply", "-f", &old, "--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    assert!(forced.err.contains("warning: "), "{forced:?}");
    assert_eq!(desk.spec("web")["image"], "web:2");
}

#[test]
fn items_with_names_are_merged_one_by_one() {
    let schema =
        "  schema: {type: object, properties: {nodes: {type: array, items: {type: object}}}}\n";
    let desk = Desk::with(&[type_file("acme:app", "1.0.0", schema)]);
    let file = json!({"nodes": [{"name": "a", "size": 1}, {"name": "b", "size": 1}]});
    desk.ok(&["apply", "-f", &desk.app("web", "v1", &file)]);
    let theirs =
        json!([{"name": "a", "size": 1, "ip": "::1"}, {"name": "b", "size": 1}, {"name": "c"}]);
    desk.other_sets("web", "nodes", &theirs);
    let file = desk.app("web", "v1", &json!({"nodes": [{"name": "a", "size": 2}]}));
    desk.ok(&["apply", "-f", &file]);
    let both = json!({"nodes": [{"name": "a", "size": 2, "ip": "::1"}, {"name": "c"}]});
    assert_eq!(desk.spec("web"), both);
    assert_eq!(desk.run(&["diff", "-f", &file]).code, 0);
}

#[test]
fn labels_that_the_file_does_not_say_stay() {
    let desk = Desk::new();
    let labeled = |labels: &str| {
        let text = format!(
            "kind: app\nversion: v1\nmetadata: {{name: web, labels: {labels}}}\nspec: {{image: a}}\n"
        );
        desk.file("web.yaml", &text)
    };
    desk.ok(&["apply", "-f", &labeled("{a: x, b: y}")]);
    desk.ok(&["apply", "-f", &labeled("{a: z}")]);
    let labels = |seen: Value| seen.get("resource").unwrap_or(&seen)["metadata"]["labels"].clone();
    assert_eq!(labels(desk.look("web")), json!({"a": "z", "b": "y"}));
    let said = desk.run(&["apply", "-f", &labeled("{b: null}"), "--dry-run"]);
    assert!(said.out.contains("-    b: y\n"), "{said:?}");
    desk.ok(&["apply", "-f", &labeled("{b: null}")]);
    assert_eq!(labels(desk.look("web")), json!({"a": "z"}));
}

#[test]
fn a_dry_run_shows_and_checks_and_writes_nothing() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    let said = desk.run(&["apply", "-f", &file, "--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out.ends_with("app/web created (v1, dry run)\n"),
        "{}",
        said.out
    );
    assert!(said.out.contains("\n+  image: web:1\n"), "{}", said.out);
    assert_eq!(desk.look("web"), json!(null));
    desk.ok(&["apply", "-f", &file]);
    let revision = desk.revision("web");
    let file = desk.app("web", "v1.1", &json!({"image": "web:2"}));
    let said = desk.run(&["apply", "-f", &file, "--dry-run"]);
    assert!(
        said.out.contains("-  image: web:1\n+  image: web:2\n"),
        "{said:?}"
    );
    assert!(
        said.out.contains("(v1.1, stored at v1, dry run)"),
        "{said:?}"
    );
    let wrong = desk.app("web", "v1", &json!({"image": "x", "replicas": "many"}));
    let refused = desk.run(&["apply", "-f", &wrong, "--dry-run"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("/replicas"), "{}", refused.err);
    assert_eq!(desk.revision("web"), revision);
    // What apply refuses a dry run refuses.
    for (spec, flag, code) in [
        (json!({"image": "x", "region": "eu"}), None, "COEVAL-3201"),
        (
            json!({"image": "x", "imgae": "y"}),
            Some("--strict"),
            "COEVAL-3206",
        ),
    ] {
        for name in ["web", "other"] {
            let wrong = desk.app(name, "v1", &spec);
            let apply = ["apply", "-f", &wrong];
            for dry in [None, Some("--dry-run")] {
                let args = apply.iter().copied().chain(flag).chain(dry);
                let refused = desk.run(&args.collect::<Vec<_>>());
                assert_eq!(refused.code, 1, "{refused:?}");
                assert!(refused.err.contains(code), "{}", refused.err);
            }
        }
    }
    let slip = desk.app("other", "v1", &json!({"image": "x", "imgae": "y"}));
    let said = desk.run(&["apply", "-f", &slip, "--dry-run"]);
    assert!(said.code == 0 && said.err.contains("/imgae"), "{said:?}");
}

#[test]
fn diff_exits_1_on_drift_and_0_without() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    assert_eq!(desk.run(&["diff", "-f", &file]).code, 1);
    desk.ok(&["apply", "-f", &file]);
    let none = desk.run(&["diff", "-f", &file]);
    assert_eq!((none.code, none.out.as_str()), (0, ""), "{none:?}");
    desk.other_sets("web", "image", &json!("other"));
    let drift = desk.run(&["diff", "-f", &file]);
    assert_eq!(drift.code, 1, "{drift:?}");
    assert!(
        drift.out.contains("-  image: other\n+  image: web:1\n"),
        "{drift:?}"
    );
    assert!(
        !drift.out.contains('\u{1b}'),
        "no colours when piped: {drift:?}"
    );
    assert!(drift.err.contains("conflict: app/web"), "{drift:?}");
    // What others may set is no drift.
    desk.other_sets("web", "image", &json!("web:1"));
    desk.other_sets("web", "replicas", &json!(2));
    assert_eq!(desk.run(&["diff", "-f", &file]).code, 0);
    assert_eq!(desk.run(&["diff", "-f", "missing.yaml"]).code, 2);
}

#[test]
fn diff_and_a_dry_run_say_what_apply_would_refuse() {
    let desk = Desk::new();
    let unfit = desk.app("web", "v1", &json!({"image": 7}));
    let told = desk.run(&["diff", "-f", &unfit]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(
        told.err.starts_with("misfit: app/web would be refused: "),
        "{told:?}"
    );
    assert!(told.err.contains("/image"), "{told:?}");
    // Nobody says which version the content of a new one has.
    let silent = desk.file(
        "silent.yaml",
        "{kind: app, metadata: {name: web}, spec: {image: x}}",
    );
    for (args, code) in [
        (&["diff", "-f", &silent][..], 2),
        (&["apply", "--dry-run", "-f", &silent], 1),
        (&["apply", "-f", &silent], 1),
        (&["create", "-f", &silent], 1),
    ] {
        let said = desk.run(args);
        assert_eq!(
            (said.code, said.out.as_str()),
            (code, ""),
            "{args:?}: {said:?}"
        );
        assert!(said.err.contains("says no version"), "{said:?}");
        assert!(said.err.contains("--version"), "{said:?}");
    }
    desk.ok(&["apply", "-f", &silent, "--version", "1.0"]);
    // One that is there is changed at the version that it has.
    desk.ok(&["apply", "-f", &silent]);
}

#[test]
fn all_documents_are_tried_and_the_worst_is_the_exit_code() {
    let desk = Desk::new();
    let one = |name: &str, image: &str| {
        format!("kind: app\nversion: v1\nmetadata: {{name: {name}}}\nspec: {{image: {image}}}\n")
    };
    let stream = format!(
        "{}---\n{}---\n{}",
        one("a", "x"),
        one("b", "7"),
        one("c", "x")
    );
    let said = desk.run_with(&["apply", "-f", "-"], &stream);
    assert_eq!(said.code, 1, "{said:?}");
    assert_eq!(said.out, "app/a created (v1)\napp/c created (v1)\n");
    assert!(
        said.err.ends_with("3 resources: 2 created, 1 failed\n"),
        "{said:?}"
    );
    assert!(said.err.contains("app/b: "), "{said:?}");
}

#[test]
fn nothing_is_sent_when_a_document_cant_be_read() {
    let desk = Desk::new();
    let good = "kind: app\nversion: v1\nmetadata: {name: a}\nspec: {image: x}\n";
    for (bad, said) in [
        ("kind: app\n", "metadata.name is missing"),
        ("kind: [\n", "line "),
        ("kind: type\nmetadata: {name: x}\n", "coeval type register"),
        (
            "kind: app\nversion: v1\nmetadata: {name: a}\nspec: {}\n",
            "already",
        ),
        ("\u{1}", "line 6"),
    ] {
        for command in ["apply", "create", "diff"] {
            let said_of = desk.run_with(&[command, "-f", "-"], &format!("{good}---\n{bad}"));
            assert_eq!(said_of.code, 2, "{bad}: {said_of:?}");
            assert!(said_of.err.contains(said), "{bad}: {said_of:?}");
        }
    }
    assert_eq!(desk.look("a"), json!(null));
}

#[test]
fn create_refuses_what_exists_and_names_apply() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    assert_eq!(desk.ok(&["create", "-f", &file]), "app/web created (v1)\n");
    let again = desk.run(&["create", "-f", &file]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("app/web exists already"), "{again:?}");
    assert!(again.err.contains("coeval apply"), "{again:?}");
}

#[test]
fn what_nobody_serves_is_told_once() {
    let desk = Desk::new();
    let two = "kind: app\nversion: v1\nmetadata: {name: a}\nspec: {image: x}\n---\nkind: app\nversion: v1\nmetadata: {name: b}\nspec: {image: x}\n";
    let file = desk.file("two.yaml", two);
    let said = desk.run(&["apply", "-f", &file, "--server", "http://127.0.0.1:9"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert_eq!(said.err.matches("code: ").count(), 1, "{said:?}");
    assert!(
        said.err.ends_with("2 resources: 1 failed, 1 not tried\n"),
        "{said:?}"
    );
    let unknown = desk.file(
        "u.yaml",
        "kind: nothing\nversion: v1\nmetadata: {name: a}\nspec: {}\n",
    );
    let said = desk.run(&["apply", "-f", &unknown]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("COEVAL-8016"), "{said:?}");
}

#[test]
fn history_tells_what_changed_and_restore_writes_it_again() {
    let desk = Desk::new();
    desk.ok(&[
        "apply",
        "-f",
        &desk.app("web", "v1", &json!({"image": "web:1"})),
    ]);
    let first = desk.revision("web");
    desk.ok(&[
        "apply",
        "-f",
        &desk.app("web", "v1", &json!({"image": "web:2"})),
    ]);
    let table = desk.ok(&["history", "app", "web"]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("REVISION"), "{table}");
    assert!(
        lines[1].contains("alice@acme") && lines[1].contains("/image"),
        "{table}"
    );
    assert!(
        lines[2].starts_with(&first[..12]) && lines[2].contains("(created)"),
        "{table}"
    );
    let diff = desk.ok(&["history", "app/web", "--diff"]);
    assert!(
        diff.contains("-  image: web:1\n+  image: web:2\n"),
        "{diff}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&desk.ok(&["history", "app", "web", "-o", "json"])).unwrap();
    assert_eq!(json["items"][1]["resource"]["spec"]["image"], "web:1");
    let path = "jsonpath={.resource.spec.image}";
    let images = desk.ok(&["history", "app", "web", "-o", path]);
    assert_eq!(images.lines().nth(1), Some("web:1"), "{images}");
    let names = desk.ok(&["history", "app", "web", "-o", "name"]);
    assert!(table.contains(names.lines().next().unwrap()), "{names}");

    let dry = desk.run(&[
        "restore",
        "app",
        "web",
        "--revision",
        &first[..12],
        "--dry-run",
    ]);
    assert_eq!(dry.out, "app/web restored (v1, dry run)\n", "{dry:?}");
    assert!(
        dry.err.contains("-  image: web:2\n+  image: web:1\n"),
        "{dry:?}"
    );
    assert_eq!(desk.spec("web"), json!({"image": "web:2"}));
    desk.ok(&["restore", "app", "web", "--revision", &first[..12]]);
    assert_eq!(desk.spec("web"), json!({"image": "web:1"}));
    for (revision, said) in [("zzz", "no kept revision"), ("", "no kept revision")] {
        let refused = desk.run(&["restore", "app", "web", "--revision", revision]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.err.contains(said), "{refused:?}");
    }
}

#[test]
fn upgrade_stores_resources_at_another_version_and_back() {
    let desk = Desk::new();
    for name in ["web", "api"] {
        let file = desk.app(name, "v1", &json!({"image": "a"}));
        desk.ok(&["apply", "-f", &file]);
    }
    let dry = desk.ok(&["upgrade", "app", "web", "--to", "1.1", "--dry-run"]);
    assert_eq!(dry, "app/web upgraded (v1 to v1.1, dry run)\n");
    let done = desk.ok(&["upgrade", "app", "web"]);
    assert_eq!(done, "app/web upgraded (v1 to v1.1)\n");
    let again = desk.ok(&["upgrade", "app/web", "--to", "v1.1"]);
    assert_eq!(again, "app/web unchanged (v1.1)\n");
    let file = desk.app("web", "v1.1", &json!({"image": "a", "region": "eu"}));
    desk.ok(&["apply", "-f", &file]);
    let back = desk.run(&["upgrade", "app", "web", "--to", "1.0.0"]);
    assert_eq!(back.out, "app/web upgraded (v1.1 to v1)\n", "{back:?}");
    assert!(back.err.contains("kept: /region"), "{back:?}");
    desk.ok(&["upgrade", "app", "web"]);
    assert_eq!(desk.spec("web"), json!({"image": "a", "region": "eu"}));
    let unknown = desk.run(&["upgrade", "app", "web", "--to", "7"]);
    assert!(unknown.code == 1 && unknown.err.contains("COEVAL-1101"));
    let nobody = desk.run(&["upgrade", "app"]);
    assert!(
        nobody.code == 2 && nobody.err.contains("--filter"),
        "{nobody:?}"
    );
    let name = desk.ok(&["upgrade", "app", "web", "-o", "name"]);
    assert_eq!(name, "app/web\n");
    let json = desk.ok(&[
        "upgrade",
        "app",
        "web",
        "--to",
        "1",
        "--dry-run",
        "-o",
        "json",
    ]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["spec"], json!({"image": "a"}));
}

#[test]
fn upgrade_of_what_a_filter_matches_is_a_task() {
    let desk = Desk::new();
    for (name, image) in [("web", "a"), ("api", "a"), ("db", "b")] {
        let file = desk.app(name, "v1", &json!({"image": image}));
        desk.ok(&["apply", "-f", &file]);
    }
    desk.ok(&["upgrade", "app", "web"]);
    let version = |name: &str| {
        let shown = desk.ok(&["get", "app", name, "-o", "jsonpath={.version}"]);
        shown.trim().to_owned()
    };
    let filtered = ["upgrade", "app", "--filter", "spec.image==a"];
    let dry = desk.run(&[&filtered[..], &["--dry-run"]].concat());
    let (task, told) = dry.out.split_once('\n').unwrap();
    assert!(task.starts_with("urn:vcloud:task:"), "{dry:?}");
    let expected = "app: 1 upgraded to 1.1.0, 1 unchanged, 0 refused, dry run\n";
    assert_eq!((dry.code, told), (0, expected), "{dry:?}");
    assert!(!dry.err.contains('\u{1b}'), "{dry:?}");
    assert_eq!(version("api"), "v1");
    let all = desk.ok(&filtered);
    let expected = "\napp: 1 upgraded to 1.1.0, 1 unchanged, 0 refused\n";
    assert!(all.ends_with(expected), "{all}");
    assert_eq!(
        (version("api"), version("db")),
        ("v1.1".into(), "v1".into())
    );
    // The task is there for whoever started it.
    let id = all.lines().next().unwrap();
    let shown = desk.ok(&["task", "get", id, "-o", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["operation"], "upgradeResources");
    assert_eq!(shown["result"]["upgraded"], 1, "{shown}");
    let started = desk.run(&["upgrade", "app", "--filter", "name==db", "--no-wait"]);
    let id = started.out.trim();
    assert!(
        started.err.contains(&format!("`coeval task wait {id}`")),
        "{started:?}"
    );
    desk.ok(&["task", "wait", id]);
    assert_eq!(version("db"), "v1.1");
    // Back: 1.1 shows a region that 1.0 lacks, so the filter has to say at which version.
    let back = ["upgrade", "app", "--to", "1.0", "--filter", "spec.image==*"];
    let back = desk.ok(&[&back[..], &["--version", "1.0"]].concat());
    assert!(back.contains("3 upgraded to 1.0.0"), "{back}");
    for (filter, code) in [("spec.imgae==a", "COEVAL-6104"), ("name", "COEVAL-")] {
        let refused = desk.run(&["upgrade", "app", "--filter", filter]);
        assert!(
            refused.code != 0 && refused.err.contains(code),
            "{refused:?}"
        );
    }
    let unknown = desk.run(&["upgrade", "app", "--filter", "name==*", "--to", "7"]);
    assert_eq!(unknown.code, 1, "{unknown:?}");
    let empty = desk.run(&["upgrade", "app", "--filter", ""]);
    assert!(
        empty.code != 0 && empty.err.contains("name==*"),
        "{empty:?}"
    );
    let lone = desk.run(&["upgrade", "app", "web", "--no-wait"]);
    assert_eq!(lone.code, 2, "{lone:?}");
}

#[test]
fn an_upgrade_by_filter_has_a_progress_bar_on_a_terminal() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "a"}));
    desk.ok(&["apply", "-f", &file]);
    let upgrade = ["upgrade", "app", "--filter", "name==web"];
    let mut session = Session::spawn(desk.command(&upgrade)).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let screen = session.expect(Eof).unwrap();
    let screen = String::from_utf8_lossy(screen.as_bytes()).into_owned();
    assert!(screen.contains("upgradeResources: "), "{screen}");
    assert!(screen.contains('\u{1b}'), "{screen}");
    assert!(screen.contains("app: 1 upgraded to 1.1.0"), "{screen}");
}

#[test]
fn many_resources_have_a_progress_bar_on_a_terminal_alone() {
    let desk = Desk::new();
    let all: Vec<_> = (0..25)
        .map(|n| format!("kind: app\nversion: v1\nmetadata: {{name: a{n}}}\nspec: {{image: x}}\n"))
        .collect();
    let file = desk.file("many.yaml", &all.join("---\n"));
    let mut session = Session::spawn(desk.command(&["apply", "-f", &file])).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let screen = session.expect(Eof).unwrap();
    let screen = String::from_utf8_lossy(screen.as_bytes()).into_owned();
    assert!(screen.contains("/25"), "{screen}");
    assert!(screen.contains("25 resources: 25 created"), "{screen}");
    let piped = desk.run(&["apply", "-f", &file]);
    assert!(
        !piped.err.contains("/25") && !piped.err.contains('\u{1b}'),
        "{piped:?}"
    );
    assert!(
        piped.err.ends_with("25 resources: 25 unchanged\n"),
        "{piped:?}"
    );
}

#[test]
fn a_difference_has_colours_on_a_terminal() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    let mut session = Session::spawn(desk.command(&["diff", "-f", &file])).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let screen = session.expect(Eof).unwrap();
    let screen = String::from_utf8_lossy(screen.as_bytes()).into_owned();
    assert!(screen.contains("\u{1b}[32m+  image: web:1"), "{screen:?}");
}
