//! A steady load, what it was told, and how long that took.

use crate::keep_alive::KeepAlive;
use coeval_client::{
    ChangedResource, Client, ClientError, ClientErrorKind, Resource, ResourceQuery, WatchEvent,
};
use futures::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Resources that all clients raise.
pub(crate) const COUNTERS: usize = 3;
/// Between two requests of one client.
const PAUSE: Duration = Duration::from_millis(8);

/// What happened, seen from outside.
#[derive(Default)]
pub(crate) struct Observed {
    over: AtomicBool,
    /// Nothing is written any more.
    settled: AtomicBool,
    /// Acknowledged increments of each counter.
    pub(crate) raised: [AtomicU64; COUNTERS],
    /// Names that must be there, and those that must not.
    pub(crate) kept: Mutex<Vec<String>>,
    pub(crate) deleted: Mutex<Vec<String>>,
    /// Calls of the client library that returned an error.
    pub(crate) failed: Mutex<Vec<String>>,
    /// HTTP/1.1 requests without an answer of their own.
    pub(crate) failed_plain: Mutex<Vec<String>>,
    /// HTTP/1.1 requests whose connection was closed while it idled, and which were sent again.
    repeated_plain: Mutex<Vec<Instant>>,
    /// When calls ended, and how long they took.
    times: Mutex<Vec<(Instant, Duration)>>,
}

impl Observed {
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// After all writers have ended: now the watches may.
    pub(crate) fn settle(&self) {
        self.settled.store(true, Ordering::SeqCst);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn took(&self, began: Instant) {
        let now = Instant::now();
        self.times.lock().unwrap().push((now, now - began));
    }

    fn note(&self, what: &str, began: Instant, outcome: Result<(), ClientError>) -> bool {
        self.took(began);
        if let Err(error) = &outcome {
            let text = format!("{what}: {error:?}");
            self.failed.lock().unwrap().push(text);
        }
        outcome.is_ok()
    }

    /// Number, median and 99th percentile of the calls that ended within this time.
    pub(crate) fn percentiles(&self, from: Instant, to: Instant) -> String {
        let times = self.times.lock().unwrap();
        let within = times.iter().filter(|(end, _)| (from..to).contains(end));
        let mut took: Vec<Duration> = within.map(|(_, took)| *took).collect();
        took.sort_unstable();
        let at = |part: f64| {
            let index = ((took.len() as f64) * part) as usize;
            took.get(index.min(took.len().saturating_sub(1)))
                .copied()
                .unwrap_or_default()
        };
        let repeated = self.repeated_plain.lock().unwrap();
        let repeated = repeated.iter().filter(|when| (from..to).contains(*when));
        format!(
            "{} calls, {} HTTP/1.1 requests sent again, p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
            took.len(),
            repeated.count(),
            at(0.5).as_secs_f64() * 1e3,
            at(0.99).as_secs_f64() * 1e3,
            at(1.0).as_secs_f64() * 1e3
        )
    }
}

pub(crate) fn counter(number: usize) -> String {
    format!("counter-{number}")
}

pub(crate) fn new_app(name: &str) -> Resource {
    let spec = json!({"image": "a", "replicas": 0, "region": "eu"});
    Resource::new("app", "v1.1", name, spec)
}

/// Reads and raises counters, as a client of either version.
pub(crate) async fn raise(client: Client, observed: Arc<Observed>, first: usize) {
    for turn in first.. {
        if observed.is_over() {
            return;
        }
        let number = turn % COUNTERS;
        let name = counter(number);
        let apps = client
            .resources("app")
            .understanding(["1.0", "1.1"][turn / COUNTERS % 2]);
        let before = observed.raised[number].load(Ordering::SeqCst);
        let began = Instant::now();
        let seen = apps.get(&name).await;
        let is_stale = seen
            .as_ref()
            .is_ok_and(|app| app.spec["replicas"].as_u64() < Some(before));
        assert!(
            !is_stale,
            "{name}: a read that is older than what was acknowledged"
        );
        observed.note("get", began, seen.map(|_| ()));
        let began = Instant::now();
        let raised = apps.update_with(&name, |app| {
            let number = app.spec["replicas"].as_u64().unwrap();
            app.spec["replicas"] = (number + 1).into();
        });
        let raised = raised.await.map(|_| ());
        if observed.note("update", began, raised) {
            observed.raised[number].fetch_add(1, Ordering::SeqCst);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Creates, and deletes every other one.
pub(crate) async fn create_and_delete(client: Client, observed: Arc<Observed>, by: usize) {
    let apps = client.resources("app");
    for turn in 0.. {
        if observed.is_over() {
            return;
        }
        let name = format!("short-{by}-{turn}");
        let began = Instant::now();
        let created = apps.create(&new_app(&name)).await;
        let created = observed.note("create", began, created.map(|_| ()));
        if created && turn % 2 == 0 {
            observed.kept.lock().unwrap().push(name);
        } else if created {
            let began = Instant::now();
            let gone = apps.delete(&name, "").await;
            if observed.note("delete", began, gone.map(|_| ())) {
                observed.deleted.lock().unwrap().push(name);
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// GETs over connections that are kept, some of them idle for longer than a server drains.
pub(crate) async fn get_plainly(
    address: SocketAddr,
    token: String,
    observed: Arc<Observed>,
    pause: Duration,
) {
    let path = format!("/v1/webapi/resources/app/{}", counter(0));
    let mut client = KeepAlive::new(address, &path, &token);
    while !observed.is_over() {
        let began = Instant::now();
        let failure = match client.get().await {
            Ok(200) => None,
            Ok(status) => Some(format!("status {status}")),
            Err(why) => Some(why),
        };
        observed.took(began);
        observed.failed_plain.lock().unwrap().extend(failure);
        let repeated = client.repeated.drain(..);
        observed.repeated_plain.lock().unwrap().extend(repeated);
        tokio::time::sleep(pause).await;
    }
}

/// Watches the counters until each was told at its last value; what was told of each, in order.
pub(crate) async fn watch(client: Client, observed: Arc<Observed>) -> BTreeMap<String, Vec<u64>> {
    let query = ResourceQuery {
        filter: "name==counter-*".to_owned(),
        ..ResourceQuery::default()
    };
    let mut watch = client.resources("app").watch(&query, None);
    let mut told: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    loop {
        if observed.settled.load(Ordering::SeqCst) && has_all(&told, &observed) {
            return told;
        }
        let next = tokio::time::timeout(Duration::from_millis(200), watch.next()).await;
        let Ok(next) = next else {
            continue;
        };
        let WatchEvent::Changes { changes, .. } = next.unwrap().unwrap() else {
            continue;
        };
        for change in changes {
            let app = match change {
                ChangedResource::Put(app) => app,
                // Whether what is gone has matched can't be told any more: all are told of it.
                ChangedResource::Deleted { .. } => continue,
                other => panic!("{other:?}"),
            };
            let value = app.spec["replicas"].as_u64().unwrap();
            told.entry(app.metadata.name.clone())
                .or_default()
                .push(value);
        }
    }
}

fn has_all(told: &BTreeMap<String, Vec<u64>>, observed: &Observed) -> bool {
    (0..COUNTERS).all(|number| {
        let raised = observed.raised[number].load(Ordering::SeqCst);
        let last = told
            .get(&counter(number))
            .and_then(|all| all.last().copied());
        last.unwrap_or(0) >= raised
    })
}

/// What is there in the end: nothing is lost, doubled or back.
pub(crate) async fn check(client: &Client, observed: &Observed) {
    let apps = client.resources("app");
    for number in 0..COUNTERS {
        let seen = apps.get(&counter(number)).await.unwrap();
        let raised = observed.raised[number].load(Ordering::SeqCst);
        assert_eq!(seen.spec["replicas"], raised, "{}", counter(number));
        assert_eq!(seen.spec["region"], "eu", "a field was lost");
    }
    let all = apps.list_all(&ResourceQuery::default()).await.unwrap();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &all.resources {
        *times.entry(&one.metadata.name).or_default() += 1;
    }
    for name in observed.kept.lock().unwrap().iter() {
        assert_eq!(times.remove(name.as_str()), Some(1), "{name}");
    }
    let deleted = observed.deleted.lock().unwrap().clone();
    for name in deleted {
        assert_eq!(times.get(name.as_str()), None, "{name} is back");
        let error = apps.get(&name).await.unwrap_err();
        assert_eq!(error.kind(), ClientErrorKind::NotFound, "{name}");
    }
    let counters: Vec<String> = (0..COUNTERS).map(counter).collect();
    assert_eq!(
        times.into_keys().collect::<Vec<_>>(),
        counters,
        "made by nobody"
    );
}
