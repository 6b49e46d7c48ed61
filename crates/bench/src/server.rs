//! Server processes: started, asked what they took, killed with the run.

use crate::{certificate, figures};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A process that serves.
pub(crate) struct ServerProcess {
    child: Child,
    /// `http://127.0.0.1:PORT`
    pub(crate) url: String,
    pub(crate) folder: TempDir,
}

pub(crate) const PASSWORD: &str = "secret";

const BOOTSTRAP: &str = r#"
orgs: [{name: acme}]
types: [TYPES]
users:
  - {name: administrator, password: PASSWORD, roles: [System Administrator]}
  - {name: alice, org: acme, password: PASSWORD, roles: [Organization Administrator]}
publish: [{bundle: "acme:thing Entitlement", orgs: [acme]}]
"#;

impl ServerProcess {
    /// `coeval serve`, everything on, with the type `acme:thing`: its files, by name.
    pub(crate) fn coeval(types: &[(&str, &str)], store: Option<&str>, tls: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let names: Vec<_> = types.iter().map(|(name, _)| *name).collect();
        let bootstrap = BOOTSTRAP.replace("TYPES", &names.join(", "));
        let bootstrap = bootstrap.replace("PASSWORD", PASSWORD);
        std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
        for (name, text) in types {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut command = Command::new(beside("coeval"));
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(["--bootstrap", "bootstrap.yaml", "--log-level", "warn"]);
        // Without a limit, since one user sends all of them.
        command.args(["--max-requests-per-user", "0"]);
        match store {
            Some(store) => command.args(["--store", store]),
            None => command.args(["--data", "data"]),
        };
        if tls {
            certificate::write(folder.path());
            command.args(["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
        }
        Self::start(command, folder)
    }

    /// The bare server of this part, with these bytes.
    pub(crate) fn bare(part: &str, bytes: &[u8], tls: bool) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("bytes"), bytes).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([part, "bare", "bytes"]);
        if tls {
            certificate::write(folder.path());
            command.args(["--tls", "."]);
        }
        Self::start(command, folder)
    }

    fn start(mut command: Command, folder: TempDir) -> Self {
        let mut child = command
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("build it first: cargo build --release");
        let mut line = String::new();
        // The first line says where it listens, and that it does.
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let url = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        assert!(url.starts_with("http"), "it did not start");
        Self { child, url, folder }
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
        figures::peak_memory(&self.child.id().to_string())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap_or(Path::new("")).join(name)
}
