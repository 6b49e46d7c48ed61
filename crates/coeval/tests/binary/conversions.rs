use crate::support::{coeval, with_stdin};
use std::path::Path;
use tempfile::TempDir;

const TYPES: &str = "\
kind: type
version: v1
metadata: {name: 'acme:app:1.0.0'}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema:
    type: object
    required: [img]
    properties: {img: {type: string}, size: {type: integer}}
---
kind: type
version: v1
metadata: {name: 'acme:app:2.0.0'}
spec:
  vendor: acme
  nss: app
  version: 2.0.0
  schema:
    type: object
    required: [image]
    properties: {image: {type: string}, size: {type: integer}, gpu: {type: integer}}
  conversion:
    from: 1.0.0
    steps:
      - rename: {path: /img, to: image}
      - scale: {path: /size, by: 1024}
      - add: {path: /gpu}
";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("app.yaml"), TYPES).unwrap();
    folder
}

/// Runs `coeval convert …` with something on stdin: exit code, stdout, stderr.
fn convert(folder: &Path, arguments: &str, stdin: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.arg("convert").args(arguments.split(' '));
    with_stdin(command, stdin)
}

#[test]
fn a_document_comes_out_as_it_went_in_yaml_or_json() {
    let folder = folder();
    let yaml = "# the web\nimg: web:1\nsize: 2\n";
    std::fs::write(folder.path().join("web.yaml"), yaml).unwrap();
    for (from, to) in [("1.0", "2.0"), ("v1", "v2.0"), ("1.0.0", "2")] {
        let arguments = format!("--type app.yaml --from {from} --to {to} web.yaml");
        let (code, out, said) = convert(folder.path(), &arguments, "");
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(out, "size: 2048\nimage: web:1\n");
        assert!(said.starts_with("1.0.0 to 2.0.0: may refuse\n"), "{said}");
    }
    let json = r#"{"img": "web:1", "size": 2}"#;
    let arguments = "--type app.yaml --from 1.0 --to 2.0 -";
    let (code, out, _) = convert(folder.path(), arguments, json);
    assert_eq!(code, Some(0));
    assert_eq!(out, "{\n  \"size\": 2048,\n  \"image\": \"web:1\"\n}\n");
}

#[test]
fn with_what_was_kept_the_way_back_is_exact() {
    let folder = folder();
    let folder = folder.path();
    let new = "{\n  \"image\": \"web:1\",\n  \"size\": 2049,\n  \"gpu\": 4\n}\n";
    let down = "--type app.yaml --from 2.0 --to 1.0 --kept web.kept -";
    let (code, old, said) = convert(folder, down, new);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(old, "{\n  \"size\": 2,\n  \"img\": \"web:1\"\n}\n");
    let kept = "\
kept: /gpu of version 2.0.0, 4
kept: /size of version 2.0.0, 2049, while the value here is unchanged
";
    assert!(said.ends_with(kept), "{said}");

    let up = "--type app.yaml --from 1.0 --to 2.0 --with-kept web.kept -";
    let (code, back, _) = convert(folder, up, &old);
    assert_eq!(code, Some(0));
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&back), value(new));
    // Without it the same document has no gpu and a round size.
    let (_, plain, _) = convert(folder, "--type app.yaml --from 1.0 --to 2.0 -", &old);
    assert_eq!(value(&plain), value(r#"{"image": "web:1", "size": 2048}"#));
    // A change that was made meanwhile is not undone by what was kept for the value before.
    let (_, edited, _) = convert(folder, up, r#"{"img": "web:2", "size": 3}"#);
    assert_eq!(
        value(&edited),
        value(r#"{"image": "web:2", "size": 3072, "gpu": 4}"#)
    );

    // What was kept is not written over.
    let (code, out, said) = convert(folder, down, new);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(said.contains("COEVAL-4025"), "{said}");
    let wrong = "--type app.yaml --from 2.0 --to 1.0 --with-kept web.kept -";
    let (code, _, said) = convert(folder, wrong, new);
    assert_eq!(code, Some(2));
    assert!(said.contains("at version 1.0.0, not 2.0.0"), "{said}");
}

#[test]
fn programs_get_a_json_object() {
    let folder = folder();
    let arguments = "--type app.yaml --from 2 --to 1 --json -";
    let (code, out, _) = convert(folder.path(), arguments, "image: web:1\ngpu: 4\n");
    assert_eq!(code, Some(0));
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(said["content"], serde_json::json!({"img": "web:1"}));
    assert_eq!(said["class"], "may refuse");
    let gpu =
        serde_json::json!([{"version": "2.0.0", "path": "/gpu", "value": 4, "refines": false}]);
    assert_eq!(said["kept"], gpu);
}

#[test]
fn a_refusal_has_its_code_and_nothing_on_stdout() {
    let folder = folder();
    let up = "--type app.yaml --from 1.0 --to 2.0";
    for (arguments, stdin, code) in [
        (format!("{up} missing.json"), "", "COEVAL-4025"),
        (format!("{up} -"), "size: 2\n", "COEVAL-2207"),
        (format!("{up} -"), "img: [a\n", "COEVAL-2209"),
        (format!("{up} -"), "img: a\nimg: b\n", "COEVAL-2205"),
        (
            format!("{up} -"),
            "img: a\nsize: 18446744073709551616\n",
            "COEVAL-2206",
        ),
        (
            format!("{up} -"),
            "img: a\nsize: 18446744073709551615\n",
            "COEVAL-3101",
        ),
        (
            "--type app.yaml --from 1.0 --to 3.0 -".to_owned(),
            "img: a\n",
            "COEVAL-3104",
        ),
        (
            "--type app.yaml,app.yaml --from 1.0 --to 2.0 -".to_owned(),
            "",
            "COEVAL-3003",
        ),
        (
            format!("{up} --with-kept app.yaml -"),
            "img: a\n",
            "COEVAL-3106",
        ),
        (
            "--type nowhere.yaml --from 1.0 --to 2.0 -".to_owned(),
            "",
            "COEVAL-4025",
        ),
    ] {
        let (exit, out, said) = convert(folder.path(), &arguments, stdin);
        assert_eq!((exit, out.as_str()), (Some(1), ""), "{arguments}: {said}");
        assert!(said.contains(code), "{arguments}: {said}");
        assert!(said.contains("next:  "), "{said}");
    }
    let wrong = TYPES.replace("rename", "renam");
    std::fs::write(folder.path().join("wrong.yaml"), wrong).unwrap();
    let arguments = "--type wrong.yaml --from 1.0 --to 2.0 -";
    let (exit, _, said) = convert(folder.path(), arguments, "");
    assert_eq!(exit, Some(1));
    assert!(said.starts_with("error: wrong.yaml: line 27, "), "{said}");
    assert!(said.contains("COEVAL-3001"), "{said}");
}

#[test]
fn a_result_that_does_not_fit_is_a_warning() {
    let folder = folder();
    let closed = TYPES.replace(
        "gpu: {type: integer}}",
        "gpu: {type: integer}, owner: {type: string}}",
    );
    let closed = closed.replace("[image]", "[image, owner]");
    std::fs::write(folder.path().join("strict.yaml"), closed).unwrap();
    let arguments = "--type strict.yaml --from 1.0 --to 2.0 -";
    let (code, out, said) = convert(folder.path(), arguments, "img: a\n");
    assert_eq!((code, out.as_str()), (Some(0), "image: a\n"));
    let warning = "warning: the result does not fit version 2.0.0: /owner: is required and missing";
    assert!(said.contains(warning), "{said}");
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = folder();
    for arguments in [
        "--type app.yaml --from 1.0 -",
        "--from 1.0 --to 2.0 -",
        "--type app.yaml --from 1.0 --to latest -",
        "--type app.yaml --from 1.0-alpha --to 2.0 -",
        "--type app.yaml --from 1.0 --to 2.0",
    ] {
        let (code, out, said) = convert(folder.path(), arguments, "img: a\n");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}: {said}");
    }
    let (code, help, _) = convert(folder.path(), "--help", "");
    assert_eq!(code, Some(0));
    assert!(
        help.contains("Examples:\n  coeval convert --type"),
        "{help}"
    );
}
