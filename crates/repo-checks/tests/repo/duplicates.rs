//! A crate in two versions is built twice and its types do not fit each other.

use crate::files::metadata;
use std::collections::{BTreeMap, BTreeSet};

/// Those that we can't avoid today, and whom they wait for.
const KNOWN: &[(&str, &str)] = &[
    (
        "base64",
        "tonic, tokio-postgres and the metrics exporter are one release behind",
    ),
    (
        "bit-vec",
        "fancy-regex (jsonschema) is behind yasna (rcgen), which is in tests only",
    ),
    (
        "bitflags",
        "defmt, which jiff's tree names for small devices, wants the old one",
    ),
    ("fallible-iterator", "tokio-postgres and rusqlite differ"),
    ("foldhash", "follows hashbrown"),
    ("getrandom", "ring and metrics-util are behind"),
    (
        "hashbrown",
        "petgraph (prost-build) and metrics-util are behind",
    ),
    ("rand", "metrics-util is behind"),
    ("rand_core", "follows rand"),
    (
        "syn",
        "macro crates are moving to version 3; build time only",
    ),
];

/// New duplicates, and known ones that are gone.
fn surprises<'a>(
    found: &BTreeSet<&'a str>,
    known: &BTreeSet<&'a str>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    (
        found.difference(known).copied().collect(),
        known.difference(found).copied().collect(),
    )
}

#[test]
fn no_crate_is_there_twice_except_those_we_know_of() {
    let metadata = metadata();
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in &metadata.packages {
        let of_name = versions.entry(package.name.as_str()).or_default();
        of_name.insert(package.version.to_string());
    }
    versions.retain(|_, versions| versions.len() > 1);
    let found = versions.keys().copied().collect();
    let known = KNOWN.iter().map(|(name, _)| *name).collect();
    let (new, gone) = surprises(&found, &known);
    let new: Vec<_> = new
        .iter()
        .map(|name| format!("{name} {:?}", versions[name]))
        .collect();
    assert!(
        new.is_empty(),
        "twice in the graph: {new:?}; choose versions that agree (`cargo tree -d`), or add it to duplicates.rs with the reason"
    );
    assert!(
        gone.is_empty(),
        "no longer twice, remove from duplicates.rs: {gone:?}"
    );
}

#[test]
fn new_and_stale_entries_are_both_found() {
    let found = BTreeSet::from(["a", "b"]);
    let known = BTreeSet::from(["b", "c"]);
    assert_eq!(surprises(&found, &known), (vec!["a"], vec!["c"]));
}
