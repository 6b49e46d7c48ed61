//! `coeval-test-servers [--postgres] [--etcd] -- COMMAND…`: starts the asked servers, tells the
//! command of them by its environment, and stops them when it ends.

use coeval_storage_suite::servers::{ETCD, EtcdCluster, POSTGRES, PostgresServer};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

const USAGE: &str = "usage: coeval-test-servers [--postgres] [--etcd] -- COMMAND [ARGUMENT…]";

#[derive(Debug, Default, PartialEq, Eq)]
struct ServerArguments {
    postgres: bool,
    etcd: bool,
    command: Vec<String>,
}

fn read_arguments(mut arguments: impl Iterator<Item = String>) -> Result<ServerArguments, String> {
    let mut asked = ServerArguments::default();
    for argument in arguments.by_ref() {
        match &*argument {
            "--postgres" => asked.postgres = true,
            "--etcd" => asked.etcd = true,
            "--" => break,
            other => return Err(format!("{other} is not known\n{USAGE}")),
        }
    }
    asked.command = arguments.collect();
    if asked.command.is_empty() {
        return Err(format!("a command is missing\n{USAGE}"));
    }
    Ok(asked)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("coeval-test-servers: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<u8, String> {
    let asked = read_arguments(std::env::args().skip(1))?;
    let failed = |e: std::io::Error| e.to_string();
    // From here on these end the command, not this process: the servers are stopped after it.
    let mut interrupted = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(failed)?;

    // Tests about durability start a server of their own.
    let postgres = asked
        .postgres
        .then(PostgresServer::start_without_sync)
        .transpose()?;
    let etcd = asked.etcd.then(|| EtcdCluster::start(1)).transpose()?;
    let [program, arguments @ ..] = &*asked.command else {
        return Err(USAGE.into());
    };
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    if let Some(server) = &postgres {
        command.env(POSTGRES, server.url());
    }
    if let Some(server) = &etcd {
        command.env(ETCD, server.url());
    }
    let mut child = command
        .spawn()
        .map_err(|e| format!("{program} can't be started: {e}"))?;
    let (signal, code) = tokio::select! {
        status = child.wait() => return Ok(exit_code(status.map_err(failed)?)),
        _ = interrupted.recv() => ("INT", 130),
        _ = terminated.recv() => ("TERM", 143),
    };
    end(&mut child, signal).await;
    Ok(code)
}

/// Passes the signal on and waits a while for the command to end.
async fn end(child: &mut Child, signal: &str) {
    if let Some(pid) = child.id() {
        let mut kill = Command::new("kill");
        let _ = kill.args(["-s", signal, &pid.to_string()]).status().await;
    }
    if timeout(Duration::from_secs(10), child.wait())
        .await
        .is_err()
    {
        let _ = child.kill().await;
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    // As shells say it: 128 and the signal.
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &[&str]) -> Result<ServerArguments, String> {
        read_arguments(arguments.iter().map(|&a| a.to_owned()))
    }

    #[test]
    fn what_follows_the_dashes_is_the_command() {
        let found = asked(&["--etcd", "--", "cargo", "test", "--", "--etcd"]).unwrap();
        assert!(found.etcd && !found.postgres);
        assert_eq!(found.command, ["cargo", "test", "--", "--etcd"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(
            asked(&["--sqlite", "--", "x"])
                .unwrap_err()
                .contains("--sqlite")
        );
        assert!(asked(&["--etcd", "--"]).unwrap_err().contains("missing"));
        assert!(asked(&[]).unwrap_err().contains("usage"));
    }
}
