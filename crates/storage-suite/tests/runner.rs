//! `coeval-test-servers`: the command gets the servers, and they go with it.

// A failure here is a failed test.
#![allow(clippy::unwrap_used)]

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn runner(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coeval-test-servers"));
    command.args(arguments);
    command
        .env_remove("COEVAL_TEST_POSTGRES")
        .env_remove("COEVAL_TEST_ETCD");
    command
}

/// The ports of the servers that a runner started for a command that waits.
fn waiting(file: &std::path::Path) -> (Child, Vec<u16>) {
    let script = format!(
        "echo $COEVAL_TEST_POSTGRES $COEVAL_TEST_ETCD >{0}.new && mv {0}.new {0}; exec sleep 100",
        file.display()
    );
    let child = runner(&["--postgres", "--etcd", "--", "sh", "-c", &script])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    eventually(|| file.exists());
    let urls = std::fs::read_to_string(file).unwrap();
    let port = |url: &str| {
        let digits = url.rsplit(':').next().unwrap();
        digits.split('/').next().unwrap().parse().unwrap()
    };
    (child, urls.split_whitespace().map(port).collect())
}

fn answers(port: &u16) -> bool {
    TcpStream::connect(("127.0.0.1", *port)).is_ok()
}

fn eventually(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_command_gets_the_urls_and_its_code_comes_back() {
    let script = "case $COEVAL_TEST_ETCD$COEVAL_TEST_POSTGRES in etcd://*) exit 7;; esac";
    let status = runner(&["--etcd", "--", "sh", "-c", script]).status();
    assert_eq!(status.unwrap().code(), Some(7));
}

#[test]
fn a_mistake_is_told_with_the_usage() {
    let output = runner(&["--mysql"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("usage"));
}

#[test]
fn missing_programs_are_named() {
    let output = runner(&["--etcd", "--", "true"])
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("install etcd"));
}

#[test]
fn the_servers_end_with_a_signal_and_with_a_kill() {
    for signal in ["TERM", "KILL"] {
        let folder = tempfile::TempDir::new().unwrap();
        let (mut child, ports) = waiting(&folder.path().join("urls"));
        assert_eq!(ports.len(), 2);
        assert!(ports.iter().all(answers));
        let pid = child.id().to_string();
        let killed = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(killed.unwrap().success());
        child.wait().unwrap();
        eventually(|| !ports.iter().any(answers));
    }
}
