//! The port: bound, served, drained.

use crate::config::{ConnectionLimits, DrainPeriods, ListenerConfig};
use crate::connection::{self, ConnectionContext};
use crate::error::ServerError;
use crate::lifecycle::{Lifecycle, StopPhase};
use crate::readiness::Readiness;
use crate::request::RequestPolicy;
use crate::tls::ReloadingTls;
use crate::{request, routes};
use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Histograms are folded this often; without it their samples pile up between two scrapes.
const FOLD_EVERY: Duration = Duration::from_secs(5);

/// A bound port that does not serve yet.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    tls: Option<ReloadingTls>,
    limits: ConnectionLimits,
    drain: DrainPeriods,
    around: RequestPolicy,
    lifecycle: Lifecycle,
    grpc: Option<Router>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Listener").field(&self.url()).finish()
    }
}

/// How a stop went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopOutcome {
    /// Connections that were cut because the drain's time was over.
    pub cut: usize,
}

impl Listener {
    /// Loads the certificate and binds the port.
    pub async fn bind(config: ListenerConfig) -> Result<Self, ServerError> {
        // Before the port is bound: a wrong certificate should not make a port that answers nobody.
        let tls = match config.tls {
            Some(files) => Some(ReloadingTls::load(files).await?),
            None => None,
        };
        let refused = |source| ServerError::Listen {
            address: config.address,
            source,
        };
        let socket = TcpListener::bind(config.address).await.map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        Ok(Self {
            socket,
            address,
            tls,
            limits: config.limits,
            around: RequestPolicy {
                trust_forwarded_for: config.trust_forwarded_for,
                header_bytes: config.limits.header_bytes,
                spans: config.spans,
            },
            drain: config.drain,
            lifecycle: Lifecycle::default(),
            grpc: None,
        })
    }

    /// Where it listens, with the port that was picked.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as a URL.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// With what answers gRPC calls that no route takes.
    #[must_use]
    pub fn with_grpc(mut self, unmatched: Router) -> Self {
        self.grpc = Some(unmatched);
        self
    }

    /// For those who have to notice the stop.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle.clone()
    }

    /// Serves until `stop` resolves, then drains. Dropping the future cuts everything at once.
    pub async fn serve(
        self,
        routes: Router,
        readiness: Readiness,
        metrics: PrometheusHandle,
        stop: impl Future<Output = ()>,
    ) -> StopOutcome {
        let lifecycle = self.lifecycle;
        let router = routes::all(
            routes,
            self.grpc,
            lifecycle.clone(),
            readiness,
            metrics.clone(),
        )
        // The outermost layer, so that answers of the fallbacks have an id and a line in the log too.
        .layer(axum::middleware::from_fn_with_state(
            self.around,
            request::observe,
        ));
        let shared = Arc::new(ConnectionContext {
            router,
            tls: self.tls.as_ref().map(ReloadingTls::acceptor),
            limits: self.limits,
            lifecycle: lifecycle.clone(),
        });
        let drain = self.drain;
        let serving = async {
            let turning = async {
                stop.await;
                turn_away(&lifecycle, drain.delay).await;
            };
            let (connections, ()) = tokio::join!(accept(self.socket, shared), turning);
            finish(connections, drain.limit).await
        };
        let certificate = async {
            match self.tls {
                Some(tls) => tls.keep_fresh().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            stopped = serving => stopped,
            () = certificate => StopOutcome { cut: 0 },
            () = fold(metrics) => StopOutcome { cut: 0 },
        }
    }
}

async fn turn_away(lifecycle: &Lifecycle, delay: Duration) {
    tracing::info!(delay_ms = millis(delay), "stopping: not ready from now on");
    lifecycle.enter(StopPhase::Unready);
    sleep(delay).await;
    lifecycle.enter(StopPhase::Closing);
}

/// Accepts until the lifecycle says closing; returns what is still connected. The port is closed
/// on return.
async fn accept(socket: TcpListener, shared: Arc<ConnectionContext>) -> JoinSet<()> {
    let slots = Arc::new(Semaphore::new(shared.limits.connections));
    let lifecycle = shared.lifecycle.clone();
    let mut connections = JoinSet::new();
    let accepting = async {
        loop {
            // The slot comes before the accept: beyond the limit, connections wait in the kernel's queue, where
            // they cost no memory of ours.
            let (stream, from, slot) = next(&socket, &slots).await;
            // A set keeps what has ended until somebody asks for it.
            while connections.try_join_next().is_some() {}
            let serving = connection::serve(stream, from, Arc::clone(&shared));
            connections.spawn(async move {
                serving.await;
                drop(slot);
            });
        }
    };
    tokio::select! {
        () = lifecycle.reached(StopPhase::Closing) => {}
        () = accepting => {}
    }
    connections
}

async fn next(
    socket: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let slot = slot(slots).await;
    loop {
        match socket.accept().await {
            Ok((stream, from)) => return (stream, from, slot),
            Err(error) => {
                // A peer that left early costs nothing; without file descriptors a pause helps.
                tracing::warn!(%error, "can't accept a connection");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn slot(slots: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    if slots.available_permits() == 0 {
        metrics::counter!("coeval_http_connection_limit_reached_total").increment(1);
        tracing::warn!("the connection limit is reached: new connections wait");
    }
    match Arc::clone(slots).acquire_owned().await {
        Ok(slot) => slot,
        // Nobody closes this semaphore.
        Err(_) => std::future::pending().await,
    }
}

async fn finish(mut connections: JoinSet<()>, limit: Duration) -> StopOutcome {
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(limit, all_ended).await.is_ok() {
        return StopOutcome { cut: 0 };
    }
    let cut = connections.len();
    tracing::warn!(cut, limit_ms = millis(limit), "cut what was still running");
    connections.shutdown().await;
    StopOutcome { cut }
}

async fn fold(metrics: PrometheusHandle) {
    loop {
        sleep(FOLD_EVERY).await;
        metrics.run_upkeep();
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
