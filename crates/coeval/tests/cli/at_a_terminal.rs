//! What is different when somebody looks: colours, what is drawn, and a password that is not shown.

use crate::somebody::{Somebody, rest};
use crate::world::World;
use expectrl::Expect as _;
use serde_json::json;

#[test]
fn the_password_is_asked_for_and_not_shown() {
    let world = World::sqlite();
    let alice = Somebody::new();
    let mut terminal = alice.at_terminal(&["login", world.url()]);
    terminal.expect("User (USER@ORGANIZATION): ").unwrap();
    terminal.send_line("alice@acme").unwrap();
    terminal.expect("Password of alice@acme at ").unwrap();
    terminal.expect(": ").unwrap();
    terminal.send_line("secret").unwrap();
    let shown = rest(&mut terminal);
    assert!(shown.contains("Logged in to"), "{shown}");
    assert!(!shown.contains("secret"), "{shown}");
    assert!(alice.run(&["whoami"]).ok().contains("alice"));
}

#[test]
fn a_table_has_colours_and_is_no_wider_than_the_terminal() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = Somebody::logged_in(&world, "alice@acme");
    let token = world.login("alice@acme");
    let long = "l".repeat(120);
    world.make_resolved(&token, "1.1.0", &long, &json!({"image": "nginx"}));
    let shown = |words: &[&str]| {
        let mut terminal = alice.at_terminal(words);
        rest(&mut terminal)
    };
    let table = shown(&["get", "app"]);
    assert!(table.contains("\u{1b}[32mRESOLVED"), "{table:?}");
    assert!(table.contains('…') && !table.contains(&long), "{table:?}");
    let name = shown(&["get", "app", "-o", "name"]);
    assert!(name.contains(&long), "only tables are cut: {name:?}");
    let mut plain = alice.command(&["get", "app"]);
    plain.env("TERM", "xterm-256color").env("NO_COLOR", "1");
    let mut terminal = crate::somebody::Terminal::spawn(plain).unwrap();
    let plain = rest(&mut terminal);
    assert!(
        plain.contains("RESOLVED") && !plain.contains("\u{1b}[32m"),
        "{plain:?}"
    );
}

#[test]
fn who_waits_is_shown_that_something_is_waited_for() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = Somebody::logged_in(&world, "alice@acme");
    let token = world.login("alice@acme");
    world.make(&token, "1.1.0", "web", &json!({"image": "nginx"}));
    let words = [
        "wait",
        "app",
        "web",
        "--for",
        "state=RESOLVED",
        "--timeout",
        "1s",
    ];
    let mut terminal = alice.at_terminal(&words);
    let shown = rest(&mut terminal);
    assert!(
        shown.contains("waiting for app/web: it is PRE_CREATED"),
        "{shown:?}"
    );
    assert!(shown.contains("COEVAL-9054"), "{shown:?}");
}
