//! Two servers of different releases on one store, and clients of different versions.

use argon2::password_hash::{PasswordHasher, phc::Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use coeval_client::{Client, ClientErrorKind, Resources};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const PASSWORD: &str = "secret";

const TYPES: [&str; 3] = [
    r#"
kind: type
version: v1
metadata: {name: "acme:app:1.0.0"}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}}}
  indexes: {image: /image}
"#,
    r#"
kind: type
version: v1
metadata: {name: "acme:app:1.1.0"}
spec:
  vendor: acme
  nss: app
  version: 1.1.0
  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}, region: {type: string}}}
  indexes: {image: /image}
  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}
"#,
    r#"
kind: type
version: v1
metadata: {name: "acme:app:2.0.0"}
spec:
  vendor: acme
  nss: app
  version: 2.0.0
  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string}}}, replicas: {type: integer}, region: {type: string}, tier: {type: string}}}
  indexes: {image: /container/image}
  conversion: {from: 1.1.0, steps: [{nest: {paths: [/image], under: /container}}, {add: {path: /tier}}]}
"#,
];

/// The release of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerRelease {
    pub(crate) binary: fn() -> PathBuf,
    /// Told to know the old major alone, as a release does that has never heard of the new one.
    pub(crate) knows_less: bool,
}

/// This release, which knows both majors.
pub(crate) const NEW: ServerRelease = ServerRelease {
    binary: || PathBuf::from(env!("CARGO_BIN_EXE_coeval")),
    knows_less: false,
};

/// Servers on one store.
pub(crate) struct Servers {
    folder: TempDir,
    store: String,
    children: Vec<Child>,
    pub(crate) addresses: Arc<Mutex<Vec<String>>>,
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A hash that costs next to nothing.
fn hash() -> String {
    let params = Params::new(8, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt = Salt::new(b"0123456789abcdef").unwrap();
    let hashed = argon2.hash_password_with_salt(PASSWORD.as_bytes(), &salt);
    hashed.unwrap().to_string()
}

impl Servers {
    pub(crate) fn start(store: String, releases: [ServerRelease; 2]) -> Self {
        let folder = TempDir::new().unwrap();
        let bootstrap = format!(
            "users: [{{name: administrator, password_hash: \"{}\", roles: [System Administrator]}}]\ntypes: [t0.yaml, t1.yaml, t2.yaml]\n",
            hash()
        );
        std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
        for (n, text) in TYPES.iter().enumerate() {
            std::fs::write(folder.path().join(format!("t{n}.yaml")), text).unwrap();
        }
        let mut servers = Self {
            folder,
            store,
            children: Vec::new(),
            addresses: Arc::default(),
        };
        for release in releases {
            let (child, url) = servers.spawn(release);
            servers.children.push(child);
            servers.addresses.lock().unwrap().push(url);
        }
        servers
    }

    fn spawn(&self, release: ServerRelease) -> (Child, String) {
        let mut command = Command::new((release.binary)());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COEVAL_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder.path());
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--drain-delay-seconds",
            "0",
        ]);
        command.args(["--max-requests-per-user", "0"]);
        command.args(["--bootstrap", "bootstrap.yaml", "--store", &self.store]);
        if release.knows_less {
            command.args(["--emulate", "acme:app=1.1.0"]);
        }
        let name = format!("log-{}", self.children.len());
        let path = self.folder.path().join(name);
        let log = std::fs::File::create(&path).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let log = || std::fs::read_to_string(&path).unwrap();
        assert!(!line.is_empty(), "it did not start: {}", log());
        let url = line.trim_end().rsplit(' ').next().unwrap();
        (child, url.to_owned())
    }

    /// Stops one as an upgrade does, and starts one of that release in its place.
    pub(crate) fn replace(&mut self, which: usize, release: ServerRelease) {
        let stopped = &mut self.children[which];
        let id = stopped.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.unwrap().success());
        stopped.wait().unwrap();
        let (child, url) = self.spawn(release);
        self.children[which] = child;
        self.addresses.lock().unwrap()[which] = url;
    }

    /// A client of one of the servers, logged in.
    pub(crate) async fn client(&self, which: usize) -> Client {
        let address = self.addresses.lock().unwrap()[which].clone();
        connect(&address).await.unwrap()
    }
}

/// Logs in; `None` if the server is being replaced.
pub(crate) async fn connect(address: &str) -> Option<Client> {
    let time = Duration::from_secs(2);
    let client = Client::builder(address).timeout(time).build().unwrap();
    match client.log_in("administrator", "System", PASSWORD).await {
        Ok(_) => Some(client),
        Err(error) => {
            let passing = [
                ClientErrorKind::Unavailable,
                ClientErrorKind::TimedOut,
                ClientErrorKind::UnknownOutcome,
            ];
            assert!(passing.contains(&error.kind()), "{error}");
            None
        }
    }
}

/// Resources as a client of that version sees them.
pub(crate) fn apps(client: &Client, version: &str) -> Resources {
    client.resources("acme:app").understanding(version)
}
