use super::*;
use coeval_codes::Coded as _;
use serde_json::json;
use std::fs;

/// What files of these texts are read as, or what is wrong with them.
fn reading(files: &[(&str, &str)]) -> Result<Vec<DeclaredResource>, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let read = read(&[folder.path().to_owned()], false);
    read.map_err(|error| {
        let folder = format!("{}/", folder.path().display());
        error.to_string().replace(&folder, "")
    })
}

fn one(text: &str) -> Result<Vec<DeclaredResource>, String> {
    reading(&[("a.yaml", text)])
}

#[test]
fn all_files_of_a_folder_are_read_in_the_order_of_their_names() {
    let resource = |name: &str| format!("kind: app\nmetadata: {{name: {name}}}\nspec: {{}}\n");
    let list = r#"{"items": [{"kind": "app", "metadata": {"name": "d"}, "spec": {}}]}"#;
    let all = reading(&[
        ("2.yml", &resource("c")),
        (
            "1.yaml",
            &format!("{}---\n{}", resource("a"), resource("b")),
        ),
        ("3.json", list),
        ("readme.md", "no resource"),
        ("inside/4.yaml", "nonsense: ["),
    ])
    .unwrap();
    let names: Vec<_> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!((all[1].place.document, all[1].place.line), (2, 5));
}

#[test]
fn folders_of_folders_are_looked_into_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let text = "kind: app\nmetadata: {name: x}\nspec: {}\n";
    fs::write(folder.path().join("in/a.yaml"), text).unwrap();
    let paths = [folder.path().to_owned()];
    assert_eq!(read(&paths, true).unwrap().len(), 1);
    let error = read(&paths, false).unwrap_err();
    assert!(error.to_string().contains("no file in it"), "{error}");
}

#[test]
fn what_a_file_does_not_say_is_not_empty() {
    let all = one("kind: app\nversion: 1.1.0\nmetadata:\n  name: web\n  description: ''\n  labels: {a: x, b: null}\n  expires: null\n  id: urn:x\nspec: {a: 1}\nstatus: {state: RESOLVED}\n").unwrap();
    let read = &all[0];
    assert_eq!(read.version, "v1.1");
    assert_eq!(read.description.as_deref(), Some(""));
    assert_eq!(read.sub_kind, None);
    assert_eq!(read.expires, Some(None));
    assert_eq!(read.spec, json!({"a": 1}));
    let mut metadata = coeval_client::ResourceMetadata {
        description: "old".to_owned(),
        labels: [("b", "gone"), ("c", "stays")]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into(),
        ..Default::default()
    };
    read.declare(&mut metadata);
    assert_eq!(metadata.description, "");
    let labels: Vec<_> = metadata.labels.iter().map(|(k, v)| (&**k, &**v)).collect();
    assert_eq!(labels, [("a", "x"), ("c", "stays")]);
}

#[test]
fn every_problem_names_its_file_document_and_line() {
    for (text, said) in [
        ("", "a.yaml: there is no resource in it"),
        ("---\n---\n", "a.yaml: there is no resource in it"),
        ("- 1\n", "a.yaml: document 1, line 1: it is no map"),
        (
            "kind: app\nmetadata: {name: a}\nspec: {}\n---\nkind: app\nspec: {}\n",
            "a.yaml: document 2, line 5: metadata.name is missing",
        ),
        ("metadata: {name: a}\nspec: {}\n", "kind is missing"),
        ("kind: app\nmetadata: {name: a}\n", "spec is missing"),
        (
            "kind: app\nversion: 1.1\nmetadata: {name: a}\nspec: {}\n",
            "a.yaml: document 1, line 2: version must be text, such as v1.1",
        ),
        (
            "kind: app\nversion: v1-beta\nmetadata: {name: a}\nspec: {}\n",
            "a.yaml: document 1, line 2: ",
        ),
        (
            "kind: app\nmetadata:\n  name: a\n  lables: {}\nspec: {}\n",
            "a.yaml: document 1, line 4: \"lables\" is not known here",
        ),
        (
            "kind: app\nmetadata:\n  name: a\n  labels:\n    tier: 1\nspec: {}\n",
            "a.yaml: document 1, line 5: the label tier must be text",
        ),
        (
            "kind: app\nmetadata:\n  name: a\n  expires: soon\nspec: {}\n",
            "a.yaml: document 1, line 4: expires must be a time",
        ),
        (
            "kind: app\nmetadata: x\nspec: {}\n",
            "metadata must be a map",
        ),
        (
            "kind: app\nkind: app\n",
            "a.yaml: line 2, column 1: the key \"kind\" is there twice",
        ),
        ("a: [1\n", "a.yaml: line "),
        (
            "kind: type\nversion: v1\nmetadata: {name: 'acme:app:1.0.0'}\nspec: {}\n",
            "acme:app:1.0.0 is a type, not a resource",
        ),
        (
            "kind: app\nmetadata: {name: a}\nspec: {}\n---\nkind: app\nmetadata: {name: a}\nspec: {}\n",
            "document 2, line 5: app/a is in a.yaml: document 1, line 1 already",
        ),
    ] {
        let error = one(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn one_bad_document_refuses_all_and_all_bad_ones_are_told() {
    let error = reading(&[
        ("1.yaml", "kind: app\nmetadata: {name: a}\nspec: {}\n"),
        ("2.yaml", "kind: app\n"),
        ("3.json", "{\"kind\": }"),
    ])
    .unwrap_err();
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(
        error
            .lines()
            .all(|line| line.contains(".yaml: ") || line.contains(".json: "))
    );
}

#[test]
fn files_that_are_not_there_or_too_large_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.yaml");
    let error = read(&[missing], false).unwrap_err();
    assert_eq!(error.code(), coeval_codes::FILE);
    let large = folder.path().join("large.yaml");
    fs::write(&large, vec![b' '; FILE_BYTES + 1]).unwrap();
    let error = read(&[large], false).unwrap_err().to_string();
    assert!(error.ends_with("more than 16777216 bytes"), "{error}");
}

#[test]
fn a_type_is_sent_to_the_command_that_registers_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.yaml");
    fs::write(&path, "kind: type\nmetadata: {name: x}\n").unwrap();
    let error = read(&[path], false).unwrap_err();
    assert_eq!(error.code(), coeval_codes::RESOURCE_FILE_OF_TYPE);
    assert!(error.advice().contains("coeval type register"));
}
