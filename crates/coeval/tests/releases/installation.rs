//! A store with an organization and a type, and servers of either release on it.

use crate::release::Release;
use argon2::password_hash::{PasswordHasher, phc::Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use coeval_client::Client;
use coeval_storage_suite::servers::{fresh_name, shared_etcd, shared_postgres};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use ureq::http::{HeaderMap, Request};

/// Everybody's password.
pub(crate) const PASSWORD: &str = "secret";

const BOOTSTRAP: &str = r#"
orgs: [{name: acme}]
users:
  - {name: administrator, password_hash: "HASH", roles: [System Administrator]}
  - {name: alice, org: acme, password_hash: "HASH", roles: [Organization Administrator]}
"#;

/// `acme:app`: an image, from 1.1.0 on a region, and another place for the image in the next major.
pub(crate) const TYPES: [(&str, &str); 3] = [
    (
        "1.0.0",
        "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}}}\n",
    ),
    (
        "1.1.0",
        "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}, region: {type: string}}}\n  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}\n",
    ),
    (
        "2.0.0",
        "  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string}}}, replicas: {type: integer}, region: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{nest: {paths: [/image], under: /container}}]}\n",
    ),
];

/// A hash that costs next to nothing.
fn cheap_hash() -> String {
    let params = Params::new(8, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt = Salt::new(b"0123456789abcdef").unwrap();
    let hashed = argon2.hash_password_with_salt(PASSWORD.as_bytes(), &salt);
    hashed.unwrap().to_string()
}

/// A store and what its servers are started with.
pub(crate) struct Installation {
    pub(crate) store: String,
    folder: TempDir,
    started: AtomicUsize,
}

impl Installation {
    pub(crate) fn on_sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        let store = format!("sqlite:{}", folder.path().join("coeval.db").display());
        Self::at(store, folder)
    }

    pub(crate) fn on_postgres() -> Self {
        let url = shared_postgres();
        let mark = if url.contains('?') { '&' } else { '?' };
        let store = format!("{url}{mark}schema={}", fresh_name());
        Self::at(store, TempDir::new().unwrap())
    }

    pub(crate) fn on_etcd() -> Self {
        let store = format!("{}/{}", shared_etcd(), fresh_name());
        Self::at(store, TempDir::new().unwrap())
    }

    fn at(store: String, folder: TempDir) -> Self {
        let bootstrap = BOOTSTRAP.replace("HASH", &cheap_hash());
        std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
        for (version, spec) in TYPES {
            let (vendor, nss) = ("acme", "app");
            let text = format!(
                "kind: type\nversion: v1\nmetadata: {{name: \"{vendor}:{nss}:{version}\"}}\nspec:\n  vendor: {vendor}\n  nss: {nss}\n  version: {version}\n{spec}"
            );
            std::fs::write(folder.path().join(format!("app-{version}.yaml")), text).unwrap();
        }
        Self {
            store,
            folder,
            started: AtomicUsize::new(0),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `coeval serve` on this store.
    pub(crate) fn serving(&self, release: Release, flags: &[&str]) -> Command {
        let mut command = release.command(self.folder());
        command.args([
            "serve",
            "--store",
            &self.store,
            "--max-requests-per-user",
            "0",
        ]);
        command.args(["--bootstrap", "bootstrap.yaml"]).args(flags);
        command
    }

    /// A server on a free port that stops without a delay.
    pub(crate) fn start(&self, release: Release) -> Server {
        self.start_with(release, &[])
    }

    pub(crate) fn start_with(&self, release: Release, flags: &[&str]) -> Server {
        let mut all = vec!["--listen", "127.0.0.1:0", "--drain-delay-seconds", "0"];
        all.extend(flags);
        self.launch(self.serving(release, &all))
    }

    /// Starts what `serving` gave, and waits until it is ready.
    pub(crate) fn launch(&self, mut command: Command) -> Server {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let log = self.folder().join(format!("server-{number}.log"));
        let file = std::fs::File::create(&log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let mut server = Server {
            child,
            url: String::new(),
            log,
        };
        assert!(!line.is_empty(), "it did not start: {}", server.log());
        server.url = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        server
    }

    /// A server that must not start; what it says.
    pub(crate) fn refused(&self, release: Release, flags: &[&str]) -> String {
        let mut all = vec!["--listen", "127.0.0.1:0"];
        all.extend(flags);
        let output = self.serving(release, &all).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{told}");
        told
    }

    /// A command of a release against a server, by whoever has the token.
    pub(crate) fn run(
        &self,
        release: Release,
        server: &Server,
        token: &str,
        arguments: &[&str],
    ) -> Output {
        let mut command = release.command(self.folder());
        command.env("COEVAL_CONFIG_DIR", self.folder().join("config"));
        command.env("COEVAL_SERVER", &server.url);
        command.env("COEVAL_TOKEN", token).args(arguments);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// The same, which must do its work; what it prints.
    pub(crate) fn does(
        &self,
        release: Release,
        server: &Server,
        token: &str,
        arguments: &[&str],
    ) -> String {
        let output = self.run(release, server, token, arguments);
        assert!(
            output.status.success(),
            "{arguments:?} of {release:?}: {output:?}"
        );
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A process that is killed with its test.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    log: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was answered over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) json: Value,
}

impl Server {
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    pub(crate) fn send_term(&self) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.unwrap().success());
    }

    /// SIGTERM; it must end well.
    pub(crate) fn stop(mut self) -> String {
        self.send_term();
        self.wait_until_stopped();
        self.log()
    }

    pub(crate) fn wait_until_stopped(&mut self) {
        let until = Instant::now() + Duration::from_secs(40);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < until, "it does not stop: {}", self.log()),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(0), "{}", self.log());
    }

    /// One request over HTTP/1.1, on a connection of its own.
    pub(crate) fn ask(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Reply {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .build();
        let agent: ureq::Agent = agent.into();
        let uri = format!("{}{path}", self.url);
        let mut request = Request::builder().method(method).uri(uri);
        if !token.is_empty() {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let text = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                body.to_string()
            }
            None => String::new(),
        };
        let (parts, body) = agent.run(request.body(text).unwrap()).unwrap().into_parts();
        let mut text = String::new();
        body.into_reader().read_to_string(&mut text).unwrap();
        Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            json: serde_json::from_str(&text).unwrap_or_default(),
        }
    }

    /// What a path of the webapi answers, which must be well.
    pub(crate) fn get(&self, path: &str, token: &str) -> Value {
        let reply = self.ask("GET", &format!("/v1/webapi/{path}"), token, None);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json
    }

    pub(crate) fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let reply = self.ask("POST", &format!("/v1/webapi/{path}"), token, Some(body));
        assert!((200..300).contains(&reply.status), "{path}: {reply:?}");
        reply.json
    }

    /// The token of a new session.
    pub(crate) fn log_in(&self, user: &str, org: &str) -> String {
        let body = json!({"user": user, "org": org, "password": PASSWORD});
        let session = self.post("sessions", "", &body);
        session["token"].as_str().unwrap().to_owned()
    }

    /// The release that its answers name must be this one.
    pub(crate) fn is_of(&self, release: Release) {
        let reply = self.ask("GET", "/healthz", "", None);
        let told = reply.headers.get("coeval-release").unwrap();
        assert_eq!(told.to_str().unwrap(), release.number());
    }

    pub(crate) fn client(&self, token: &str) -> Client {
        let client = Client::builder(&self.url).token(token);
        client.timeout(Duration::from_secs(20)).build().unwrap()
    }
}

/// Registers the versions of `acme:app` and publishes them.
pub(crate) fn register_types(on: &Installation, by: Release, server: &Server, admin: &str) {
    for (version, _) in TYPES {
        let file = format!("app-{version}.yaml");
        on.does(by, server, admin, &["type", "register", &file]);
    }
    on.does(
        by,
        server,
        admin,
        &["type", "publish", "acme:app", "--org", "acme"],
    );
}
