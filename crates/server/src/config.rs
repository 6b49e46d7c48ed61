//! What a listener is told.

use http::{HeaderMap, StatusCode};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where to listen and how.
#[derive(Clone, Debug)]
pub struct ListenerConfig {
    /// The address; port 0 picks a free one.
    pub address: SocketAddr,
    /// Plain text without it.
    pub tls: Option<ListenerTlsFiles>,
    /// What one client may take.
    pub limits: ConnectionLimits,
    /// How to stop.
    pub drain: DrainPeriods,
    /// Whether the last address of `X-Forwarded-For` is where a request comes from: only behind a
    /// proxy that sets it, since anybody can send it.
    pub trust_forwarded_for: bool,
    /// Who hears of the spans of requests, if they are sent somewhere.
    pub spans: Option<RequestSpans>,
}

/// What is done with the span of a request beside showing it in the log.
#[derive(Clone, Copy, Debug)]
pub struct RequestSpans {
    /// Before anything else, with the headers, the method and the pattern of the route.
    pub begins: fn(&tracing::Span, &HeaderMap, &str, &str),
    /// When the answer begins.
    pub ends: fn(&tracing::Span, StatusCode),
}

impl ListenerConfig {
    /// Plain text on this address, with the usual limits.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            tls: None,
            limits: ConnectionLimits::default(),
            drain: DrainPeriods::default(),
            trust_forwarded_for: false,
            spans: None,
        }
    }
}

/// A certificate chain and its key, and the authorities of clients' certificates, all PEM.
#[derive(Clone, Debug)]
pub struct ListenerTlsFiles {
    /// The server's certificate first, then the intermediate ones.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
    /// Who signs clients' certificates; without it none is asked for.
    pub client_ca: Option<PathBuf>,
    /// How often the files are looked at.
    pub look_every: Duration,
}

impl ListenerTlsFiles {
    /// Looks at the files every second, and asks for no client's certificate.
    #[must_use]
    pub fn new(certificate: PathBuf, key: PathBuf) -> Self {
        Self {
            certificate,
            key,
            client_ca: None,
            look_every: Duration::from_secs(1),
        }
    }
}

/// Bounds that keep one client from taking the server from the others.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections at a time; more wait in the kernel's queue.
    pub connections: usize,
    /// From the connection to the end of the TLS handshake.
    pub handshake: Duration,
    /// Until a request's headers are complete, and how long an HTTP/1.1 connection may idle.
    pub headers: Duration,
    /// Bytes of one request's headers.
    pub header_bytes: u32,
    /// Requests at a time on one HTTP/2 connection.
    pub streams: u32,
    /// HTTP/2 requests that a peer took back before they were begun, on one connection; it is cut
    /// beyond that.
    pub resets: usize,
    /// How long a peer may take no byte of what it is sent.
    pub stall: Duration,
    /// How often a quiet HTTP/2 peer is asked whether it is still there.
    pub ping_every: Duration,
    /// How long a connection may live, give or take a tenth; then its client is asked to open
    /// another one. For ever, without.
    pub age: Option<Duration>,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(30),
            header_bytes: 64 * 1024,
            streams: 256,
            resets: 20,
            stall: Duration::from_secs(60),
            ping_every: Duration::from_secs(30),
            age: Some(Duration::from_secs(600)),
        }
    }
}

/// The two waits of a clean stop.
#[derive(Clone, Copy, Debug)]
pub struct DrainPeriods {
    /// Not ready but still accepting, so that load balancers notice before they are refused.
    pub delay: Duration,
    /// What is still running after this is cut.
    pub limit: Duration,
}

impl Default for DrainPeriods {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            limit: Duration::from_secs(30),
        }
    }
}
