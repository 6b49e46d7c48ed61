//! Somebody with a shell, who has a token for a world's server and nothing else.

use crate::world::World;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Who runs commands.
pub(crate) struct Person<'w> {
    folder: &'w Path,
    url: &'w str,
    token: String,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    /// A user, `name@org`.
    pub(crate) fn person(&self, user: &str) -> Person<'_> {
        Person {
            folder: self.folder(),
            url: self.url(),
            token: self.login(user),
        }
    }
}

impl Person<'_> {
    /// The command, with nothing of this shell's environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COEVAL_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder).args(arguments);
        command
            .env("HOME", self.folder)
            .env_remove("XDG_CONFIG_HOME");
        command.env("COEVAL_CONFIG_DIR", self.folder.join("config"));
        command.env("COEVAL_SERVER", self.url);
        command.env("COEVAL_TOKEN", &self.token);
        command
    }

    pub(crate) fn runs(&self, arguments: &[&str]) -> Ran {
        self.says(arguments, "")
    }

    /// With something on stdin.
    pub(crate) fn says(&self, arguments: &[&str], stdin: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It need not read it.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let ran = Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.err.contains(&self.token), "a token in {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// And it must do its work; what it prints.
    pub(crate) fn does(&self, arguments: &[&str]) -> String {
        let ran = self.runs(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran.out
    }

    /// It must be refused with this exit code, and say all of this.
    pub(crate) fn is_refused(&self, arguments: &[&str], code: i32, said: &[&str]) {
        let ran = self.runs(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        for part in said {
            assert!(ran.err.contains(part), "{arguments:?}: {part}: {ran:?}");
        }
        assert!(ran.err.contains("next:  "), "{arguments:?}: {ran:?}");
    }
}
