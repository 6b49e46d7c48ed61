//! A row of RFD 126's matrix: two servers on one store, clients of three versions and agents that
//! heartbeat, all phases forward and back, a mixed workload throughout. In the end: nothing lost,
//! nothing back that was deleted, no read that is older than what was acknowledged before it.

mod operator;
mod servers;
mod working;

use coeval_client::{ClientErrorKind, Resource};
use coeval_storage_suite::servers::{fresh_name, shared_etcd, shared_postgres};
use operator::Operator;
use serde_json::json;
use servers::{Servers, apps};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use working::{COUNTERS, Stage, Told, churn, heartbeat, only_reads, raise};

pub(crate) use servers::{NEW, ServerRelease};

/// A row of the matrix: the releases of two servers, and the versions of clients and agents.
pub(crate) struct Row {
    pub(crate) servers: [ServerRelease; 2],
    pub(crate) clients: [&'static str; 3],
    pub(crate) agents: &'static str,
    /// Which server is replaced by which, at the end of each stage of phases.
    pub(crate) replaced: &'static [(usize, ServerRelease)],
    /// Whether a server that does not know the new major reads on up to soak, as from 0.2.0 on.
    pub(crate) reads_on: bool,
}

pub(crate) async fn play(store: String, row: Row) {
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
        fence: false,
    };
    operator.start().await;
    operator.to("old", "mirror", false).await;
    if row.servers[1].knows_less {
        // The upgrade is taken back, and made again; then the other server is upgraded.
        operator.to("old", "old", true).await;
        operator.to("old", "mirror", false).await;
        if row.reads_on {
            // Given up, it reads on; all the way back it works again.
            operator.fence = true;
            operator.to("mirror", "mirror", false).await;
            operator.fence = false;
            for phase in ["mirror", "read-new", "backfill", "soak"] {
                operator.to(phase, phase, false).await;
                only_reads(&servers, &stage.told, phase).await;
            }
            operator.to("old", "old", true).await;
            operator.to("old", "mirror", false).await;
        }
        tokio::task::block_in_place(|| servers.replace(1, NEW));
    }
    let mut replaced = row.replaced.iter();
    // Ten minutes for a row with ./test --long, as the RFD asks.
    let dwell = if coeval_storage_suite::scale() > 1.0 {
        Duration::from_secs(115)
    } else {
        Duration::from_millis(100)
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
        if let Some((which, release)) = replaced.next() {
            tokio::task::block_in_place(|| servers.replace(*which, *release));
            operator.client = servers.client(1 - which).await;
        }
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
            assert_eq!(
                error.kind(),
                ClientErrorKind::NotFound,
                "{name} is back: {error}"
            );
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

pub(crate) fn postgres() -> String {
    let url = shared_postgres();
    let mark = if url.contains('?') { '&' } else { '?' };
    format!("{url}{mark}schema={}", fresh_name())
}

pub(crate) fn etcd() -> String {
    format!("{}/{}", shared_etcd(), fresh_name())
}
