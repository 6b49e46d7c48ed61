use crate::types::{HookPoint, SkewPolicy, TypeVersion};
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::json;

const FULL: &str = r#"kind: type
version: v1
metadata: {name: "acme:app:2.0.0"}
spec:
  vendor: acme
  nss: app
  version: 2.0.0
  title: App
  description: What is deployed.
  interfaces: ["acme:deployable:1.0.0"]
  schema:
    type: object
    properties:
      image: {type: string}
      region: {type: string}
      selectors: {type: object, properties: {deny: {type: string}}}
      nodes: {type: array, items: {type: object, properties: {gpu: {type: integer}}}}
  conversion:
    from: 1.0.0
    steps: [{rename: {path: /img, to: image}}]
  since: {/selectors/deny: 2.0.0, /nodes/*/gpu: 1.1.0}
  meaningChanged: [/region]
  restrictedView: {below: 2.0.0, content: {region: none}, reason: "ask for 2.0.0"}
  clients: ">=14.0.0"
  indexes: {region: /region}
  skew: strict
  uniqueNames: true
  hooks: {PostCreate: "urn:vcloud:behavior-interface:x:acme:deployable:1.0.0"}
"#;

/// The problems of a file: line, code, and what is said.
fn problems(text: &str) -> Vec<(usize, u16, String)> {
    let error = TypeVersion::parse(text).unwrap_err();
    let all = error.problems().map(|one| {
        assert!(!one.advice().is_empty());
        (
            one.position.line,
            one.code().number(),
            one.found.to_string(),
        )
    });
    all.collect()
}

/// The file with one line exchanged, and its one problem.
fn problem_with(line: &str, instead: &str) -> (usize, u16, String) {
    assert!(FULL.contains(line), "{line}");
    let found = problems(&FULL.replace(line, instead));
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn every_key_is_read() {
    let read = TypeVersion::parse(FULL).unwrap();
    assert_eq!(read.id.to_string(), "acme:app:2.0.0");
    assert_eq!(read.title.as_deref(), Some("App"));
    assert_eq!(read.interfaces[0].to_string(), "acme:deployable:1.0.0");
    let conversion = read.conversion.unwrap();
    assert_eq!(conversion.from, Version::new(1, 0, 0));
    assert_eq!(
        conversion.steps,
        [json!({"rename": {"path": "/img", "to": "image"}})]
    );
    assert_eq!(read.since.fields().len(), 2);
    assert_eq!(read.meaning_changed[0].to_string(), "/region");
    assert!(
        read.clients
            .unwrap()
            .matches(&semver::Version::new(14, 2, 0))
    );
    assert_eq!(read.indexes[0].0, "region");
    assert_eq!((read.skew, read.unique_names), (SkewPolicy::Strict, true));
    assert_eq!(read.hooks[0].0, HookPoint::PostCreate);
    assert_eq!(
        read.schema.source()["properties"]["image"],
        json!({"type": "string"})
    );
}

#[test]
fn the_same_file_as_json_is_the_same_version() {
    let text = "{\n\t\"kind\": \"type\", \"version\": \"v1\",\n\t\"metadata\": {\"name\": \"acme:app:1.0.0\"},\n\t\"spec\": {\"vendor\": \"acme\", \"nss\": \"app\", \"version\": \"1.0.0\", \"title\": \"\\ud83d\\ude00\",\n\t\t\"schema\": {}, \"uniqueName\": true}}";
    assert_eq!(
        problems(text),
        [(
            5,
            2007,
            "the key \"uniqueName\" is not known here; did you mean \"uniqueNames\"?".into()
        )]
    );
    let read = TypeVersion::parse(&text.replace("uniqueName\"", "uniqueNames\"")).unwrap();
    assert_eq!(read.title.as_deref(), Some("😀"));
    assert_eq!(problems("{\"kind\": 1, \"kind\": 2}")[0].1, 2006);
    assert_eq!(
        problems(&format!("{{\"a\": {}", "[".repeat(200)))[0].1,
        2003
    );
}

#[test]
fn least_is_kind_name_vendor_nss_version_and_schema() {
    let found = problems("kind: type\nversion: v1\nmetadata: {}\nspec: {}\n");
    let missing: Vec<_> = found.iter().map(|(line, code, _)| (*line, *code)).collect();
    assert_eq!(
        missing,
        [(3, 2008), (4, 2008), (4, 2008), (4, 2008), (4, 2008)]
    );
    let least = "kind: type\nversion: v1\nmetadata: {name: 'a:b:1.0.0'}\nspec: {vendor: a, nss: b, version: 1.0.0, schema: true}\n";
    assert_eq!(TypeVersion::parse(least).unwrap().skew, SkewPolicy::Merge);
}

#[test]
fn every_mistake_is_told_with_its_line() {
    for (line, instead, at, code, says) in [
        ("kind: type", "kind: typ", 1, 2009, "kind must be \"type\""),
        (
            "version: v1",
            "version: v2",
            2,
            2009,
            "version must be \"v1\"",
        ),
        (
            "acme:app:2.0.0",
            "acme:app:2.0.1",
            3,
            2010,
            "the spec says \"acme:app:2.0.0\"",
        ),
        (
            "  vendor: acme",
            "  vendor: ac.me",
            5,
            2009,
            "vendor is not a name",
        ),
        ("  vendor: acme", "  vendor: 7", 5, 2009, "needs quotes"),
        (
            "  version: 2.0.0",
            "  version: 2.0",
            7,
            2009,
            "version is not a version",
        ),
        (
            "  version: 2.0.0",
            "  version: 2.0.0-alpha",
            7,
            2009,
            "version is not a version",
        ),
        (
            "  title: App",
            "  titel: App",
            8,
            2007,
            "did you mean \"title\"",
        ),
        (
            "  title: App",
            "  title: [x]",
            8,
            2009,
            "title must be a text",
        ),
        (
            "deployable:1.0.0\"]",
            "deployable\"]",
            10,
            2009,
            "vendor:nss:version",
        ),
        (
            "image: {type: string}",
            "image: {type: strin}",
            14,
            2101,
            "/properties/image/type",
        ),
        (
            "image: {type: string}",
            "image: {$ref: 'http://x/y'}",
            14,
            2103,
            "leads out of this schema",
        ),
        (
            "image: {type: string}",
            "image: {pattern: '(?=x)'}",
            14,
            2110,
            "look-around",
        ),
        (
            "    from: 1.0.0",
            "    from: 2.0.0",
            19,
            2009,
            "from itself",
        ),
        (
            "    from: 1.0.0",
            "    form: 1.0.0\n    from: 1.0.0",
            19,
            2007,
            "did you mean \"from\"",
        ),
        (
            "/selectors/deny: 2.0.0",
            "/selectors/dny: 2.0.0",
            21,
            2011,
            "declares no such field",
        ),
        (
            "/selectors/deny: 2.0.0",
            "selectors: 2.0.0",
            21,
            2011,
            "begins with /",
        ),
        (
            "/selectors/deny: 2.0.0",
            "/selectors/deny: 3.0.0",
            21,
            2009,
            "can't have come with 3.0.0",
        ),
        (
            "[/region]",
            "[/regions]",
            22,
            2011,
            "declares no such field",
        ),
        (
            "below: 2.0.0",
            "below: 2.1.0",
            23,
            2009,
            "below can't be more",
        ),
        (
            "content: {region: none}, ",
            "",
            23,
            2008,
            "\"content\" is missing",
        ),
        (">=14.0.0", "fourteen", 24, 2009, "not a requirement"),
        (
            "{region: /region}",
            "{region: /nowhere}",
            25,
            2011,
            "declares no such field",
        ),
        ("skew: strict", "skew: lax", 26, 2009, "merge or strict"),
        (
            "uniqueNames: true",
            "uniqueNames: yes",
            27,
            2009,
            "true or false",
        ),
        ("{PostCreate:", "{AfterCreate:", 28, 2007, "AfterCreate"),
        ("  title: App", "  title: App\n  title: B", 9, 2006, "twice"),
        ("  title: App", "  title: !!str App", 8, 2005, "tag"),
        ("  title: App", "  <<: {}", 8, 2005, "merge key"),
        ("  title: App", "  [a]: b", 8, 2005, "as a key"),
        ("  title: App", "  title: 'App", 8, 2001, "can't be read"),
        (
            "{type: string}\n      region",
            "{maximum: 99999999999999999999}\n      region",
            14,
            2009,
            "64 bits",
        ),
        (
            "{type: string}\n      region",
            "{maximum: .inf}\n      region",
            14,
            2005,
            "no meaning in JSON",
        ),
    ] {
        let (found_at, found_code, said) = problem_with(line, instead);
        assert_eq!((found_at, found_code), (at, code), "{instead}: {said}");
        assert!(said.contains(says), "{instead}: {said}");
    }
}

#[test]
fn several_mistakes_are_told_at_once_in_the_order_of_lines() {
    let text = FULL
        .replace("kind: type", "kind: other")
        .replace("  title: App", "  titel: App")
        .replace("[/region]", "[/regions]")
        .replace("skew: strict", "skew: lax");
    let lines: Vec<_> = problems(&text).iter().map(|(line, ..)| *line).collect();
    assert_eq!(lines, [1, 8, 22, 26]);
    let error = TypeVersion::parse(&text).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 4);
    assert!(
        error
            .to_string()
            .starts_with("line 1, column 7: kind must be")
    );
}

#[test]
fn at_most_sixteen_indexes() {
    let many: Vec<_> = (0..17).map(|n| format!("i{n}: /region")).collect();
    let (line, code, said) = problem_with("{region: /region}", &format!("{{{}}}", many.join(", ")));
    assert_eq!((line, code), (25, 2012), "{said}");
}

#[test]
fn anchors_can_be_used_and_a_stream_holds_several_versions() {
    let text = FULL
        .replace("image: {type: string}", "image: &text {type: string}")
        .replace("region: {type: string}", "region: *text");
    let both = format!("{text}---\n{text}");
    assert_eq!(TypeVersion::parse_all(&both).unwrap().len(), 2);
    assert_eq!(problems(&both)[0].1, 2009);
    assert_eq!(problems("")[0].1, 2009);
    assert_eq!(problems("# nothing\n")[0].1, 2009);
}

#[test]
fn the_files_that_the_documentation_shows_are_right() {
    let page = include_str!("../../../../../docs/types.md");
    let blocks = page.split("```yaml\n").skip(1);
    let files: Vec<_> = blocks
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.starts_with("kind: type"))
        .collect();
    assert_eq!(files.len(), 2);
    for file in files {
        TypeVersion::parse(file).unwrap();
    }
}
