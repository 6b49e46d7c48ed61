//! RFD 126's test matrix with real servers: two of different releases on one store, clients of three
//! versions and agents that heartbeat, all phases forward and back, a mixed workload throughout. In
//! the end: nothing lost, nothing back that was deleted, no read that is older than what was
//! acknowledged before it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod servers;

use coeval_client::{Client, Kind, Resource};
use coeval_proto::migrations::v1::{
    AdvanceMigrationRequest, BackMigrationRequest, GetMigrationRequest, Migration,
    StartMigrationRequest,
};
use coeval_storage_suite::servers::{fresh_name, shared_etcd, shared_postgres};
use serde_json::json;
use servers::{Release, Servers, apps, connect};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Resources that several clients raise.
const COUNTERS: usize = 4;

/// A row of the matrix: the releases of two servers, and the versions of clients and agents.
struct Row {
    servers: [Release; 2],
    clients: [&'static str; 3],
    agents: &'static str,
}

const NEW: Release = Release::New;

/// All of one release.
const ALL_NEW: Row = Row {
    servers: [NEW, NEW],
    clients: ["2.0", "2.0", "2.0"],
    agents: "2.0",
};
/// One server was upgraded; everybody else is of the release before, or older.
const FIRST_UPGRADED: Row = Row {
    servers: [NEW, Release::Before],
    clients: ["1.1", "1.1", "1.0"],
    agents: "1.1",
};
/// Both servers were upgraded, the others were not.
const SERVERS_UPGRADED: Row = Row {
    servers: [NEW, NEW],
    clients: ["1.1", "1.0", "1.1"],
    agents: "1.0",
};
/// Only agents lag behind; of the clients there are all.
const AGENTS_BEHIND: Row = Row {
    servers: [NEW, NEW],
    clients: ["2.0", "1.1", "1.0"],
    agents: "1.0",
};

/// What everybody was told.
#[derive(Default)]
struct Told {
    /// Acknowledged increments of each counter.
    raised: [AtomicI64; COUNTERS],
    /// Outcomes that nobody knows.
    unknown: [AtomicI64; COUNTERS],
    beats: AtomicU64,
    reads: AtomicU64,
    deleted: Mutex<Vec<String>>,
    wrong: Mutex<Vec<String>>,
}

impl Told {
    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }
}

#[derive(Clone)]
struct Stage {
    addresses: Arc<Mutex<Vec<String>>>,
    told: Arc<Told>,
    over: Arc<AtomicBool>,
}

impl Stage {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// A client of one of the servers, as soon as there is one.
    async fn client(&self, which: usize) -> Client {
        loop {
            let address = self.addresses.lock().unwrap()[which].clone();
            match connect(&address).await {
                Some(client) => return client,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// Refusals that a server which is being replaced, or is on its way to a phase, may give.
fn passing(kind: Kind) -> bool {
    let passing = [
        Kind::Unavailable,
        Kind::TimedOut,
        Kind::Conflict,
        Kind::State,
        Kind::UnknownOutcome,
    ];
    passing.contains(&kind)
}

/// Raises counters, by turns at both servers.
async fn raise(stage: Stage, version: &'static str, nth: usize) {
    let mut which = nth % 2;
    let mut client = stage.client(which).await;
    for n in nth.. {
        if stage.is_over() {
            return;
        }
        let counter = n % COUNTERS;
        let name = format!("counter-{counter}");
        let before = stage.told.raised[counter].load(Ordering::SeqCst);
        let mut seen = 0;
        let raised = apps(&client, version)
            .update_with(&name, |app| {
                seen = app.spec["replicas"].as_i64().unwrap();
                app.spec["replicas"] = (seen + 1).into();
            })
            .await;
        match raised {
            Ok(_) => {
                if seen < before {
                    let what = format!("{name}: {seen} was read, {before} was acknowledged");
                    stage.told.wrong(what);
                }
                stage.told.raised[counter].fetch_add(1, Ordering::SeqCst);
            }
            Err(error) if error.kind() == Kind::UnknownOutcome => {
                stage.told.unknown[counter].fetch_add(1, Ordering::SeqCst);
            }
            Err(error) if passing(error.kind()) => {
                which = 1 - which;
                client = stage.client(which).await;
            }
            Err(error) => stage.told.wrong(format!("{name} by {version}: {error}")),
        }
    }
}

/// Keeps a resource alive that would be gone in a few seconds.
async fn heartbeat(stage: Stage, version: &'static str, name: String) {
    let mut which = 1;
    let mut client = stage.client(which).await;
    while !stage.is_over() {
        let beaten = apps(&client, version)
            .update_with(&name, |agent| {
                let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(30);
                agent.metadata.expires = Some(later);
            })
            .await;
        match beaten {
            Ok(_) => {
                stage.told.beats.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) if passing(error.kind()) => {
                which = 1 - which;
                client = stage.client(which).await;
            }
            Err(error) => stage.told.wrong(format!("{name} by {version}: {error}")),
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}

/// Makes and deletes, and looks for what was deleted at the other server.
async fn churn(stage: Stage, version: &'static str) {
    for n in 0.. {
        if stage.is_over() {
            return;
        }
        let (one, other) = (stage.client(n % 2).await, stage.client((n + 1) % 2).await);
        let name = format!("short-{n}");
        let new = Resource::new(
            "acme:app",
            "v1",
            &name,
            json!({"image": "x", "replicas": 0}),
        );
        let made = apps(&one, "1.0").create(&new).await;
        if made.is_err() {
            continue;
        }
        let gone = apps(&other, version).delete(&name, "").await;
        if gone.is_err() {
            continue;
        }
        stage.told.deleted.lock().unwrap().push(name.clone());
        match apps(&one, version).get(&name).await {
            Ok(_) => stage.told.wrong(format!("{name} is back")),
            Err(error) if error.kind() == Kind::NotFound || passing(error.kind()) => {}
            Err(error) => stage.told.wrong(format!("{name}: {error}")),
        }
        stage.told.reads.fetch_add(1, Ordering::Relaxed);
    }
}

/// The operator: moves phases, patiently.
struct Operator {
    client: Client,
    seen: Vec<String>,
}

impl Operator {
    async fn status(&mut self) -> Migration {
        let kind = "acme:app".to_owned();
        let mut stub = self.client.migrations();
        let got = stub.get_migration(GetMigrationRequest { kind });
        let migration = got.await.unwrap().into_inner().migration.unwrap();
        let pair = format!("{} {}", migration.low, migration.high);
        if self.seen.last() != Some(&pair) {
            self.seen.push(pair);
        }
        migration
    }

    async fn half(&mut self, back: bool) {
        let until = Instant::now() + Duration::from_secs(40);
        loop {
            let kind = "acme:app".to_owned();
            let mut stub = self.client.migrations();
            let moved = match back {
                true => {
                    let request = BackMigrationRequest { kind, fence: false };
                    stub.back_migration(request).await.map(|_| ())
                }
                false => {
                    let request = AdvanceMigrationRequest {
                        kind,
                        ..AdvanceMigrationRequest::default()
                    };
                    stub.advance_migration(request).await.map(|_| ())
                }
            };
            match moved {
                Ok(()) => break,
                Err(status) => {
                    assert!(Instant::now() < until, "{status:?}");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
        self.status().await;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }

    async fn to(&mut self, low: &str, high: &str, back: bool) {
        for _ in 0..40 {
            let now = self.status().await;
            if (now.low.as_str(), now.high.as_str()) == (low, high) {
                return;
            }
            self.half(back).await;
        }
        panic!("{low} {high} is not reached: {:?}", self.seen);
    }
}

async fn play(store: String, row: Row) {
    let mut servers = tokio::task::block_in_place(|| Servers::start(store, row.servers));
    let first = servers.client(0).await;
    let stage = Stage {
        addresses: Arc::clone(&servers.addresses),
        told: Arc::default(),
        over: Arc::default(),
    };
    for n in 0..COUNTERS {
        let spec = json!({"image": "a", "replicas": 0, "region": "eu"});
        let new = Resource::new("acme:app", "v1.1", format!("counter-{n}"), spec);
        apps(&first, "1.1").create(&new).await.unwrap();
    }
    for n in 0..2 {
        let spec = json!({"image": "agent", "replicas": n});
        let mut new = Resource::new("acme:app", "v1", format!("agent-{n}"), spec);
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(30);
        new.metadata.expires = Some(later);
        apps(&first, "1.0").create(&new).await.unwrap();
    }
    let mut working = Vec::new();
    for (nth, version) in row.clients.into_iter().enumerate() {
        working.push(tokio::spawn(raise(stage.clone(), version, nth)));
    }
    for n in 0..2 {
        let name = format!("agent-{n}");
        working.push(tokio::spawn(heartbeat(stage.clone(), row.agents, name)));
    }
    working.push(tokio::spawn(churn(stage.clone(), row.clients[0])));
    let mut operator = Operator {
        client: first,
        seen: Vec::new(),
    };
    let start = StartMigrationRequest {
        kind: "acme:app".to_owned(),
        ..StartMigrationRequest::default()
    };
    operator
        .client
        .migrations()
        .start_migration(start)
        .await
        .unwrap();
    operator.to("old", "mirror", false).await;
    if row.servers[1] == Release::Before {
        // The upgrade is taken back, and made again; then the other server is upgraded.
        operator.to("old", "old", true).await;
        operator.to("old", "mirror", false).await;
        tokio::task::block_in_place(|| servers.upgrade(1));
    }
    // Ten minutes for a row with ./test --long, as the RFD asks.
    let dwell = match coeval_storage_suite::scale() > 1.0 {
        true => Duration::from_secs(115),
        false => Duration::from_millis(100),
    };
    for (low, high, back) in [
        ("soak", "soak", false),
        ("old", "old", true),
        ("cutover", "cutover", false),
        ("soak", "soak", true),
        ("cleanup", "cleanup", false),
    ] {
        operator.to(low, high, back).await;
        tokio::time::sleep(dwell).await;
    }
    stage.over.store(true, Ordering::Relaxed);
    for work in working {
        work.await.unwrap();
    }
    checked(&servers, &stage.told, &operator.seen).await;
}

async fn checked(servers: &Servers, told: &Told, seen: &[String]) {
    let wrong = told.wrong.lock().unwrap().clone();
    assert_eq!(wrong, Vec::<String>::new());
    let mut sum = 0;
    for which in 0..2 {
        let client = servers.client(which).await;
        for n in 0..COUNTERS {
            let counter = apps(&client, "1.1").get(&format!("counter-{n}")).await;
            let counter = counter.unwrap();
            let value = counter.spec["replicas"].as_i64().unwrap();
            let raised = told.raised[n].load(Ordering::SeqCst);
            let unknown = told.unknown[n].load(Ordering::SeqCst);
            let right = (raised..=raised + unknown).contains(&value);
            assert!(
                right,
                "counter {n}: {value}, {raised} acknowledged, {unknown} unknown"
            );
            assert_eq!(counter.spec["region"], "eu", "a field was lost");
            sum += raised;
        }
        for n in 0..2 {
            apps(&client, "1.0")
                .get(&format!("agent-{n}"))
                .await
                .unwrap();
        }
        let deleted = told.deleted.lock().unwrap().clone();
        for name in &deleted {
            let error = apps(&client, "1.1").get(name).await.unwrap_err();
            assert_eq!(error.kind(), Kind::NotFound, "{name} is back: {error}");
        }
    }
    println!(
        "{} raised, {} heartbeats, {} deleted, through {} pairs of phases",
        sum / 2,
        told.beats.load(Ordering::Relaxed),
        told.deleted.lock().unwrap().len(),
        seen.len()
    );
    assert!(sum > 0 && told.beats.load(Ordering::Relaxed) > 0);
    for pair in [
        "old mirror",
        "mirror read-new",
        "read-new backfill",
        "backfill soak",
        "soak cutover",
    ] {
        assert!(seen.iter().any(|seen| seen == pair), "{pair}: {seen:?}");
    }
}

fn postgres() -> String {
    let url = shared_postgres();
    let mark = if url.contains('?') { '&' } else { '?' };
    format!("{url}{mark}schema={}", fresh_name())
}

fn etcd() -> String {
    format!("{}/{}", shared_etcd(), fresh_name())
}

macro_rules! rows {
    ($($name:ident: $row:ident;)*) => {
        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::play(crate::postgres(), crate::$row).await;
                }
            )*
        }
        mod on_etcd {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::play(crate::etcd(), crate::$row).await;
                }
            )*
        }
    };
}

rows! {
    everybody_is_of_one_release: ALL_NEW;
    one_server_was_upgraded_first: FIRST_UPGRADED;
    the_servers_were_upgraded: SERVERS_UPGRADED;
    only_the_agents_are_behind: AGENTS_BEHIND;
}
