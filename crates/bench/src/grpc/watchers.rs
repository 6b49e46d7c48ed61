//! Watchers by the thousand at three versions: how many conversions a write costs, how many events
//! are delivered a second, and how late.

use super::calls::{GrpcCaller, UPSERT, WATCH, upsert};
use super::gets::goal;
use super::types::TYPES;
use crate::client::{LoadConnection, log_in};
use crate::figures::as_f64;
use crate::server::ServerProcess;
use bytes::Bytes;
use coeval_grpc::proto::resources::v1 as pb;
use hdrhistogram::Histogram;
use prost::Message as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Watchers of one connection.
const EACH: usize = 50;
const VERSIONS: [&str; 3] = ["v1", "v1.1", "v2"];
/// Things that are written by turns.
const THINGS: u64 = 200;

struct WatcherLoad {
    began: Instant,
    events: AtomicU64,
    delays: Mutex<Histogram<u64>>,
}

pub(crate) async fn measure(store: Option<&str>, time: Duration, watchers: usize, writes: u32) {
    let server = ServerProcess::coeval(&TYPES, store, false);
    let token = log_in(&server).await;
    let mut writer = GrpcCaller::connect(&server.url, &token).await;
    for number in 0..THINGS {
        let name = format!("thing-{number}");
        writer.call(UPSERT, upsert(&name, 0)).await;
    }
    let shared = Arc::new(WatcherLoad {
        began: Instant::now(),
        events: AtomicU64::new(0),
        delays: Mutex::new(Histogram::new_with_bounds(1, 600_000_000, 3).unwrap()),
    });
    let mut connections = Vec::new();
    for _ in 0..watchers.div_ceil(EACH) {
        connections.push(GrpcCaller::connect(&server.url, &token).await);
    }
    for number in 0..watchers {
        let mut client = connections[number / EACH].clone();
        let request = pb::WatchResourcesRequest {
            kind: "thing".to_owned(),
            version: VERSIONS[number % VERSIONS.len()].to_owned(),
            ..pb::WatchResourcesRequest::default()
        };
        let request = Bytes::from(request.encode_to_vec());
        let mut stream = client.stream(WATCH, request).await;
        // It is live.
        stream.message().await.unwrap();
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut mine = Vec::new();
            while let Ok(Some(message)) = stream.message().await {
                let Some(sent) = written_at(&message) else {
                    continue;
                };
                shared.events.fetch_add(1, Ordering::Relaxed);
                let now = u64::try_from(shared.began.elapsed().as_micros()).unwrap();
                mine.push(now.saturating_sub(sent));
                // By the hundred: a lock for each event would be measured as well.
                if mine.len() >= 100 {
                    let mut delays = shared.delays.lock().await;
                    for delay in mine.drain(..) {
                        delays.saturating_record(delay);
                    }
                }
            }
        });
    }
    println!("{watchers} watchers at {} versions", VERSIONS.len());
    let before = conversions(&server).await;
    let cpu = server.cpu_millis();
    let made = write(&mut writer, &shared, time, Some(writes)).await;
    settle(&shared, made * watchers as u64).await;
    let events = shared.events.load(Ordering::Relaxed);
    let delays = shared.delays.lock().await;
    let each = rate(conversions(&server).await - before, made);
    println!("  at {writes} writes a second: {made} writes, {events} events");
    println!(
        "    {each:.2} conversions a write{}",
        goal(each <= 3.0, "≤ 3")
    );
    println!(
        "    delay p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms; {:.1} µs of the server's time an event",
        millis(delays.value_at_quantile(0.5)),
        millis(delays.value_at_quantile(0.99)),
        millis(delays.max()),
        (server.cpu_millis() - cpu) * 1_000.0 / as_f64(events)
    );
    // Else the watchers would wait for this lock in the next part.
    drop(delays);
    let began = Instant::now();
    let made = write(&mut writer, &shared, time, None).await;
    settle(&shared, events + made * watchers as u64).await;
    let more = shared.events.load(Ordering::Relaxed) - events;
    let a_second = as_f64(more) / began.elapsed().as_secs_f64();
    let met = goal(a_second >= 100_000.0, "≥ 100,000");
    println!("  as fast as it goes: {made} writes, {a_second:.0} events a second{met}");
    println!("    peak memory {} MB", server.peak_memory());
}

/// Writes for a while; how often.
async fn write(
    writer: &mut GrpcCaller,
    shared: &WatcherLoad,
    time: Duration,
    a_second: Option<u32>,
) -> u64 {
    let began = Instant::now();
    let mut ticks = a_second.map(|n| tokio::time::interval(Duration::from_secs(1) / n));
    let mut made = 0;
    while began.elapsed() < time {
        if let Some(ticks) = &mut ticks {
            ticks.tick().await;
        }
        let name = format!("thing-{}", made % THINGS);
        let now = u64::try_from(shared.began.elapsed().as_micros()).unwrap();
        writer.call(UPSERT, upsert(&name, now)).await;
        made += 1;
    }
    made
}

/// Waits until all events are there, or no more come.
async fn settle(shared: &WatcherLoad, expected: u64) {
    let (mut last, mut at) = (0, Instant::now());
    loop {
        let now = shared.events.load(Ordering::Relaxed);
        if now >= expected || at.elapsed() > Duration::from_secs(5) {
            return;
        }
        if now != last {
            (last, at) = (now, Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// When the write was sent: its content says so.
fn written_at(message: &[u8]) -> Option<u64> {
    const MARK: &[u8] = b"\"number\":";
    let at = message.windows(MARK.len()).position(|part| part == MARK)?;
    let digits = message[at + MARK.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// How many conversions the server has made.
async fn conversions(server: &ServerProcess) -> u64 {
    let reply = LoadConnection::open(server, None)
        .await
        .get("/metrics")
        .await;
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("coeval_conversions_total"));
    let numbers = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    numbers.sum()
}

fn rate(number: u64, of: u64) -> f64 {
    as_f64(number) / as_f64(of.max(1))
}

fn millis(micros: u64) -> f64 {
    as_f64(micros) / 1_000.0
}
