//! Logging in and out, contexts, and tokens for programs.

use crate::somebody::{Ended, Somebody, ended};
use crate::world::World;
use serde_json::{Value, json};

fn json(ended: Ended) -> Value {
    serde_json::from_str(&ended.ok()).unwrap()
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn who_logs_in_is_remembered_in_files_that_nobody_else_reads() {
    let world = World::sqlite();
    let alice = Somebody::new();
    let told = alice.run(&["whoami"]).failed(2);
    assert!(
        told.contains("coeval login URL") && told.contains("COEVAL-9050"),
        "{told}"
    );
    let done = alice.log_in(&world, "alice@acme", &["--context", "dev"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{done:?}");
    assert!(
        done.err.contains("alice@acme") && done.err.contains("`dev`"),
        "{done:?}"
    );
    let token = alice.token();
    assert!(!done.err.contains(&token));
    let folder = alice.file("");
    let modes = [
        folder.as_path(),
        &alice.file("config.yaml"),
        &alice.file("credentials.yaml"),
    ];
    assert_eq!(modes.map(mode), [0o700, 0o600, 0o600]);
    let config = std::fs::read_to_string(alice.file("config.yaml")).unwrap();
    assert!(!config.contains(&token), "{config}");

    let me = alice.run(&["whoami"]).ok();
    for said in [
        "alice",
        "acme",
        "Organization Administrator",
        world.url(),
        "release 0.",
        "dev",
    ] {
        assert!(me.contains(said), "{said}: {me}");
    }
    let me = json(alice.run(&["whoami", "-o", "json"]));
    assert_eq!(
        (&me["user"], &me["context"]),
        (&json!("alice"), &json!("dev"))
    );

    // Every output of every command that knows the token.
    for words in [
        &["whoami"][..],
        &["whoami", "-o", "yaml"],
        &["login", "--list"],
        &["login", "--list", "-o", "json"],
        &["token", "list", "-o", "json"],
        &["get", "nothing"],
        &["get", "nothing", "--server", "http://127.0.0.1:1"],
    ] {
        let ended = alice.run(words);
        let all = format!("{}{}", ended.out, ended.err);
        assert!(!all.contains(&token), "{words:?}: {all}");
    }
}

#[test]
fn contexts_are_listed_switched_and_logged_out_of() {
    let world = World::sqlite();
    let both = Somebody::new();
    both.log_in(&world, "alice@acme", &["--context", "one"])
        .ok();
    both.log_in(&world, "oscar@other", &["--context", "two"])
        .ok();
    let listed = json(both.run(&["login", "--list", "-o", "json"]));
    let used = |listed: &Value| {
        let items = listed["items"].as_array().unwrap().clone();
        let used = items.into_iter().find(|one| one["current"] == true);
        used.map(|one| one["name"].as_str().unwrap().to_owned())
    };
    assert_eq!(used(&listed).as_deref(), Some("two"), "the newest one");
    both.run(&["login", "--use", "one"]).ok();
    let me = |words: &[&str]| both.run(words).ok();
    let path = "jsonpath={.user}@{.organization}";
    assert_eq!(me(&["whoami", "-o", path]), "alice@acme\n");
    assert_eq!(
        me(&["whoami", "-o", path, "--context", "two"]),
        "oscar@other\n"
    );
    let mut command = both.command(&["whoami", "-o", path]);
    command.env("COEVAL_CONTEXT", "two");
    assert_eq!(
        ended(command, "").ok(),
        "oscar@other\n",
        "the environment beats the current one"
    );
    let mut command = both.command(&["whoami", "-o", path, "--context", "one"]);
    command
        .env("COEVAL_CONTEXT", "two")
        .env("COEVAL_SERVER", "http://127.0.0.1:1");
    assert_eq!(
        ended(command, "").ok(),
        "alice@acme\n",
        "a flag beats the environment"
    );
    let told = both.run(&["whoami", "--context", "three"]).failed(2);
    assert!(told.contains("there is one, two"), "{told}");
    let told = both.run(&["login", "--use", "three"]).failed(2);
    assert!(told.contains("no context `three`"), "{told}");

    let token = both.token();
    both.run(&["logout", "--context", "one"]).ok();
    let told = both.run(&["whoami", "--context", "one"]).failed(1);
    assert!(
        told.contains("coeval login --context one") && told.contains("COEVAL-9053"),
        "{told}"
    );
    let mut stale = both.command(&["whoami", "--server", world.url()]);
    stale.env("COEVAL_TOKEN", &token);
    let told = ended(stale, "").failed(1);
    assert!(
        told.contains("COEVAL_TOKEN") && !told.contains(&token),
        "ended on the server: {told}"
    );
    // Who was logged in needs only the password.
    both.saying(
        "secret\n",
        &["login", "--context", "one", "--password-stdin"],
    )
    .ok();
    assert_eq!(me(&["whoami", "-o", path]), "alice@acme\n");
    both.run(&["logout", "--forget"]).ok();
    let listed = json(both.run(&["login", "--list", "-o", "json"]));
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(used(&listed), None);
}

#[test]
fn what_is_wrong_with_a_login_is_said() {
    let world = World::sqlite();
    let alice = Somebody::new();
    let url = world.url();
    let words = ["login", url, "--user", "alice@acme", "--password-stdin"];
    let told = alice.saying("wrong-one\n", &words).failed(1);
    assert!(
        told.contains("COEVAL-5050") && !told.contains("wrong-one"),
        "{told}"
    );
    assert!(!alice.file("credentials.yaml").exists());
    let told = alice.saying("", &words).failed(2);
    assert!(told.contains("stdin has no password"), "{told}");
    let told = alice
        .saying("secret\n", &["login", url, "--password-stdin"])
        .failed(2);
    assert!(told.contains("--user USER@ORGANIZATION"), "{told}");
    let told = alice
        .saying("", &["login", url, "--user", "alice", "--password-stdin"])
        .failed(2);
    assert!(told.contains("USER@ORGANIZATION"), "{told}");
    let told = alice
        .run(&["login", "http://alice:hush@h:1", "--user", "a@b"])
        .failed(2);
    assert!(!told.contains("hush"), "{told}");
    let told = alice.run(&["login", "h:1", "--user", "a@b"]).failed(1);
    assert!(told.contains("http://HOST:PORT"), "{told}");
    let told = alice
        .run(&["login", url, "--user", "a@b", "--password", "x"])
        .failed(2);
    assert!(told.contains("unexpected argument"), "never a flag: {told}");
    alice.log_in(&world, "alice@acme", &[]).ok();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = alice.file("credentials.yaml");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let told = alice.run(&["whoami"]).failed(2);
        assert!(
            told.contains("COEVAL-9051") && told.contains("chmod 600"),
            "{told}"
        );
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    }
    let file = alice.file("credentials.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let expires = text.lines().find(|line| line.contains("expires:")).unwrap();
    let over = text.replace(expires, "    expires: 2020-01-01T00:00:00Z");
    std::fs::write(&file, over).unwrap();
    let told = alice.run(&["whoami"]).failed(1);
    assert!(
        told.contains("ended at 2020") && told.contains("coeval login"),
        "{told}"
    );
}

#[test]
fn every_command_tells_somebody_unknown_how_to_log_in() {
    let world = World::sqlite();
    let nobody = Somebody::new();
    for words in [&["get", "app"][..], &["type", "list"], &["explain", "app"]] {
        let words = [words, &["--server", world.url()]].concat();
        let told = nobody.run(&words).failed(1);
        assert!(
            told.contains("COEVAL-8004") && told.contains("`coeval login`"),
            "{told}"
        );
    }
}

#[test]
fn a_token_for_a_program_works_until_it_is_revoked() {
    let world = World::sqlite();
    let alice = Somebody::logged_in(&world, "alice@acme");
    let made = alice.run(&["token", "create", "ci", "--expires", "30d"]);
    assert!(!made.err.contains(made.out.trim()), "{made:?}");
    let secret = made.ok().trim().to_owned();
    assert!(
        !secret.contains(char::is_whitespace),
        "alone on stdout: {secret}"
    );
    let program = Somebody::new();
    let whoami = || {
        let mut command = program.command(&["whoami", "-o", "name"]);
        command
            .env("COEVAL_SERVER", world.url())
            .env("COEVAL_TOKEN", &secret);
        ended(command, "")
    };
    assert_eq!(whoami().ok(), "alice@acme\n");
    let mut logout = program.command(&["logout", "--server", world.url()]);
    logout.env("COEVAL_TOKEN", &secret);
    ended(logout, "").failed(2);
    let listed = json(alice.run(&["token", "list", "-o", "json"]));
    let all = listed["items"].as_array().unwrap().iter();
    let ours: Vec<_> = all.filter(|one| one["kind"] == "token").collect();
    assert_eq!((ours.len(), &ours[0]["name"]), (1, &json!("ci")));
    assert!(!listed.to_string().contains(&secret));
    assert_eq!(
        alice.run(&["token", "revoke", "ci"]).ok(),
        "token/ci revoked\n"
    );
    let told = whoami().failed(1);
    assert!(
        told.contains("COEVAL_TOKEN") && !told.contains(&secret),
        "{told}"
    );
    alice.run(&["token", "revoke", "ci"]).failed(1);
    alice
        .run(&["token", "create", "x", "--expires", "soon"])
        .failed(2);
    alice
        .run(&["token", "create", "x", "--expires", "999999999999d"])
        .failed(2);
}
