//! Error codes, commands, settings, metrics, kinds, levels, outputs.

use super::RulePair;
use crate::surfaces::{NEW, OLD, due, empty, of_items, sound};
use coeval_release_check::{
    CatalogItem, DocumentProblem, ReleaseRule, ReleaseSurface, SurfaceArea, read_commands,
    read_errors, read_kind_version, read_levels, read_metrics, types_by_path,
};
use coeval_releases::Release;
use serde_json::{Value, json};

type ItemReader = fn(&Value) -> Result<Vec<CatalogItem>, DocumentProblem>;

/// By pairs of documents: what is obeyed, what is broken.
fn pair(
    rule: ReleaseRule,
    about: &'static str,
    read: ItemReader,
    obeys: (Value, Value),
    breaks: (Value, Value),
) -> RulePair {
    let of = |release, document: &Value| of_items(release, read(document).unwrap());
    let surfaces = |(old, new): (Value, Value)| (of(OLD, &old), of(NEW, &new));
    let breaks = surfaces(breaks);
    let area = match rule {
        ReleaseRule::ErrorCodeStays => SurfaceArea::ErrorCodes,
        ReleaseRule::MetricStays => SurfaceArea::Metrics,
        ReleaseRule::LevelStays => SurfaceArea::Levels,
        ReleaseRule::SettingStays => SurfaceArea::Settings,
        ReleaseRule::CommandStays => SurfaceArea::Commands,
        _ => SurfaceArea::from(breaks.1.catalog.values().last().unwrap().kind),
    };
    RulePair {
        rule,
        area,
        about,
        obeys: surfaces(obeys),
        breaks,
    }
}

pub(super) fn pairs() -> Vec<RulePair> {
    let mut all = vec![
        pair(
            ReleaseRule::ErrorCodeStays,
            "a code",
            read_errors,
            (
                code("A", "X_BAD", "X is bad"),
                code("A", "X_BAD", "X is not good"),
            ),
            (
                code("A", "X_BAD", "X is bad"),
                code("B", "X_BAD", "X is bad"),
            ),
        ),
        pair(
            ReleaseRule::ErrorCodeStays,
            "its meaning",
            read_errors,
            (
                code("A", "X_BAD", "X is bad"),
                code("A", "X_BAD", "X is bad"),
            ),
            (
                code("A", "X_BAD", "X is bad"),
                code("A", "Y_BAD", "X is bad"),
            ),
        ),
        pair(
            ReleaseRule::LevelStays,
            "a level",
            read_levels,
            (
                json!({ "record": { "reads": [1] } }),
                json!({ "record": { "reads": [1, 2] } }),
            ),
            (
                json!({ "record": { "reads": [1, 2] } }),
                json!({ "record": { "reads": [2] } }),
            ),
        ),
    ];
    all.extend(metrics());
    all.extend(commands());
    all.extend(settings());
    all.extend(kinds());
    all.extend(outputs());
    all
}

fn code(code: &str, name: &str, title: &str) -> Value {
    json!({ code: { "name": name, "title": title } })
}

fn metric(kind: &str, labels: &[&str], note: Option<Value>) -> Value {
    let mut one = json!({ "kind": kind, "labels": labels, "help": "Foos" });
    one["x-deprecated"] = note.clone().unwrap_or_default();
    if note.is_none() {
        one.as_object_mut().unwrap().remove("x-deprecated");
    }
    json!({ "foos_total": one, "other": { "kind": "gauge", "labels": [] } })
}

fn metrics() -> Vec<RulePair> {
    let plain = || metric("counter", &["a", "b"], None);
    let other = || json!({ "other": { "kind": "gauge", "labels": [] } });
    let early =
        json!({ "since": "0.2.0", "lastUsedIn": "0.2.0", "removedIn": "0.3.0", "instead": "x" });
    let metric_pair = |rule, about, obeys, breaks| pair(rule, about, read_metrics, obeys, breaks);
    vec![
        metric_pair(
            ReleaseRule::MetricStays,
            "in time, and undeclared",
            (metric("counter", &["a", "b"], Some(due())), other()),
            (plain(), other()),
        ),
        metric_pair(
            ReleaseRule::MetricStays,
            "its labels",
            (plain(), metric("counter", &["b", "a"], None)),
            (plain(), metric("counter", &["a", "b", "c"], None)),
        ),
        metric_pair(
            ReleaseRule::MetricStays,
            "its kind",
            (plain(), plain()),
            (plain(), metric("gauge", &["a", "b"], None)),
        ),
        metric_pair(
            ReleaseRule::DeprecationSound,
            "a metric",
            (plain(), metric("counter", &["a", "b"], Some(sound()))),
            (plain(), metric("counter", &["a", "b"], Some(early))),
        ),
        metric_pair(
            ReleaseRule::RemovalDue,
            "a metric",
            (plain(), metric("counter", &["a", "b"], Some(sound()))),
            (plain(), metric("counter", &["a", "b"], Some(due()))),
        ),
    ]
}

/// A command with a flag and an argument, changed by JSON pointer; null removes.
fn grammar(changes: &[(&str, Value)]) -> Value {
    let mut document = json!({
        "coeval": { "aliases": [], "flags": {}, "arguments": {} },
        "coeval get": {
            "aliases": ["show"],
            "flags": {
                "--output": { "value": true, "required": false, "short": "-o", "values": ["json", "yaml"] },
                "--label": { "value": true, "required": false, "many": true },
                "--listen": { "value": true, "required": false, "variable": "COEVAL_LISTEN", "key": "listen" },
            },
            "arguments": { "kind": { "value": true, "required": true, "position": 1 } },
        },
    });
    for (pointer, value) in changes {
        let (around, key) = pointer.rsplit_once('/').unwrap();
        let around = document
            .pointer_mut(around)
            .unwrap()
            .as_object_mut()
            .unwrap();
        if value.is_null() {
            around.remove(key).unwrap();
        } else {
            around.insert(key.to_owned(), value.clone());
        }
    }
    document
}

fn commands() -> Vec<RulePair> {
    let flags = "/coeval get/flags";
    let declared = |note: Value| vec![(format!("{flags}/--output/x-deprecated"), note)];
    let changed = |changes: &[(String, Value)]| {
        let changes: Vec<(&str, Value)> = changes
            .iter()
            .map(|(pointer, value)| (pointer.as_str(), value.clone()))
            .collect();
        grammar(&changes)
    };
    let early =
        json!({ "since": "0.2.0", "lastUsedIn": "0.2.0", "removedIn": "0.3.0", "instead": "x" });
    let without = || grammar(&[("/coeval get/flags/--output", Value::Null)]);
    let optional = json!({ "value": true, "required": false, "position": 2 });
    let required = json!({ "value": true, "required": true, "position": 2 });
    let stays = |about, obeys, breaks| {
        pair(
            ReleaseRule::CommandStays,
            about,
            read_commands,
            obeys,
            breaks,
        )
    };
    let same = || (grammar(&[]), grammar(&[]));
    let breaks = |pointer: &str, value: Value| (grammar(&[]), grammar(&[(pointer, value)]));
    vec![
        stays(
            "a flag",
            (changed(&declared(due())), without()),
            (grammar(&[]), without()),
        ),
        stays(
            "a command",
            (
                grammar(&[("/coeval get/x-deprecated", due())]),
                grammar(&[("/coeval get", Value::Null)]),
            ),
            breaks("/coeval get", Value::Null),
        ),
        stays(
            "an alias",
            breaks("/coeval get/aliases", json!(["show", "list"])),
            breaks("/coeval get/aliases", json!([])),
        ),
        stays(
            "a short flag",
            same(),
            breaks("/coeval get/flags/--output/short", json!("-O")),
        ),
        stays(
            "a value",
            breaks(
                "/coeval get/flags/--output/values",
                json!(["json", "yaml", "name"]),
            ),
            breaks("/coeval get/flags/--output/values", json!(["json"])),
        ),
        stays(
            "any value",
            same(),
            breaks("/coeval get/flags/--label/values", json!(["a"])),
        ),
        stays(
            "several values",
            same(),
            breaks("/coeval get/flags/--label/many", Value::Null),
        ),
        stays(
            "whether it takes a value",
            same(),
            breaks("/coeval get/flags/--output/value", json!(false)),
        ),
        stays(
            "a new argument",
            breaks("/coeval get/arguments/name", optional),
            breaks("/coeval get/arguments/name", required),
        ),
        stays(
            "a flag that is required now",
            same(),
            breaks("/coeval get/flags/--output/required", json!(true)),
        ),
        pair(
            ReleaseRule::DeprecationSound,
            "a flag",
            read_commands,
            (grammar(&[]), changed(&declared(sound()))),
            (grammar(&[("/coeval get/flags/--listen", Value::Null)]), {
                let mut document = changed(&declared(early));
                document["coeval get"]["flags"]
                    .as_object_mut()
                    .unwrap()
                    .remove("--listen");
                document
            }),
        ),
        pair(
            ReleaseRule::RemovalDue,
            "a flag",
            read_commands,
            (grammar(&[]), changed(&declared(sound()))),
            (grammar(&[("/coeval get/flags/--listen", Value::Null)]), {
                let mut document = changed(&declared(due()));
                document["coeval get"]["flags"]
                    .as_object_mut()
                    .unwrap()
                    .remove("--listen");
                document
            }),
        ),
    ]
}

fn settings() -> Vec<RulePair> {
    let listen = "/coeval get/flags/--listen";
    let of = |key: &str, value: Value| grammar(&[(&format!("{listen}/{key}"), value)]);
    let early =
        json!({ "since": "0.2.0", "lastUsedIn": "0.2.0", "removedIn": "0.3.0", "instead": "x" });
    let gone = || grammar(&[(listen, Value::Null)]);
    let stays = |about, obeys, breaks| {
        pair(
            ReleaseRule::SettingStays,
            about,
            read_commands,
            obeys,
            breaks,
        )
    };
    // Only the setting has a declaration here, so the place of what is found is the setting.
    let declared = |rule, wrong: Value| RulePair {
        area: SurfaceArea::Settings,
        ..pair(
            rule,
            "a setting",
            read_commands,
            (grammar(&[]), of("x-deprecated", sound())),
            (grammar(&[]), of("x-deprecated", wrong)),
        )
    };
    vec![
        stays(
            "its flag",
            (of("x-deprecated", due()), gone()),
            (grammar(&[]), gone()),
        ),
        stays(
            "its variable",
            (grammar(&[]), grammar(&[])),
            (grammar(&[]), of("variable", json!("COEVAL_ADDRESS"))),
        ),
        stays(
            "its key",
            (grammar(&[]), grammar(&[])),
            (grammar(&[]), of("key", Value::Null)),
        ),
        declared(ReleaseRule::DeprecationSound, early),
        declared(ReleaseRule::RemovalDue, due()),
    ]
}

const KIND: &str = "
kind: type
spec:
  vendor: coeval
  nss: user
  version: 1.0.0
  schema: {type: object, properties: {name: {type: string}}}
";

fn kinds() -> Vec<RulePair> {
    let of = |release: Release, texts: &[&str]| {
        let items = texts.iter().map(|text| read_kind_version(text).unwrap());
        of_items(release, items.collect())
    };
    let relaid =
        "# The same.\n".to_owned() + &KIND.replace("{type: string}", "{ \"type\": string }");
    let next = KIND.replace("1.0.0", "1.1.0").replace("string", "integer");
    let changed = KIND.replace("string", "integer");
    let pair = |about, obeys, breaks| RulePair {
        rule: ReleaseRule::KindStays,
        area: SurfaceArea::Kinds,
        about,
        obeys,
        breaks,
    };
    let old = || of(OLD, &[KIND]);
    vec![
        pair(
            "its content",
            (old(), of(NEW, &[&relaid, &next])),
            (old(), of(NEW, &[&changed])),
        ),
        pair(
            "a version",
            (old(), of(NEW, &[KIND])),
            (old(), of(NEW, &[&next])),
        ),
    ]
}

fn outputs() -> Vec<RulePair> {
    let of = |release: Release, sample: Value| ReleaseSurface {
        outputs: Some([("coeval get foo".to_owned(), types_by_path(&sample))].into()),
        ..empty(release)
    };
    let pair = |about, old: Value, fine: Value, wrong: Value| RulePair {
        rule: ReleaseRule::OutputStays,
        area: SurfaceArea::Outputs,
        about,
        obeys: (of(OLD, old.clone()), of(NEW, fine)),
        breaks: (of(OLD, old), of(NEW, wrong)),
    };
    vec![
        pair(
            "a path",
            json!({ "items": [{ "name": "a", "note": null }] }),
            json!({ "items": [{ "name": "a", "note": "x", "more": 1 }] }),
            json!({ "items": [{ "title": "a", "note": null }] }),
        ),
        pair(
            "a type",
            json!({ "size": 1, "spec": { "a": 1 } }),
            json!({ "size": 2.5, "spec": { "b": [] } }),
            json!({ "size": "1", "spec": { "a": 1 } }),
        ),
    ]
}
