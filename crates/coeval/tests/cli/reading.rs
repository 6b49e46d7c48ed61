//! Looking at what is there, waiting for it, and deleting it.

use crate::lost::{PIECES, losing};
use crate::somebody::{Ended, Somebody, ended};
use crate::stage::type_file;
use crate::world::World;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

/// `acme:app`, and alice, who is logged in.
fn world_with_apps(names: &[&str]) -> (World, Somebody, String) {
    let mut world = World::sqlite();
    world.add_app();
    let alice = Somebody::logged_in(&world, "alice@acme");
    let token = world.login("alice@acme");
    for name in names {
        make(&world, &token, name);
    }
    (world, alice, token)
}

fn make(world: &World, token: &str, name: &str) {
    let entity = json!({"image": "nginx", "region": "eu", "replicas": 3});
    world.make_resolved(token, "1.1.0", name, &entity);
}

fn json(ended: Ended) -> Value {
    serde_json::from_str(&ended.ok()).unwrap()
}

#[test]
fn lists_are_printed_in_every_format() {
    let (_world, alice, _) = world_with_apps(&["api", "web"]);
    let table = alice.run(&["get", "app"]).ok();
    let lines: Vec<_> = table.lines().collect();
    let heads: Vec<_> = lines[0].split_whitespace().collect();
    assert_eq!(heads, ["NAME", "VERSION", "STATE", "AGE"]);
    assert!(
        lines[1].starts_with("api") && lines[1].contains("v1.1"),
        "{table}"
    );
    assert!(!table.contains('\u{1b}'), "no colours in a pipe: {table:?}");
    let wide = alice.run(&["get", "app", "-o", "wide"]).ok();
    for head in ["NAMESPACE", "STORED", "OWNER", "REVISION", "LABELS"] {
        assert!(wide.contains(head), "{wide}");
    }
    assert!(
        wide.contains("urn:vcloud:user:"),
        "nothing is cut in a pipe: {wide}"
    );
    let names = alice.run(&["get", "app", "-o", "name"]).ok();
    assert_eq!(names, "app/api\napp/web\n");
    let all = json(alice.run(&["get", "app", "-o", "json"]));
    assert_eq!(all["items"][1]["spec"]["region"], "eu");
    let yaml = alice.run(&["get", "app", "-o", "yaml"]).ok();
    assert_eq!(yaml.split("---\n").count(), 2, "{yaml}");
    let path = "jsonpath={.metadata.name} {.spec.image}";
    assert_eq!(
        alice.run(&["get", "app", "-o", path]).ok(),
        "api nginx\nweb nginx\n"
    );
    let told = alice.run(&["get", "app", "-o", "xml"]).failed(2);
    for format in ["table", "wide", "yaml", "json", "name", "jsonpath=EXPR"] {
        assert!(told.contains(format), "{told}");
    }

    let one = json(alice.run(&["get", "app", "web", "-o", "json"]));
    assert_eq!(one["metadata"]["name"], "web");
    let two = alice.run(&["get", "app/web", "app/api", "-o", "name"]).ok();
    assert_eq!(two, "app/web\napp/api\n");
    let ordered = ["get", "app", "-o", "name", "--order-by", "name desc"];
    assert_eq!(alice.run(&ordered).ok(), "app/web\napp/api\n");
    let filtered = ["get", "app", "-o", "name", "--filter", "name==w*"];
    assert_eq!(alice.run(&filtered).ok(), "app/web\n");
}

#[test]
fn what_is_not_there_is_said_on_stderr() {
    let (_world, alice, _) = world_with_apps(&["web"]);
    let region = ["get", "app", "-o", "name", "--filter", "spec.region==eu"];
    let some = alice.run(&region);
    assert!(
        some.err
            .contains("warning: spec.region is declared by v1.1 only"),
        "{some:?}"
    );
    assert!(some.ok().contains("app/web"));
    let slip = alice.run(&["get", "app", "--filter", "spec.nonsense==3"]);
    assert!(slip.failed(1).contains("COEVAL-6104"));
    let none = alice.run(&["get", "app", "--filter", "name==x"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""), "{none:?}");
    assert_eq!(none.err, "There is no app that matches.\n");
    let none = json(alice.run(&["get", "app", "--filter", "name==x", "-o", "json"]));
    assert_eq!(none, json!({"items": []}));
    // Those that are there are shown all the same.
    let some = alice.run(&["get", "app", "web", "gone", "lost", "-o", "name"]);
    assert_eq!(
        (some.code, some.out.as_str()),
        (Some(1), "app/web\n"),
        "{some:?}"
    );
    assert_eq!(
        some.err.matches("COEVAL-6001").count(),
        4,
        "each, with its page: {some:?}"
    );
    let told = alice.run(&["get", "nothing"]).failed(1);
    assert!(told.contains("COEVAL-8016"), "{told}");
    let told = alice
        .run(&["get", "app", "web", "--filter", "name==x"])
        .failed(2);
    assert!(told.contains("are for lists"), "{told}");
    let told = alice.run(&["get", "app", "--filter", "name=~"]).failed(1);
    assert!(told.contains("COEVAL-8011"), "{told}");
    let told = alice
        .run(&["get", "app", "--server", "http://127.0.0.1:1"])
        .failed(1);
    assert!(told.contains("COEVAL-"), "{told}");
}

#[test]
fn a_list_of_many_pages_is_whole_and_a_reader_may_stop_early() {
    let (world, alice, token) = world_with_apps(&[]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = coeval_client::Client::builder(world.url()).token(token);
        let apps = client.build().unwrap().resources("app");
        for number in 0..1100 {
            let name = format!("app-{number:04}");
            let spec = json!({"image": "nginx"});
            let new = coeval_client::Resource::new("app", "v1.1", name, spec);
            apps.create(&new).await.unwrap();
        }
    });
    let names = alice.run(&["get", "app", "-o", "name"]).ok();
    assert_eq!(names.lines().count(), 1100);
    let all = json(alice.run(&["get", "app", "-o", "json"]));
    assert_eq!(all["items"].as_array().unwrap().len(), 1100);
    let table = alice.run(&["get", "app"]).ok();
    assert_eq!(table.lines().count(), 1101);
    let mut child = alice.command(&["get", "app", "-o", "json"]);
    let mut child = child
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "{\n");
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn a_view_says_what_it_leaves_out() {
    let (_world, alice, _) = world_with_apps(&["web"]);
    let view = alice.run(&["get", "app", "web", "--version", "1.0", "-o", "json"]);
    assert!(view.err.contains("app/web is stored at v1.1"), "{view:?}");
    assert!(view.err.contains("v1+downgraded"), "{view:?}");
    let shown = json(view);
    assert_eq!(shown["version"], "v1+downgraded");
    assert_eq!(shown["spec"], json!({"image": "nginx", "replicas": 3}));
    let views = alice.run(&["get", "app", "--version", "1.0"]);
    assert!(
        views.err.contains("1 of 1 show less than is stored"),
        "{views:?}"
    );
    assert!(
        views.err.contains("coeval get app NAME --version 1.0.0"),
        "{views:?}"
    );
    let whole = alice.run(&["get", "app", "web"]);
    assert_eq!(whole.err, "", "{whole:?}");
    let told = alice
        .run(&["get", "app", "web", "--version", "7"])
        .failed(1);
    assert!(told.contains("COEVAL-"), "{told}");
}

#[test]
fn a_version_that_is_none_is_told_once_and_not_of_every_resource() {
    let (_world, alice, _) = world_with_apps(&["api", "web"]);
    for words in [
        &["get", "app", "--version", "7"][..],
        &["history", "app", "web", "--version", "7"],
    ] {
        let told = alice.run(words).failed(1);
        assert!(
            told.starts_with("error: there is no version 7.0.0 of app"),
            "{told}"
        );
        assert!(told.contains("`coeval type versions app`"), "{told}");
        assert_eq!(told.lines().count(), 3, "{told}");
    }
}

#[test]
fn a_list_of_all_organizations_says_which_each_is_of() {
    let (world, alice, _) = world_with_apps(&["web"]);
    let admin = Somebody::logged_in(&world, "administrator@System");
    let table = admin.run(&["get", "app", "-A"]).ok();
    let mut lines = table.lines().map(|line| line.split_whitespace().take(2));
    let mut line = || lines.next().unwrap().collect::<Vec<_>>();
    assert_eq!(line(), ["NAMESPACE", "NAME"], "{table}");
    assert_eq!(line(), ["acme", "web"], "{table}");
    let wide = admin.run(&["get", "app", "-A", "-o", "wide"]).ok();
    assert_eq!(wide.matches("NAMESPACE").count(), 1, "{wide}");
    assert!(!alice.run(&["get", "app"]).ok().contains("NAMESPACE"));
}

#[test]
fn describe_shows_all_that_people_want_to_know() {
    let mut world = World::sqlite();
    let schema =
        "  schema: {type: object, properties: {image: {type: string, description: What runs.}}}\n";
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", schema)]);
    let alice = Somebody::logged_in(&world, "alice@acme");
    let token = world.login("alice@acme");
    world.make_resolved(&token, "1.0.0", "web", &json!({"image": "nginx"}));
    let page = alice.run(&["describe", "app", "web"]).ok();
    for said in [
        "Name:         web",
        "Namespace:    acme",
        "State:        RESOLVED",
        "Owner:        alice (urn:vcloud:user:",
        "  # What runs.\n  image: nginx",
        "full control",
        "Last revisions:",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        !page.contains('\u{1b}') && !page.contains("Tasks"),
        "{page:?}"
    );
    let told = alice.run(&["describe", "app"]).failed(2);
    assert!(told.contains("KIND/NAME"), "{told}");
    let told = alice.run(&["describe", "app/none"]).failed(1);
    assert!(told.contains("COEVAL-6001"), "{told}");
}

#[test]
fn a_watch_tells_every_change_and_ends_well_with_ctrl_c() {
    let (world, alice, token) = world_with_apps(&["old"]);
    let mut command = alice.command(&["get", "app", "--watch", "-o", "json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let present = next();
    assert_eq!(present["change"], "present");
    assert_eq!(present["resource"]["metadata"]["name"], "old");
    let entity = json!({"image": "nginx"});
    world.make(&token, "1.1.0", "new", &entity);
    let put = next();
    assert_eq!(
        (&put["change"], &put["resource"]["metadata"]["name"]),
        (&json!("put"), &json!("new"))
    );
    alice.run(&["delete", "app", "old"]).ok();
    let deleted = next();
    assert_eq!(
        (&deleted["change"], &deleted["name"]),
        (&json!("deleted"), &json!("old"))
    );
    let kill = format!("kill -INT {}", child.id());
    std::process::Command::new("sh")
        .args(["-c", &kill])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn wait_ends_when_it_is_so_and_says_what_it_is_when_time_is_over() {
    let (world, alice, token) = world_with_apps(&[]);
    let id = world.make(&token, "1.1.0", "web", &json!({"image": "nginx"}));
    let words = ["wait", "app", "web", "--for", "state=RESOLVED", "--timeout"];
    let over = alice.run(&[&words[..], &["300ms"]].concat());
    assert!(
        !over.err.contains('\u{1b}'),
        "nothing is drawn in a pipe: {over:?}"
    );
    let told = over.failed(1);
    assert!(
        told.contains("COEVAL-9054") && told.contains("PRE_CREATED"),
        "{told}"
    );
    let waiting = alice.command(&[&words[..], &["60s"]].concat());
    let waiting = std::thread::spawn(|| ended(waiting, ""));
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(!waiting.is_finished(), "{:?}", waiting.join());
    let resolve = format!("/cloudapi/1.0.0/entities/{id}/resolve");
    world.post(&resolve).by(&token).send();
    assert_eq!(waiting.join().unwrap().ok(), "app/web is RESOLVED\n");
    let path = "jsonpath={.spec.image}=nginx";
    assert_eq!(
        alice.run(&["wait", "app/web", "--for", path]).ok(),
        "app/web is so\n"
    );
    let told = alice
        .run(&["wait", "app/typo", "--for", "state=RESOLVED"])
        .failed(1);
    assert!(
        told.contains("no app/typo") && told.contains("--for exists"),
        "{told}"
    );
    let told = alice.run(&["wait", "app/web", "--for", "ready"]).failed(2);
    assert!(told.contains("state=RESOLVED"), "{told}");
    let gone = alice.command(&["wait", "app/web", "--for", "deleted", "--timeout", "60s"]);
    let gone = std::thread::spawn(|| ended(gone, ""));
    std::thread::sleep(std::time::Duration::from_millis(300));
    alice.run(&["delete", "app/web"]).ok();
    assert_eq!(gone.join().unwrap().ok(), "app/web is deleted\n");
}

#[test]
fn delete_says_what_it_deleted_and_keeps_to_the_revision() {
    let (_world, alice, _) = world_with_apps(&["a", "b", "c"]);
    let told = alice
        .run(&["delete", "app", "a", "--revision", "stale"])
        .failed(3);
    assert!(told.contains("COEVAL-6004"), "{told}");
    let path = "jsonpath={.metadata.revision}";
    let revision = alice.run(&["get", "app", "a", "-o", path]).ok();
    let words = ["delete", "app", "a", "--revision", revision.trim()];
    assert_eq!(alice.run(&words).ok(), "app/a deleted\n");
    let some = alice.run(&["delete", "app/b", "app/a", "app/c"]);
    assert_eq!(
        (some.code, some.out.as_str()),
        (Some(1), "app/b deleted\napp/c deleted\n")
    );
    let again = alice.run(&["delete", "app/b", "--ignore-not-found"]);
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""), "{again:?}");
    alice.run(&["delete", "app"]).failed(2);
    alice
        .run(&["delete", "app/x", "app/y", "--revision", "r"])
        .failed(2);
}

/// `acme:app` with a hook before deletes, which a task runs.
fn with_hook() -> World {
    let world = World::sqlite();
    let admin = world.admin();
    let post = |path: &str, body: &Value| {
        let path = format!("/cloudapi/1.0.0/{path}");
        let reply = world.post(&path).by(&admin).json(body).send();
        assert!(reply.status < 300, "{reply:?}");
    };
    let interface = json!({"name": "I", "vendor": "acme", "nss": "hooked", "version": "1.0.0"});
    post("interfaces", &interface);
    let behavior = json!({"name": "well", "execution": {"type": "noop", "id": "well"}});
    post(
        "interfaces/urn:vcloud:interface:acme:hooked:1.0.0/behaviors",
        &behavior,
    );
    let well = "urn:vcloud:behavior-interface:well:acme:hooked:1.0.0";
    let new = json!({"name": "app", "vendor": "acme", "nss": "app", "version": "1.0.0",
        "schema": {"type": "object"}, "hooks": {"PreDelete": well},
        "interfaces": ["urn:vcloud:interface:acme:hooked:1.0.0"]});
    post("entityTypes", &new);
    world
}

#[test]
fn a_delete_with_a_hook_waits_for_its_task() {
    let world = with_hook();
    let admin = world.admin();
    for name in ["web", "api"] {
        world.make_resolved(&admin, "1.0.0", name, &json!({}));
    }
    let provider = Somebody::logged_in(&world, "administrator@System");
    assert_eq!(
        provider.run(&["delete", "app/web"]).ok(),
        "app/web deleted\n"
    );
    provider.run(&["get", "app/web"]).failed(1);
    let begun = provider.run(&["delete", "app/api", "--no-wait"]);
    assert!(begun.err.contains("urn:vcloud:task:"), "{begun:?}");
    assert_eq!(begun.ok(), "app/api is being deleted\n");
    provider.run(&["wait", "app/api", "--for", "deleted"]).ok();
}

#[test]
fn a_delete_whose_watch_of_the_task_is_cut_goes_on_waiting() {
    let world = with_hook();
    let admin = world.admin();
    let provider = world.person("administrator@System");
    let mut done = 0;
    for piece in 0..PIECES {
        let name = format!("web-{piece}");
        world.make_resolved(&admin, "1.0.0", &name, &json!({}));
        let mut command = provider.command(&["delete", "app", &name]);
        command.env("COEVAL_SERVER", losing(world.url(), piece));
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        // It was cut before the task was known, or the task's end is told.
        match output.status.code() {
            Some(0) => done += 1,
            code => assert_eq!(code, Some(4), "{piece}: {told}"),
        }
        assert!(!told.contains("is not deleted"), "{piece}: {told}");
    }
    assert!(done > PIECES / 2, "{done}");
}
