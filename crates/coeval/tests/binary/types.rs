use crate::support::{coeval, with_stdin};
use std::path::Path;
use tempfile::TempDir;

/// A version of acme:app with one field for each name.
fn app(version: &str, fields: &[&str]) -> String {
    let mut file = format!(
        "kind: type\nversion: v1\nmetadata: {{name: 'acme:app:{version}'}}\nspec:\n  vendor: acme\n  \
         nss: app\n  version: {version}\n  schema:\n    type: object\n    properties:\n"
    );
    for name in fields {
        file.push_str(&format!(
            "      {name}: {{type: string, description: The {name}.}}\n"
        ));
    }
    file
}

/// Runs `coeval type explain …` with something on stdin: exit code, stdout, stderr.
fn explain(folder: &Path, arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.args(["type", "explain"]).args(arguments);
    with_stdin(command, stdin)
}

#[test]
fn type_versions_are_explained_from_files_and_from_stdin() {
    let folder = TempDir::new().unwrap();
    let both = app("1.0.0", &["image"]) + "---\n" + &app("1.1.0", &["image", "tag"]);
    std::fs::write(folder.path().join("app.yaml"), &both).unwrap();
    let expected = "\
acme:app:1.0.0

  skew             merge
  unique names     no

content   object
└─ image  string  The image.

acme:app:1.1.0

  skew             merge
  unique names     no

content   object
├─ image  string                         The image.
└─ tag    string  since 1.1.0 (derived)  The tag.
";
    let done = |out: &str| (Some(0), out.to_owned(), String::new());
    assert_eq!(explain(folder.path(), &["app.yaml"], ""), done(expected));
    assert_eq!(explain(folder.path(), &["-"], &both), done(expected));
    let newer = explain(folder.path(), &["app.yaml", "-"], &app("1.2.0", &["tag"]));
    assert!(
        newer
            .1
            .ends_with("└─ tag   string  since 1.1.0 (derived)  The tag.\n"),
        "{newer:?}"
    );
}

#[test]
fn the_json_tells_declared_and_derived_apart() {
    let folder = TempDir::new().unwrap();
    let said = app("1.1.0", &["image", "tag"]) + "  since: {/tag: 1.0.5}\n";
    for (newer, version, derived) in [
        (app("1.1.0", &["image", "tag"]), "1.1.0", true),
        (said, "1.0.5", false),
    ] {
        let both = app("1.0.0", &["image"]) + "---\n" + &newer;
        let (code, out, err) = explain(folder.path(), &["--json", "-"], &both);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let all: serde_json::Value = serde_json::from_str(&out).unwrap();
        let fields = &all[1]["fields"];
        assert_eq!(fields[0].get("since"), None);
        assert_eq!(fields[1]["since"]["version"], version);
        assert_eq!(fields[1]["since"]["derived"], derived);
    }
}

#[test]
fn what_cant_be_used_is_refused_with_its_file_line_and_code() {
    let folder = TempDir::new().unwrap();
    let wrong = app("1.0.0", &["image"]).replace("vendor:", "vendro:");
    std::fs::write(folder.path().join("wrong.yaml"), wrong).unwrap();
    let (code, out, err) = explain(folder.path(), &["wrong.yaml"], "");
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.starts_with("error: wrong.yaml: line "), "{err}");
    assert!(err.contains("did you mean \"vendor\"?"), "{err}");
    assert!(
        err.contains("\ncode:  COEVAL-2") && err.contains("\nnext:  "),
        "{err}"
    );
    let (code, out, err) = explain(folder.path(), &["nowhere.yaml"], "");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("nowhere.yaml") && err.contains("COEVAL-4025"),
        "{err}"
    );
    let (code, _, err) = explain(folder.path(), &["-"], "");
    assert_eq!(code, Some(1));
    assert!(err.contains("stdin: line 1"), "{err}");
}

#[test]
fn nonsense_is_wrong_usage_and_help_has_examples() {
    let folder = TempDir::new().unwrap();
    for arguments in [&[][..], &["--yaml", "app.yaml"]] {
        let (code, out, err) = explain(folder.path(), arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
    }
    let (code, out, _) = explain(folder.path(), &["--help"], "");
    assert_eq!(code, Some(0));
    assert!(out.contains("coeval type explain app.yaml\n"), "{out}");
}
