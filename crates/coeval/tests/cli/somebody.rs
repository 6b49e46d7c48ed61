//! Somebody with a config folder of their own, who runs commands.

use crate::world::{PASSWORD, World};
use expectrl::session::OsSession;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// What a command ended with.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// What it printed; it must have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// What it told; it must have ended with this code.
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        self.err
    }
}

/// Somebody.
pub(crate) struct Somebody {
    folder: TempDir,
}

/// A pseudo-terminal with a command.
pub(crate) type Terminal = OsSession;

impl Somebody {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    /// Who is logged in there.
    pub(crate) fn logged_in(world: &World, user: &str) -> Self {
        let somebody = Self::new();
        somebody.log_in(world, user, &[]).ok();
        somebody
    }

    pub(crate) fn log_in(&self, world: &World, user: &str, more: &[&str]) -> Ended {
        let mut words = vec!["login", world.url(), "--user", user, "--password-stdin"];
        words.extend(more);
        self.saying(&format!("{PASSWORD}\n"), &words)
    }

    /// A file of the config folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("coeval").join(name)
    }

    /// The token of a context, as the file has it.
    pub(crate) fn token(&self) -> String {
        let text = std::fs::read_to_string(self.file("credentials.yaml")).unwrap();
        let line = text.lines().find(|line| line.contains("token:")).unwrap();
        line.trim().strip_prefix("token: ").unwrap().to_owned()
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("COEVAL_") || name.starts_with("CLICOLOR") || name == "NO_COLOR" {
                command.env_remove(name);
            }
        }
        command.env("COEVAL_CONFIG_DIR", self.folder.path().join("coeval"));
        command.current_dir(self.folder.path());
        command.args(words);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        self.saying("", words)
    }

    /// With something on stdin.
    pub(crate) fn saying(&self, stdin: &str, words: &[&str]) -> Ended {
        ended(self.command(words), stdin)
    }

    /// At a terminal.
    pub(crate) fn at_terminal(&self, words: &[&str]) -> Terminal {
        let mut command = self.command(words);
        command.env("TERM", "xterm-256color");
        let mut terminal = Terminal::spawn(command).unwrap();
        terminal.set_expect_timeout(Some(Duration::from_secs(30)));
        terminal
    }
}

/// Runs a command to its end. A token must be nowhere in what it prints but where it is asked for.
pub(crate) fn ended(mut command: Command, stdin: &str) -> Ended {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It need not read it.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// All that comes until the end.
pub(crate) fn rest(terminal: &mut Terminal) -> String {
    let mut all = Vec::new();
    // On Linux the end of a terminal is an error.
    let _ = terminal.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}
