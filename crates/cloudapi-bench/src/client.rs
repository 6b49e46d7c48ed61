//! Connections that send one request after the other.

use crate::certificate;
use crate::server::Server;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hdrhistogram::Histogram;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A connection.
pub(crate) struct Connection {
    sending: SendRequest<Full<Bytes>>,
    host: String,
    token: Option<String>,
}

/// What was answered.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Connection {
    pub(crate) async fn open(server: &Server, token: Option<String>) -> Self {
        let uri: Uri = server.url.parse().unwrap();
        let host = uri.authority().unwrap().to_string();
        let stream = TcpStream::connect(&host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let sending = match uri.scheme_str() {
            Some("https") => {
                let connector = TlsConnector::from(certificate::client(server.folder.path()));
                let name = ServerName::try_from("localhost").unwrap();
                let stream = connector.connect(name, stream).await.unwrap();
                let (sending, connection) = handshake(TokioIo::new(stream)).await.unwrap();
                tokio::spawn(connection);
                sending
            }
            _ => {
                let (sending, connection) = handshake(TokioIo::new(stream)).await.unwrap();
                tokio::spawn(connection);
                sending
            }
        };
        Self {
            sending,
            host,
            token,
        }
    }

    pub(crate) async fn send(&mut self, method: Method, path: &str, body: Bytes) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, &self.host)
            .header(header::ACCEPT, "application/json;version=39.1");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::new(body)).unwrap();
        self.sending.ready().await.unwrap();
        let response = self.sending.send_request(request).await.unwrap();
        let (parts, body) = response.into_parts();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Reply {
        self.send(Method::GET, path, Bytes::new()).await
    }
}

/// The token of a tenant's user.
pub(crate) async fn log_in(server: &Server) -> String {
    let mut connection = Connection::open(server, None).await;
    let basic = STANDARD.encode(format!("alice@acme:{}", crate::server::PASSWORD));
    let request = Request::post("/cloudapi/1.0.0/sessions")
        .header(header::HOST, &connection.host)
        .header(header::AUTHORIZATION, format!("Basic {basic}"))
        .body(Full::new(Bytes::new()))
        .unwrap();
    let response = connection.sending.send_request(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let token = response.headers()["x-vmware-vcloud-access-token"].to_str();
    token.unwrap().to_owned()
}

/// What a load came to.
pub(crate) struct Outcome {
    /// What `count` said of each answer, summed up.
    pub(crate) counted: u64,
    pub(crate) took: Duration,
    pub(crate) latencies: Histogram<u64>,
    /// Processor time of the server.
    pub(crate) cpu_millis: f64,
}

impl Outcome {
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    pub(crate) fn rate(&self) -> f64 {
        self.counted as f64 / self.took.as_secs_f64()
    }

    #[expect(clippy::cast_precision_loss, reason = "a count")]
    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu_millis / self.counted.max(1) as f64
    }

    /// Milliseconds within which this share of the requests was answered.
    #[expect(clippy::cast_precision_loss, reason = "microseconds")]
    pub(crate) fn within(&self, share: f64) -> f64 {
        self.latencies.value_at_quantile(share) as f64 / 1000.0
    }
}

/// Lets every connection send what `next` says for as long; `count` is how much an answer counts.
pub(crate) async fn load(
    server: &Server,
    clients: usize,
    token: Option<&str>,
    time: Duration,
    next: impl Fn(u64) -> (Method, String, Bytes) + Send + Sync + 'static,
    count: impl Fn(&Reply) -> u64 + Send + Sync + 'static,
) -> Outcome {
    let mut connections = Vec::new();
    for _ in 0..clients {
        connections.push(Connection::open(server, token.map(str::to_owned)).await);
    }
    let (next, count) = (Arc::new(next), Arc::new(count));
    let number = Arc::new(AtomicU64::new(0));
    let cpu_before = server.cpu_millis();
    let begun = Instant::now();
    let tasks = connections.into_iter().map(|mut connection| {
        let (next, count, number) = (Arc::clone(&next), Arc::clone(&count), Arc::clone(&number));
        tokio::spawn(async move {
            let mut latencies = Histogram::<u64>::new(3).unwrap();
            let mut counted = 0;
            while begun.elapsed() < time {
                let (method, path, body) = next(number.fetch_add(1, Ordering::Relaxed));
                let since = Instant::now();
                let reply = connection.send(method, &path, body).await;
                let micros = u64::try_from(since.elapsed().as_micros()).unwrap();
                latencies.record(micros.max(1)).unwrap();
                counted += count(&reply);
            }
            (latencies, counted)
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut latencies = Histogram::<u64>::new(3).unwrap();
    let mut counted = 0;
    for task in tasks {
        let (some, many) = task.await.unwrap();
        latencies.add(some).unwrap();
        counted += many;
    }
    Outcome {
        counted,
        took: begun.elapsed(),
        latencies,
        cpu_millis: server.cpu_millis() - cpu_before,
    }
}
