//! `coeval migrate` and `coeval server`, against a real server.

use crate::somebody::{Somebody, rest};
use crate::stage::type_file;
use crate::world::World;
use expectrl::Expect as _;
use serde_json::{Value, json};

const FIRST: &str =
    "  schema: {type: object, required: [image], properties: {image: {type: string}}}\n";

/// `acme:app` in two majors, and resources of the first one. The second takes short images alone.
fn with_apps(world: &mut World, images: &[&str]) {
    let second = "  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string, maxLength: 9}}}}}\n  conversion: {from: 1.0.0, steps: [{nest: {paths: [/image], under: /container}}]}\n";
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", FIRST)]);
    world.write("second.yaml", &type_file("acme:app", "2.0.0", second));
    let admin = world.person("administrator@System");
    admin.does(&["type", "register", "second.yaml", "--warn"]);
    let token = world.login("alice@acme");
    for (number, image) in images.iter().enumerate() {
        let name = format!("a{number}");
        world.make_resolved(&token, "1.0.0", &name, &json!({"image": image}));
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_type_is_moved_by_the_commands_that_each_step_names() {
    let mut world = World::sqlite();
    with_apps(&mut world, &["a", "b", "c"]);
    let admin = world.person("administrator@System");
    let plan = admin.runs(&["migrate", "plan", "acme:app"]);
    assert_eq!(plan.code, Some(0), "{plan:?}");
    for part in [
        "acme:app from major 1 to 2: resources become 2.0.0",
        "3  at 1.0.0",
        "3  convert exactly",
        "0  can't be converted",
        "there is no way back",
    ] {
        assert!(plan.out.contains(part), "{part}: {plan:?}");
    }
    let mut next = told_next(&plan.err);
    assert_eq!(next, "coeval migrate start acme:app");
    // Nothing but what is told to be typed next leads to the end.
    let mut typed = Vec::new();
    while !next.is_empty() {
        let words: Vec<&str> = next.split(' ').skip(1).collect();
        let ran = admin.runs(&words);
        assert_eq!(ran.code, Some(0), "{next}: {ran:?}");
        typed.push(next);
        assert!(typed.len() < 20, "{typed:#?}");
        next = told_next(&ran.err);
    }
    let step = "coeval migrate advance acme:app --wait";
    let cutover = "coeval migrate advance acme:app --to cutover --wait";
    let cleanup = "coeval migrate advance acme:app --to cleanup --wait";
    let start = "coeval migrate start acme:app";
    assert_eq!(
        typed,
        [start, step, step, step, step, cutover, cleanup, step]
    );
    let status = json_of(&admin.does(&["migrate", "status", "acme:app", "-o", "json"]));
    assert_eq!(status["state"], "finished", "{status}");
    assert_eq!(
        (&status["oldResources"], &status["newResources"]),
        (&json!(0), &json!(3))
    );
    assert_eq!(
        admin.does(&["migrate", "list", "-o", "name"]),
        "acme:app-1-2\n"
    );
    let listed = admin.does(&["migrate", "list"]);
    assert!(listed.contains("acme:app-1-2   finished"), "{listed}");
    admin.is_refused(
        &["migrate", "advance", "acme:app"],
        1,
        &["COEVAL-7004", "migrate start"],
    );
    admin.is_refused(
        &["migrate", "undo", "acme:app", "--yes"],
        1,
        &["COEVAL-7004"],
    );
}

#[test]
fn cutover_waits_for_access_and_says_how_to_go_on() {
    let mut world = World::sqlite();
    with_apps(&mut world, &["a"]);
    let admin = world.person("administrator@System");
    admin.does(&["type", "revoke", "acme:app:2.0.0", "org:acme"]);
    let grants = admin.does(&["type", "grants", "acme:app:2.0.0"]);
    assert!(!grants.contains("org:acme"), "{grants}");
    let plan = admin.does(&["migrate", "plan", "acme:app"]);
    let grant = "coeval type grant acme:app:2.0.0 org:acme read-write";
    assert!(plan.contains(grant), "{plan}");
    let plan = json_of(&admin.does(&["migrate", "plan", "acme:app", "-o", "json"]));
    assert_eq!(plan["withoutAccess"][0]["name"], "org:acme", "{plan}");
    admin.does(&["migrate", "start", "acme:app"]);
    let soak = admin.runs(&["migrate", "advance", "acme:app", "--to", "soak", "--wait"]);
    assert_eq!(told_next(&soak.err), grant, "{soak:?}");
    let cutover = ["migrate", "advance", "acme:app", "--to", "cutover"];
    admin.is_refused(&cutover, 1, &["COEVAL-7023", "org:acme", grant]);
    let status = json_of(&admin.does(&["migrate", "status", "acme:app", "-o", "json"]));
    let why = status["why"].as_str().unwrap();
    assert!(why.starts_with("Cutover waits for org:acme"), "{why}");
    let mut named = cutover.to_vec();
    named.extend(["--without-access", "org:acme", "--wait"]);
    admin.does(&named);
    admin.does(&["migrate", "back", "acme:app", "--wait", "--yes"]);
    let words: Vec<&str> = grant.split(' ').skip(1).collect();
    admin.does(&words);
    admin.does(&cutover);
}

/// The command that is to be typed next; empty if there is none.
fn told_next(err: &str) -> String {
    let line = err.lines().find_map(|line| line.strip_prefix("next: "));
    line.unwrap_or_default().to_owned()
}

#[test]
fn what_holds_a_migration_is_told_and_can_be_mended() {
    let mut world = World::sqlite();
    with_apps(&mut world, &["short", "much longer than that"]);
    let admin = world.person("administrator@System");
    let plan = json_of(&admin.does(&["migrate", "plan", "acme:app", "-o", "json"]));
    assert_eq!(
        (&plan["exact"], &plan["refused"]),
        (&json!(1), &json!(1)),
        "{plan}"
    );
    assert_eq!(plan["examples"][0]["name"], "a1", "{plan}");
    admin.is_refused(&["migrate", "status", "acme:app"], 1, &["COEVAL-7019"]);
    let wrong = admin.runs(&["migrate", "start", "acme:app", "--until", "nowhere"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    // What closes the way back is asked for; nobody can be asked here.
    let end = [
        "migrate", "start", "acme:app", "--auto", "--until", "finished",
    ];
    admin.is_refused(&end, 2, &["--yes"]);
    admin.does(&["migrate", "start", "acme:app", "--rate", "900"]);
    admin.is_refused(&["migrate", "start", "acme:app"], 1, &["COEVAL-7005"]);
    admin.is_refused(
        &["migrate", "advance", "acme:app", "--to", "soak"],
        1,
        &["COEVAL-7015"],
    );
    admin.is_refused(
        &["migrate", "advance", "acme:app", "--to", "finished"],
        2,
        &["--wait"],
    );
    let paused = admin.does(&["migrate", "pause", "acme:app"]);
    assert!(paused.contains("paused, at most 900 a second"), "{paused}");
    admin.does(&["migrate", "resume", "acme:app"]);
    admin.does(&["migrate", "rate", "acme:app", "0"]);

    let there = admin.runs(&[
        "migrate", "advance", "acme:app", "--to", "backfill", "--wait",
    ]);
    assert_eq!(there.code, Some(0), "{there:?}");
    assert_eq!(told_next(&there.err), "coeval migrate failed acme:app");
    let lines: Vec<_> = there.out.lines().collect();
    assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{there:?}");
    assert!(!there.out.contains('\u{1b}'), "{there:?}");
    admin.is_refused(
        &["migrate", "advance", "acme:app", "--to", "soak", "--wait"],
        1,
        &["COEVAL-7008", "coeval migrate failed acme:app"],
    );
    admin.is_refused(
        &["migrate", "advance", "acme:app", "--to", "mirror", "--wait"],
        1,
        &["COEVAL-7015"],
    );
    assert_eq!(
        admin.does(&["migrate", "failed", "acme:app", "-o", "name"]),
        "a1\n"
    );
    admin.is_refused(&["migrate", "retry", "acme:app"], 1, &["COEVAL-7008"]);
    admin.is_refused(&["migrate", "retry", "acme:app", "a0"], 1, &["a0 is none"]);
    admin.is_refused(&["migrate", "verify", "acme:app"], 1, &["1 resources"]);
    let alice = world.person("alice@acme");
    alice.is_refused(&["migrate", "status", "acme:app"], 1, &["COEVAL-5"]);
    alice.is_refused(&["server", "list"], 1, &["COEVAL-5"]);
    alice.does(&["delete", "app", "a1"]);
    let soak = admin.runs(&["migrate", "advance", "acme:app", "--to", "soak", "--wait"]);
    assert_eq!(soak.code, Some(0), "{soak:?}");
    let verified = admin.does(&["migrate", "verify", "acme:app"]);
    assert!(verified.contains("same:      1"), "{verified}");
    // Cutover is not entered unasked.
    admin.is_refused(
        &["migrate", "advance", "acme:app"],
        2,
        &["enter cutover?", "--yes"],
    );
    admin.does(&[
        "migrate", "advance", "acme:app", "--to", "cutover", "--wait",
    ]);

    let servers = json_of(&admin.does(&["server", "list", "-o", "json"]));
    // One that was killed before it began may still be listed, and says nothing of it.
    let mut items = servers["items"].as_array().unwrap().iter();
    let there = items.any(|server| server["phases"]["acme:app"] == "cutover");
    assert!(there, "{servers}");
    let listed = admin.does(&["server", "list"]);
    assert!(listed.contains("acme:app=cutover"), "{listed}");

    admin.is_refused(
        &["migrate", "back", "acme:app"],
        2,
        &["Going back from cutover", "--yes"],
    );
    let back = admin.runs(&["migrate", "back", "acme:app", "--wait", "--yes"]);
    assert_eq!(back.code, Some(0), "{back:?}");
    assert!(
        back.err.contains("0 acknowledged writes are lost"),
        "{back:?}"
    );
    let undone = admin.runs(&["migrate", "undo", "acme:app", "--wait", "--yes"]);
    assert_eq!(undone.code, Some(0), "{undone:?}");
    assert!(undone.err.contains("acme:app-1-2 is undone"), "{undone:?}");
    let watched = admin.runs(&["migrate", "status", "acme:app", "-w"]);
    assert_eq!(watched.code, Some(0), "{watched:?}");
    assert_eq!(watched.out, "acme:app: undone. It was undone.\n");
}

#[test]
fn who_looks_sees_the_phases_and_is_asked_before_the_way_back_closes() {
    let mut world = World::sqlite();
    with_apps(&mut world, &["a", "b"]);
    let admin = Somebody::logged_in(&world, "administrator@System");
    admin.run(&["migrate", "start", "acme:app"]).ok();
    let words = ["migrate", "advance", "acme:app", "--to", "soak", "--wait"];
    let mut terminal = admin.at_terminal(&words);
    let shown = rest(&mut terminal);
    assert!(shown.contains("[mirror]"), "{shown:?}");
    let last = shown.rsplit("old - mirror").next().unwrap();
    assert!(last.contains("[soak]"), "{shown:?}");
    assert!(last.contains("server 127.0.0.1:"), "{shown:?}");
    assert!(last.contains("It can advance to cutover."), "{shown:?}");
    assert!(
        last.contains("next: coeval migrate advance acme:app --to cutover --wait"),
        "{shown:?}"
    );

    let mut terminal = admin.at_terminal(&["migrate", "advance", "acme:app", "--wait"]);
    terminal.expect("enter cutover? [y/N] ").unwrap();
    terminal.send_line("n").unwrap();
    let shown = rest(&mut terminal);
    assert!(shown.contains("nothing was done"), "{shown:?}");
    let status = json_of(
        &admin
            .run(&["migrate", "status", "acme:app", "-o", "json"])
            .ok(),
    );
    assert_eq!(status["high"], "soak", "{status}");
    let mut terminal = admin.at_terminal(&["migrate", "advance", "acme:app", "--wait"]);
    terminal.expect("enter cutover? [y/N] ").unwrap();
    terminal.send_line("y").unwrap();
    let shown = rest(&mut terminal);
    let last = shown.rsplit("old - mirror").next().unwrap();
    assert!(last.contains("[cutover]"), "{shown:?}");
}
