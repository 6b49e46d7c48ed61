//! What must be written, and what must not.

use crate::files::{listed, read, root};

#[test]
fn every_crate_is_in_the_architecture_page() {
    let page = read("ARCHITECTURE.md");
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            page.contains(&format!("`{name}`")),
            "ARCHITECTURE.md does not name `{name}`"
        );
    }
}

#[test]
fn the_architecture_page_is_one_page() {
    let lines = read("ARCHITECTURE.md").lines().count();
    assert!(
        lines <= 160,
        "{lines} lines: move details to the crates' own documentation"
    );
}

/// Traces of one machine or of how a text was made: they help no reader. (Put together here, so
/// that this file does not contain them.)
const FORBIDDEN: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("../sha", "red"),
    concat!("cla", "ude"),
    concat!("anthro", "pic"),
    concat!("chat", "gpt"),
    concat!("cop", "ilot"),
    concat!("language mo", "del"),
];

#[test]
fn no_file_names_a_machine_or_the_tools_of_its_author() {
    let mut found = Vec::new();
    for path in listed() {
        let Ok(bytes) = std::fs::read(root().join(&path)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        for (number, line) in (1..).zip(text.lines()) {
            for word in FORBIDDEN {
                if line.contains(word) {
                    found.push(format!("{path}:{number}: {word}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn scripts_can_be_executed_and_the_licence_is_there() {
    use std::os::unix::fs::PermissionsExt;
    for script in ["run", "test", ".ci/run"] {
        let mode = std::fs::metadata(root().join(script))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o111, 0o111, "{script} is not executable");
    }
    assert!(read("LICENSE").contains("Apache License"));
    assert!(read("CHANGELOG.md").contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents: Vec<_> = listed()
        .into_iter()
        .filter(|path| path.ends_with(".md"))
        .collect();
    for path in documents {
        let folder = root().join(&path).parent().unwrap().to_owned();
        for link in links(&read(&path)) {
            let target = link.split('#').next().unwrap();
            let known = target.is_empty() || target.contains("://") || folder.join(target).exists();
            assert!(known, "{path} links to {link}, which does not exist");
        }
    }
}

fn links(text: &str) -> Vec<String> {
    let starts = text.split("](").skip(1);
    starts
        .filter_map(|rest| rest.split(')').next())
        .map(str::to_owned)
        .collect()
}
