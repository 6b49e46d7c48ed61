//! What docs/conversions.md shows is true: every YAML block of it is an example, and is run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod page;

use coeval_codes::Coded;
use coeval_core::convert::{
    ContentRecord, ConversionObstacle, KeptValues, STEP_LEVELS, STEPS, Versions, WHEN_LEVELS,
};
use coeval_core::types::{TypeVersion, same};
use coeval_core::version::Version;
use page::{examples, only, v};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

fn page() -> String {
    page::read("conversions.md")
}

fn version_file(version: &str, spec: &Value) -> TypeVersion {
    page::version_file(version, spec, &["schema", "conversion"])
}

fn assert_same(found: &Value, expected: &Value, what: &str) {
    assert!(same(found, expected), "{what}: {found} and not {expected}");
}

/// The versions on both sides of steps.
fn pair(example: &Map<String, Value>) -> Versions {
    let anything = json!({});
    let schema = |key: &str| example.get(key).unwrap_or(&anything);
    let conversion = json!({"from": "1.0.0", "steps": example["steps"]});
    let files = vec![
        version_file("1.0.0", &json!({"schema": schema("olderSchema")})),
        version_file(
            "2.0.0",
            &json!({"schema": schema("newerSchema"), "conversion": conversion}),
        ),
    ];
    Versions::of_files(files).unwrap()
}

/// What is kept, by path.
fn kept(kept: &KeptValues, refines: bool) -> Value {
    let entries = kept.entries().into_iter();
    let entries = entries.filter(|entry| entry.refines == refines);
    let pairs = entries.map(|entry| (entry.path, entry.value.clone()));
    Value::Object(pairs.collect())
}

/// `steps`, and a document before and after them: to the newer version, or down to the older one.
fn check_steps(example: &Map<String, Value>) {
    let known = [
        "steps",
        "olderSchema",
        "newerSchema",
        "down",
        "before",
        "after",
        "kept",
        "keptWhileSame",
        "refused",
    ];
    only(example, &known);
    let versions = pair(example);
    let (from, to) = match example.get("down") {
        Some(_) => (v("2.0.0"), v("1.0.0")),
        None => (v("1.0.0"), v("2.0.0")),
    };
    let before = ContentRecord::new(from, example["before"].clone());
    let done = versions.moved(before.clone(), to);
    if let Some(refused) = example.get("refused") {
        let refusal = done.unwrap_err();
        assert_eq!(refusal.code(), coeval_codes::CONVERSION_VALUE);
        assert_eq!(json!(refusal.pointer), *refused, "{refusal}");
        return;
    }
    let done = done.unwrap();
    assert_same(&done.content, &example["after"], "after");
    let nothing = json!({});
    for (key, refines) in [("kept", false), ("keptWhileSame", true)] {
        let expected = example.get(key).unwrap_or(&nothing);
        assert_same(&kept(&done.kept, refines), expected, key);
    }
    let back = versions.moved(done, from).unwrap();
    assert_same(&back.content, &before.content, "the way back");
    assert!(back.kept.is_empty(), "{:?} is left", back.kept);
}

fn single(example: &Map<String, Value>, key: &str) -> (Version, Value) {
    let map = example[key].as_object().unwrap();
    assert_eq!(map.len(), 1, "{key}");
    let (version, value) = map.iter().next().unwrap();
    (v(version), value.clone())
}

/// `versions`, what is stored, and views of it or a write over it.
fn check_versions(example: &Map<String, Value>) {
    let known = [
        "versions", "stored", "views", "put", "result", "kept", "dropped", "refused",
    ];
    only(example, &known);
    let files = example["versions"].as_object().unwrap().iter();
    let files = files.map(|(version, spec)| version_file(version, spec));
    let versions = Versions::of_files(files.collect()).unwrap();
    let (stored_at, content) = single(example, "stored");
    let stored = ContentRecord::new(stored_at, content);
    let views = example.get("views").map(|views| views.as_object().unwrap());
    for (version, expected) in views.into_iter().flatten() {
        let view = versions.view(stored.clone(), v(version)).unwrap();
        assert_same(&view.content, expected, version);
        if let (None, Some(expected)) = (example.get("put"), example.get("kept")) {
            assert_same(&kept(&view.kept, false), expected, "kept");
        }
    }
    if !example.contains_key("put") {
        assert!(views.is_some(), "there is nothing to check");
        return;
    }
    let (at, body) = single(example, "put");
    let put = versions.put(stored, at, body);
    if let Some(refused) = example.get("refused") {
        let refusal = put.unwrap_err();
        assert_eq!(json!(refusal.code().to_string()), *refused, "{refusal}");
        return;
    }
    let put = put.unwrap();
    assert_same(&put.record.content, &example["result"], "result");
    let nothing = json!([]);
    let expected = |key: &str| example.get(key).unwrap_or(&nothing).clone();
    assert_eq!(json!(put.kept), expected("kept"), "kept");
    assert_eq!(json!(put.dropped), expected("dropped"), "dropped");
}

#[test]
fn every_example_on_the_page_is_true() {
    let examples = examples(&page());
    assert!(examples.len() > 40, "only {} examples", examples.len());
    for (line, _, example) in examples {
        let check = || {
            if example.contains_key("steps") {
                check_steps(&example);
            } else {
                check_versions(&example);
            }
        };
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
        assert!(done.is_ok(), "the example at line {line} is not true");
    }
}

#[test]
fn an_example_that_is_not_true_is_found() {
    let steps = "steps: [{rename: {path: /a, to: b}}]\nbefore: {a: 1}\n";
    let put = "versions: {1.0.0: {schema: {}}}\nstored: {1.0.0: {a: 1}}\n";
    for text in [
        format!("{steps}after: {{a: 1}}\n"),
        format!("{steps}after: {{b: 1}}\nkept: {{/a: 1}}\n"),
        format!("{steps}refused: /a\n"),
        format!("{steps}after: {{b: 1}}\nnotice: nobody reads this\n"),
        format!("{put}views: {{1.0.0: {{a: 2}}}}\n"),
        format!("{put}put: {{1.0.0: {{a: 2}}}}\nresult: {{a: 1}}\n"),
        format!("{put}put: {{1.0.0: {{a: 2}}}}\nresult: {{a: 2}}\nkept: [/b]\n"),
        format!("{put}put: {{1.0.0: {{a: 2}}}}\nrefused: COEVAL-3201\n"),
    ] {
        let (_, _, example) = examples(&format!("```yaml\n{text}```\n")).remove(0);
        let check = || {
            if example.contains_key("steps") {
                check_steps(&example);
            } else {
                check_versions(&example);
            }
        };
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
        assert!(done.is_err(), "{text}");
    }
}

/// The names of all steps, as a mistake in one tells them.
fn all_steps() -> BTreeSet<String> {
    let wrong = json!({"steps": [{"?": {}}]});
    let made = std::panic::catch_unwind(|| pair(wrong.as_object().unwrap()));
    let said = *made.unwrap_err().downcast::<String>().unwrap();
    let names = said.split_once("there are ").unwrap().1;
    names
        .split(", ")
        .map(|name| name.trim().to_owned())
        .collect()
}

#[test]
fn every_step_has_its_section_with_examples_and_its_class() {
    let page = page();
    let examples = examples(&page);
    let steps = all_steps();
    assert_eq!(steps.len(), 19);
    for name in &steps {
        let section = page.split("\n### ").find(|section| {
            let heading = section.lines().next().unwrap_or_default();
            heading.contains(&format!("`{name}`"))
        });
        let section = section.unwrap_or_else(|| panic!("{name} has no section"));
        assert!(section.contains("```yaml"), "{name} has no example");
        let first = examples.iter().find(|(_, _, example)| {
            let steps = example.get("steps").and_then(Value::as_array);
            steps.is_some_and(|steps| steps[0].get(name).is_some())
        });
        let (_, _, example) = first.unwrap_or_else(|| panic!("{name} has no example"));
        let versions = pair(example);
        let class = |from: &str, to: &str| versions.class(v(from), v(to)).unwrap().0.words();
        let (up, down) = (class("1.0.0", "2.0.0"), class("2.0.0", "1.0.0"));
        let row = format!("| `{name}` | {up} | {down} |");
        assert!(page.contains(&row), "the table has no row {row}");
    }
}

#[test]
fn every_limit_and_every_error_code_is_on_the_page() {
    let page = page();
    assert_eq!((STEPS, STEP_LEVELS, WHEN_LEVELS), (1_000, 8, 3));
    for limit in ["| 1,000 |", "| 8 |", "| 3 |", "| 4 MiB |", "| 128 levels |"] {
        assert!(page.contains(limit), "{limit}");
    }
    for code in coeval_codes::ALL {
        if code.number() / 1000 == 3 {
            assert!(page.contains(&format!("[{code}]")), "{code}");
        }
    }
}

#[test]
fn what_one_conversion_may_copy_is_what_the_page_says() {
    let text = "x".repeat(100_000);
    let steps =
        json!([{"each": {"path": "/n", "steps": [{"add": {"path": "/t", "value": text}}]}}]);
    let example = json!({"steps": steps});
    let versions = pair(example.as_object().unwrap());
    let convert = |items: usize| {
        let content = json!({"n": vec![json!({}); items]});
        versions.moved(ContentRecord::new(v("1.0.0"), content), v("2.0.0"))
    };
    assert!(convert(41).is_ok());
    assert_eq!(
        convert(42).unwrap_err().reason,
        ConversionObstacle::TooLarge
    );
}
