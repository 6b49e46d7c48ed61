//! `coeval dev`: a server with an example in it, and contexts that are logged in.

use crate::support::{Server, coeval, stderr};
use coeval_client::{Client, Resource};
use coeval_grpc::proto::resources::v1::ListResourcesRequest;
use coeval_grpc::proto::types::v1::ListTypeVersionsRequest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn dev(folder: &Path, more: &[&str]) -> Command {
    let mut command = coeval(folder);
    command.args(["dev", "--listen", "127.0.0.1:0"]);
    command.args(["--drain-delay-seconds", "0"]).args(more);
    command.env("COEVAL_CONFIG_DIR", folder.join("config"));
    // Where its temporary folder is, to see it go.
    fs::create_dir_all(folder.join("tmp")).unwrap();
    command.env("TMPDIR", folder.join("tmp"));
    command
}

fn yaml(path: &Path) -> Value {
    serde_norway::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Name and server of the contexts that are remembered, and the current one.
fn contexts(folder: &Path) -> (BTreeMap<String, String>, Option<String>) {
    let config = yaml(&folder.join("config/config.yaml"));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let all = config["contexts"].as_array().unwrap().iter();
    let all = all.map(|one| (text(&one["name"]).unwrap(), text(&one["server"]).unwrap()));
    (all.collect(), text(&config["current"]))
}

/// A client with what a context remembers.
fn client(folder: &Path, context: &str) -> Client {
    let server = contexts(folder).0[context].clone();
    let credentials = yaml(&folder.join("config/credentials.yaml"));
    let token = credentials["contexts"][context]["token"].as_str().unwrap();
    Client::builder(server).token(token).build().unwrap()
}

async fn clusters(client: &Client) -> Vec<Resource> {
    let asked = ListResourcesRequest {
        kind: "cluster".into(),
        order_by: "name".into(),
        ..Default::default()
    };
    let page = client.resource_service().list_resources(asked).await;
    let page = page.unwrap().into_inner();
    assert_eq!(page.quarantined, []);
    let kind = client.resources("cluster");
    let mut all = Vec::new();
    for one in page.resources {
        all.push(kind.get(&one.metadata.unwrap().name).await.unwrap());
    }
    all
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_is_there_and_who_runs_it_is_logged_in() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(dev(folder.path(), &[]));
    let line = format!("coeval ready on http://{}\n", server.address());
    assert_eq!(server.ready_line, line);

    let (known, current) = contexts(folder.path());
    let url = format!("http://{}", server.address());
    let expected = ["dev", "dev-admin"].map(|name| (name.to_owned(), url.clone()));
    assert_eq!(known, BTreeMap::from(expected));
    assert_eq!(current.as_deref(), Some("dev"));

    let alice = client(folder.path(), "dev");
    let found = clusters(&alice).await;
    let told: Vec<_> = found
        .iter()
        .map(|one| (&*one.metadata.name, &*one.version, &*one.metadata.namespace))
        .collect();
    let expected = [
        ("checkout", "v1", "acme"),
        ("payments", "v1.1", "acme"),
        ("search", "v1", "acme"),
    ];
    assert_eq!(told, expected);
    assert_eq!(found[1].spec["backup"], json!({"every": "6h", "keep": 28}));
    let old = alice.resources("cluster").at("1.0.0").get("payments").await;
    assert_eq!(old.unwrap().spec.get("backup"), None);

    // The third version is ready, and its administrator may register it.
    let data = files(&folder.path().join("tmp"));
    let [data] = data.as_slice() else {
        panic!("{data:?}");
    };
    let next = fs::read_to_string(data.join("cluster-2.0.0.yaml")).unwrap();
    let admin = client(folder.path(), "dev-admin");
    let register = coeval_grpc::proto::types::v1::RegisterTypeVersionRequest {
        file: next,
        ..Default::default()
    };
    admin.types().register_type_version(register).await.unwrap();
    let newest = alice.resources("cluster").at("2.0.0").get("payments").await;
    let newest = newest.unwrap().spec;
    assert_eq!(newest["release"], "1.33");
    assert_eq!(newest["workers"], json!({"count": 7, "size": "large"}));

    // What is remembered is for its owner alone, and no password is in it or was said.
    let password = fs::read_to_string(data.join("password")).unwrap();
    assert!(password.len() >= 24);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(data), 0o700);
    assert_eq!(mode(&data.join("password")), 0o600);
    assert_eq!(mode(&folder.path().join("config")), 0o700);
    let token = yaml(&folder.path().join("config/credentials.yaml"));
    let token = token["contexts"]["dev"]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    for file in files(&folder.path().join("config")) {
        assert_eq!(mode(&file), 0o600, "{file:?}");
        assert!(!fs::read_to_string(&file).unwrap().contains(&password));
    }

    let (code, out, err) = server.stop();
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    for said in ["goes when this ends", "coeval get cluster\n", "dev-admin"] {
        assert!(err.contains(said), "{said}: {err}");
    }
    for secret in [&password, &token] {
        assert!(!err.contains(secret), "{err}");
    }
    // All of it is gone.
    assert_eq!(contexts(folder.path()), (BTreeMap::new(), None));
    let left = fs::read_to_string(folder.path().join("config/credentials.yaml")).unwrap();
    assert!(!left.contains(&token));
    assert_eq!(files(&folder.path().join("tmp")), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_with_the_same_data_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(dev(folder.path(), &["--data", "kept"]));
    let alice = client(folder.path(), "dev");
    // Somebody works with it.
    let mut search = alice.resources("cluster").get("search").await.unwrap();
    search.spec["nodes"] = json!(9);
    alice.resources("cluster").update(&search).await.unwrap();
    let before = clusters(&alice).await;
    let password = fs::read_to_string(folder.path().join("kept/password")).unwrap();
    let (code, _, err) = server.stop();
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("goes when this ends"), "{err}");
    // The data stays, and so does the way to it.
    assert_eq!(contexts(folder.path()).0.len(), 2);

    let server = Server::start(dev(folder.path(), &["--data", "kept"]));
    let alice = client(folder.path(), "dev");
    assert_eq!(clusters(&alice).await, before);
    let asked = ListTypeVersionsRequest::default();
    let versions = alice.types().list_type_versions(asked).await.unwrap();
    let versions = versions.into_inner().type_versions;
    let versions: Vec<_> = versions.iter().map(|one| one.id.as_str()).collect();
    let of_example = |id: &&str| id.starts_with("acme:cluster:");
    assert_eq!(versions.iter().copied().filter(of_example).count(), 2);
    let again = fs::read_to_string(folder.path().join("kept/password")).unwrap();
    assert_eq!(again, password);
    assert_eq!(server.stop().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_current_context_of_somebody_else_stays() {
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("config");
    fs::create_dir(&config).unwrap();
    let mine =
        "current: work\ncontexts:\n- {name: work, server: https://c.example, user: me@acme}\n";
    fs::write(config.join("config.yaml"), mine).unwrap();
    let server = Server::start(dev(folder.path(), &[]));
    let (known, current) = contexts(folder.path());
    let known: Vec<_> = known.keys().map(String::as_str).collect();
    assert_eq!(known, ["dev", "dev-admin", "work"]);
    assert_eq!(current.as_deref(), Some("work"));
    let (code, _, err) = server.stop();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("coeval get cluster --context dev\n"), "{err}");
    let (known, current) = contexts(folder.path());
    assert_eq!(known["work"], "https://c.example");
    assert_eq!((known.len(), current.as_deref()), (1, Some("work")));
}

/// `/readyz` of an address where perhaps nobody listens yet.
fn is_ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return false;
    };
    let asked = write!(
        stream,
        "GET /readyz HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n"
    );
    let mut answer = String::new();
    asked.is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 200")
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_ready_only_when_the_example_is_loaded() {
    let folder = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let mut command = coeval(folder.path());
    command.args(["dev", "--listen", &address]);
    command.args(["--drain-delay-seconds", "0"]);
    command.env("COEVAL_CONFIG_DIR", folder.path().join("config"));
    // A script does not wait for the line on stdout: it asks, from the first moment on.
    let asked = address.clone();
    let first = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_ready(&asked) {
            assert!(Instant::now() < deadline, "it is never ready");
        }
    });
    let starting = std::thread::spawn(move || Server::start(command));
    first.join().unwrap();
    let found = clusters(&client(folder.path(), "dev")).await;
    assert_eq!(found.len(), 3);
    drop(starting.join().unwrap());
}

#[test]
fn a_port_that_is_taken_is_told_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = dev(folder.path(), &[]);
    let output = command.args(["--listen", &address]).output().unwrap();
    // A flag is said once.
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let mut command = coeval(folder.path());
    command.args(["dev", "--listen", &address]);
    command.env("COEVAL_CONFIG_DIR", folder.path().join("config"));
    command.env("TMPDIR", folder.path().join("tmp"));
    let output = command.output().unwrap();
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(output.stdout.is_empty());
    assert!(err.contains("COEVAL-9002"), "{err}");
    assert!(err.contains("--listen 127.0.0.1:0"), "{err}");
    // Nothing is left of it.
    assert_eq!(files(&folder.path().join("tmp")), Vec::<PathBuf>::new());
    assert!(!folder.path().join("config").exists());
}

#[test]
fn another_store_and_tls_are_not_for_it() {
    let folder = TempDir::new().unwrap();
    for flags in [
        &["--store", "sqlite:x.db"][..],
        &["--tls-cert", "a.pem", "--tls-key", "b.pem"],
    ] {
        let output = dev(folder.path(), flags).output().unwrap();
        let err = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains("coeval serve"), "{err}");
    }
}
