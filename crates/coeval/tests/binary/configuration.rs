use crate::support::{Server, coeval, serve, stderr};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn with_file(folder: &Path, text: &str) -> Command {
    std::fs::write(folder.join("coeval.toml"), text).unwrap();
    let mut command = coeval(folder);
    command.args(["serve", "--config", "coeval.toml"]);
    command
}

/// Which of the folders got the data.
fn chosen(folder: &Path, command: Command) -> Vec<&'static str> {
    let (code, _, log) = Server::start(command).stop();
    assert_eq!(code, Some(0), "{log}");
    let mut names = vec!["by-flag", "by-variable", "by-file", "data"];
    names.retain(|name| folder.join(name).exists());
    names
}

const FILE: &str = "listen = \"127.0.0.1:0\"\ndrain-delay-seconds = 0\n";

#[test]
fn a_flag_beats_the_variable_which_beats_the_file_which_beats_the_default() {
    for (flag, variable, file, expected) in [
        (true, true, true, "by-flag"),
        (false, true, true, "by-variable"),
        (false, false, true, "by-file"),
        (false, false, false, "data"),
    ] {
        let folder = TempDir::new().unwrap();
        let key = if file { "data = \"by-file\"\n" } else { "" };
        let mut command = with_file(folder.path(), &format!("{FILE}{key}"));
        if variable {
            command.env("COEVAL_DATA", "by-variable");
        }
        if flag {
            command.args(["--data", "by-flag"]);
        }
        assert_eq!(chosen(folder.path(), command), [expected]);
    }
}

#[test]
fn the_stronger_of_data_and_store_wins_and_a_tie_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut command = with_file(folder.path(), FILE);
    command.args(["--data", "by-flag"]);
    command.env("COEVAL_STORE", "sqlite:by-variable/s.db");
    assert_eq!(chosen(folder.path(), command), ["by-flag"]);

    let folder = TempDir::new().unwrap();
    let mut command = with_file(folder.path(), &format!("{FILE}data = \"by-file\"\n"));
    command.env("COEVAL_STORE", "sqlite:by-variable/s.db");
    assert_eq!(chosen(folder.path(), command), ["by-variable"]);

    let folder = TempDir::new().unwrap();
    let mut command = serve(folder.path());
    command.args(["--data", "a", "--store", "sqlite:b/s.db"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("both --data and --store"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_file_itself_can_be_named_by_a_variable() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("c.toml"),
        format!("{FILE}data = \"by-file\""),
    )
    .unwrap();
    let mut command = coeval(folder.path());
    command.arg("serve").env("COEVAL_CONFIG", "c.toml");
    assert_eq!(chosen(folder.path(), command), ["by-file"]);
}

#[test]
fn a_file_that_makes_no_sense_is_refused_with_the_line_and_a_way_out() {
    for (text, place, hint) in [
        (
            "\n\nlisen = \"127.0.0.1:0\"",
            "line 3",
            "Did you mean `listen`?",
        ),
        (
            "log_level = \"debug\"",
            "line 1",
            "Did you mean `log-level`?",
        ),
        ("colour = \"red\"", "line 1", "lists all keys"),
        (
            "listen = \"127.0.0.1:0\"\ndrain-seconds = \"soon\"",
            "line 2",
            "'soon'",
        ),
        ("log-format = \"xml\"", "line 1", "'xml'"),
        ("[serve]\nlisten = \"x\"", "line 1", "no key `serve`"),
        ("listen = [\"127.0.0.1:0\"]", "line 1", "one value"),
        ("config = \"other.toml\"", "line 1", "no key `config`"),
        ("listen", "is not TOML", "key = value"),
    ] {
        let folder = TempDir::new().unwrap();
        let output = with_file(folder.path(), text).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}: {said}");
        assert!(said.contains("COEVAL-9001"), "{text}: {said}");
        assert!(said.contains(place), "{text}: {said}");
        assert!(said.contains(hint), "{text}: {said}");
    }
    let folder = TempDir::new().unwrap();
    let output = coeval(folder.path())
        .args(["serve", "--config", "none.toml"])
        .output()
        .unwrap();
    assert!(stderr(&output).contains("can't read the config file none.toml"));
}

#[test]
fn a_bad_variable_is_not_blamed_on_the_file() {
    let folder = TempDir::new().unwrap();
    let mut command = with_file(folder.path(), "drain-seconds = 5\n");
    command.env("COEVAL_DRAIN_SECONDS", "soon");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        !stderr(&output).contains("coeval.toml"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn help_shows_the_flag_the_variable_and_the_key_of_every_flag() {
    let folder = TempDir::new().unwrap();
    let output = coeval(folder.path())
        .args(["serve", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let flags: Vec<_> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--")?.split(' ').next())
        .collect();
    assert!(flags.len() > 10, "{help}");
    for flag in flags {
        let variable = format!("COEVAL_{}", flag.replace('-', "_").to_uppercase());
        assert!(help.contains(&format!("[env: {variable}")), "{variable}");
        if flag != "config" {
            assert!(help.contains(&format!("[config: {flag}]")), "{flag}");
        }
    }
}

#[test]
fn a_password_in_the_variable_is_not_shown_by_help() {
    let folder = TempDir::new().unwrap();
    let mut command = coeval(folder.path());
    command.env("COEVAL_STORE", "postgres://u:hunter2@h/d");
    let output = command.args(["serve", "--help"]).output().unwrap();
    assert!(
        !String::from_utf8(output.stdout)
            .unwrap()
            .contains("hunter2")
    );
}

#[test]
fn half_a_tls_pair_is_refused() {
    let folder = TempDir::new().unwrap();
    let output = serve(folder.path())
        .args(["--tls-cert", "c.pem"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("without --tls-key"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_is_true_or_false_or_a_list_is_set_in_the_file_and_the_environment_too() {
    let folder = TempDir::new().unwrap();
    let more = "trust-forwarded-for = true\nemulate = [\"acme:app=1.1.0\", \"acme:db=2.0.0\"]\n";
    let mut command = with_file(folder.path(), &format!("{FILE}{more}data = \"by-file\"\n"));
    command.env("COEVAL_REQUIRE_IF_MATCH", "true");
    command.env("COEVAL_REFUSE_SMALL_BUMPS", "false");
    assert_eq!(chosen(folder.path(), command), ["by-file"]);
}

#[test]
fn a_value_that_makes_no_sense_is_refused_before_anything_is_opened() {
    for (flag, value) in [
        ("--public-url", "coeval.example.com"),
        ("--public-url", "https://example.com/?x"),
        ("--emulate", "app"),
        ("--emulate", "acme:app=1"),
        ("--require-if-match", "perhaps"),
        ("--max-body", "0"),
        ("--max-header-bytes", "100"),
        ("--max-requests-per-user", "-1"),
        ("--body-seconds", "soon"),
        ("--client-ca", "without-tls.pem"),
        ("--secret-keys", "not-there"),
    ] {
        let folder = TempDir::new().unwrap();
        let output = serve(folder.path())
            .args([&format!("{flag}={value}")])
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(2),
            "{flag} {value}: {}",
            stderr(&output)
        );
    }
}
