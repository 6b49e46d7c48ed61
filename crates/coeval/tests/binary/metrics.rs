//! What `/metrics` shows is what the table of metrics says.

use crate::support::{Server, coeval, serve};
use serde_json::Value;
use std::collections::BTreeSet;
use tempfile::TempDir;

/// The table, as the binary itself tells it.
fn table() -> Value {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("surface");
    let written = coeval(folder.path())
        .args(["surface", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    serde_json::from_slice(&std::fs::read(out.join("metrics.json")).unwrap()).unwrap()
}

/// `name{a="1",b="2"} 3` as its name and its labels, without those that a histogram adds.
fn series(line: &str) -> (String, BTreeSet<String>) {
    let (name, rest) = line.split_once(['{', ' ']).unwrap();
    let name = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    let labels = if line.contains('{') {
        rest.split('}').next().unwrap()
    } else {
        ""
    };
    let labels = labels.split(',').filter_map(|one| one.split_once('='));
    let labels = labels.map(|(label, _)| label.to_owned());
    (
        name.to_owned(),
        labels.filter(|label| label != "le").collect(),
    )
}

#[test]
fn every_series_is_in_the_table_with_its_labels_and_has_help() {
    let table = table();
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    for path in [
        "/readyz",
        "/v1/webapi/release",
        "/v1/webapi/types",
        "/nothing",
    ] {
        server.get(path);
    }
    let shown = server.get("/metrics");
    let (mut seen, mut helped) = (BTreeSet::new(), BTreeSet::new());
    for line in shown.lines().skip_while(|line| !line.starts_with('#')) {
        if let Some(help) = line.strip_prefix("# HELP ") {
            helped.insert(help.split(' ').next().unwrap().to_owned());
        } else if line.starts_with("coeval_") {
            let (name, labels) = series(line);
            let described = &table[&name];
            assert!(described.is_object(), "{name} is not in the table");
            let declared = described["labels"].as_array().unwrap();
            let declared = declared.iter().map(|one| one.as_str().unwrap().to_owned());
            assert_eq!(labels, declared.collect(), "{line}");
            seen.insert(name);
        }
    }
    assert!(seen.len() >= 8, "{seen:?}");
    assert!(seen.is_subset(&helped), "{seen:?} {helped:?}");
}
