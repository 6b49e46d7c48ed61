//! A running server, and clients that can misbehave.

use axum::Router;
use axum::body::Body;
use coeval_server::{Lifecycle, Listener, ListenerConfig, Readiness, StopOutcome};
use hyper_util::rt::{TokioExecutor, TokioIo};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) lifecycle: Lifecycle,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<StopOutcome>,
}

pub(crate) fn loopback() -> ListenerConfig {
    let mut config = ListenerConfig::at("127.0.0.1:0".parse().unwrap());
    config.drain.delay = Duration::from_millis(10);
    config.drain.limit = Duration::from_secs(10);
    config
}

pub(crate) async fn start(config: ListenerConfig, routes: Router, readiness: Readiness) -> Running {
    let listener = Listener::bind(config).await.unwrap();
    let (address, lifecycle) = (listener.address(), listener.lifecycle());
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        let stop = async { drop(stopped.await) };
        listener.serve(routes, readiness, recorder(), stop).await
    });
    Running {
        address,
        lifecycle,
        stop: Some(stop),
        ended,
    }
}

/// A process has one recorder, and these tests may share a process.
fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || PrometheusBuilder::new().install_recorder().unwrap();
    RECORDER.get_or_init(install).clone()
}

impl Running {
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) async fn ended(self) -> StopOutcome {
        self.ended.await.unwrap()
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> String {
        get(self.connect().await, path, "").await
    }
}

/// One HTTP/1.1 request on a connection of its own; the whole answer as text.
pub(crate) async fn get<I>(mut io: I, path: &str, headers: &str) -> String
where
    I: AsyncRead + AsyncWrite + Unpin,
{
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: test\r\n{headers}connection: close\r\n\r\n");
    io.write_all(request.as_bytes()).await.unwrap();
    read_to_end(io).await
}

/// A peer that is cut may see a reset instead of an end.
pub(crate) async fn read_to_end<I: AsyncRead + Unpin>(mut io: I) -> String {
    let mut answer = Vec::new();
    let _ = io.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

/// One HTTP/2 request; status and body.
pub(crate) async fn get_h2<I>(io: I, uri: &str) -> (u16, String)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(io)).await;
    let (mut sender, connection) = handshake.unwrap();
    tokio::spawn(connection);
    let request = hyper::Request::get(uri).body(Body::empty()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.version(), hyper::Version::HTTP_2);
    let status = response.status().as_u16();
    let bytes = axum::body::to_bytes(Body::new(response.into_body()), usize::MAX)
        .await
        .unwrap();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

/// Asks until the answer is as wanted, for ten seconds.
pub(crate) async fn eventually<F, A>(what: &str, mut ask: F)
where
    F: FnMut() -> A,
    A: Future<Output = bool>,
{
    for _ in 0..500 {
        if ask().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("never: {what}");
}
