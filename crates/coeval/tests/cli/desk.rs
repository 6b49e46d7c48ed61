//! Somebody at a desk: a server with `acme:app`, files, and the commands that alice runs.

use crate::stage::app_files;
use crate::world::World;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) folder: TempDir,
    token: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(&app_files())
    }

    /// With these versions of `acme:app`.
    pub(crate) fn with(files: &[String]) -> Self {
        let mut world = World::sqlite();
        world.add_types(&["acme:app"], files);
        let token = world.login("alice@acme");
        Self {
            world,
            folder: TempDir::new().unwrap(),
            token,
        }
    }

    /// Writes a file; its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A file with an app.
    pub(crate) fn app(&self, name: &str, version: &str, spec: &Value) -> String {
        let file =
            json!({"kind": "app", "version": version, "metadata": {"name": name}, "spec": spec});
        self.file(&format!("{name}.json"), &file.to_string())
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COEVAL_") {
                command.env_remove(name);
            }
        }
        for name in ["VISUAL", "EDITOR", "NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
            .env("COEVAL_SERVER", self.world.url())
            .env("COEVAL_TOKEN", &self.token)
            .env("COEVAL_CONFIG_DIR", self.folder.path().join("config"))
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path())
            .env("TERM", "xterm-256color")
            .current_dir(self.folder.path())
            .args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Said {
        finished(self.command(args), stdin)
    }

    /// It must go well; what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let said = self.run(args);
        assert_eq!(said.code, 0, "{args:?}: {said:?}");
        said.out
    }

    /// An app as the console's API shows it.
    pub(crate) fn look(&self, name: &str) -> Value {
        let path = format!("/v1/webapi/resources/app/{name}");
        let reply = self.world.get(&path).by(&self.token).send();
        match reply.status {
            404 => Value::Null,
            _ => reply.json,
        }
    }

    pub(crate) fn spec(&self, name: &str) -> Value {
        let seen = self.look(name);
        seen.get("resource").unwrap_or(&seen)["spec"].clone()
    }

    pub(crate) fn revision(&self, name: &str) -> String {
        let seen = self.look(name);
        let resource = seen.get("resource").unwrap_or(&seen);
        resource["metadata"]["revision"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Somebody else changes an app: a field of its content.
    pub(crate) fn other_sets(&self, name: &str, field: &str, value: &Value) {
        let seen = self.look(name);
        let mut resource = seen.get("resource").unwrap_or(&seen).clone();
        resource["spec"][field] = value.clone();
        let sent = self.world.put(&format!("/v1/webapi/resources/app/{name}"));
        let reply = sent.by(&self.token).json(&resource).send();
        assert_eq!(reply.status, 200, "{reply:?}");
    }

    /// The files that edits left.
    pub(crate) fn drafts(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut drafts: Vec<_> = paths
            .filter(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.starts_with("coeval-app-")
            })
            .collect();
        drafts.sort();
        drafts
    }

    /// An editor that is a shell script; `$1` is the file.
    pub(crate) fn editor(&self, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.file("editor.sh", &format!("#!/bin/sh\nset -e\n{script}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }
}

fn finished(mut command: Command, stdin: &str) -> Said {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The same for a command with another environment.
pub(crate) fn run(command: Command) -> Said {
    finished(command, "")
}
