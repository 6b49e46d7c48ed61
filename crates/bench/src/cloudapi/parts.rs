//! What is measured.

use super::figures::{at_least, line, rate_at_least};
use super::{TYPE, in_process};
use crate::client::{LoadConnection, log_in, send_requests};
use crate::server::ServerProcess;
use crate::store_url::place_in;
use bytes::Bytes;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const CREATE: &str = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:thing:1.0.0";
const LIST: &str = "/cloudapi/1.0.0/entities/types/acme/thing/1.0.0?pageSize=128";

/// How much, and on what.
pub(crate) struct LoadSize {
    pub(crate) time: Duration,
    pub(crate) clients: usize,
    pub(crate) entities: usize,
    pub(crate) store: Option<String>,
    pub(crate) tls: bool,
}

impl LoadSize {
    /// A server on a place of its own.
    fn server(&self, place: &str) -> ServerProcess {
        let place = format!("{place}_{}", if self.tls { "tls" } else { "plain" });
        let store = self.store.as_ref().map(|store| place_in(store, &place));
        ServerProcess::coeval(&[("thing.yaml", TYPE)], store.as_deref(), self.tls)
    }
}

/// Two KiB, and each a little different.
pub(crate) fn content(number: u64) -> Value {
    let text = format!("{number:016x}").repeat(122);
    json!({ "image": format!("registry/app:{number}"), "number": number, "text": text })
}

fn create(number: u64) -> (Method, String, Bytes) {
    let body = json!({ "name": format!("thing-{number}"), "entity": content(number) });
    (Method::POST, CREATE.to_owned(), body.to_string().into())
}

/// Creates, against the engine called directly.
pub(crate) async fn creates(load_of: &LoadSize) {
    // The limit first: it runs in this process, without a server beside it.
    let limit = in_process::creates(load_of.store.as_deref(), load_of.clients, load_of.time).await;
    let server = load_of.server("creates");
    let token = log_in(&server).await;
    let outcome = send_requests(
        &server,
        load_of.clients,
        &token,
        load_of.time,
        create,
        |reply| {
            assert_eq!(reply.status, StatusCode::ACCEPTED, "{:?}", reply.body);
            1
        },
    )
    .await;
    at_least(
        "creates / the engine's own",
        outcome.rate() / limit,
        0.5,
        &format!("the engine: {limit:.0}/s"),
    );
    line("creates", &outcome);
    println!("    peak memory of the server: {} MB", server.peak_memory());
}

/// Reads of single entities and of pages.
pub(crate) async fn reads(load_of: &LoadSize, gets: bool, lists: bool) {
    let server = load_of.server("reads");
    let token = log_in(&server).await;
    let ids = fill(&server, &token, load_of.entities).await;
    if gets {
        measure_gets(load_of, &server, &token, ids).await;
    }
    if lists {
        measure_lists(load_of, &server, &token).await;
    }
    println!("    peak memory of the server: {} MB", server.peak_memory());
}

/// Makes entities and finds their ids, page by page as clients do.
async fn fill(server: &ServerProcess, token: &str, entities: usize) -> Vec<String> {
    let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..32 {
        let mut connection = LoadConnection::open(server, Some(token.to_owned())).await;
        let made = Arc::clone(&made);
        tasks.push(tokio::spawn(async move {
            loop {
                let number = made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if number >= entities {
                    return;
                }
                let (method, path, body) = create(number as u64);
                let reply = connection.send(method, &path, body).await;
                assert_eq!(reply.status, StatusCode::ACCEPTED, "{:?}", reply.body);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let mut connection = LoadConnection::open(server, Some(token.to_owned())).await;
    let (mut ids, mut next) = (Vec::new(), Some(LIST.to_owned()));
    while let Some(path) = next {
        let reply = connection.get(&path).await;
        assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.body);
        let page: Value = serde_json::from_slice(&reply.body).unwrap();
        let values = page["values"].as_array().unwrap();
        ids.extend(
            values
                .iter()
                .map(|one| one["id"].as_str().unwrap().to_owned()),
        );
        next = next_page(&reply.headers);
    }
    assert_eq!(ids.len(), entities, "every entity is on one page");
    ids
}

/// The path of the link to the next page.
fn next_page(headers: &http::HeaderMap) -> Option<String> {
    let links = headers.get(header::LINK)?.to_str().unwrap();
    let next = links.split(",<").find(|link| link.contains("nextPage"))?;
    let url = next.trim_start_matches('<').split('>').next()?;
    // Links are absolute, and only the path is sent.
    let path = url.splitn(4, '/').nth(3)?;
    Some(format!("/{path}"))
}

async fn measure_gets(load_of: &LoadSize, server: &ServerProcess, token: &str, ids: Vec<String>) {
    let mut connection = LoadConnection::open(server, Some(token.to_owned())).await;
    let one = format!("/cloudapi/1.0.0/entities/{}", ids[0]);
    let bytes = connection.get(&one).await.body;
    let bare = ServerProcess::bare("cloudapi", &bytes, load_of.tls);
    let path = one.clone();
    let limit = send_requests(
        &bare,
        load_of.clients,
        token,
        load_of.time,
        move |_| (Method::GET, path.clone(), Bytes::new()),
        |_| 1,
    )
    .await;
    let many = u64::try_from(ids.len()).unwrap();
    let outcome = send_requests(
        server,
        load_of.clients,
        token,
        load_of.time,
        move |number| {
            // All of them, in an order that no cache likes.
            let at = usize::try_from(number.wrapping_mul(2_654_435_761) % many).unwrap();
            let path = format!("/cloudapi/1.0.0/entities/{}", ids[at]);
            (Method::GET, path, Bytes::new())
        },
        |reply| {
            assert_eq!(reply.status, StatusCode::OK);
            1
        },
    )
    .await;
    at_least(
        "gets by id / a bare server with the same bytes",
        outcome.rate() / limit.rate(),
        0.5,
        &format!("bytes: {}", bytes.len()),
    );
    line("gets by id", &outcome);
    line("bare server", &limit);
}

async fn measure_lists(load_of: &LoadSize, server: &ServerProcess, token: &str) {
    let deadline = std::time::Instant::now() + load_of.time;
    let cpu_before = server.cpu_millis();
    let begun = std::time::Instant::now();
    // As many as there are processors walk through all pages by their links.
    let walkers = (0..4).map(|_| async {
        let mut connection = LoadConnection::open(server, Some(token.to_owned())).await;
        let mut seen = 0_usize;
        let mut next = LIST.to_owned();
        while std::time::Instant::now() < deadline {
            let reply = connection.get(&next).await;
            assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.body);
            let pattern = b"\"entityType\":";
            let body = &reply.body;
            // Counted by a pattern: to parse the pages would take processors from the server.
            seen += body.windows(pattern.len()).filter(|w| w == pattern).count();
            next = next_page(&reply.headers).unwrap_or_else(|| LIST.to_owned());
        }
        seen
    });
    let seen: usize = futures::future::join_all(walkers).await.into_iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let seen = seen as f64;
    rate_at_least(
        "entities in pages of 128",
        seen / begun.elapsed().as_secs_f64(),
        50_000.0,
    );
    let cpu = server.cpu_millis() - cpu_before;
    println!("    {:.4} ms of processor for each entity", cpu / seen);
}
