//! Deprecation and columns in a type file.

use crate::types::{
    ColumnType, ListColumn, TypeVersion, VersionDeprecation, same_definition, without_annotations,
};

const PLAIN: &str = r#"
kind: type
version: v1
metadata: {name: "acme:app:1.0.0"}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema:
    type: object
    properties:
      image: {type: string}
      size: {type: integer}
      limits: {type: object, properties: {cpu: {type: number}}}
"#;

fn with(more: &str) -> String {
    format!("{PLAIN}{more}")
}

fn problems(more: &str) -> String {
    TypeVersion::parse(&with(more)).unwrap_err().to_string()
}

#[test]
fn a_file_says_that_it_is_deprecated_and_what_lists_show() {
    let read = TypeVersion::parse(&with(
        "  deprecated: {since: 2026-11-18, sunset: 2027-06-01, message: Use 2.0.0.}
  columns:
  - {name: Image, path: /image}
  - {name: CPU, path: /limits/cpu, type: number}
",
    ));
    let read = read.unwrap();
    let told = read.deprecated.unwrap();
    assert_eq!(
        told.to_string(),
        "deprecated since 2026-11-18, to be retired on 2027-06-01: Use 2.0.0."
    );
    let columns = read.columns.unwrap();
    let shown: Vec<_> = columns
        .iter()
        .map(|one| (one.path.as_str(), one.kind))
        .collect();
    assert_eq!(
        shown,
        [
            ("/image", ColumnType::String),
            ("/limits/cpu", ColumnType::Number)
        ]
    );
    let plain = TypeVersion::parse(PLAIN).unwrap();
    assert_eq!((plain.deprecated, plain.columns), (None, None));
}

#[test]
fn what_can_not_be_shown_is_refused_with_its_line() {
    for (more, expected) in [
        ("  deprecated: {since: 2026-02-29}\n", "since must be a day"),
        ("  deprecated: {sunset: tomorrow}\n", "sunset must be a day"),
        (
            "  deprecated: {since: 2026-11-18, sunset: 2026-11-17}\n",
            "is before",
        ),
        ("  deprecated: {until: 2026-11-18}\n", "until"),
        ("  deprecated: true\n", "must be a map"),
        (
            "  columns: [{name: Image, path: /img}]\n",
            "declares no such field",
        ),
        ("  columns: [{name: Image, path: image}]\n", "begins with /"),
        (
            "  columns: [{name: All, path: /limits/*}]\n",
            "* names many",
        ),
        ("  columns: [{name: '', path: /image}]\n", "a column's name"),
        (
            "  columns: [{name: I, path: /image, type: text}]\n",
            "string, integer, number",
        ),
        (
            "  columns: [{name: I, path: /image}, {name: i, path: /size}]\n",
            "two columns",
        ),
        ("  columns: [{path: /image}]\n", "name"),
        ("  columns: {}\n", "must be a list"),
    ] {
        let told = problems(more);
        assert!(told.contains(expected), "{more}: {told}");
    }
    let many: String = (0..17)
        .map(|n| format!("  - {{name: c{n}, path: /image}}\n"))
        .collect();
    assert!(problems(&format!("  columns:\n{many}")).contains("17 columns, 16 at most"));
    let long = format!("  deprecated: {{message: {}}}\n", "x".repeat(501));
    assert!(problems(&long).contains("501 characters"));
}

#[test]
fn annotations_are_no_part_of_the_definition() {
    let annotated =
        with("  deprecated: {message: Use 2.0.0.}\n  columns: [{name: Image, path: /image}]\n");
    assert!(same_definition(PLAIN, &annotated));
    assert!(same_definition(PLAIN, &with("  title: null\n")));
    assert!(!same_definition(PLAIN, &with("  title: App\n")));
    assert!(!same_definition(PLAIN, "nonsense"));
    assert_eq!(without_annotations(PLAIN), PLAIN, "as it was written");
    let bare = without_annotations(&annotated);
    let read = TypeVersion::parse(&bare).unwrap();
    assert_eq!((read.deprecated, read.columns), (None, None));
    assert!(same_definition(PLAIN, &bare));
}

#[test]
fn annotations_read_back_as_they_are_stored() {
    let deprecation = VersionDeprecation {
        sunset: Some("2027-01-01".to_owned()),
        ..VersionDeprecation::default()
    };
    let text = serde_json::to_string(&deprecation).unwrap();
    assert_eq!(text, r#"{"sunset":"2027-01-01"}"#);
    assert_eq!(
        serde_json::from_str::<VersionDeprecation>(&text).unwrap(),
        deprecation
    );
    let column: ListColumn =
        serde_json::from_str(r#"{"name":"A","path":"/a","type":"date"}"#).unwrap();
    assert_eq!(column.kind, ColumnType::Date);
    assert_eq!(ColumnType::of("date").map(ColumnType::name), Some("date"));
}
