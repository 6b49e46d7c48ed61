//! `coeval org`, `user`, `role`, `access` and `task`, against a real server.

use crate::world::World;
use serde_json::{Value, json};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn an_organization_comes_is_disabled_and_goes() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    let made = admin.runs(&[
        "org",
        "create",
        "new",
        "--display-name",
        "New Inc.",
        "--vdc",
        "v1",
    ]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(
        made.err.contains("organization new made (urn:vcloud:org:"),
        "{made:?}"
    );
    let listed = admin.does(&["org", "list"]);
    let line = listed
        .lines()
        .find(|line| line.starts_with("new "))
        .unwrap();
    assert_eq!(
        line.split("  ")
            .filter(|s| !s.is_empty())
            .map(str::trim)
            .collect::<Vec<_>>(),
        ["new", "New Inc.", "yes", "v1"]
    );
    admin.is_refused(&["org", "create", "new"], 1, &["COEVAL-6002"]);

    admin.does(&["org", "disable", "new"]);
    let got = json_of(&admin.does(&["org", "get", "new", "-o", "json"]));
    assert_eq!(
        (&got["disabled"], &got["displayName"]),
        (&json!(true), &json!("New Inc.")),
        "{got}"
    );
    admin.does(&["org", "enable", "new"]);
    let got = admin.does(&["org", "get", "new"]);
    assert!(got.contains("enabled:") && got.contains("yes"), "{got}");

    world
        .person("alice@acme")
        .is_refused(&["org", "create", "mine"], 1, &["COEVAL-5"]);
    admin.is_refused(&["org", "delete", "acme"], 1, &["COEVAL-"]);
    let gone = admin.runs(&["org", "delete", "new"]);
    assert_eq!(gone.code, Some(0), "{gone:?}");
    admin.is_refused(&["org", "get", "new"], 1, &["COEVAL-5"]);
}

#[test]
fn a_user_gets_a_password_and_roles_and_is_locked_out() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    let made = alice.says(
        &[
            "user",
            "create",
            "carol",
            "--role",
            "Reader",
            "--full-name",
            "Carol C.",
            "--password-stdin",
        ],
        "secret\n",
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(!made.err.contains("secret"), "{made:?}");
    assert!(made.err.contains("user carol of acme made"), "{made:?}");
    // The password is the line without its end.
    let _ = world.person("carol@acme");

    let listed = alice.does(&["user", "list"]);
    let line = listed
        .lines()
        .find(|line| line.starts_with("carol "))
        .unwrap();
    assert!(
        line.contains("acme") && line.contains("Carol C.") && line.contains("Reader"),
        "{listed}"
    );

    let roles = alice.does(&[
        "user",
        "roles",
        "carol",
        "--add",
        "Organization Administrator",
        "--remove",
        "Reader",
    ]);
    assert_eq!(roles, "ROLE\nOrganization Administrator\n");
    alice.is_refused(
        &["user", "roles", "carol", "--add", "Nobody"],
        1,
        &["\"Nobody\"", "coeval role list"],
    );
    alice.is_refused(
        &["user", "roles", "carol", "--remove", "Reader"],
        1,
        &["does not have"],
    );

    let set = alice.says(
        &["user", "password", "carol", "--password-stdin"],
        "other\n",
    );
    assert_eq!(set.code, Some(0), "{set:?}");
    let old = world
        .post("/cloudapi/1.0.0/sessions")
        .basic("carol@acme", "secret")
        .send();
    assert_eq!(old.status, 401, "{old:?}");
    let new = world
        .post("/cloudapi/1.0.0/sessions")
        .basic("carol@acme", "other")
        .send();
    assert_eq!(new.status, 200, "{new:?}");

    alice.does(&["user", "disable", "carol"]);
    let disabled = world
        .post("/cloudapi/1.0.0/sessions")
        .basic("carol@acme", "other")
        .send();
    assert_eq!(disabled.status, 401, "{disabled:?}");
    let got = json_of(&alice.does(&["user", "get", "carol", "-o", "json"]));
    assert_eq!(got["disabled"], true, "{got}");
    assert_eq!(got["roles"], json!(["Organization Administrator"]), "{got}");
    alice.does(&["user", "enable", "carol"]);

    // Without a terminal nothing can be asked.
    alice.is_refused(&["user", "password", "carol"], 2, &["--password-stdin"]);
    let empty = alice.says(&["user", "password", "carol", "--password-stdin"], "\n");
    assert_eq!(empty.code, Some(2), "{empty:?}");

    alice.does(&["user", "create", "robot", "--no-password"]);
    alice.does(&["user", "delete", "robot"]);
    alice.is_refused(&["user", "get", "robot"], 1, &["COEVAL-5"]);
    // The provider's administrator works for another organization.
    let admin = world.person("administrator@System");
    let listed = admin.does(&["user", "list", "-n", "acme", "-o", "name"]);
    assert_eq!(listed, "alice\nbob\ncarol\n");
}

#[test]
fn a_role_has_the_rights_that_it_is_given() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = world.person("alice@acme");
    let rights = alice.does(&["role", "rights", "-o", "name"]);
    assert!(rights.contains("acme:app: View\n"), "{rights}");
    alice.does(&["role", "create", "Viewer", "--right", "acme:app: View"]);
    let now = alice.does(&[
        "role",
        "rights",
        "Viewer",
        "--add",
        "acme:app: Modify",
        "-o",
        "name",
    ]);
    assert!(
        now.contains("acme:app: View\n") && now.contains("acme:app: Modify\n"),
        "{now}"
    );
    let now = alice.does(&[
        "role",
        "rights",
        "Viewer",
        "--remove",
        "acme:app: View",
        "-o",
        "name",
    ]);
    assert_eq!(now, "acme:app: Modify\n");
    alice.is_refused(
        &["role", "rights", "Viewer", "--remove", "acme:app: View"],
        1,
        &["does not have the right"],
    );
    alice.is_refused(
        &["role", "rights", "Viewer", "--add", "nonsense"],
        1,
        &["COEVAL-5"],
    );
    let got = alice.does(&["role", "get", "Viewer"]);
    assert!(
        got.contains("acme:app: Modify") && got.contains("organization:"),
        "{got}"
    );
    let listed = alice.does(&["role", "list", "-o", "name"]);
    assert!(
        listed.contains("Viewer\n") && listed.contains("Reader\n"),
        "{listed}"
    );
    alice.does(&["role", "delete", "Viewer"]);
    alice.is_refused(&["role", "get", "Viewer"], 1, &["COEVAL-5"]);
}

#[test]
fn access_is_granted_explained_and_taken_away() {
    let mut world = World::sqlite();
    world.add_app();
    world.add_workers();
    let wanda = world.person("wanda@acme");
    world.make_resolved(
        &world.login("wanda@acme"),
        "1.1.0",
        "web",
        &json!({"image": "x"}),
    );

    let own = wanda.runs(&["access", "app", "web"]);
    assert_eq!(own.code, Some(0), "{own:?}");
    assert!(own.err.contains("you: full-control"), "{own:?}");
    assert!(own.out.starts_with("ACTION "), "{own:?}");
    let allowed = |table: &str, action: &str| {
        let mut lines = table.lines();
        let line = lines.find(|line| line.starts_with(&format!("{action} ")));
        let line = line.unwrap_or_else(|| panic!("{action}: {table}"));
        line.split_whitespace().nth(1) == Some("yes")
    };
    assert!(allowed(&own.out, "modify"), "{own:?}");
    assert_eq!(wanda.does(&["access", "app/web"]), own.out);
    wanda.does(&["access", "grants", "app/web"]);
    for words in [
        &["access", "app"][..],
        &["access", "grant", "app/web", "user:walter", "read-only"],
    ] {
        let told = wanda.runs(words);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains("KIND NAME"), "{told:?}");
    }

    let walter = world.person("walter@acme");
    walter.is_refused(&["access", "app", "web"], 1, &["COEVAL-"]);
    let alice = world.person("alice@acme");
    let why_not = alice.runs(&["access", "app", "web", "--user", "walter"]);
    assert_eq!(why_not.code, Some(0), "{why_not:?}");
    assert!(!allowed(&why_not.out, "read"), "{why_not:?}");
    assert!(
        why_not.out.contains("COEVAL-5") && why_not.out.contains("\nnext:  "),
        "{why_not:?}"
    );

    // Who may not look people up names them by id.
    wanda.is_refused(
        &["access", "grant", "app", "web", "user:walter", "read-only"],
        1,
        &["User: View", "id"],
    );
    let granted = alice.runs(&["access", "grant", "app", "web", "user:walter", "read-only"]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
    assert!(
        granted.err.contains("user:walter has read-only on app web"),
        "{granted:?}"
    );
    let now = walter.runs(&["access", "app", "web"]);
    assert!(
        allowed(&now.out, "read") && !allowed(&now.out, "modify"),
        "{now:?}"
    );
    let told = json_of(&alice.does(&["access", "app", "web", "--user", "walter", "-o", "json"]));
    assert_eq!(told["level"], "read-only", "{told}");

    alice.does(&["access", "grant", "app", "web", "role:Worker", "read-write"]);
    let grants = alice.does(&["access", "grants", "app", "web"]);
    for part in [
        "user:wanda",
        "full-control   owner",
        "user:walter",
        "role:Worker",
    ] {
        assert!(grants.contains(part), "{part}: {grants}");
    }
    alice.does(&["access", "revoke", "app", "web", "role:Worker"]);
    alice.does(&["access", "revoke", "app", "web", "user:walter"]);
    walter.is_refused(&["access", "app", "web"], 1, &["COEVAL-"]);

    let nobody = alice.runs(&["access", "grant", "app", "web", "walter", "read-only"]);
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
    assert!(nobody.err.contains("user:NAME"), "{nobody:?}");
    alice.is_refused(
        &["access", "grant", "app", "web", "user:nobody", "read-only"],
        1,
        &["COEVAL-5"],
    );
    assert_eq!(
        wanda
            .runs(&["access", "grant", "app", "web", "user:bob", "all"])
            .code,
        Some(2)
    );
}

#[test]
fn tasks_are_listed_waited_for_and_canceled() {
    let mut world = World::sqlite();
    world.add_app();
    let admin = world.person("administrator@System");
    let token = world.admin();
    world.make_resolved(&token, "1.0.0", "web", &json!({"image": "x"}));

    let listed = admin.does(&["task", "list"]);
    assert!(listed.starts_with("ID "), "{listed}");
    let id = listed
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    let waited = admin.runs(&["task", "wait", &id, "--timeout", "30s"]);
    assert_eq!(waited.code, Some(0), "{waited:?}");
    assert!(waited.err.contains(": success"), "{waited:?}");
    assert!(waited.out.contains(&id), "{waited:?}");
    let got = json_of(&admin.does(&["task", "get", &id, "-o", "json"]));
    assert_eq!(got["status"], "success", "{got}");
    let filtered = admin.does(&["task", "list", "--status", "success", "-o", "name"]);
    assert!(filtered.contains(&id), "{filtered}");
    assert_eq!(
        admin.does(&["task", "list", "--status", "aborted", "-o", "name"]),
        ""
    );
    assert_eq!(
        admin
            .does(&["task", "list", "--limit", "1", "-o", "name"])
            .lines()
            .count(),
        1
    );

    admin.is_refused(&["task", "cancel", &id], 1, &["COEVAL-6201"]);
    let none = "00000000-0000-4000-8000-000000000000";
    admin.is_refused(&["task", "wait", none], 1, &["COEVAL-6200"]);
    admin.is_refused(&["task", "get", "nonsense"], 1, &["COEVAL-"]);
    assert_eq!(
        admin
            .runs(&["task", "wait", none, "--timeout", "soon"])
            .code,
        Some(2)
    );
}
