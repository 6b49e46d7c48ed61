use super::super::explanation::explain;
use super::*;
use coeval_core::types::TypeVersion;
use serde_json::json;

fn rendered(file: &str, width: Option<usize>) -> String {
    let versions = TypeVersion::parse_all(file).unwrap().into_iter();
    let versions: Vec<_> = versions.map(std::sync::Arc::new).collect();
    render(&explain(&versions), width)
}

/// A version whose schema has these properties, in YAML's flow style.
fn tree(properties: &str, width: Option<usize>) -> Vec<String> {
    let file = format!(
        "kind: type\nversion: v1\nmetadata: {{name: 'a:b:1.0.0'}}\nspec:\n  vendor: a\n  nss: b\n  \
         version: 1.0.0\n  schema:\n    type: object\n    properties: {properties}\n"
    );
    let text = rendered(&file, width);
    let lines = text.lines().skip_while(|line| !line.starts_with("content"));
    lines.skip(1).map(str::to_owned).collect()
}

const APP: &str = r#"
kind: type
version: v1
metadata: {name: "acme:app:2.0.0"}
spec:
  vendor: acme
  nss: app
  version: 2.0.0
  title: App
  description: >
    What is deployed. It says which image runs in which region,
    and who may see it.
  interfaces: ["acme:deployable:1.0.0"]
  schema:
    type: object
    description: An app.
    required: [image]
    properties:
      image: {type: string, description: The image that runs.}
      region: {type: [string, "null"], enum: [eu, us, null], default: eu}
      predicate: {type: string}
      labels: {type: object, additionalProperties: {type: string}}
      owner: {$ref: '#/definitions/person'}
      extra: {}
      secret: {type: object, x-vcloud-restricted: [private, secure]}
    definitions:
      person: {type: object, properties: {name: {type: string}, deputy: {$ref: '#/definitions/person'}}}
  conversion: {from: 1.0.0, steps: [{rename: {path: /img, to: image}}]}
  since: {/owner/deputy: 2.0.0}
  meaningChanged: [/predicate]
  clients: ">=14.0.0"
  indexes: {region: /region}
"#;

#[test]
fn a_version_is_shown_with_its_settings_and_its_fields() {
    assert_eq!(
        rendered(APP, None),
        "\
acme:app:2.0.0  App
What is deployed. It says which image runs in which region, and who may see it.

  interfaces       acme:deployable:1.0.0
  converts from    1.0.0 by 1 step
  clients          >=14.0.0
  skew             merge
  unique names     no
  index            region of /region

content          object                                 An app.
├─ image         string                required         The image that runs.
├─ region        string|null           default \"eu\", one of \"eu\", \"us\", null
├─ predicate     string                meaning changed
├─ labels        object
│  └─ *          string
├─ owner         object
│  ├─ name       string
│  └─ deputy     object                since 2.0.0
│     ├─ name    string
│     └─ deputy  object (repeats)
├─ extra         (any content)
└─ secret        object (any content)  private, secure
"
    );
}

#[test]
fn a_narrow_terminal_wraps_the_text_and_cuts_descriptions() {
    let text = rendered(APP, Some(60));
    let wrapped =
        "What is deployed. It says which image runs in which region,\nand who may see it.\n";
    assert!(text.contains(wrapped), "{text}");
    let image = text.lines().find(|line| line.contains("image  "));
    let expected = "├─ image         string         required     The image that…";
    assert_eq!(image, Some(expected));
    assert_eq!(width(expected), 60);
}

#[test]
fn several_versions_are_shown_one_after_another() {
    let two = format!("{APP}---{}", APP.replace("2.0.0", "2.1.0"));
    let text = rendered(&two, None);
    assert!(
        text.contains("private, secure\n\nacme:app:2.1.0  App\n"),
        "{text}"
    );
}

#[test]
fn names_that_could_mislead_are_in_quotes() {
    let lines = tree(
        r#"{"*": {}, "": {}, "a b": {}, "c  d": {}, "\e[1m": {}, "ä": {}}"#,
        None,
    );
    let names: Vec<_> = lines
        .iter()
        .map(|line| line.trim_end_matches("(any content)").trim_end())
        .collect();
    assert_eq!(
        names,
        [
            r#"├─ "*""#,
            r#"├─ """#,
            "├─ a b",
            r#"├─ "c  d""#,
            r#"├─ "\u{1b}[1m""#,
            "└─ ä"
        ]
    );
}

#[test]
fn long_values_are_only_hinted_at() {
    let all: Vec<_> = (0..50).map(|n| format!("value-{n}")).collect();
    let lines = tree(
        &format!(
            "{{a: {{enum: [{}]}}, b: {{default: {}}}, c: {{const: x}}}}",
            all.join(", "),
            "z".repeat(80)
        ),
        None,
    );
    assert_eq!(
        lines,
        [
            r#"├─ a     string         one of 50 values: "value-0", "value-1", …"#,
            &format!("├─ b     (any content)  default \"{}…", "z".repeat(26)),
            r#"└─ c     string         only "x""#,
        ]
    );
}

#[test]
fn a_derived_version_is_told_at_the_outermost_field_and_a_declared_one_everywhere() {
    let old = APP
        .replace("2.0.0", "1.0.0")
        .replace("since: {/owner/deputy: 1.0.0}", "");
    let old = old.replace("from: 1.0.0", "from: 0.1.0");
    let old = old.replace("      owner: {$ref: '#/definitions/person'}\n", "");
    let text = rendered(&format!("{old}---{APP}"), None);
    let new = text.split("acme:app:2.0.0").nth(1).unwrap();
    let owner: Vec<_> = new.lines().filter(|line| line.contains("since")).collect();
    assert_eq!(
        owner,
        [
            "├─ owner         object                since 2.0.0 (derived)",
            "│  └─ deputy     object                since 2.0.0",
        ]
    );
}

#[test]
fn what_cant_be_shown_whole_says_so() {
    let mut definitions = json!({"d3": {"type": "string"}});
    for level in 0..3 {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        let names = (0..22).map(|n| (format!("p{n}"), next.clone()));
        let properties = Value::Object(names.collect());
        definitions[format!("d{level}")] = json!({"properties": properties});
    }
    let file = json!({
        "kind": "type", "version": "v1", "metadata": {"name": "a:b:1.0.0"},
        "spec": {"vendor": "a", "nss": "b", "version": "1.0.0", "schema": {
            "definitions": definitions, "$ref": "#/definitions/d0",
        }},
    });
    let text = rendered(&file.to_string(), None);
    assert!(text.ends_with("\n… there are more fields than are shown\n"));
}
