use super::*;
use crate::testing::history;
use serde_json::{Value, json};

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn lines(message: &LayoutMessage) -> Vec<String> {
    let own = message.fields.iter();
    let mut lines: Vec<String> = own
        .map(|field| {
            format!(
                "{} {} = {} since {}",
                field.kind, field.name, field.number, field.since
            )
        })
        .collect();
    if let Some(extra) = &message.extra {
        lines.push(format!(
            "extra = {} {}",
            extra.number,
            extra.names.join(" ")
        ));
    }
    lines.extend(
        message
            .reserved
            .iter()
            .map(|one| format!("reserved {} {}", one.number, one.name)),
    );
    lines
}

fn last(versions: &[(&str, Value, bool)]) -> (PackageLayout, Vec<PackageFinding>, Ledger) {
    let (layout, findings, ledger) = history(versions).pop().unwrap();
    (layout.unwrap(), findings, ledger)
}

#[test]
fn numbers_are_given_in_the_order_of_the_schema_and_never_again() {
    let (layout, findings, _) = last(&[
        (
            "1.0.0",
            object(json!({"image": {"type": "string"}, "size": {"type": "integer"}})),
            false,
        ),
        (
            "1.1.0",
            object(
                json!({"zone": {"type": "string"}, "image": {"type": "string"}, "size": {"type": "integer"}}),
            ),
            false,
        ),
        (
            "1.2.0",
            object(
                json!({"zone": {"type": "string"}, "size": {"type": "integer"}, "gpu": {"type": "boolean"}}),
            ),
            false,
        ),
    ]);
    assert_eq!(
        lines(&layout.spec),
        [
            "int64 size = 2 since 1.0.0",
            "string zone = 3 since 1.1.0",
            "bool gpu = 4 since 1.2.0",
            "reserved 1 image"
        ]
    );
    assert_eq!(layout.version, Version::new(1, 2, 0));
    assert_eq!(findings, []);
}

#[test]
fn what_was_reserved_once_stays_so_and_a_field_that_comes_back_is_in_extra() {
    let with = object(json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    let without = object(json!({"b": {"type": "string"}}));
    let all = history(&[
        ("1.0.0", with.clone(), false),
        ("1.1.0", without.clone(), false),
        ("1.2.0", with, false),
        ("1.3.0", without, false),
    ]);
    let spec = |at: usize| lines(&all[at].0.as_ref().unwrap().spec);
    assert_eq!(spec(1), ["string b = 2 since 1.0.0", "reserved 1 a"]);
    assert_eq!(
        spec(2),
        ["string b = 2 since 1.0.0", "extra = 3 a", "reserved 1 a"]
    );
    assert_eq!(all[2].1[0].kind, PackageFindingKind::CameBack);
    // Nothing is in it any more, and it is there.
    assert_eq!(
        spec(3),
        ["string b = 2 since 1.0.0", "extra = 3 ", "reserved 1 a"]
    );
}

/// What `buf breaking` with WIRE_JSON asks, in short, on random histories.
#[test]
fn a_minor_version_takes_nothing_back_that_clients_rely_on() {
    let mut rng = fastrand::Rng::with_seed(5);
    let kinds = [
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({}),
        json!({"type": "array", "items": {"type": "string"}}),
        object(json!({"x": {"type": "string"}, "y": {"type": "integer"}})),
        object(json!({"y": {"type": "integer"}, "z": {}})),
    ];
    for _ in 0..200 {
        let versions: Vec<(String, Value, bool)> = (0..6)
            .map(|minor| {
                let names = ["a", "b", "c", "aB", "a_b", "1"]
                    .into_iter()
                    .filter(|_| rng.bool())
                    .collect::<Vec<_>>();
                let properties: serde_json::Map<String, Value> = names
                    .into_iter()
                    .map(|name| (name.to_owned(), kinds[rng.usize(..kinds.len())].clone()))
                    .collect();
                (
                    format!("1.{minor}.0"),
                    object(properties.into()),
                    rng.u8(..) < 20,
                )
            })
            .collect();
        let mut versions: Vec<_> = versions
            .iter()
            .map(|(number, schema, unproven)| (number.as_str(), schema.clone(), *unproven))
            .collect();
        rng.shuffle(&mut versions);
        let kept: Vec<_> = versions
            .iter()
            .map(|(number, schema, unproven)| (crate::testing::version(number, schema), *unproven))
            .collect();
        let candidates: Vec<_> = kept
            .iter()
            .map(|(version, unproven)| PackageCandidate {
                version,
                unproven: *unproven,
            })
            .collect();
        let at_once = Ledger::default().extended(&candidates);
        assert_eq!(at_once, at_once.extended(&candidates));
        let layouts: Vec<PackageLayout> = history(&versions)
            .into_iter()
            .filter_map(|(layout, ..)| layout)
            .collect();
        for pair in layouts.windows(2) {
            takes_nothing_back(&pair[0].spec, &pair[1].spec);
        }
    }
}

fn takes_nothing_back(old: &LayoutMessage, new: &LayoutMessage) {
    for reserved in &old.reserved {
        assert!(new.reserved.contains(reserved), "{old:?}\n{new:?}");
    }
    assert!(
        old.extra.is_none()
            || old.extra.as_ref().map(|one| one.number) == new.extra.as_ref().map(|one| one.number)
    );
    for field in &old.fields {
        let gone = ReservedField {
            number: field.number,
            name: field.name.clone(),
        };
        let Some(same) = new.fields.iter().find(|other| other.number == field.number) else {
            assert!(new.reserved.contains(&gone), "{old:?}\n{new:?}");
            continue;
        };
        assert_eq!(
            (&same.name, &same.json, same.kind),
            (&field.name, &field.json, field.kind)
        );
        if let (Some(old), Some(new)) = (&field.message, &same.message) {
            takes_nothing_back(old, new);
        }
    }
}

#[test]
fn a_field_that_holds_something_else_than_before_is_in_extra_and_its_number_is_reserved() {
    let (layout, findings, _) = last(&[
        (
            "1.0.0",
            object(json!({"size": {"type": "integer"}, "b": {"type": "string"}})),
            false,
        ),
        (
            "1.1.0",
            object(json!({"size": {"type": ["integer", "string"]}, "b": {"type": "string"}})),
            false,
        ),
    ]);
    assert_eq!(
        lines(&layout.spec),
        [
            "string b = 2 since 1.0.0",
            "extra = 3 size",
            "reserved 1 size"
        ]
    );
    assert_eq!(findings[0].kind, PackageFindingKind::KindChanged);
    assert_eq!(findings[0].path, "/size");
}

#[test]
fn names_that_protobuf_cant_have_or_that_collide_are_in_extra() {
    let (layout, findings, _) = last(&[(
        "1.0.0",
        object(json!({
            "imageName": {"type": "string"}, "image_name": {"type": "string"}, "$ref-": {"type": "string"},
            "extra": {"type": "string"}, "a1": {"type": "string"}, "a_1": {"type": "string"},
            "of": {"type": "object", "additionalProperties": {"type": "string"}},
            "ofEntry": {"type": "object", "properties": {"x": {"type": "string"}}},
        })),
        false,
    )]);
    assert_eq!(
        lines(&layout.spec),
        [
            "string image_name = 1 since 1.0.0",
            "string a1 = 2 since 1.0.0",
            "map<string, string> of = 3 since 1.0.0",
            "extra = 4 image_name $ref- extra a_1 ofEntry"
        ]
    );
    let kinds: Vec<_> = findings
        .iter()
        .map(|finding| (finding.path.as_str(), finding.kind))
        .collect();
    use PackageFindingKind::{NameCollides, NameUnsayable};
    assert_eq!(
        kinds,
        [
            ("/image_name", NameCollides),
            ("/$ref-", NameUnsayable),
            ("/extra", NameUnsayable),
            ("/a_1", NameCollides),
            ("/ofEntry", NameCollides)
        ]
    );
}

#[test]
fn messages_inside_have_numbers_of_their_own_by_their_path() {
    let node = |more: Value| {
        let mut node = object(json!({"name": {"type": "string"}}));
        node["properties"]
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object(
            json!({"nodes": {"type": "array", "items": node}, "byName": {"type": "object", "additionalProperties": node}}),
        )
    };
    let (layout, _, ledger) = last(&[
        ("1.0.0", node(json!({})), false),
        ("1.1.0", node(json!({"gpu": {"type": "boolean"}})), false),
    ]);
    for (at, path) in ["/nodes/*", "/byName/*"].iter().enumerate() {
        let inner = layout.spec.fields[at].message.as_ref().unwrap();
        assert_eq!(
            lines(inner),
            ["string name = 1 since 1.0.0", "bool gpu = 2 since 1.1.0"]
        );
        assert_eq!(ledger.fields(path).len(), 2);
    }
    assert_eq!(
        layout.spec.fields[1].message.as_ref().unwrap().name,
        "ByName"
    );
}

#[test]
fn an_unproven_version_freezes_the_package_at_the_one_before() {
    let with = |name: &str| object(json!({"a": {"type": "string"}, name: {"type": "string"}}));
    let all = history(&[
        ("1.0.0", with("b"), false),
        ("1.1.0", with("c"), true),
        ("1.2.0", with("d"), false),
    ]);
    for (layout, findings, ledger) in all.iter().skip(1) {
        assert_eq!(layout.as_ref(), all[0].0.as_ref());
        assert_eq!(findings[0].kind, PackageFindingKind::Frozen);
        assert_eq!(ledger, &all[0].2);
    }
    let all = history(&[("1.0.0", with("b"), true)]);
    assert!(all[0].0.is_none());
    assert_eq!(all[0].1[0].kind, PackageFindingKind::Frozen);
}

#[test]
fn a_version_registered_later_between_others_takes_nothing_back() {
    let all = history(&[
        ("1.0.0", object(json!({"a": {"type": "string"}})), false),
        (
            "1.2.0",
            object(json!({"a": {"type": "string"}, "c": {"type": "string"}})),
            false,
        ),
        (
            "1.1.0",
            object(json!({"a": {"type": "string"}, "c": {"type": "string"}})),
            false,
        ),
    ]);
    let layout = all[2].0.as_ref().unwrap();
    assert_eq!(layout.version, Version::new(1, 2, 0));
    assert_eq!(
        lines(&layout.spec),
        ["string a = 1 since 1.0.0", "string c = 2 since 1.1.0"]
    );
}

#[test]
fn a_server_that_knows_only_the_older_version_reserves_nothing_for_the_newer() {
    let old = object(json!({"a": {"type": "string"}}));
    let new = object(json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    let (_, _, ledger) = last(&[("1.0.0", old.clone(), false), ("1.1.0", new, false)]);
    let version = crate::testing::version("1.0.0", &old);
    let name = PackageName::of("acme", "app").unwrap();
    let candidates = [PackageCandidate {
        version: &version,
        unproven: false,
    }];
    let (layout, _) = PackageLayout::of(&name, &ledger, &candidates);
    assert_eq!(lines(&layout.unwrap().spec), ["string a = 1 since 1.0.0"]);
}

#[test]
fn content_without_declared_fields_is_in_extra() {
    let (layout, ..) = last(&[("1.0.0", json!({"type": "object"}), false)]);
    assert_eq!(lines(&layout.spec), ["extra = 1 "]);
    assert!(layout.spec.extra.unwrap().all);
}

#[test]
fn more_fields_than_a_ledger_holds_are_in_extra() {
    let many: serde_json::Map<String, Value> =
        (0..5_000).map(|n| (format!("f{n}"), json!({}))).collect();
    let (layout, findings, ledger) = last(&[("1.0.0", object(many.into()), false)]);
    assert!(serde_json::to_vec(&ledger).unwrap().len() < 2 * crate::limits::LEDGER_BYTES);
    assert_eq!(findings.last().unwrap().kind, PackageFindingKind::TooLarge);
    assert_eq!(
        layout.spec.fields.len() + layout.spec.extra.unwrap().names.len(),
        5_000
    );
}

#[test]
fn a_ledger_reads_back() {
    let (_, _, ledger) = last(&[(
        "1.0.0",
        object(json!({"a": {"type": "array", "items": {"type": "string"}}, "$": {}})),
        false,
    )]);
    let text = serde_json::to_string(&ledger).unwrap();
    assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), ledger);
    assert_eq!(
        text,
        r#"{"messages":{"":[{"json":"a","name":"a","number":1,"kind":"repeated string","since":"1.0.0"},{"json":"extra","name":"extra","number":2,"kind":"struct","since":"1.0.0"}]}}"#
    );
}

#[test]
fn the_text_of_a_package() {
    let (layout, ..) = last(&[
        (
            "1.0.0",
            object(
                json!({"img": {"type": "string"}, "size": {"type": "integer", "description": "How many.\n*/ }\n"},
            "Zone-Name": {"type": "string"}, "nodes": {"type": "array", "items": object(json!({"any": {}}))}}),
            ),
            false,
        ),
        (
            "1.1.0",
            object(
                json!({"size": {"type": "integer", "description": "How many.\n*/ }\n"},
            "Zone-Name": {"type": "string"}, "nodes": {"type": "array", "items": object(json!({"any": {}}))},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}}),
            ),
            false,
        ),
    ]);
    let text = layout.proto();
    let from = text.find("// The content, as").unwrap();
    let to = text.find("// Request for CreateApp.").unwrap();
    assert_eq!(
        text[from..to].trim_end(),
        r#"// The content, as far as messages can say it. The rest stays as it is.
message AppSpec {
  reserved 1;
  reserved "img";
  // How many.
  // */ }
  // Since 1.0.0.
  optional int64 size = 2;
  // Since 1.0.0.
  optional string zone_name = 3 [json_name = "Zone-Name"];
  // Since 1.0.0.
  repeated Nodes nodes = 4;
  // Since 1.1.0.
  map<string, string> labels = 5;

  // Of nodes.
  message Nodes {
    // Since 1.0.0.
    google.protobuf.Value any = 1;
  }
}"#
    );
    assert!(
        text.contains("  rpc WatchApps(WatchAppsRequest) returns (stream WatchAppsResponse);"),
        "{text}"
    );
}
