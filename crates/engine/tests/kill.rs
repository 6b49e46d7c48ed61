//! A server is killed with SIGKILL again and again in the middle of a mass migration, or of an upgrade
//! of what a filter matches. In the end every resource was moved once, and the counts are exact.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use coeval_access::{AccessSubject, Rights};
use coeval_core::version::{Uuid, Version};
use coeval_engine::jobs::{
    JobRunner, MigrateOptions, Pace, Pacing, RunnerSettings, UpgradeMatching,
};
use coeval_engine::tasks::{Status, Task};
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{
    AuditQuery, Caller, Engine, InOrg, SYSTEM_ORG, Settings, Target, TypeKey, What,
};
use coeval_filter::{FieldComparison, Filter, FilterField, Operand};
use coeval_storage::{KeySpan, ReadRange};
use coeval_stores::{OpenOptions, OpenStore, open};
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Where the child finds the store, and the task that it works on.
const STORE: &str = "COEVAL_TEST_KILL_STORE";
const TASK: &str = "COEVAL_TEST_KILL_TASK";
/// What the child says before each batch.
const BATCH: &str = "the child begins a batch";
const RESOURCES: usize = 2_500;
const KILLS: usize = 8;

fn admin() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

fn app() -> TypeKey {
    TypeKey::new("acme", "app")
}

fn version(major: u32) -> Version {
    Version::new(major, 0, 0)
}

fn file(major: u32, rest: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{major}.0.0\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {major}.0.0\n{rest}"
    )
}

async fn engine(url: &str) -> (OpenStore, Arc<Engine>) {
    let opened = open(url, OpenOptions::default()).await.unwrap();
    let engine = Engine::new(Arc::clone(&opened.store), Settings::default());
    (opened, Arc::new(engine))
}

/// Tells of each batch, and is slow enough to be killed between two as well as in one.
#[derive(Debug)]
struct Telling;

impl Pace for Telling {
    fn before_batch(&self, _: &Task, _: Duration) -> Pacing {
        println!("{BATCH}");
        Pacing::After(Duration::from_millis(2))
    }
}

/// What the killed process does: it works on the task until it has ended.
async fn child(url: &str, task: &str) {
    let (_store, engine) = engine(url).await;
    let settings = RunnerSettings {
        pace: Some(Arc::new(Telling)),
        abreast: 3,
        ..RunnerSettings::default()
    };
    let _runner = JobRunner::start(Arc::clone(engine.background()), "server", settings);
    let id = Uuid::parse(task).unwrap();
    let long = Duration::from_secs(120);
    let task = engine.wait_for_task(&admin(), id, long).await.unwrap();
    assert_eq!(task.status, Status::Success, "{task:?}");
}

/// Starts a child and waits until it has begun so many batches, or has ended.
fn start(name: &str, url: &str, task: &str, batches: usize) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(STORE, url)
        .env(TASK, task)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut lines = out.lines();
    let told = |line: &std::io::Result<String>| line.as_ref().is_ok_and(|l| l.contains(BATCH));
    let begun = lines.by_ref().filter(told).take(batches).count();
    assert_eq!(begun, batches, "the child ended too early");
    // The rest is read, so that the child never waits for us.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

async fn keys(engine: &Engine, prefix: &str) -> usize {
    let mut range = ReadRange::of(KeySpan::everything());
    let mut found = 0;
    loop {
        let (_, page) = engine.store().range(range.clone()).await.unwrap();
        let keys = page.entries.iter().map(|entry| entry.key.to_string());
        found += keys.filter(|key| key.starts_with(prefix)).count();
        match page.entries.last() {
            Some(last) if page.more => range = range.after(&last.key),
            _ => return found,
        }
    }
}

/// Kills a server that works on a task at some moments, until one is left to end it. Each begins fewer
/// batches than `most`, so that there is something left to do for the next.
async fn kill_again_and_again(name: &str, url: &str, task: &Task, most: u64) {
    let id = task.id.to_string();
    let seed = u64::from(std::process::id()) ^ 0x9e37_79b9_7f4a_7c15;
    println!("seed {seed}");
    let mut random = seed;
    for _ in 0..KILLS {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (batches, micros) = ((random >> 33) % most, (random >> 40) % 6_000);
        let mut child = start(name, url, &id, usize::try_from(batches).unwrap());
        tokio::time::sleep(Duration::from_micros(micros)).await;
        // `kill` is SIGKILL here.
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was not killed");
    }
    let mut last = start(name, url, &id, 1);
    assert!(last.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_survives_being_killed_at_any_moment() {
    if let (Ok(url), Ok(task)) = (std::env::var(STORE), std::env::var(TASK)) {
        return child(&url, &task).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
    let (made, task) = prepare(&url).await;
    let name = "a_migration_survives_being_killed_at_any_moment";
    kill_again_and_again(name, &url, &task, 7).await;
    verify(&url, &made, &task).await;
}

/// A third each: to be upgraded, at the target already, and not matched.
const EACH: usize = 1_500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_of_what_a_filter_matches_survives_it_too() {
    if let (Ok(url), Ok(task)) = (std::env::var(STORE), std::env::var(TASK)) {
        return child(&url, &task).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
    let (store, there) = engine(&url).await;
    register(&there).await;
    let old = make_all(&there, EACH, |n| {
        Create::new(version(1), format!("go-old{n}"), json!({"image": "i"}))
    });
    let new = make_all(&there, EACH, |n| {
        Create::new(version(2), format!("go-new{n}"), json!({"img": "i"}))
    });
    let others = make_all(&there, EACH, |n| {
        Create::new(version(1), format!("stay{n}"), json!({"image": "i"}))
    });
    let (old, new, others) = (old.await, new.await, others.await);
    let asked = UpgradeMatching {
        filter: Filter::test(
            FilterField::Name,
            FieldComparison::Equal(Operand::from_escaped("go*").unwrap()),
        ),
        versions: None,
        org: InOrg::Own,
        to: None,
        dry_run: false,
    };
    let upgrade = there.upgrade_matching(&admin(), &app(), &asked).await;
    let (task, _) = upgrade.unwrap();
    there.store().close().await;
    drop((store, there));
    let name = "an_upgrade_of_what_a_filter_matches_survives_it_too";
    kill_again_and_again(name, &url, &task, 4).await;
    let (_store, engine) = engine(&url).await;
    let task = engine.task(&admin(), task.id).await.unwrap();
    let result = task.result.as_ref().unwrap();
    for (what, count) in [("upgraded", EACH), ("unchanged", EACH), ("refused", 0)] {
        assert_eq!(result[what], count, "{result}");
    }
    assert_eq!(task.progress.done, 2 * EACH as u64);
    for (ids, at, generation) in [(old, 2, 1), (new, 2, 0), (others, 1, 0)] {
        for id in ids {
            let target = Target::Id(id);
            let now = engine.get(&admin(), &app(), &target).await.unwrap();
            assert_eq!(now.header.version, version(at));
            assert_eq!(now.header.generation, generation, "{id}");
        }
    }
    assert_eq!(keys(&engine, "g/").await, 0);
}

async fn register(engine: &Engine) {
    let old = "  schema: {type: object, required: [image], properties: {image: {type: string}}}\n  indexes: {image: /image}\n";
    let new = "  schema: {type: object, required: [img], properties: {img: {type: string}}}\n  indexes: {image: /img}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /image, to: img}}]}\n";
    for text in [file(1, old), file(2, new)] {
        let registration = Registration::of(text).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
}

async fn make_all(
    engine: &Arc<Engine>,
    count: usize,
    create: impl Fn(usize) -> Create,
) -> Vec<Uuid> {
    let make = |n| {
        let (engine, create) = (Arc::clone(engine), create(n));
        tokio::spawn(async move {
            let made = engine.create(&admin(), &app(), create).await.unwrap();
            made.resource.id
        })
    };
    let making: Vec<_> = (0..count).map(make).collect();
    let mut made = Vec::new();
    for one in making {
        made.push(one.await.unwrap());
    }
    made
}

/// Resources, and a task that nobody works on yet.
async fn prepare(url: &str) -> (Vec<Uuid>, Task) {
    let (store, engine) = engine(url).await;
    register(&engine).await;
    let made = make_all(&engine, RESOURCES, |n| {
        let body = json!({"image": format!("i{n}")});
        Create::new(version(1), format!("r{n}"), body)
    });
    let made = made.await;
    let options = MigrateOptions::default();
    let task = engine
        .migrate_resources(&admin(), &app(), version(1), version(2), &options)
        .await
        .unwrap();
    engine.store().close().await;
    drop(store);
    (made, task)
}

async fn verify(url: &str, made: &[Uuid], task: &Task) {
    let (_store, engine) = engine(url).await;
    let task = engine.task(&admin(), task.id).await.unwrap();
    let result = task.result.as_ref().unwrap();
    assert_eq!(result["migrated"], RESOURCES, "{result}");
    for none in ["skipped", "failed", "leftBehind", "unlisted"] {
        assert_eq!(result[none], 0, "{result}");
    }
    assert_eq!(task.progress.done, RESOURCES as u64);
    for id in made {
        let target = Target::Id(*id);
        let now = engine.get(&admin(), &app(), &target).await.unwrap();
        assert_eq!(now.header.version, version(2));
        assert_eq!(now.header.generation, 1, "{id} was written more than once");
    }
    for (prefix, count) in [
        ("x/acme/app/version/1.0.0/", 0),
        ("x/acme/app/version/2.0.0/", RESOURCES),
        ("e/acme/app/v1/", 0),
        ("e/acme/app/v2/", RESOURCES),
        ("h/", RESOURCES),
        ("g/", 0),
    ] {
        assert_eq!(keys(&engine, prefix).await, count, "{prefix}");
    }
    let everything = AuditQuery::default();
    let deeds = engine
        .audit(&admin(), &everything, None, usize::MAX)
        .await
        .unwrap();
    let mut told: HashMap<String, usize> = HashMap::new();
    for record in deeds {
        if let (What::Migrate, Some(id)) = (record.deed.what, record.deed.id) {
            *told.entry(id).or_default() += 1;
        }
    }
    assert_eq!(told.len(), RESOURCES);
    assert!(told.values().all(|times| *times == 1));
}
