use crate::support::{coeval, with_stdin};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A version of acme:app with these properties.
fn app(version: &str, properties: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: 'acme:app:{version}'}}\nspec:\n  vendor: acme\n  \
         nss: app\n  version: {version}\n  schema: {{type: object, properties: {{{properties}}}}}\n"
    )
}

const IMAGE: &str = "image: {type: string}";
const IMAGE_AND_SIZE: &str = "image: {type: string}, size: {type: integer}";
const NO_EMPTY_IMAGE: &str = "image: {type: string, minLength: 1}";
/// Whether one pattern takes all that another one does would take too much.
const LETTERS: &str = "image: {type: string, pattern: '^(a|b)*a(a|b){24}$'}";
const MORE_LETTERS: &str = "image: {type: string, pattern: '^(a|b)*(a|c)(a|b){24}$'}";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Two versions, from one to the other.
fn pair(old: (&str, &str), new: (&str, &str)) -> TempDir {
    let (old, new) = (app(old.0, old.1), app(new.0, new.1));
    folder(&[("old.yaml", &old), ("new.yaml", &new)])
}

/// Runs `coeval type check …` with something on stdin: exit code, stdout, stderr.
fn check(folder: &Path, arguments: &str, stdin: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.args(["type", "check"]).args(arguments.split(' '));
    with_stdin(command, stdin)
}

/// The same with `--json`: exit code and the object.
fn told(folder: &Path, arguments: &str, stdin: &str) -> (Option<i32>, Value) {
    let (code, out, err) = check(folder, &format!("--json {arguments}"), stdin);
    let read = serde_json::from_str(&out);
    (code, read.unwrap_or_else(|error| panic!("{error}: {err}")))
}

#[test]
fn an_addition_needs_a_minor_and_ends_with_0() {
    let folder = pair(("1.0.0", IMAGE), ("1.1.0", IMAGE_AND_SIZE));
    let expected = "\
additive (by policy): needs a new minor, and is one
  from acme:app:1.0.0 to acme:app:1.1.0
  every old document fits the new version:  yes by policy, no by the letter
  every new document fits the old version:  yes, proven
  1 finding

additive   field-added  /size  (by policy)
  The field is new, and may be left out; but old documents may already use its name for something
  else.
  acme:app:1.0.0 accepts, and acme:app:1.1.0 rejects:
    {\"size\":\"\"}
    /size: must be integer
  docs/compatibility.md#field-added
";
    let (code, out, err) = check(folder.path(), "old.yaml new.yaml", "");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), expected, ""));
}

#[test]
fn what_changes_nothing_ends_with_0_whatever_the_number() {
    for (number, needs) in [
        ("1.0.1", "needs a new patch, and is one"),
        ("1.1.0", "needs a new patch, and is even a new minor"),
        ("2.0.0", "needs a new patch, and is even a new major"),
    ] {
        let said = "image: {type: string, description: What runs.}";
        let folder = pair(("1.0.0", IMAGE), (number, said));
        let (code, out, _) = check(folder.path(), "old.yaml new.yaml", "");
        let first = format!("identical (proven): {needs}\n");
        assert_eq!(code, Some(0));
        assert!(out.starts_with(&first), "{out}");
        assert!(
            out.ends_with("\n  nothing that matters has changed\n"),
            "{out}"
        );
    }
}

#[test]
fn a_break_ends_with_1_and_shows_a_document_also_if_it_is_a_new_major() {
    for (number, given, enough) in [
        ("1.0.1", "patch", false),
        ("1.1.0", "minor", false),
        ("2.0.0", "major", true),
    ] {
        let folder = pair(("1.0.0", IMAGE), (number, NO_EMPTY_IMAGE));
        let (code, said) = told(folder.path(), "old.yaml new.yaml", "");
        assert_eq!(code, Some(1));
        let bump = json!({"needed": "major", "given": given, "enough": enough});
        assert_eq!(said["bump"], bump);
        let new = format!("acme:app:{number}");
        assert_eq!(
            (&said["old"], &said["new"]),
            (&json!("acme:app:1.0.0"), &json!(new))
        );
        assert_eq!(
            (&said["kind"], &said["verdict"]),
            (&json!("breaking"), &json!("proven"))
        );
        let witness = json!({
            "accepted_by": "old",
            "document": {"image": ""},
            "rejected_because": ["/image: must have at least 1 characters"],
        });
        let finding = json!([{
            "rule": "text-narrowed",
            "kind": "breaking",
            "verdict": "proven",
            "path": "/image",
            "against": "acme:app:1.0.0",
            "message": "Fewer texts fit.",
            "page": "docs/compatibility.md#text-narrowed",
            "witness": witness,
        }]);
        assert_eq!(said["findings"], finding);
        let no = json!({"answer": "no", "verdict": "proven", "witness": witness});
        assert_eq!(said["old_documents_fit_new"], no);
        let yes = json!({"answer": "yes", "verdict": "proven"});
        assert_eq!(said["new_documents_fit_old"], yes);
        assert_eq!(said["compared"], 1);
    }
}

#[test]
fn an_addition_with_the_number_of_a_patch_ends_with_1() {
    let folder = pair(("1.0.0", IMAGE), ("1.0.1", IMAGE_AND_SIZE));
    let (code, out, _) = check(folder.path(), "old.yaml new.yaml", "");
    assert_eq!(code, Some(1));
    let first = "additive (by policy): needs a new minor, but is a new patch\n";
    assert!(out.starts_with(first), "{out}");
}

#[test]
fn what_nobody_knows_ends_with_4_whatever_the_number() {
    for number in ["1.0.1", "1.1.0", "2.0.0"] {
        let folder = pair(("1.0.0", LETTERS), (number, MORE_LETTERS));
        let (code, said) = told(folder.path(), "old.yaml new.yaml", "");
        assert_eq!(code, Some(4), "{said}");
        assert_eq!(
            (&said["kind"], &said["verdict"]),
            (&json!("undecided"), &json!("undecided"))
        );
        let places = &said["old_documents_fit_new"]["undecided_at"];
        assert_eq!(*places, json!(["/image"]));
        assert_eq!(said["findings"][0]["kind"], "undecided");
        assert_eq!(said["findings"][0].get("witness"), None);
        let (code, out, _) = check(folder.path(), "old.yaml new.yaml", "");
        assert_eq!(code, Some(4));
        assert!(out.contains("  undecided at /image\n"), "{out}");
    }
}

#[test]
fn wrong_usage_and_files_that_cant_be_used_end_with_2() {
    let other = app("1.1.0", IMAGE).replace("nss: app", "nss: job");
    let other = other.replace("acme:app", "acme:job");
    let converted =
        app("3.0.0", IMAGE) + "  conversion: {from: 2.0.0, steps: [{add: {path: /image}}]}\n";
    let folder = folder(&[
        ("old.yaml", &app("1.0.0", IMAGE)),
        ("other.yaml", &other),
        ("converted.yaml", &converted),
        ("schema.json", r#"{"type": "object"}"#),
        ("no-schema.json", r#"{"type": "objet"}"#),
        ("wrong.yaml", "kind: type\nversion: v1\n"),
        ("text.yaml", "just a text\n"),
    ]);
    for (arguments, said) in [
        (
            "old.yaml",
            "there is nothing to compare the new version with",
        ),
        (
            "schema.json",
            "there is nothing to compare the new version with",
        ),
        ("old.yaml schema.json", "others are bare schemas"),
        ("schema.json old.yaml", "others are bare schemas"),
        (
            "old.yaml other.yaml",
            "acme:app:1.0.0 and acme:job:1.1.0 are versions of different types",
        ),
        (
            "old.yaml converted.yaml",
            "acme:app:3.0.0 converts from version 2.0.0, which is not given",
        ),
        ("old.yaml missing.yaml", "missing.yaml: "),
        ("missing.json schema.json", "COEVAL-4025"),
        ("schema.json no-schema.json", "no-schema.json: "),
        ("old.yaml wrong.yaml", "wrong.yaml: line 1"),
        ("old.yaml text.yaml", "text.yaml: line 1"),
        ("old.yaml -", "stdin: "),
        ("--yaml old.yaml", "--yaml"),
    ] {
        let (code, out, err) = check(folder.path(), arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}: {err}");
        assert!(err.contains(said), "{arguments}: {err}");
    }
    let (code, help, _) = check(folder.path(), "--help", "");
    assert_eq!(code, Some(0));
    assert!(
        help.contains("Examples:\n  coeval type check app-1.0.0.yaml app-1.1.0.yaml\n"),
        "{help}"
    );
}

#[test]
fn bare_schemas_are_compared_in_their_order_and_have_no_numbers() {
    let folder = folder(&[
        (
            "first.json",
            r#"{"properties": {"size": {"type": "string"}}}"#,
        ),
        (
            "second.yaml",
            "properties: {size: {type: [string, integer]}}\n",
        ),
    ]);
    let third = r#"{"properties": {"size": {"type": "integer"}}}"#;
    let (code, said) = told(folder.path(), "first.json second.yaml", "");
    assert_eq!((code, &said["kind"]), (Some(0), &json!("additive")));
    let bump = json!({"needed": "minor", "given": null, "enough": null});
    assert_eq!(said["bump"], bump);
    let (code, said) = told(folder.path(), "second.yaml first.json", "");
    assert_eq!((code, &said["kind"]), (Some(1), &json!("breaking")));

    let (code, said) = told(folder.path(), "first.json second.yaml -", third);
    assert_eq!(code, Some(1));
    assert_eq!(
        (&said["old"], &said["new"], &said["compared"]),
        (&json!("second.yaml"), &json!("stdin"), &json!(2))
    );
    let (code, out, _) = check(folder.path(), "first.json -", third);
    assert_eq!(code, Some(1));
    let shown = "  first.json accepts, and stdin rejects:\n    {\"size\":\"\"}\n";
    assert!(out.contains(shown), "{out}");
    assert!(out.starts_with("breaking (proven): needs a new major\n"));
}

#[test]
fn the_highest_version_of_the_last_file_is_the_new_one() {
    let both = app("1.1.0", IMAGE_AND_SIZE) + "---\n" + &app("1.0.0", IMAGE);
    let folder = folder(&[("app.yaml", &both), ("first.yaml", &app("0.9.0", IMAGE))]);
    for arguments in ["app.yaml", "first.yaml app.yaml"] {
        let (code, said) = told(folder.path(), arguments, "");
        assert_eq!(code, Some(0));
        assert_eq!(
            (&said["old"], &said["new"]),
            (&json!("acme:app:1.0.0"), &json!("acme:app:1.1.0"))
        );
    }
    let (code, said) = told(folder.path(), "-", &both);
    assert_eq!((code, &said["new"]), (Some(0), &json!("acme:app:1.1.0")));
}

#[test]
fn what_breaks_is_told_first_whichever_version_it_breaks_with() {
    let folder = folder(&[
        ("1.yaml", &app("1.0.0", "image: {}, size: {type: string}")),
        ("2.yaml", &app("2.0.0", "image: {}")),
        ("3.yaml", &app("2.1.0", "image: {}, size: {type: integer}")),
    ]);
    for arguments in ["1.yaml 2.yaml 3.yaml", "2.yaml 1.yaml 3.yaml"] {
        let (code, out, _) = check(folder.path(), arguments, "");
        assert_eq!(code, Some(1));
        let expected = "\
breaking (proven): needs a new major, but is a new minor
  from acme:app:2.0.0 to acme:app:2.1.0
  every old document fits the new version:  yes by policy, no by the letter
  every new document fits the old version:  yes, proven
  compared with 2 versions
  2 findings

breaking   name-returned  /size  (proven)
  The name was used before, with another meaning.
  Against acme:app:1.0.0.
  acme:app:1.0.0 accepts, and acme:app:2.1.0 rejects:
    {\"size\":\"\"}
    /size: must be integer
  docs/compatibility.md#name-returned

additive   field-added";
        assert!(out.starts_with(expected), "{out}");
    }
}

#[test]
fn a_late_patch_is_compared_with_what_is_higher_too() {
    let wider = "image: {type: [string, integer]}";
    let folder = folder(&[
        ("1.yaml", &app("1.0.0", IMAGE)),
        ("2.yaml", &app("1.1.0", IMAGE_AND_SIZE)),
        ("late.yaml", &app("1.0.1", wider)),
    ]);
    let (code, said) = told(folder.path(), "1.yaml 2.yaml late.yaml", "");
    assert_eq!(code, Some(1));
    assert_eq!(said["old"], "acme:app:1.0.0");
    let first = &said["findings"][0];
    assert_eq!(
        (&first["rule"], &first["against"]),
        (&json!("type-narrowed"), &json!("acme:app:1.1.0"))
    );
    // The new version accepts it, and the higher one does not.
    assert_eq!(first["witness"]["accepted_by"], "new");
    let (_, out, _) = check(folder.path(), "1.yaml 2.yaml late.yaml", "");
    let said = "\
  Against acme:app:1.1.0, which is higher: what fits acme:app:1.0.1 must fit it too.
  acme:app:1.0.1 accepts, and acme:app:1.1.0 rejects:
    {\"image\":0}
";
    assert!(out.contains(said), "{out}");
}

#[test]
fn a_version_that_is_given_twice_is_compared_with_itself_before_the_edit() {
    let folder = pair(("1.0.0", IMAGE), ("1.0.0", NO_EMPTY_IMAGE));
    let (code, out, _) = check(folder.path(), "old.yaml new.yaml", "");
    assert_eq!(code, Some(1));
    let said = "  from acme:app:1.0.0 before to acme:app:1.0.0\n";
    assert!(out.contains(said), "{out}");
    let (code, _, _) = check(folder.path(), "new.yaml old.yaml", "");
    assert_eq!(code, Some(0));
}

#[test]
fn the_page_shows_what_the_command_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page
        .split("```console\n$ coeval type check ")
        .nth(1)
        .unwrap();
    let block = block.split("```").next().unwrap();
    let (arguments, shown) = block.split_once('\n').unwrap();
    let old = app(
        "1.0.0",
        "image: {type: string}, size: {type: [integer, string]}",
    );
    let new = app(
        "1.1.0",
        "image: {type: string}, size: {type: integer}, gpu: {type: integer}",
    );
    let folder = folder(&[("app-1.0.0.yaml", &old), ("app-1.1.0.yaml", &new)]);
    let (code, out, _) = check(folder.path(), arguments, "");
    assert_eq!((code, out.as_str()), (Some(1), shown));
}

#[test]
fn of_several_schemas_the_least_sure_addition_counts() {
    let folder = folder(&[
        ("open.yaml", "{type: object, properties: {a: {}}}"),
        (
            "closed.yaml",
            "{type: object, properties: {a: {}}, additionalProperties: false}",
        ),
    ]);
    let new = "{type: object, properties: {a: {}, b: {type: integer}}}";
    for (old, verdict) in [
        ("open.yaml", "by policy"),
        ("closed.yaml", "proven"),
        ("open.yaml closed.yaml", "by policy"),
        ("closed.yaml open.yaml", "by policy"),
    ] {
        let (code, said) = told(folder.path(), &format!("{old} -"), new);
        assert_eq!((code, &said["kind"]), (Some(0), &json!("additive")));
        assert_eq!(said["verdict"], verdict, "{old}");
    }
}

#[test]
fn what_fits_because_of_a_newer_draft_is_shown() {
    let old =
        "{$schema: 'http://json-schema.org/draft-04/schema#', properties: {a: {type: integer}}}";
    let folder = folder(&[("old.yaml", old)]);
    let new = "{properties: {a: {type: integer}}}";
    let (code, out, _) = check(folder.path(), "old.yaml -", new);
    assert_eq!(code, Some(0));
    // In draft 4 the number 1.0 is no integer.
    let said = "\
additive   type-widened  /a  (proven)
  More types fit. Readers of the older version can't be shown such documents (COEVAL-1113)";
    assert!(out.contains(said), "{out}");
    let shown = "stdin accepts, and old.yaml rejects:\n    {\"a\":";
    assert!(out.contains(shown), "{out}");
}
