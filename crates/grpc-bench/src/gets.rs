//! Gets: the generic service beside a bare one that answers the same bytes, and a typed service
//! beside the generic one.

use crate::calls::{Client, GET, GET_TYPED, UPSERT, log_in, upsert};
use crate::server::Server;
use bytes::Bytes;
use coeval_grpc::proto::resources::v1 as pb;
use hdrhistogram::Histogram;
use prost::Message as _;
use std::time::{Duration, Instant};

/// Connections that share the calls.
const CONNECTIONS: usize = 8;

/// What a run of calls gave.
struct Ran {
    a_second: f64,
    micros: Histogram<u64>,
    cpu_micros: f64,
}

pub(crate) async fn measure(store: Option<&str>, time: Duration, clients: usize, count: usize) {
    let server = Server::coeval(store);
    let token = log_in(&server);
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
    let mut client = Client::connect(&server.url, &token).await;
    let bytes = client.call(GET, generic(1)).await;
    println!("gets of {} bytes, {clients} at a time", bytes.len());
    let bare = Server::bare(&bytes);
    let limit = run(&bare, &token, time, clients, GET, generic).await;
    show("bare tonic service", &limit);
    let ours = run(&server, &token, time, clients, GET, generic).await;
    show("generic service", &ours);
    let ratio = ours.a_second / limit.a_second;
    println!(
        "    {ratio:.2} of the bare service{}",
        goal(ratio >= 0.5, "≥ 0.5")
    );
    let told = run(&server, &token, time, clients, GET_TYPED, typed).await;
    show("typed service", &told);
    let ratio = told.cpu_micros / ours.cpu_micros;
    let met = goal(ratio <= 1.5, "≤ 1.5");
    println!("    {ratio:.2} of the generic one's processor time{met}");
    println!("    {:.2} of its rate", told.a_second / ours.a_second);
    println!("    peak memory {} MB", server.peak_memory());
}

pub(crate) fn goal(met: bool, goal: &str) -> String {
    if met {
        format!(" (goal {goal})")
    } else {
        format!(" (FALLS SHORT of the goal {goal})")
    }
}

async fn fill(server: &Server, token: &str, clients: usize, count: usize) {
    let tasks = (0..clients).map(|first| {
        let (url, token) = (server.url.clone(), token.to_owned());
        tokio::spawn(async move {
            let mut client = Client::connect(&url, &token).await;
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
    server: &Server,
    token: &str,
    time: Duration,
    clients: usize,
    path: &'static str,
    message: impl Fn(usize) -> Bytes + Copy + Send + 'static,
) -> Ran {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Client::connect(&server.url, token).await);
    }
    let (began, cpu) = (Instant::now(), server.cpu_millis());
    let tasks = (0..clients).map(|first| {
        let mut client = connections[first % CONNECTIONS].clone();
        tokio::spawn(async move {
            let mut micros = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3).unwrap();
            let mut number = first * 7919;
            while began.elapsed() < time {
                let sent = Instant::now();
                client.call(path, message(number)).await;
                micros.saturating_record(u64::try_from(sent.elapsed().as_micros()).unwrap());
                number += clients;
            }
            micros
        })
    });
    let mut micros = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3).unwrap();
    for task in tasks.collect::<Vec<_>>() {
        micros.add(task.await.unwrap()).unwrap();
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let calls = micros.len() as f64;
    Ran {
        a_second: calls / began.elapsed().as_secs_f64(),
        cpu_micros: (server.cpu_millis() - cpu) * 1_000.0 / calls,
        micros,
    }
}

fn show(name: &str, ran: &Ran) {
    let at = |q: f64| ran.micros.value_at_quantile(q);
    println!(
        "  {name:<20} {:>8.0}/s   p50 {} µs  p99 {} µs   {:.0} µs of processor time each",
        ran.a_second,
        at(0.5),
        at(0.99),
        ran.cpu_micros
    );
}
