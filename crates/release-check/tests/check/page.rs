//! The page about releases says what the code does.

use coeval_release_check::{ReleaseRule, rules_table};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_page_has_the_table_of_rules_as_the_code_has_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/releases.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let table = rules_table();
    if page.contains(&table) {
        return;
    }
    let (before, rest) = page.split_once("| rule |").unwrap();
    let rest = rest.split_once("\n\n").map_or("", |(_, after)| after);
    if std::env::var_os("COEVAL_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, format!("{before}{table}\n{rest}")).unwrap();
        return;
    }
    panic!("docs/releases.md has another table; COEVAL_GOLDEN=write writes this one:\n{table}");
}

#[test]
fn rules_have_names_of_their_own_and_sentences() {
    let ids: BTreeSet<&str> = ReleaseRule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), ReleaseRule::ALL.len());
    for rule in ReleaseRule::ALL {
        let kebab = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        assert!(rule.id().chars().all(kebab), "{rule}");
        assert!(rule.statement().ends_with('.'), "{rule}");
        assert!(rule.how_to_go_on().ends_with('.'), "{rule}");
        assert!(!rule.areas().is_empty(), "{rule}");
    }
}
