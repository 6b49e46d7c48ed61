//! A server is killed with SIGKILL at random instants of every phase, while it moves a type forward
//! and back and writes to it. Nothing that it acknowledged is lost, and the migration goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use coeval_access::{AccessSubject, Rights};
use coeval_core::phases::Phase;
use coeval_core::version::{Uuid, Version};
use coeval_engine::inspect::Repair;
use coeval_engine::migrations::{
    Advance, Declared, MigrationDriver, MigrationSettings, MigrationStatus, State,
};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Engine, EngineError, SYSTEM_ORG, Settings, Target, TypeKey};
use coeval_stores::{OpenOptions, OpenStore, open};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const STORE: &str = "COEVAL_TEST_KILL_PHASES";
/// What the child is to do: go on for ever, or to the end.
const GOAL: &str = "COEVAL_TEST_KILL_GOAL";
const NAME: &str = "nothing_acknowledged_is_lost_in_any_phase";
const RESOURCES: usize = 40;

fn admin() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

fn app() -> TypeKey {
    TypeKey::new("acme", "app")
}

fn at(major: u32) -> Version {
    Version::new(major, 0, 0)
}

fn file(major: u32, rest: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{major}.0.0\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {major}.0.0\n{rest}"
    )
}

async fn engine(url: &str) -> (OpenStore, Arc<Engine>) {
    let opened = open(url, OpenOptions::default()).await.unwrap();
    let engine = Engine::open(Arc::clone(&opened.store), Settings::default()).await;
    (opened, Arc::new(engine.unwrap()))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A parent that is gone ends this process anyway.
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

async fn status(engine: &Engine) -> MigrationStatus {
    engine.migration_status(&admin(), &app()).await.unwrap()
}

/// What the killed process does: writes, and moves the phases forward and back.
async fn child(url: &str, to_the_end: bool) {
    let (_store, engine) = engine(url).await;
    let settings = MigrationSettings {
        poll: Duration::from_millis(5),
        abandoned_after: Duration::from_millis(50),
        ..MigrationSettings::default()
    };
    let name = format!("server-{}", std::process::id());
    let _driver = MigrationDriver::start(Arc::clone(engine.background()), &name, "0.1.0", settings);
    for n in 0..RESOURCES {
        say(&format!("found {n} {}", replicas(&engine, n).await));
    }
    let writing = Arc::clone(&engine);
    let writer = tokio::spawn(async move {
        for n in (0..RESOURCES).cycle() {
            if let Some(written) = add_one(&writing, n, n % 2 == 1).await {
                say(&format!("wrote {n} {written}"));
            }
        }
    });
    let (who, of) = (admin(), app());
    let mut forwards = to_the_end || fastrand::bool();
    loop {
        let now = status(&engine).await;
        let Some((low, high)) = now.live else {
            say("ended");
            writer.abort();
            return;
        };
        say(&format!("at {low} {high}"));
        forwards = match (low, high) {
            _ if to_the_end => true,
            (Phase::Old, Phase::Old) => true,
            // The last phase has no way back, so it is for the end.
            (Phase::Cutover, Phase::Cutover) => false,
            _ => forwards,
        };
        let moved = if forwards {
            engine
                .advance_migration(&who, &of, Advance::default())
                .await
        } else {
            engine.back_migration(&who, &of, true).await
        };
        match moved {
            Ok(_) => {}
            // Servers that were killed hold it until their lease ends: they are given up.
            Err(EngineError::Phase(_)) => {
                let fence = Advance {
                    fence: true,
                    ..Advance::default()
                };
                if forwards && low != high {
                    drop(engine.advance_migration(&who, &of, fence).await);
                }
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
            Err(EngineError::Contended { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn target(n: usize) -> Target {
    Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: format!("r{n}"),
    }
}

async fn replicas(engine: &Engine, n: usize) -> i64 {
    let caller = admin().at(at(1));
    for _ in 0..500 {
        match engine.get(&caller, &app(), &target(n)).await {
            Ok(read) => {
                let content: Value = serde_json::from_slice(&read.content).unwrap();
                return content["replicas"].as_i64().unwrap();
            }
            // Until the driver has taken this server where the others are.
            Err(EngineError::Phase(_) | EngineError::Contended { .. }) => {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("r{n} can't be read");
}

/// The number that was written, if it was.
async fn add_one(engine: &Engine, n: usize, new: bool) -> Option<i64> {
    let version = at(if new { 2 } else { 1 });
    let caller = admin().at(version);
    let read = engine.get(&caller, &app(), &target(n)).await.ok()?;
    let mut content: Value = serde_json::from_slice(&read.content).unwrap();
    let next = content["replicas"].as_i64().unwrap() + 1;
    content["replicas"] = json!(next);
    let update = Update::new(version, content).on(read.revision);
    let written = engine.update(&caller, &app(), &target(n), &update).await;
    written.ok().map(|_| next)
}

struct Killed {
    child: Child,
    lines: Receiver<String>,
}

fn start(url: &str, goal: &str) -> Killed {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(STORE, url)
        .env(GOAL, goal)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    Killed { child, lines }
}

/// What is known to be written, and what was seen.
#[derive(Default)]
struct Told {
    acknowledged: BTreeMap<usize, i64>,
    phases: BTreeSet<String>,
    ended: bool,
}

impl Told {
    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["found", n, value] => {
                let (n, value): (usize, i64) = (n.parse().unwrap(), value.parse().unwrap());
                let before = self.acknowledged.get(&n).copied().unwrap_or_default();
                // One more may have been on its way when it was killed.
                let right = value == before || value == before + 1;
                assert!(right, "r{n}: {before} was acknowledged, {value} is there");
                self.acknowledged.insert(n, value);
            }
            ["wrote", n, value] => {
                let (n, value): (usize, i64) = (n.parse().unwrap(), value.parse().unwrap());
                let before = self.acknowledged.insert(n, value).unwrap_or_default();
                assert!(value > before, "r{n}: {value} after {before}");
            }
            ["at", low, high] => {
                self.phases.insert(format!("{low} {high}"));
            }
            ["ended"] => self.ended = true,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_in_any_phase() {
    if let (Ok(url), Ok(goal)) = (std::env::var(STORE), std::env::var(GOAL)) {
        return child(&url, goal == "end").await;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
    prepare(&url).await;
    let scale = coeval_storage_suite::scale();
    let kills = if scale > 1.0 { 200 } else { 40 };
    let mut told = Told::default();
    for _ in 0..kills {
        let mut killed = start(&url, "on");
        let until = Instant::now() + Duration::from_secs(60);
        // It has begun to write, and is somewhere.
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = killed
                .lines
                .recv_timeout(left)
                .expect("the child says nothing");
            told.hear(&line);
            if line.starts_with("wrote") {
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(fastrand::u64(..120_000)));
        // `kill` is SIGKILL here.
        killed.child.kill().unwrap();
        assert!(!killed.child.wait().unwrap().success(), "it was not killed");
        while let Ok(line) = killed.lines.recv() {
            told.hear(&line);
        }
    }
    let mut last = start(&url, "end");
    let until = Instant::now() + Duration::from_secs(120);
    while !told.ended {
        let left = until.saturating_duration_since(Instant::now());
        told.hear(&last.lines.recv_timeout(left).expect("no end"));
    }
    last.child.kill().unwrap();
    last.child.wait().unwrap();
    while let Ok(line) = last.lines.recv() {
        told.hear(&line);
    }
    verify(&url, &told).await;
    let written: i64 = told.acknowledged.values().sum();
    println!("{kills} kills, {written} writes, at {:?}", told.phases);
    assert!(told.phases.len() >= 8, "{:?}", told.phases);
}

async fn prepare(url: &str) {
    let (store, engine) = engine(url).await;
    let old = "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}}}\n  indexes: {image: /image}\n";
    let new = "  schema: {type: object, required: [img], properties: {img: {type: string}, replicas: {type: integer}}}\n  indexes: {image: /img}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /image, to: img}}]}\n";
    for text in [file(1, old), file(2, new)] {
        let registration = Registration::of(text).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
    for n in 0..RESOURCES {
        let body = json!({"image": format!("i{n}"), "replicas": 0});
        let create = Create::new(at(1), format!("r{n}"), body);
        engine.create(&admin(), &app(), create).await.unwrap();
    }
    let declared = Declared::default();
    let started = engine.start_migration(&admin(), &app(), &declared).await;
    started.unwrap();
    engine.store().close().await;
    drop(store);
}

async fn verify(url: &str, told: &Told) {
    let (_store, engine) = engine(url).await;
    assert_eq!(status(&engine).await.state, State::Finished);
    let mut ids: BTreeSet<Uuid> = BTreeSet::new();
    for n in 0..RESOURCES {
        let read = engine.get(&admin(), &app(), &target(n)).await.unwrap();
        assert_eq!(read.header.version, at(2));
        let content: Value = serde_json::from_slice(&read.content).unwrap();
        let value = content["replicas"].as_i64().unwrap();
        let before = told.acknowledged[&n];
        assert!(
            value == before || value == before + 1,
            "r{n}: {before}, {value}"
        );
        assert_eq!(content["img"], format!("i{n}"));
        ids.insert(read.id);
    }
    assert_eq!(ids.len(), RESOURCES);
    let mut problems = Vec::new();
    let told = &mut |problem: &coeval_engine::inspect::Problem| problems.push(problem.clone());
    engine.inspect(Repair::No, &|_| {}, told).await.unwrap();
    assert_eq!(problems, []);
}
