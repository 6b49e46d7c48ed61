//! What clients and agents do meanwhile, and what they were told.

use super::servers::{Servers, apps, connect};
use coeval_client::{Client, ClientErrorKind, Resource};
use coeval_codes::Coded;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Resources that several clients raise.
pub(super) const COUNTERS: usize = 4;

/// What everybody was told.
#[derive(Default)]
pub(super) struct Told {
    /// Acknowledged increments of each counter.
    pub(super) raised: [AtomicI64; COUNTERS],
    /// Outcomes that nobody knows.
    pub(super) unknown: [AtomicI64; COUNTERS],
    pub(super) beats: AtomicU64,
    pub(super) reads: AtomicU64,
    pub(super) deleted: Mutex<Vec<String>>,
    pub(super) wrong: Mutex<Vec<String>>,
}

impl Told {
    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }
}

#[derive(Clone)]
pub(super) struct Stage {
    pub(super) addresses: Arc<Mutex<Vec<String>>>,
    pub(super) told: Arc<Told>,
    pub(super) over: Arc<AtomicBool>,
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
fn passing(kind: ClientErrorKind) -> bool {
    let passing = [
        ClientErrorKind::Unavailable,
        ClientErrorKind::TimedOut,
        ClientErrorKind::Conflict,
        ClientErrorKind::State,
        ClientErrorKind::UnknownOutcome,
    ];
    passing.contains(&kind)
}

/// Raises counters, by turns at both servers.
pub(super) async fn raise(stage: Stage, version: &'static str, nth: usize) {
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
            Err(error) if error.kind() == ClientErrorKind::UnknownOutcome => {
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
pub(super) async fn heartbeat(stage: Stage, version: &'static str, name: String) {
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
pub(super) async fn churn(stage: Stage, version: &'static str) {
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
            Err(error) if error.kind() == ClientErrorKind::NotFound || passing(error.kind()) => {}
            Err(error) => stage.told.wrong(format!("{name}: {error}")),
        }
        stage.told.reads.fetch_add(1, Ordering::Relaxed);
    }
}

/// The second server knows only the old major: it shows what was acknowledged, marked where that is
/// a copy by now, and refuses every write.
pub(super) async fn only_reads(servers: &Servers, told: &Told, phase: &str) {
    let client = servers.client(1).await;
    let mark = if phase == "soak" {
        "v1.1+downgraded"
    } else {
        "v1.1"
    };
    for counter in 0..COUNTERS {
        let name = format!("counter-{counter}");
        let before = told.raised[counter].load(Ordering::SeqCst);
        let read = apps(&client, "1.1").get(&name).await.unwrap();
        assert_eq!(read.version, mark, "{phase}");
        let value = read.spec["replicas"].as_i64().unwrap();
        assert!(value >= before, "{phase}: {value} of {before}");
        assert_eq!(read.spec["region"], "eu", "{phase}");
        let written = apps(&client, "1.1")
            .update_with(&name, |app| app.spec["replicas"] = (-1).into())
            .await;
        let refused = written.unwrap_err();
        assert_eq!(refused.kind(), ClientErrorKind::State, "{phase}: {refused}");
        assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE, "{refused}");
    }
}
