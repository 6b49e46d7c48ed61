//! Servers on a store of their own for each test, and what clients send to them.

use argon2::password_hash::{PasswordHasher, phc::Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use coeval_engine::{Engine, Settings};
use coeval_storage::Store;
use coeval_storage_suite::servers::{fresh_name, shared_etcd, shared_postgres};
use coeval_stores::{OpenOptions, open};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use ureq::http::{HeaderMap, Request};

/// Everybody's password.
pub(crate) const PASSWORD: &str = "secret";

/// What every world begins with: two tenants and somebody of each, and one of the provider's.
const BOOTSTRAP: &str = r#"
orgs: [{name: acme, vdcs: [vdc1]}, {name: other}]
roles: [{name: Reader, rights: []}]
users:
  - {name: administrator, password_hash: "HASH", roles: [System Administrator]}
  - {name: alice, org: acme, password_hash: "HASH", roles: [Organization Administrator]}
  - {name: bob, org: acme, password_hash: "HASH", roles: [Reader]}
  - {name: oscar, org: other, password_hash: "HASH", roles: [Organization Administrator]}
"#;

/// A hash that costs next to nothing.
fn hash(password: &str) -> String {
    let params = Params::new(8, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt = Salt::new(b"0123456789abcdef").unwrap();
    argon2
        .hash_password_with_salt(password.as_bytes(), &salt)
        .unwrap()
        .to_string()
}

/// A process that is killed with its world.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Lets it stop by itself, so that no other server waits for it; not for long.
    fn stop(&mut self) {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(asked.unwrap().success());
        let until = Instant::now() + Duration::from_secs(3);
        while self.child.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A store, servers on it, and a client.
pub(crate) struct World {
    store: String,
    folder: TempDir,
    servers: Vec<Server>,
    turn: AtomicUsize,
    flags: Vec<String>,
    agent: ureq::Agent,
}

impl World {
    pub(crate) fn sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        let store = format!("sqlite:{}", folder.path().join("coeval.db").display());
        Self::at(store, folder)
    }

    pub(crate) fn postgres() -> Self {
        let url = shared_postgres();
        let mark = if url.contains('?') { '&' } else { '?' };
        Self::at(
            format!("{url}{mark}schema={}", fresh_name()),
            TempDir::new().unwrap(),
        )
    }

    pub(crate) fn etcd() -> Self {
        let url = shared_etcd();
        Self::at(format!("{url}/{}", fresh_name()), TempDir::new().unwrap())
    }

    fn at(store: String, folder: TempDir) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        let mut world = Self {
            store,
            folder,
            servers: Vec::new(),
            turn: AtomicUsize::new(0),
            flags: Vec::new(),
            agent: agent.into(),
        };
        world.write(
            "bootstrap.yaml",
            &BOOTSTRAP.replace("HASH", &hash(PASSWORD)),
        );
        world.start_all();
        world
    }

    /// Writes a file that a flag can name.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Reads such a file.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// The same store served anew, with these flags.
    pub(crate) fn restart_with(&mut self, flags: &[&str]) {
        self.servers.iter_mut().for_each(Server::stop);
        self.servers.clear();
        self.flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        self.start_all();
    }

    /// Stops all servers with SIGKILL and lets an engine work on their store; then serves it anew.
    pub(crate) fn offline<T>(&mut self, work: impl AsyncFnOnce(Arc<Engine>) -> T) -> T {
        self.servers.clear();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let done = runtime.block_on(async {
            let opened = open(&self.store, OpenOptions::default());
            let opened = opened.await.unwrap();
            let store = Arc::clone(&opened.store);
            let engine = Engine::open(store, Settings::default()).await.unwrap();
            let done = work(Arc::new(engine)).await;
            opened.store.close().await;
            done
        });
        self.start_all();
        done
    }

    /// All servers: two where the store can have several, and requests go to them by turns.
    fn start_all(&mut self) {
        self.start();
        if !self.store.starts_with("sqlite:") {
            self.start();
        }
    }

    fn start(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
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
        command.args(["--bootstrap", "bootstrap.yaml", "--store", &self.store]);
        command.args(&self.flags);
        // All answer as one, as behind a balancer.
        if let Some(first) = self.servers.first() {
            command.args(["--public-url", &first.url]);
        }
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "it did not start: {}", self.log());
        let url = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        self.servers.push(Server { child, url });
    }

    /// What the newest server has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// How many servers there are.
    pub(crate) fn servers(&self) -> usize {
        self.servers.len()
    }

    /// The process of the first server.
    pub(crate) fn pid(&self) -> u32 {
        self.servers[0].child.id()
    }

    /// `127.0.0.1:PORT` of the first server.
    pub(crate) fn address(&self) -> &str {
        self.url().split("//").nth(1).unwrap()
    }

    /// Whether its store shares a cluster with those of other tests.
    pub(crate) fn is_etcd(&self) -> bool {
        self.store.starts_with("etcd")
    }

    /// The same of any of them.
    #[allow(dead_code, reason = "not every API has streams")]
    pub(crate) fn address_of(&self, server: usize) -> &str {
        self.servers[server].url.split("//").nth(1).unwrap()
    }

    /// `http://127.0.0.1:PORT` of the first server.
    pub(crate) fn url(&self) -> &str {
        &self.servers[0].url
    }

    /// Where its files are.
    #[allow(dead_code, reason = "for tests of the gRPC API")]
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// `http://127.0.0.1:PORT` of the server whose turn it is.
    #[allow(dead_code, reason = "for tests of the gRPC API")]
    pub(crate) fn next_url(&self) -> String {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.servers.len();
        self.servers[turn].url.clone()
    }

    /// The token of a user, `name@org`.
    pub(crate) fn login(&self, user: &str) -> String {
        let path = if user.ends_with("@System") {
            "/cloudapi/1.0.0/sessions/provider"
        } else {
            "/cloudapi/1.0.0/sessions"
        };
        let reply = self.post(path).basic(user, PASSWORD).send();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.header("x-vmware-vcloud-access-token").to_owned()
    }

    /// The token of the provider's administrator.
    pub(crate) fn admin(&self) -> String {
        self.login("administrator@System")
    }

    pub(crate) fn get(&self, path: &str) -> Sending<'_> {
        self.sending("GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Sending<'_> {
        self.sending("POST", path)
    }

    pub(crate) fn put(&self, path: &str) -> Sending<'_> {
        self.sending("PUT", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Sending<'_> {
        self.sending("DELETE", path)
    }

    pub(crate) fn sending(&self, method: &str, path: &str) -> Sending<'_> {
        Sending {
            world: self,
            method: method.to_owned(),
            path: path.to_owned(),
            server: self.turn.fetch_add(1, Ordering::Relaxed) % self.servers.len(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }
}

/// A request to be sent.
pub(crate) struct Sending<'a> {
    world: &'a World,
    method: String,
    path: String,
    server: usize,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Sending<'_> {
    /// To that server.
    pub(crate) fn at(mut self, server: usize) -> Self {
        self.server = server;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this token.
    pub(crate) fn by(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn basic(self, user: &str, password: &str) -> Self {
        use base64::Engine as _;
        let text = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        self.header("authorization", &format!("Basic {text}"))
    }

    /// At this API version.
    pub(crate) fn version(self, version: &str) -> Self {
        self.header("accept", &format!("application/json;version={version}"))
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .bytes(body.to_string().as_bytes())
    }

    pub(crate) fn bytes(mut self, body: &[u8]) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(crate) fn send(self) -> Reply {
        // A whole URL is taken as it is, as clients follow links.
        let url = if self.path.starts_with("http") {
            self.path
        } else {
            format!("{}{}", self.world.servers[self.server].url, self.path)
        };
        let mut request = Request::builder().method(self.method.as_str()).uri(url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(self.body).unwrap();
        let response = self.world.agent.run(request).unwrap();
        let (parts, body) = response.into_parts();
        let mut text = String::new();
        body.into_reader().read_to_string(&mut text).unwrap();
        Reply {
            status: parts.status.as_u16(),
            json: serde_json::from_str(&text).unwrap_or_default(),
            headers: parts.headers,
            text,
        }
    }
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    /// Null if the body is no JSON.
    pub(crate) json: Value,
}

impl Reply {
    /// A header; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}
