//! What registering a version costs when the type has had many: the check over its whole history.

use coeval_core::compat::{ChangeKind, HistoryCheck, check};
use coeval_core::types::TypeVersion;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Versions of the type, the new one included.
const VERSIONS: u32 = 50;
const ROUNDS: usize = 5;
/// What registering may take.
const GOAL: Duration = Duration::from_millis(100);

/// About as large as the schema of a cluster: groups of fields, lists of objects, maps, enums.
fn schema(minor: u32) -> Value {
    let mut groups = Map::new();
    for group in 0..12 {
        let mut fields = Map::new();
        for field in 0..10 {
            let schema = match field % 5 {
                0 => {
                    json!({"type": "string", "maxLength": 253 + minor, "description": "What it is called, and by whom."})
                }
                1 => json!({"type": "integer", "minimum": 0, "maximum": 65535, "default": 8080}),
                2 => json!({"type": "object", "additionalProperties": {"type": "string"}}),
                3 => json!({"type": "array", "items": {"type": "object", "required": ["name"],
                    "properties": {"name": {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}, "weight": {"type": "number"}}}}),
                _ => json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            };
            fields.insert(format!("field_{field}"), schema);
        }
        let value = |number| json!(format!("mode-{number}"));
        let modes: Vec<Value> = (0..3 + minor / 12).map(value).collect();
        fields.insert("mode".to_owned(), json!({"enum": modes}));
        if group == minor % 12 {
            let name = format!("added_{minor}");
            fields.insert(name, json!({"type": "string"}));
        }
        // What earlier versions added stays, so that each version is additive.
        for earlier in (0..minor).filter(|earlier| earlier % 12 == group) {
            let name = format!("added_{earlier}");
            fields.insert(name, json!({"type": "string"}));
        }
        let group_schema = json!({"type": "object", "properties": fields, "required": ["field_0"]});
        groups.insert(format!("group_{group}"), group_schema);
    }
    json!({"type": "object", "properties": groups})
}

fn text(minor: u32) -> String {
    let version = format!("1.{minor}.0");
    let name = format!("acme:cluster:{version}");
    json!({
        "kind": "type", "version": "v1", "metadata": {"name": name},
        "spec": {"vendor": "acme", "nss": "cluster", "version": version, "schema": schema(minor)},
    })
    .to_string()
}

fn best<T>(mut call: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = call();
        (start.elapsed(), result)
    };
    // The best of several: everything else that happens only adds.
    let mut best = timed();
    for _ in 1..ROUNDS {
        let next = timed();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

pub(crate) fn print() {
    let last = text(VERSIONS - 1);
    let earlier = |minor| TypeVersion::parse(&text(minor)).unwrap();
    let history: Vec<TypeVersion> = (0..VERSIONS - 1).map(earlier).collect();
    let (reading, new) = best(|| TypeVersion::parse(&last).unwrap());
    let (one, _) = best(|| check(&history[history.len() - 1..], &new));
    let (whole, checked): (Duration, HistoryCheck) = best(|| check(&history, &new));
    // Otherwise something else than the usual case would be measured.
    assert_eq!(checked.kind(), ChangeKind::Additive, "{checked:#?}");
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let all = reading + whole;
    let verdict = if all <= GOAL { "" } else { ", falls short" };
    println!(
        "\nversion {VERSIONS} of a type whose file has {} bytes\n",
        last.len()
    );
    println!("| | ms | ratio | to | goal |");
    println!("|---|---|---|---|---|");
    println!(
        "| read and compile the file | {:.1} | | | |",
        millis(reading)
    );
    println!(
        "| check against its parent | {:.1} | {:.2} | read | |",
        millis(one),
        one.as_secs_f64() / reading.as_secs_f64()
    );
    println!(
        "| check against all {} versions | {:.1} | {:.2} | parent | |",
        history.len(),
        millis(whole),
        whole.as_secs_f64() / one.as_secs_f64()
    );
    println!(
        "| register: read and check | {:.1} | | | ≤ {} ms{verdict} |",
        millis(all),
        GOAL.as_millis()
    );
}
