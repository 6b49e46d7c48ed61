//! Connections that are old are given up, and nobody loses a request by it.

use crate::support::{loopback, read_to_end, start};
use axum::body::{Body, Bytes};
use axum::routing::get;
use axum::{Extension, Router};
use coeval_server::{ConnectionEnd, ListenerConfig, Readiness};
use hyper::body::Body as _;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const AGE: Duration = Duration::from_millis(200);

fn aging() -> ListenerConfig {
    let mut config = loopback();
    config.limits.age = Some(AGE);
    config
}

/// More than the age and its jitter.
async fn grown_old() {
    tokio::time::sleep(AGE * 12 / 10).await;
}

/// A stream without an end of its own, as a watch is.
struct Told(mpsc::Receiver<&'static str>);

impl axum::body::HttpBody for Told {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        let next = self.0.poll_recv(context);
        next.map(|next| next.map(|text| Ok(hyper::body::Frame::data(Bytes::from(text)))))
    }
}

/// `/watch` answers with what is sent here, until the sender is dropped.
fn watched() -> (mpsc::Sender<&'static str>, Router) {
    let (sender, receiver) = mpsc::channel(8);
    let receiver = Arc::new(Mutex::new(Some(receiver)));
    let handler = move || {
        let told = receiver.lock().unwrap().take().unwrap();
        async move { Body::new(Told(told)) }
    };
    (sender, Router::new().route("/watch", get(handler)))
}

type Opened = (SendRequest<Body>, JoinHandle<Result<(), hyper::Error>>);

async fn opened(stream: TcpStream) -> Opened {
    let made = handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (sender, connection) = made.unwrap();
    (sender, tokio::spawn(connection))
}

async fn asked(
    sender: &mut SendRequest<Body>,
    path: &str,
) -> hyper::Response<hyper::body::Incoming> {
    let uri = format!("http://test{path}");
    let request = hyper::Request::get(uri).body(Body::empty()).unwrap();
    sender.send_request(request).await.unwrap()
}

/// Until a request is not sent any more: the server has said GOAWAY, and never gets it.
async fn sent_away(sender: &mut SendRequest<Body>) {
    for _ in 0..500 {
        let request = hyper::Request::get("http://test/healthz");
        let sent = sender.send_request(request.body(Body::empty()).unwrap());
        match sent.await {
            Ok(answer) => assert_eq!(answer.status(), 200),
            Err(error) => return assert!(error.is_canceled(), "{error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the client is never asked to go");
}

async fn next_text(body: &mut hyper::body::Incoming) -> Option<String> {
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        let data = frame?.unwrap().into_data().unwrap();
        // The last frame of a stream may have nothing in it.
        if !data.is_empty() {
            return Some(String::from_utf8(data.to_vec()).unwrap());
        }
    }
}

#[tokio::test]
async fn an_old_http_2_connection_takes_no_request_more_and_ends() {
    let server = start(aging(), Router::new(), Readiness::default()).await;
    let (mut sender, connection) = opened(server.connect().await).await;
    assert_eq!(asked(&mut sender, "/healthz").await.status(), 200);
    let ended = tokio::time::timeout(Duration::from_secs(10), connection).await;
    ended.expect("it is given up").unwrap().unwrap();
    assert!(sender.is_closed());
}

#[tokio::test]
async fn a_stream_lives_on_when_its_http_2_connection_is_old_until_it_ends_itself() {
    let (told, routes) = watched();
    let server = start(aging(), routes, Readiness::default()).await;
    let (mut sender, _old) = opened(server.connect().await).await;
    let mut body = asked(&mut sender, "/watch").await.into_body();
    told.send("one").await.unwrap();
    assert_eq!(next_text(&mut body).await.as_deref(), Some("one"));
    sent_away(&mut sender).await;
    // Later requests go elsewhere; what runs goes on.
    let (mut other, _connection) = opened(server.connect().await).await;
    assert_eq!(asked(&mut other, "/healthz").await.status(), 200);
    grown_old().await;
    told.send("two").await.unwrap();
    assert_eq!(next_text(&mut body).await.as_deref(), Some("two"));
    drop(told);
    assert_eq!(next_text(&mut body).await, None);
}

#[tokio::test]
async fn a_server_stops_though_an_old_connection_has_a_watch() {
    let (told, routes) = watched();
    let mut server = start(aging(), routes, Readiness::default()).await;
    let (mut sender, _connection) = opened(server.connect().await).await;
    let mut body = asked(&mut sender, "/watch").await.into_body();
    sent_away(&mut sender).await;
    let lifecycle = server.lifecycle.clone();
    server.stop();
    lifecycle.draining().await;
    drop(told);
    assert_eq!(next_text(&mut body).await, None);
    assert_eq!(server.ended().await.cut, 0);
}

/// `/watch` is open until its connection is given up.
fn listening() -> Router {
    let handler = |Extension(connection): Extension<ConnectionEnd>| async move {
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            sender.send("open").await.unwrap();
            connection.moving().await;
            drop(sender);
        });
        Body::new(Told(receiver))
    };
    Router::new().route("/watch", get(handler))
}

#[tokio::test]
async fn a_watch_ends_well_when_its_http_2_connection_is_old_and_the_connection_with_it() {
    let server = start(aging(), listening(), Readiness::default()).await;
    let (mut sender, connection) = opened(server.connect().await).await;
    let mut body = asked(&mut sender, "/watch").await.into_body();
    assert_eq!(next_text(&mut body).await.as_deref(), Some("open"));
    assert_eq!(next_text(&mut body).await, None);
    // No call had to be made for the client to notice.
    let ended = tokio::time::timeout(Duration::from_secs(10), connection).await;
    ended.expect("it ends").unwrap().unwrap();
    assert!(sender.is_closed());
}

#[tokio::test]
async fn a_watch_over_http_1_has_its_connection_for_itself_and_lives_on() {
    let server = start(aging(), listening(), Readiness::default()).await;
    let mut client = server.connect().await;
    let request = b"GET /watch HTTP/1.1\r\nhost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"open\r\n") {
        assert!(client.read_buf(&mut answer).await.unwrap() > 0);
    }
    grown_old().await;
    let more = tokio::time::timeout(Duration::from_millis(100), client.read_u8()).await;
    assert!(more.is_err(), "it was ended");
}

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n";

async fn answer(client: &mut TcpStream) -> String {
    client.write_all(REQUEST).await.unwrap();
    let mut buffer = [0; 1024];
    let read = client.read(&mut buffer).await.unwrap();
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

#[tokio::test]
async fn an_old_http_1_connection_is_closed_with_an_answer_and_never_while_it_idles() {
    let server = start(aging(), Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    let first = answer(&mut client).await;
    assert!(!first.contains("connection: close"), "{first}");
    grown_old().await;
    // A request that crosses with a close is one of which nobody knows whether it was done.
    let idle = tokio::time::timeout(Duration::from_millis(100), client.read_u8()).await;
    assert!(idle.is_err(), "it was closed while it idled");
    client.write_all(REQUEST).await.unwrap();
    let last = read_to_end(client).await;
    assert!(last.starts_with("HTTP/1.1 200"), "{last}");
    assert!(last.contains("connection: close"), "{last}");
}

#[tokio::test]
async fn without_a_limit_no_connection_is_old() {
    let mut config = aging();
    config.limits.age = None;
    let server = start(config, Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    let (mut sender, connection) = opened(server.connect().await).await;
    for _ in 0..2 {
        assert!(!answer(&mut client).await.contains("connection: close"));
        assert_eq!(asked(&mut sender, "/healthz").await.status(), 200);
        grown_old().await;
    }
    assert!(!connection.is_finished());
}
