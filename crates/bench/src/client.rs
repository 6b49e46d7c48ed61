//! Connections over HTTP/1.1 that send one request after the other.

use crate::certificate;
use crate::load::{LoadOutcome, load};
use crate::server::{PASSWORD, ServerProcess};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
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
pub(crate) struct LoadConnection {
    sending: SendRequest<Full<Bytes>>,
    host: String,
    token: Option<String>,
}

/// What was answered.
pub(crate) struct LoadReply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl LoadConnection {
    pub(crate) async fn open(server: &ServerProcess, token: Option<String>) -> Self {
        let uri: Uri = server.url.parse().unwrap();
        let host = uri.authority().unwrap().to_string();
        let stream = TcpStream::connect(&host).await.unwrap();
        // Without this the pauses of Nagle's algorithm would be measured.
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

    pub(crate) async fn send(&mut self, method: Method, path: &str, body: Bytes) -> LoadReply {
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
        LoadReply {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> LoadReply {
        self.send(Method::GET, path, Bytes::new()).await
    }
}

/// The token of a tenant's user.
pub(crate) async fn log_in(server: &ServerProcess) -> String {
    let mut connection = LoadConnection::open(server, None).await;
    let basic = STANDARD.encode(format!("alice@acme:{PASSWORD}"));
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

/// Lets every connection send what `next` says for as long; `count` is how much an answer counts.
pub(crate) async fn send_requests(
    server: &ServerProcess,
    clients: usize,
    token: &str,
    time: Duration,
    next: impl Fn(u64) -> (Method, String, Bytes) + Send + Sync + 'static,
    count: impl Fn(&LoadReply) -> u64 + Send + Sync + 'static,
) -> LoadOutcome {
    let mut connections = Vec::new();
    for _ in 0..clients {
        connections.push(LoadConnection::open(server, Some(token.to_owned())).await);
    }
    let (next, count) = (Arc::new(next), Arc::new(count));
    // One counter for all connections, so that no two send the same request.
    let number = Arc::new(AtomicU64::new(0));
    load(
        server,
        connections,
        time,
        move |mut connection, mut shift| {
            let (next, count, number) =
                (Arc::clone(&next), Arc::clone(&count), Arc::clone(&number));
            async move {
                while shift.goes_on() {
                    let (method, path, body) = next(number.fetch_add(1, Ordering::Relaxed));
                    let since = Instant::now();
                    let reply = connection.send(method, &path, body).await;
                    shift.tally.note(since, count(&reply));
                }
                shift
            }
        },
    )
    .await
}
