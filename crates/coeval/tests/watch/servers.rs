//! Servers on one store, which are killed and started again.

use argon2::password_hash::{PasswordHasher, phc::Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const PASSWORD: &str = "secret";

const TYPE: &str = r#"
kind: type
version: v1
metadata: {name: "acme:app:1.0.0"}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema: {type: object, properties: {number: {type: integer}}}
"#;

/// `http://127.0.0.1:PORT` of each.
pub(crate) type Addresses = Arc<Mutex<Vec<String>>>;

/// Servers on one store.
pub(crate) struct Servers {
    folder: TempDir,
    store: String,
    children: Vec<Child>,
    addresses: Addresses,
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
    pub(crate) fn start(store: Option<String>, count: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let own = || format!("sqlite:{}", folder.path().join("coeval.db").display());
        let store = store.unwrap_or_else(own);
        let bootstrap = format!(
            "users: [{{name: administrator, password_hash: \"{}\", roles: [System Administrator]}}]\ntypes: [app.yaml]\n",
            hash()
        );
        std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
        std::fs::write(folder.path().join("app.yaml"), TYPE).unwrap();
        let mut servers = Self {
            folder,
            store,
            children: Vec::new(),
            addresses: Arc::default(),
        };
        for _ in 0..count {
            let (child, url) = servers.spawn();
            servers.children.push(child);
            servers.addresses.lock().unwrap().push(url);
        }
        servers
    }

    fn spawn(&self) -> (Child, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COEVAL_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder.path());
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(["--bootstrap", "bootstrap.yaml", "--store", &self.store]);
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap();
        assert!(!line.is_empty(), "it did not start: {}", log());
        (
            child,
            line.trim_end().rsplit(' ').next().unwrap().to_owned(),
        )
    }

    /// Kills one with SIGKILL, and starts another in its place.
    pub(crate) fn kill_and_start(&mut self, which: usize) {
        self.children[which].kill().unwrap();
        self.children[which].wait().unwrap();
        let (child, url) = self.spawn();
        self.children[which] = child;
        self.addresses.lock().unwrap()[which] = url;
    }

    pub(crate) fn count(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn addresses(&self) -> Addresses {
        Arc::clone(&self.addresses)
    }

    /// The administrator's.
    pub(crate) fn token(&self) -> String {
        let address = self.addresses.lock().unwrap()[0].clone();
        let text = format!("administrator@System:{PASSWORD}");
        let basic = base64::engine::general_purpose::STANDARD.encode(text);
        let answer = ureq::post(format!("{address}/cloudapi/1.0.0/sessions/provider"))
            .header("authorization", format!("Basic {basic}"))
            .header("accept", "application/json;version=39.0")
            .send_empty()
            .unwrap();
        let token = answer.headers().get("x-vmware-vcloud-access-token");
        token.unwrap().to_str().unwrap().to_owned()
    }
}
