//! What a shell offers while somebody types.

use crate::somebody::{Somebody, ended, rest};
use crate::world::World;
use expectrl::Expect as _;
use expectrl::process::Termios as _;
use serde_json::json;

/// What the binary answers a shell that completes the last of these words.
fn offered(somebody: &Somebody, words: &[&str]) -> Vec<String> {
    let mut all = vec!["--", "coeval"];
    all.extend(words);
    let mut command = somebody.command(&all);
    command
        .env("COEVAL_COMPLETE", "bash")
        .env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let answer = ended(command, "");
    assert_eq!(answer.err, "", "nobody is told of trouble");
    answer.ok().lines().map(str::to_owned).collect()
}

#[test]
fn kinds_names_versions_contexts_and_formats_are_completed() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = Somebody::new();
    alice
        .log_in(&world, "alice@acme", &["--context", "dev"])
        .ok();
    let token = world.login("alice@acme");
    for name in ["web", "worker", "api"] {
        world.make_resolved(&token, "1.1.0", name, &json!({"image": "nginx"}));
    }
    let url = world.url().to_owned();
    for (words, expected) in [
        (&["get", "ap"][..], &["app"][..]),
        (&["get", "app", "w"], &["web", "worker"]),
        (&["get", "app/w"], &["app/web", "app/worker"]),
        (&["get", "app/web", "app/a"], &["app/api"]),
        (&["describe", "app", "a"], &["api"]),
        (&["get", "-o", "json", "app", "a"], &["api"]),
        (&["get", "--server", &url, "app", "a"], &["api"]),
        (&["watch", "ap"], &["app"]),
        (
            &["get", "app", "web", "--version", "1"],
            &["1.0.0", "1.1.0"],
        ),
        (&["get", "app", "--context", "d"], &["dev"]),
        (&["login", "--use", ""], &["dev"]),
        (&["get", "app", "-o", "y"], &["yaml"]),
        (&["whoam"], &["whoami"]),
        (&["get", "app", "--all-n"], &["--all-namespaces"]),
        (&["completion", "z"], &["zsh"]),
    ] {
        assert_eq!(offered(&alice, words), expected, "{words:?}");
    }
    // Nobody is logged in, nobody answers, nobody is there: nothing is offered, and at once.
    let nobody = Somebody::new();
    assert_eq!(offered(&nobody, &["get", "ap"]), [""; 0]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let begun = std::time::Instant::now();
    assert_eq!(
        offered(&alice, &["get", "--server", &silent, "ap"]),
        [""; 0]
    );
    assert!(
        begun.elapsed() < std::time::Duration::from_secs(4),
        "{begun:?}"
    );
}

#[test]
fn bash_completes_a_name_from_the_server_when_tab_is_pressed() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = Somebody::logged_in(&world, "alice@acme");
    let token = world.login("alice@acme");
    world.make_resolved(&token, "1.1.0", "frontend", &json!({"image": "nginx"}));
    let script = alice.run(&["completion", "bash"]).ok();
    std::fs::write(alice.file("complete.bash"), script).unwrap();
    let mut bash = alice.command(&[]);
    let binary = bash.get_program().to_owned();
    let folder = std::path::Path::new(&binary).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    bash.env("PATH", path).env("PS1", "> ").env("TERM", "dumb");
    let mut command = std::process::Command::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    for (name, value) in bash.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut terminal = crate::somebody::Terminal::spawn(command).unwrap();
    terminal.set_expect_timeout(Some(std::time::Duration::from_secs(30)));
    // A line editor shows nothing where the terminal does not.
    terminal.set_echo(true).unwrap();
    let source = format!(
        "source '{}'; echo rea''dy",
        alice.file("complete.bash").display()
    );
    terminal.send_line(source).unwrap();
    terminal.expect("ready").unwrap();
    terminal.expect("> ").unwrap();
    terminal.send("coeval get app -o name fro\t").unwrap();
    terminal.expect("frontend ").unwrap();
    terminal.send_line("").unwrap();
    terminal.expect("app/frontend").unwrap();
    terminal.send_line("exit").unwrap();
    rest(&mut terminal);
}

#[test]
fn every_shell_has_a_script_and_another_is_refused() {
    let somebody = Somebody::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = somebody.run(&["completion", shell]).ok();
        assert!(script.contains("COEVAL_COMPLETE"), "{shell}: {script}");
    }
    let told = somebody.run(&["completion", "cmd"]).failed(2);
    assert!(told.contains("bash"), "{told}");
}
