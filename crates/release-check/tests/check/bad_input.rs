//! Files that are not what they should be.

use crate::surfaces::releases;
use coeval_release_check::{
    ApiStyle, KeptRelease, ReleaseSurface, RuleSet, check, read_descriptors, read_kept_releases,
    read_kind_version, read_openapi, read_surface,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn every_file_that_is_missing_or_garbage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("0.1.0");
    copy(&releases().join("0.1.0"), &release);
    let names = [
        "release",
        "webapi.json",
        "cloudapi.json",
        "descriptors.bin",
        "errors.json",
        "commands.json",
        "metrics.json",
        "levels.json",
    ];
    for name in names {
        let path = release.join(name);
        let whole = std::fs::read(&path).unwrap();
        let nested = "[".repeat(100_000);
        let half = &whole[..whole.len() / 2];
        let garbage: [&[u8]; 5] = [b"", b"{}", b"\xff\xfe{", nested.as_bytes(), half];
        for bytes in garbage {
            std::fs::write(&path, bytes).unwrap();
            // Half of a number may be a number.
            if name == "release" && bytes == half {
                continue;
            }
            let error = read_surface(&release).unwrap_err().to_string();
            assert!(error.contains(name), "{name}: {error}");
        }
        std::fs::remove_file(&path).unwrap();
        let error = read_surface(&release).unwrap_err().to_string();
        assert!(
            error.contains(name) && error.contains("can't read"),
            "{error}"
        );
        std::fs::write(&path, whole).unwrap();
    }
    std::fs::write(release.join("kinds/x.yaml"), "a: [").unwrap();
    let error = read_surface(&release).unwrap_err().to_string();
    assert!(error.contains("x.yaml"), "{error}");
}

#[test]
fn a_folder_whose_name_is_not_its_release_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    copy(&releases().join("0.1.0"), &folder.path().join("0.7.0"));
    let error = read_kept_releases(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("0.7.0") && error.contains("it says 0.1.0"),
        "{error}"
    );
    let error = read_kept_releases(&folder.path().join("none")).unwrap_err();
    assert!(error.to_string().contains("none"), "{error}");
}

fn document(schemas: &Value) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/A" });
    let answer = json!({ "content": { "application/json": { "schema": schema } } });
    json!({
        "paths": { "/v1/webapi/a": { "get": { "responses": { "200": answer } } } },
        "components": { "schemas": schemas },
    })
}

fn problem(schemas: &Value) -> String {
    let read = read_openapi(ApiStyle::Webapi, &document(schemas));
    read.unwrap_err().to_string()
}

#[test]
fn references_that_lead_nowhere_or_in_circles_are_refused() {
    let to = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    assert!(problem(&json!({})).contains("leads nowhere"));
    let far = json!({ "A": { "properties": { "x": { "$ref": "http://else.where/x" } } } });
    assert!(problem(&far).contains("leads nowhere"));
    let merged = json!({ "A": { "allOf": [to("B")] }, "B": { "allOf": [to("A")] } });
    assert!(problem(&merged).contains("contain themselves"));
    let growing = json!({ "A": { "allOf": [
        { "properties": { "x": to("A"), "y": to("A") } },
        { "properties": { "x": { "properties": {} }, "y": { "properties": {} } } },
    ] } });
    assert!(
        problem(&growing).contains("too deep"),
        "{}",
        problem(&growing)
    );
}

fn surface(schemas: &Value) -> ReleaseSurface {
    let read = read_openapi(ApiStyle::Webapi, &document(schemas));
    crate::surfaces::of_api(crate::surfaces::OLD, read.unwrap())
}

#[test]
fn shapes_that_contain_themselves_are_compared_and_it_ends() {
    let to = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let around = |inner: Value| json!({ "type": "object", "properties": { "x": inner } });
    // The same values, in circles of two and of three.
    let two = json!({ "A": around(around(to("A"))) });
    let three = json!({ "A": around(around(around(to("A")))) });
    let kept = [KeptRelease {
        surface: surface(&two),
    }];
    assert!(check(&kept, &surface(&three), &RuleSet::all()).is_empty());
    // An alias of itself says nothing; it is not followed for ever.
    let alias = surface(&json!({ "A": to("A") }));
    let kept = [KeptRelease {
        surface: alias.clone(),
    }];
    assert!(check(&kept, &alias, &RuleSet::all()).is_empty());
    // A chain that is longer than any stack.
    let mut chain = json!({ "A": around(to("S0")) });
    for number in 0..20_000 {
        chain[format!("S{number}")] = around(to(&format!("S{}", number + 1)));
    }
    chain["S20000"] = json!({ "type": "string" });
    let old = surface(&chain);
    chain["S20000"] = json!({ "type": "integer" });
    let found = check(
        &[KeptRelease { surface: old }],
        &surface(&chain),
        &RuleSet::all(),
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place.anchor, "S20000");
}

#[test]
fn garbage_is_no_descriptors_and_no_type_file() {
    for bytes in [&b"\x0a\xff\xff\xff\xff"[..], b"hello", b"\x00"] {
        assert!(read_descriptors(bytes).is_err());
    }
    let mut nested = "a: ".to_owned();
    for _ in 0..50_000 {
        write!(nested, "[").unwrap();
    }
    for text in ["", "- 1", "kind: type", nested.as_str()] {
        assert!(read_kind_version(text).is_err());
    }
    assert!(read_openapi(ApiStyle::Webapi, &json!([])).is_err());
}
