//! Every error code has its page, and somebody who uses it.

use crate::files::{listed, read, root};
use std::collections::BTreeSet;

const SECTIONS: [&str; 3] = ["## What happened", "## Why", "## What to do"];

/// What is wrong with a page, if anything.
fn trouble(page: &str, heading: &str) -> Option<String> {
    if page.lines().next() != Some(heading) {
        return Some(format!("the first line is not `{heading}`"));
    }
    let sections: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    if sections != SECTIONS {
        return Some(format!("the sections are not {SECTIONS:?}"));
    }
    let bodies = page.split("\n## ").skip(1);
    let thin = bodies.filter(|body| body.split_whitespace().count() < 15);
    let names: Vec<_> = thin.filter_map(|body| body.lines().next()).collect();
    (!names.is_empty()).then(|| format!("too little under {names:?}"))
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let expected: BTreeSet<_> = coeval_codes::ALL
        .iter()
        .map(|code| format!("{code}.md"))
        .collect();
    let folder = std::fs::read_dir(root().join("docs/errors")).unwrap();
    let found: BTreeSet<_> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty(),
        "write docs/errors/ pages for {missing:?}"
    );
    assert!(
        extra.is_empty(),
        "pages without a code in crates/codes: {extra:?}"
    );
}

#[test]
fn every_page_says_what_happened_why_and_what_to_do() {
    for code in coeval_codes::ALL {
        let path = format!("docs/errors/{code}.md");
        let heading = format!("# {code}: {}", code.title());
        if let Some(trouble) = trouble(&read(&path), &heading) {
            panic!("{path}: {trouble}");
        }
    }
}

/// Paths of what the crates ship, without the table itself and what reads it.
fn sources() -> impl Iterator<Item = String> {
    let shipped = |path: &String| {
        path.starts_with("crates/")
            && !path.starts_with("crates/codes")
            && path.contains("/src/")
            && path.ends_with(".rs")
    };
    listed().into_iter().filter(shipped)
}

/// The names of codes that a source declares on errors or names elsewhere.
fn named_codes(source: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let uses = ["coeval_codes::", "#[code("].map(|before| source.split(before).skip(1));
    let names = uses.into_iter().flatten().map(|after| {
        let name = after.trim_start().chars();
        name.take_while(|&c| is_part(c)).collect::<String>()
    });
    names.collect()
}

#[test]
fn every_code_is_used_outside_of_its_table() {
    let named: BTreeSet<_> = sources()
        .flat_map(|path| named_codes(&read(&path)))
        .collect();
    let unused: Vec<_> = coeval_codes::NAMES
        .iter()
        .filter(|name| !named.contains(**name))
        .collect();
    assert!(unused.is_empty(), "no crate uses {unused:?}");
}

/// Where codes are not only declared, and why.
const BY_HAND: [&str; 4] = [
    // the code is what a server said; without one it follows from how the call ended
    "crates/client/src/error.rs",
    // the code is what the server said of the task
    "crates/cli/src/task/wait.rs",
    // one of the files may have several errors, and the first has the code
    "crates/cli/src/types/read.rs",
    // the code is the reason's, the advice needs the place
    "crates/core/src/convert/refusal.rs",
];

/// Whether codes of errors are found by code instead of by a derive.
fn maps_by_hand(source: &str) -> bool {
    let words: Vec<_> = source.split_whitespace().collect();
    let line = words.join(" ");
    let before_the_code = ["=> ", "=> { ", "=> return "];
    line.contains("Coded for ")
        || before_the_code
            .iter()
            .any(|before| line.contains(&format!("{before}coeval_codes::")))
}

#[test]
fn a_code_is_declared_on_its_variant() {
    let by_hand: BTreeSet<_> = sources().filter(|path| maps_by_hand(&read(path))).collect();
    let excepted: BTreeSet<_> = BY_HAND.into_iter().map(str::to_owned).collect();
    let others: Vec<_> = by_hand.difference(&excepted).collect();
    assert!(
        others.is_empty(),
        "declare codes with #[derive(Coded)] and #[code(…)] on the variants in {others:?}"
    );
    let derived: Vec<_> = excepted.difference(&by_hand).collect();
    assert!(derived.is_empty(), "no exceptions any more: {derived:?}");
}

#[test]
fn a_mapping_by_hand_and_names_in_attributes_are_found() {
    assert!(maps_by_hand("impl Coded for Error {"));
    assert!(maps_by_hand("Self::Full => {\n    coeval_codes::FULL\n}"));
    assert!(!maps_by_hand(
        "coeval_codes::FULL | coeval_codes::BUSY => USAGE,"
    ));
    let source =
        "#[code(\n    FULL,\n    advice = \"\"\n)]\n#[code(transparent)] coeval_codes::BUSY;";
    assert!(named_codes(source).is_superset(&["BUSY", "FULL"].map(str::to_owned).into()));
}

#[test]
fn a_thin_or_wrong_page_is_found() {
    let enough = "word ".repeat(20);
    let good =
        format!("# H\n\n## What happened\n{enough}\n## Why\n{enough}\n## What to do\n{enough}\n");
    assert_eq!(trouble(&good, "# H"), None);
    assert!(trouble(&good, "# Other").unwrap().contains("first line"));
    let thin = good.replacen(&enough, "it broke", 1);
    assert!(trouble(&thin, "# H").unwrap().contains("What happened"));
    let cut = good.replace("## Why", "Why");
    assert!(trouble(&cut, "# H").unwrap().contains("sections"));
}
