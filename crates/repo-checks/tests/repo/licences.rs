//! Only licences that an Apache-2.0 program can be shipped with.

use crate::files::metadata;

const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // a licence of data: the certificates that webpki-roots brings
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether the expression can be satisfied with allowed licences. `/` is an old way to say OR.
fn acceptable(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(" WITH ", "_WITH_");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let verdict = any_of(&mut rest);
    verdict && rest.is_empty()
}

fn any_of(words: &mut &[&str]) -> bool {
    let mut verdict = all_of(words);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        verdict |= all_of(words);
    }
    verdict
}

fn all_of(words: &mut &[&str]) -> bool {
    let mut verdict = one(words);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        verdict &= one(words);
    }
    verdict
}

fn one(words: &mut &[&str]) -> bool {
    let Some((word, rest)) = words.split_first() else {
        return false;
    };
    *words = rest;
    if *word != "(" {
        return ALLOWED.contains(&word.replace('_', " ").as_str());
    }
    let verdict = any_of(words);
    let closed = words.first() == Some(&")");
    *words = words.get(1..).unwrap_or_default();
    verdict && closed
}

#[test]
fn every_crate_has_a_licence_that_we_can_ship() {
    let mut refused = Vec::new();
    for package in metadata().packages {
        let licence = package.license.as_deref().unwrap_or("no licence");
        if !acceptable(licence) {
            refused.push(format!("{} {}: {licence}", package.name, package.version));
        }
    }
    assert!(refused.is_empty(), "not allowed:\n{}", refused.join("\n"));
}

#[test]
fn licence_expressions_are_understood() {
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND Unicode-3.0", true),
        ("(GPL-3.0 AND MIT) OR AGPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0 WITH Classpath-exception-2.0", false),
        ("(MIT", false),
        ("", false),
        ("no licence", false),
    ] {
        assert_eq!(acceptable(expression), expected, "{expression}");
    }
}
