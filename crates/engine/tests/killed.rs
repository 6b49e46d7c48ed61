//! A server is killed with SIGKILL again and again while it registers, edits and deletes types,
//! writes resources and rotates keys. What it acknowledged is there, and nothing is half done.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use coeval_access::{AccessLevel, AccessSubject, AclMember, Grant, Rights};
use coeval_core::version::Version;
use coeval_engine::inspect::Repair;
use coeval_engine::seal::{KeyId, Keyring};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, Target, TypeKey};
use coeval_stores::{OpenOptions, OpenStore, open};
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "nothing_acknowledged_is_lost_and_nothing_is_half_done";
const STORE: &str = "COEVAL_TEST_KILLED_STORE";
const KEYS: &str = "COEVAL_TEST_KILLED_KEYS";
const ROUND: &str = "COEVAL_TEST_KILLED_ROUND";
const KILLS: u64 = 10;

fn admin() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

fn app() -> TypeKey {
    TypeKey::new("acme", "app")
}

fn file(version: &str, note: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{version}\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {version}\n  description: \"{note}\"\n  schema: {{type: object, properties: {{n: {{type: integer}}, password: {{type: string, x-vcloud-restricted: secure}}}}}}\n"
    )
}

fn named(name: &str) -> Target {
    Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: name.to_owned(),
    }
}

async fn engine(url: &str, keys: &str) -> (OpenStore, Engine) {
    let opened = open(url, OpenOptions::default()).await.unwrap();
    let settings = Settings {
        keyring: Some(Arc::new(Keyring::parse(keys).unwrap())),
        ..Settings::default()
    };
    let engine = Engine::open(Arc::clone(&opened.store), settings)
        .await
        .unwrap();
    (opened, engine)
}

/// Does things for ever, and says what was acknowledged.
async fn child(url: &str, keys: &str, round: u64) {
    let (_opened, engine) = engine(url, keys).await;
    let say = |what: String| println!("ack {what}");
    for n in 0.. {
        let name = format!("r{round}-{n}");
        let body = json!({"n": 0, "password": format!("secret of {name}")});
        let create = Create::new(Version::new(1, 0, 0), &name, body);
        engine.create(&admin(), &app(), create).await.unwrap();
        say(format!("n {name} 0"));
        let update = Update::new(Version::new(1, 0, 0), json!({"n": 1}));
        engine
            .update(&admin(), &app(), &named(&name), &update)
            .await
            .unwrap();
        say(format!("n {name} 1"));
        let version = format!("1.{}.0", 1 + round * 100_000 + n);
        let registration = Registration::of(file(&version, "new")).warn();
        engine.register(&admin(), registration).await.unwrap();
        say(format!("t {version} new"));
        let at = Version::parse_full(&version).unwrap();
        let edited = Registration::of(file(&version, "edited")).warn();
        engine
            .edit_type(&admin(), &app(), at, edited)
            .await
            .unwrap();
        say(format!("t {version} edited"));
        engine.delete_type(&admin(), &app(), at).await.unwrap();
        say(format!("t {version} gone"));
        let rotated = engine.rotate_secrets(&|_| {}).await.unwrap();
        assert_eq!(rotated.failed, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_and_nothing_is_half_done() {
    if let Ok(url) = std::env::var(STORE) {
        let round = std::env::var(ROUND).unwrap().parse().unwrap();
        child(&url, &std::env::var(KEYS).unwrap(), round).await;
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/s.db", folder.path().display());
    let line = |id: &str| {
        Keyring::generate_line(&KeyId::new(id).unwrap())
            .unwrap()
            .to_string()
    };
    let (one, two) = (line("one"), line("two"));
    {
        let (opened, engine) = engine(&url, &one).await;
        let first = Registration::of(file("1.0.0", "first"));
        engine.register(&admin(), first).await.unwrap();
        opened.store.close().await;
    }
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let mut types: HashMap<String, String> = HashMap::new();
    for round in 0..KILLS {
        // Each process begins with another key, so that there is always something to rotate.
        let keys = match round % 2 {
            0 => format!("{one}\n{two}"),
            _ => format!("{two}\n{one}"),
        };
        for line in run_and_kill(&url, &keys, round) {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["ack", "n", name, n] => {
                    numbers.insert((*name).to_owned(), n.parse().unwrap());
                }
                ["ack", "t", version, note] => {
                    types.insert((*version).to_owned(), (*note).to_owned());
                }
                _ => {}
            }
        }
        let (opened, engine) = engine(&url, &keys).await;
        check(&engine, &numbers, &mut types).await;
        opened.store.close().await;
    }
    println!("{} resources, {} type versions", numbers.len(), types.len());
    assert!(numbers.len() > 10 && types.len() > 10);
    // What a killed rotation left, the next one finishes.
    let (opened, engine) = engine(&url, &format!("{two}\n{one}")).await;
    assert_eq!(engine.rotate_secrets(&|_| {}).await.unwrap().failed, 0);
    opened.store.close().await;
    let (opened, alone) = self::engine(&url, &two).await;
    for name in numbers.keys() {
        let member = AclMember::User("admin".to_owned());
        let level = AccessLevel::FullControl;
        let grant = Grant { member, level };
        alone
            .grant(&admin(), &app(), &named(name), &grant)
            .await
            .unwrap();
        let secrets = alone.secrets(&admin(), &app(), &named(name)).await.unwrap();
        assert_eq!(secrets["/password"], json!(format!("secret of {name}")));
    }
    opened.store.close().await;
}

/// What the child said before it was killed.
fn run_and_kill(url: &str, keys: &str, round: u64) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(STORE, url)
        .env(KEYS, keys)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reading = std::thread::spawn(move || out.lines().map_while(Result::ok).collect());
    std::thread::sleep(Duration::from_millis(700 + fastrand::u64(..500)));
    child.kill().unwrap();
    child.wait().unwrap();
    reading.join().unwrap()
}

async fn check(
    engine: &Engine,
    numbers: &HashMap<String, u64>,
    types: &mut HashMap<String, String>,
) {
    for (name, n) in numbers {
        let read = engine.get(&admin(), &app(), &named(name)).await.unwrap();
        let content: serde_json::Value = serde_json::from_slice(&read.content).unwrap();
        let there = content["n"].as_u64().unwrap();
        assert!(there >= *n, "{name} has {there}, {n} was acknowledged");
        assert_eq!(*read.secure, ["/password"]);
    }
    let state = engine.type_state(&app()).await.unwrap();
    for (version, note) in types.iter() {
        let at = Version::parse_full(version).unwrap();
        let there = state.version(at).and_then(|one| one.description.clone());
        // The next step may have happened without being acknowledged.
        let fine = match note.as_str() {
            "new" => matches!(there.as_deref(), Some("new" | "edited")),
            "edited" => matches!(there.as_deref(), Some("edited") | None),
            _ => there.is_none(),
        };
        assert!(
            fine,
            "{version}: {note} was acknowledged, {there:?} is there"
        );
    }
    let mut problems = Vec::new();
    let told = &mut |problem: &coeval_engine::inspect::Problem| problems.push(problem.clone());
    engine.inspect(Repair::No, &|_| {}, told).await.unwrap();
    assert_eq!(problems, []);
    // Whatever was left in the middle of an edit does not stop anybody for long.
    for version in state.registered_versions() {
        if version != Version::new(1, 0, 0) {
            engine.delete_type(&admin(), &app(), version).await.unwrap();
            types.insert(version.to_string(), "gone".to_owned());
        }
    }
}
