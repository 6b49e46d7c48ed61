//! Gets: the generic service beside a bare one that answers the same bytes, and a typed service
//! beside the generic one.

use super::calls::{GET, GET_TYPED, GrpcCaller, UPSERT, upsert};
use super::types::TYPES;
use crate::client::log_in;
use crate::load::{LoadOutcome, load};
use crate::server::ServerProcess;
use bytes::Bytes;
use coeval_grpc::proto::resources::v1 as pb;
use prost::Message as _;
use std::time::{Duration, Instant};

/// Connections that share the calls.
const CONNECTIONS: usize = 8;

pub(crate) async fn measure(store: Option<&str>, time: Duration, clients: usize, count: usize) {
    let server = ServerProcess::coeval(&TYPES, store, false);
    let token = log_in(&server).await;
    fill(&server, &token, clients, count).await;
    let generic = move |n: usize| {
        let request = pb::GetResourceRequest {
            kind: "thing".to_owned(),
            name: format!("thing-{}", n % count),
            ..pb::GetResourceRequest::default()
        };
        Bytes::from(request.encode_to_vec())
    };
    // The same fields in a typed request: its name is field 1.
    let typed = move |n: usize| {
        let name = format!("thing-{}", n % count);
        let mut bytes = vec![0x0a, u8::try_from(name.len()).unwrap()];
        bytes.extend_from_slice(name.as_bytes());
        Bytes::from(bytes)
    };
    let mut client = GrpcCaller::connect(&server.url, &token).await;
    let bytes = client.call(GET, generic(1)).await;
    println!("gets of {} bytes, {clients} at a time", bytes.len());
    let bare = ServerProcess::bare("grpc", &bytes, false);
    let limit = run(&bare, &token, time, clients, GET, generic).await;
    show("bare tonic service", &limit);
    let ours = run(&server, &token, time, clients, GET, generic).await;
    show("generic service", &ours);
    let ratio = ours.rate() / limit.rate();
    println!(
        "    {ratio:.2} of the bare service{}",
        goal(ratio >= 0.5, "≥ 0.5")
    );
    let told = run(&server, &token, time, clients, GET_TYPED, typed).await;
    show("typed service", &told);
    let ratio = told.cpu_each() / ours.cpu_each();
    let met = goal(ratio <= 1.5, "≤ 1.5");
    println!("    {ratio:.2} of the generic one's processor time{met}");
    println!("    {:.2} of its rate", told.rate() / ours.rate());
    println!("    peak memory {} MB", server.peak_memory());
}

pub(crate) fn goal(met: bool, goal: &str) -> String {
    if met {
        format!(" (goal {goal})")
    } else {
        format!(" (FALLS SHORT of the goal {goal})")
    }
}

async fn fill(server: &ServerProcess, token: &str, clients: usize, count: usize) {
    let tasks = (0..clients).map(|first| {
        let (url, token) = (server.url.clone(), token.to_owned());
        tokio::spawn(async move {
            let mut client = GrpcCaller::connect(&url, &token).await;
            for number in (first..count).step_by(clients) {
                let name = format!("thing-{number}");
                client.call(UPSERT, upsert(&name, number as u64)).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

async fn run(
    server: &ServerProcess,
    token: &str,
    time: Duration,
    clients: usize,
    path: &'static str,
    message: impl Fn(usize) -> Bytes + Copy + Send + 'static,
) -> LoadOutcome {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(GrpcCaller::connect(&server.url, token).await);
    }
    let callers = (0..clients).map(|first| (first, connections[first % CONNECTIONS].clone()));
    load(
        server,
        callers.collect(),
        time,
        move |(first, mut client), mut shift| async move {
            // Callers begin far apart, so that they don't ask for the same thing.
            let mut number = first * 7919;
            while shift.goes_on() {
                let sent = Instant::now();
                client.call(path, message(number)).await;
                shift.tally.note(sent, 1);
                number += clients;
            }
            shift
        },
    )
    .await
}

fn show(name: &str, ran: &LoadOutcome) {
    println!(
        "  {name:<20} {:>8.0}/s   p50 {} µs  p99 {} µs   {:.0} µs of processor time each",
        ran.rate(),
        ran.within(0.5),
        ran.within(0.99),
        ran.cpu_each() * 1_000.0
    );
}
