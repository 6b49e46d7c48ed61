//! One connection, from its first byte to its last.
//!
//! What a peer may take is bounded at each stage, and each bound has its own clock: the TLS handshake,
//! the time until a first request ([`ConnectionLimits::headers`]), a peer that takes no byte of what it is
//! sent ([`StallGuard`]), and the age of the connection as a whole ([`ConnectionAge`]). Age and a stop cut
//! no running request by themselves: GOAWAY, or `connection: close`, asks the client to go on elsewhere,
//! and what runs ends in its own time, or at the limit of the drain.

use crate::age::{ConnectionAge, ConnectionEnd};
use crate::config::ConnectionLimits;
use crate::lifecycle::{Lifecycle, StopPhase};
use crate::peer::Peer;
use crate::stall::StallGuard;
use crate::tls::CurrentAcceptor;
use crate::unread::ReadUnread;
use axum::Router;
use axum::body::Body;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

/// What all connections of a listener share.
pub(crate) struct ConnectionContext {
    pub(crate) router: Router,
    pub(crate) tls: Option<CurrentAcceptor>,
    pub(crate) limits: ConnectionLimits,
    pub(crate) lifecycle: Lifecycle,
}

pub(crate) async fn serve(stream: TcpStream, from: SocketAddr, shared: Arc<ConnectionContext>) {
    let _counted = ConnectionGauge::new();
    // Without it small answers wait for the peer's delayed acknowledgement: 40 ms each.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "can't set TCP_NODELAY");
    }
    let mut peer = Peer {
        source: from.ip(),
        certificate: None,
    };
    let Some(acceptor) = &shared.tls else {
        return drive(stream, peer, &shared).await;
    };
    let handshake = timeout(shared.limits.handshake, acceptor.now().accept(stream));
    let trouble = tokio::select! {
        () = shared.lifecycle.reached(StopPhase::Closing) => return,
        result = handshake => match result {
            Ok(Ok(stream)) => {
                let shown = stream.get_ref().1.peer_certificates();
                let own = shown.and_then(<[_]>::first);
                peer.certificate = own.map(|own| own.clone().into_owned());
                return drive(stream, peer, &shared).await;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it took too long".to_owned(),
        },
    };
    metrics::counter!("coeval_tls_handshakes_failed_total").increment(1);
    tracing::debug!("a TLS handshake failed: {trouble}");
}

async fn drive<I>(io: I, peer: Peer, shared: &ConnectionContext)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Set by the first request; the quiet rounds below end with it.
    let asked = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&asked);
    let age = Arc::new(ConnectionAge::begin(shared.limits.age));
    let (asked_at, answered_at) = (Arc::clone(&age), Arc::clone(&age));
    let lifecycle = shared.lifecycle.clone();
    let service = shared
        .router
        .clone()
        .map_request(move |mut request: Request<Body>| {
            note.store(true, Ordering::Relaxed);
            asked_at.asked(request.version());
            request.extensions_mut().insert(peer.clone());
            let end = ConnectionEnd(Some(Arc::clone(&asked_at)));
            request.extensions_mut().insert(end);
            request
        })
        .map_response(move |mut response: axum::response::Response| {
            answered_at.mark_last(lifecycle.is_draining(), &mut response);
            response
        });
    let builder = builder(&shared.limits);
    // Around the TLS stream, not below it: progress is counted in bytes of answers.
    let io = TokioIo::new(StallGuard::new(io, shared.limits.stall));
    let connection = builder.serve_connection(io, TowerToHyperService::new(ReadUnread(service)));
    let mut connection = pin!(connection);
    let mut closing = pin!(shared.lifecycle.reached(StopPhase::Closing));
    let mut told_to_close = false;
    let mut old = pin!(age.is_over_on_http_2());
    let mut told_to_move = false;
    let mut quiet = pin!(sleep(shared.limits.headers));
    let mut quiet_rounds = 0;
    loop {
        tokio::select! {
            result = connection.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%error, "a connection ended badly");
                }
                return;
            }
            () = closing.as_mut(), if !told_to_close => {
                told_to_close = true;
                connection.as_mut().graceful_shutdown();
            }
            // What runs ends in its own time; its client is served elsewhere from now on.
            () = old.as_mut(), if !told_to_move && !told_to_close => {
                told_to_move = true;
                metrics::counter!("coeval_http_connections_aged_total").increment(1);
                connection.as_mut().graceful_shutdown();
                age.moves();
            }
            // hyper's own header timeout begins after it knows the protocol; a peer that sends
            // nothing, or a preface and no more, is met here: asked to go, then cut.
            () = quiet.as_mut(), if quiet_rounds < 2 => {
                if asked.load(Ordering::Relaxed) {
                    quiet_rounds = 2;
                    continue;
                }
                quiet_rounds += 1;
                if quiet_rounds == 2 {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                quiet.set(sleep(shared.limits.headers));
            }
        }
    }
}

/// What hyper needs to read a request line at all.
const SMALLEST_BUFFER: u32 = 8192;

fn builder(limits: &ConnectionLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Somewhat more than is accepted is read, so that most who send too much are told with a code.
    let read = limits.header_bytes.saturating_mul(2).max(SMALLEST_BUFFER);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .max_buf_size(usize::try_from(read).unwrap_or(usize::MAX));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(read)
        .max_concurrent_streams(limits.streams)
        .max_pending_accept_reset_streams(limits.resets)
        .keep_alive_interval(limits.ping_every)
        .keep_alive_timeout(limits.ping_every);
    builder
}

/// Counts itself as long as it lives, also when its task is cut.
struct ConnectionGauge;

impl ConnectionGauge {
    fn new() -> Self {
        metrics::gauge!("coeval_http_connections").increment(1.0);
        Self
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        metrics::gauge!("coeval_http_connections").decrement(1.0);
    }
}
