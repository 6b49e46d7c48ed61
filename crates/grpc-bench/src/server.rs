//! Server processes: started, asked what they took, killed with the run.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A process that serves.
pub(crate) struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`
    pub(crate) url: String,
    _folder: TempDir,
}

pub(crate) const PASSWORD: &str = "secret";

const BOOTSTRAP: &str = r#"
orgs: [{name: acme}]
types: [thing-1.0.yaml, thing-1.1.yaml, thing-2.0.yaml]
users:
  - {name: administrator, password: PASSWORD, roles: [System Administrator]}
  - {name: alice, org: acme, password: PASSWORD, roles: [Organization Administrator]}
publish: [{bundle: "acme:thing Entitlement", orgs: [acme]}]
"#;

/// The type of what is stored, at three versions.
const TYPES: [(&str, &str); 3] = [
    (
        "thing-1.0.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:1.0.0"}
spec:
  vendor: acme
  nss: thing
  version: 1.0.0
  schema:
    type: object
    required: [image]
    properties:
      image: {type: string}
      number: {type: integer}
      text: {type: string}
"#,
    ),
    (
        "thing-1.1.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:1.1.0"}
spec:
  vendor: acme
  nss: thing
  version: 1.1.0
  schema:
    type: object
    required: [image]
    properties:
      image: {type: string}
      number: {type: integer}
      text: {type: string}
      zone: {type: string}
"#,
    ),
    (
        "thing-2.0.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:2.0.0"}
spec:
  vendor: acme
  nss: thing
  version: 2.0.0
  schema:
    type: object
    required: [picture]
    properties:
      picture: {type: string}
      number: {type: integer}
      text: {type: string}
      zone: {type: string}
  conversion:
    from: 1.1.0
    steps: [{rename: {path: /image, to: picture}}]
"#,
    ),
];

impl Server {
    /// `coeval serve`, everything on.
    pub(crate) fn coeval(store: Option<&str>) -> Self {
        let folder = TempDir::new().unwrap();
        let bootstrap = BOOTSTRAP.replace("PASSWORD", PASSWORD);
        std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
        for (name, text) in TYPES {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut command = Command::new(beside("coeval"));
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(["--bootstrap", "bootstrap.yaml", "--log-level", "warn"]);
        command.args(["--max-requests-per-user", "0"]);
        match store {
            Some(store) => command.args(["--store", store]),
            None => command.args(["--data", "data"]),
        };
        Self::start(command, folder)
    }

    /// The bare server with these bytes.
    pub(crate) fn bare(bytes: &[u8]) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("bytes"), bytes).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["bare", "bytes"]);
        Self::start(command, folder)
    }

    fn start(mut command: Command, folder: TempDir) -> Self {
        let mut child = command
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("build it first: cargo build --release");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let url = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        assert!(url.starts_with("http"), "it did not start");
        Self {
            child,
            url,
            _folder: folder,
        }
    }

    /// Milliseconds of processor time that it has taken.
    pub(crate) fn cpu_millis(&self) -> f64 {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        // After the name, which may have spaces: fields 14 and 15, in hundredths of a second.
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split(' ').collect();
        let ticks = |n: usize| fields[n].parse::<f64>().unwrap();
        (ticks(12) + ticks(13)) * 10.0
    }

    /// The most memory that it had, in MB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        let kilobytes = line.split_whitespace().nth(1).unwrap();
        kilobytes.parse::<u64>().unwrap() / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap_or(Path::new("")).join(name)
}
