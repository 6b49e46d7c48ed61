//! The fuzz targets: no build of the workspace would notice that one is forgotten.

use crate::files::{listed, read};
use std::collections::BTreeSet;

/// The first parts of paths under a folder.
fn under(folder: &str) -> BTreeSet<String> {
    let inside = |path: String| path.strip_prefix(folder).map(str::to_owned);
    let first = |rest: String| rest.split('/').next().map(str::to_owned);
    listed()
        .into_iter()
        .filter_map(inside)
        .filter_map(first)
        .collect()
}

fn targets() -> BTreeSet<String> {
    let files = under("fuzz/targets/");
    let stem = |file: &String| file.strip_suffix(".rs").map(str::to_owned);
    files.iter().filter_map(stem).collect()
}

#[test]
fn every_fuzz_target_is_declared_and_has_seeds() {
    let manifest = read("fuzz/Cargo.toml");
    let names = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"targets/")?;
        path.strip_suffix(".rs\"").map(str::to_owned)
    });
    let declared: BTreeSet<_> = names.collect();
    assert!(declared.len() >= 3, "fuzz/Cargo.toml has lost its targets");
    assert_eq!(targets(), declared, "files, and [[bin]] in fuzz/Cargo.toml");
    assert_eq!(under("fuzz/seeds/"), declared, "folders with seeds");
    for words in under("fuzz/words/") {
        assert!(
            declared.contains(&words),
            "fuzz/words/{words} is of no target"
        );
    }
}

#[test]
fn what_fuzzing_leaves_behind_is_not_committed() {
    let ignored = read(".gitignore");
    for folder in ["artifacts", "corpus", "coverage", "target"] {
        assert!(
            ignored
                .lines()
                .any(|line| line == format!("/fuzz/{folder}")),
            "{folder}"
        );
    }
}
