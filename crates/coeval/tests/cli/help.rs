//! Help and manual pages, as the binary gives them.

use crate::world::World;

#[test]
fn the_manual_has_a_page_for_each_command() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    let done = alice.runs(&["man", "--out", "man1"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let folder = world.folder().join("man1");
    for page in [
        "coeval.1",
        "coeval-get.1",
        "coeval-type-register.1",
        "coeval-access-grant.1",
    ] {
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".TH"), "{page}: {text}");
        assert!(
            text.contains("EXIT") || text.contains("SYNOPSIS"),
            "{page}: {text}"
        );
    }
    world.write("file", "");
    alice.is_refused(&["man", "--out", "file"], 1, &["can't write file"]);
}

#[test]
fn no_command_takes_a_password_or_a_token_from_the_command_line() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    for arguments in [
        &["user", "create", "--help"][..],
        &["user", "password", "--help"],
        &["type", "list", "--help"],
        &["access", "--help"],
    ] {
        let help = alice.does(arguments);
        assert!(help.contains("Examples:"), "{help}");
        assert!(!help.contains("--password <"), "{help}");
        assert!(!help.contains("--token"), "{help}");
    }
}
