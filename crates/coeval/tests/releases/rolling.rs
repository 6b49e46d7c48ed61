//! Three servers behind a balancer are replaced one by one, under load: up to this release, and back.

use crate::balancer::Balancer;
use crate::installation::{Installation, Server, register_types};
use crate::load::{self, COUNTERS, Observed};
use crate::release::Release;
use coeval_client::Client;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::task::block_in_place;

const SERVERS: usize = 3;

/// How long the servers stay as they are between two replacements of all.
const DWELL: Duration = Duration::from_millis(1_500);

/// How often all are replaced, there and back.
fn rounds() -> usize {
    (coeval_storage_suite::scale().round() as usize).max(1)
}

/// A server as operators start it: on this address, with the drain as it is by default.
fn start(on: &Installation, release: Release, address: &str) -> Server {
    let mut flags = vec!["--listen", address];
    if release == Release::Current {
        // Connections move to the server that came last while the test watches.
        flags.extend(["--max-connection-age-seconds", "1"]);
    }
    let server = on.launch(on.serving(release, &flags));
    server.is_of(release);
    server
}

/// Replaces all servers, one at a time, as docs/upgrades.md says.
async fn replace_all(
    on: &Installation,
    servers: &mut [Option<Server>],
    release: Release,
    balancer: &Balancer,
) {
    for server in servers {
        let mut old = server.take().unwrap();
        let address = old.url.split("//").nth(1).unwrap().to_owned();
        *server = Some(block_in_place(|| {
            old.send_term();
            old.wait_until_stopped();
            start(on, release, &address)
        }));
        let until = Instant::now() + Duration::from_secs(20);
        while balancer.ready() < SERVERS {
            assert!(Instant::now() < until, "the balancer does not find it");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(DWELL / 5).await;
    }
}

/// Until every server has a connection: each is given up for its age, and the next is another's.
async fn spread(balancer: &Balancer) {
    let until = Instant::now() + Duration::from_secs(20);
    while balancer.open().contains(&0) {
        let open = balancer.open();
        assert!(Instant::now() < until, "a server has no client: {open:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn previous_servers_are_replaced_behind_a_balancer_under_load_on_postgres() {
    let on = Installation::on_postgres();
    let mut servers: Vec<Option<Server>> = block_in_place(|| {
        let start = |_| Some(start(&on, Release::Previous, "127.0.0.1:0"));
        (0..SERVERS).map(start).collect()
    });
    let first = servers[0].as_ref().unwrap();
    let alice = block_in_place(|| {
        let admin = first.log_in("administrator", "System");
        register_types(&on, Release::Previous, first, &admin);
        first.log_in("alice", "acme")
    });
    for number in 0..COUNTERS {
        let new = load::new_app(&load::counter(number));
        let apps = first.client(&alice).resources("app");
        apps.create(&new).await.unwrap();
    }
    let addresses = servers.iter().flatten();
    let addresses = addresses.map(|one| one.url.split("//").nth(1).unwrap().parse().unwrap());
    let addresses: Vec<_> = addresses.collect();
    let balancer = Balancer::before(&addresses).await;
    while balancer.ready() < SERVERS {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    let observed = Arc::new(Observed::default());
    let client = || {
        let url = format!("http://{}", balancer.address);
        let client = Client::builder(url).token(&alice);
        client.timeout(Duration::from_secs(10)).build().unwrap()
    };
    // One whose watch holds connections that its calls have left, and one for watching alone.
    let shared = client();
    let watches = [shared.clone(), client()].map(|client| {
        let observed = Arc::clone(&observed);
        tokio::spawn(load::watch(client, observed))
    });
    // Both are there before anything changes.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut working = Vec::new();
    for (number, client) in [shared.clone(), client(), client()].into_iter().enumerate() {
        working.push(tokio::spawn(load::raise(
            client,
            Arc::clone(&observed),
            number,
        )));
    }
    for (number, client) in [shared, client()].into_iter().enumerate() {
        let work = load::create_and_delete(client, Arc::clone(&observed), number);
        working.push(tokio::spawn(work));
    }
    // Busy ones, and one that idles for longer than a server takes to stop.
    for millis in [5, 30, 300, 1_700] {
        let pause = Duration::from_millis(millis);
        let (address, alice) = (balancer.address, alice.clone());
        let work = load::get_plainly(address, alice, Arc::clone(&observed), pause);
        working.push(tokio::spawn(work));
    }

    let mut periods = Vec::new();
    let mut began = Instant::now();
    let mut open = Vec::new();
    let mut passed = |what: &'static str| {
        let from = std::mem::replace(&mut began, Instant::now());
        periods.push((what, from, began));
    };
    tokio::time::sleep(DWELL).await;
    passed("before");
    for _ in 0..rounds() {
        replace_all(&on, &mut servers, Release::Current, &balancer).await;
        passed("up");
        tokio::time::sleep(DWELL).await;
        spread(&balancer).await;
        open = balancer.open();
        passed("between");
        replace_all(&on, &mut servers, Release::Previous, &balancer).await;
        passed("back");
        tokio::time::sleep(DWELL).await;
        passed("after");
    }
    observed.end();
    for work in working {
        work.await.unwrap();
    }
    observed.settle();
    for (what, from, to) in periods {
        println!("{what}: {}", observed.percentiles(from, to));
    }
    let failed = observed.failed.lock().unwrap().clone();
    let failed_plain = observed.failed_plain.lock().unwrap().clone();
    println!(
        "{} failed calls, {} failed HTTP/1.1 requests; {} connections in all, {open:?} on this release",
        failed.len(),
        failed_plain.len(),
        balancer.accepted()
    );
    let none = Vec::<String>::new();
    assert_eq!((failed, failed_plain), (none.clone(), none));
    for watch in watches {
        let told = tokio::time::timeout(Duration::from_secs(20), watch).await;
        let told = told.expect("a watch has a gap").unwrap();
        for number in 0..COUNTERS {
            let raised = observed.raised[number].load(Ordering::SeqCst);
            let expected: Vec<u64> = (1..=raised).collect();
            assert_eq!(told[&load::counter(number)], expected);
        }
    }
    load::check(&client(), &observed).await;
}
