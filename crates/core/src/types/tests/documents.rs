use crate::types::{BodyLimits, DocumentError, DocumentForm, read_document};
use coeval_codes::Coded;
use serde_json::{Value, json};

fn read(text: &str) -> Result<(Value, DocumentForm), DocumentError> {
    let document = read_document(text.as_bytes(), BodyLimits::default())?;
    Ok((document.content, document.form))
}

#[test]
fn json_and_yaml_say_the_same() {
    let content = json!({"image": "web:1", "ports": [80, 8080.5], "note": null});
    let yaml = "# a comment\nimage: web:1\nports: [80, 8080.5]\nnote:\n";
    assert_eq!(read(yaml), Ok((content.clone(), DocumentForm::Yaml)));
    assert_eq!(
        read(&content.to_string()),
        Ok((content.clone(), DocumentForm::Json))
    );
    // What begins like JSON and is none may still be YAML.
    let flow = "{image: 'web:1', ports: [80, 8080.5], note: null,}";
    assert_eq!(read(flow), Ok((content, DocumentForm::Yaml)));
    assert_eq!(
        read("a: &x [1]\nb: *x\n"),
        Ok((json!({"a": [1], "b": [1]}), DocumentForm::Yaml))
    );
}

#[test]
fn nothing_is_guessed() {
    for (text, code) in [
        ("{\"a\": 1, \"a\": 2}", coeval_codes::BODY_DUPLICATE_KEY),
        ("a: 1\nb: 2\na: 3\n", coeval_codes::BODY_DUPLICATE_KEY),
        ("{\"a\": 18446744073709551616}", coeval_codes::BODY_NUMBER),
        ("a: 18446744073709551616\n", coeval_codes::BODY_NUMBER),
        ("a: 0.1234567890123456789\n", coeval_codes::BODY_NUMBER),
        ("{\"a\": [}", coeval_codes::BODY_NOT_JSON),
        ("a: [1\n", coeval_codes::DOCUMENT_INVALID),
        ("a: !!int 5\n", coeval_codes::DOCUMENT_INVALID),
        ("b: {}\n<<: {}\n", coeval_codes::DOCUMENT_INVALID),
        ("a: 1\n---\nb: 2\n", coeval_codes::DOCUMENT_INVALID),
        ("", coeval_codes::DOCUMENT_INVALID),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.code(), code, "{text:?}: {error}");
        assert!(!error.advice().is_empty());
    }
    let error = read_document(b"a: \xff", BodyLimits::default()).unwrap_err();
    assert_eq!(error.code(), coeval_codes::BODY_NOT_UTF8);
    let error = read("ok: 1\nwrong: [1, 2\n").unwrap_err().to_string();
    assert!(error.starts_with("line "), "{error}");
}

#[test]
fn the_limits_are_those_of_a_body() {
    let limits = BodyLimits {
        bytes: 200,
        depth: 3,
    };
    let code = |text: &str| {
        let read = read_document(text.as_bytes(), limits);
        read.map_err(|error| error.code()).err()
    };
    assert_eq!(code("a: [[1]]\n"), None);
    assert_eq!(code("a: [[[1]]]\n"), Some(coeval_codes::BODY_TOO_DEEP));
    assert_eq!(code("{\"a\": [[[1]]]}"), Some(coeval_codes::BODY_TOO_DEEP));
    let long = format!("a: {}\n", "x".repeat(200));
    assert_eq!(code(&long), Some(coeval_codes::BODY_TOO_LARGE));
    let aliases = format!("a: &a {}\nb: [{}]\n", "x".repeat(40), "*a, ".repeat(20));
    assert_eq!(code(&aliases), Some(coeval_codes::BODY_TOO_LARGE));
    let many = format!("a: &a [{}]\nb: [{}]\n", "1, ".repeat(20), "*a, ".repeat(20));
    assert_eq!(code(&many), Some(coeval_codes::DOCUMENT_INVALID));
    let whole = BodyLimits::default();
    let deepest = format!("a: {}{}", "[".repeat(127), "]".repeat(127));
    assert!(read_document(deepest.as_bytes(), whole).is_ok());
    let deeper = format!("a: {}{}", "[".repeat(128), "]".repeat(128));
    let error = read_document(deeper.as_bytes(), whole).unwrap_err();
    assert_eq!(error.code(), coeval_codes::BODY_TOO_DEEP);
}
