//! `grpc.health.v1`: what `/readyz` says, for those who speak gRPC. No credentials are needed.

use crate::error::CallError;
use crate::pool::FIXED;
use crate::status;
use coeval_server::{Lifecycle, Readiness};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// How often those who watch are told, and how long an answer serves for all who ask.
const EVERY: Duration = Duration::from_millis(500);

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct HealthService(Arc<HealthState>);

#[derive(Debug)]
struct HealthState {
    readiness: Readiness,
    lifecycle: Lifecycle,
    /// However many ask, the parts of the server are asked once.
    asked: Mutex<Option<(Instant, bool)>>,
}

impl HealthService {
    pub(crate) fn new(readiness: Readiness, lifecycle: Lifecycle) -> Self {
        let asked = Mutex::new(None);
        Self(Arc::new(HealthState {
            readiness,
            lifecycle,
            asked,
        }))
    }

    async fn status(&self) -> ServingStatus {
        let state = &self.0;
        // The lock is held while the parts are asked: who comes meanwhile waits for that answer in place of
        // asking again.
        let mut asked = state.asked.lock().await;
        let ready = match *asked {
            Some((at, ready)) if at.elapsed() < EVERY => ready,
            _ => {
                let ready = state.readiness.is_ready().await;
                *asked = Some((Instant::now(), ready));
                ready
            }
        };
        if ready && !state.lifecycle.is_draining() {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        }
    }

    /// The status if it differs from the last one told, sooner or later; nothing once the server
    /// closes and that was told.
    async fn next(&self, before: Option<ServingStatus>) -> Option<ServingStatus> {
        loop {
            // Polled, since parts can't tell by themselves that they are no longer ready.
            let now = self.status().await;
            if Some(now) != before {
                return Some(now);
            }
            tokio::select! {
                () = sleep(EVERY) => {}
                () = self.0.lifecycle.draining() => {
                    let told = before == Some(ServingStatus::NotServing);
                    return (!told).then_some(ServingStatus::NotServing);
                }
            }
        }
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    let status = status.into();
    HealthCheckResponse { status }
}

/// Nothing is the whole server.
fn is_known(service: &str) -> bool {
    service.is_empty() || FIXED.get_service_by_name(service).is_some()
}

#[tonic::async_trait]
impl Health for HealthService {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let name = request.into_inner().service;
        if !is_known(&name) {
            let name = name.chars().take(200).collect();
            return Err(status::refused(&CallError::ServiceUnknown { name }));
        }
        Ok(Response::new(response(self.status().await)))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    /// A service that is not there may come: who watches it is told so.
    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        if !is_known(&request.into_inner().service) {
            let lifecycle = self.0.lifecycle.clone();
            let unknown = Ok(response(ServingStatus::ServiceUnknown));
            // The protocol wants the stream to stay open after SERVICE_UNKNOWN.
            let open = stream::once(async { unknown }).chain(stream::pending());
            let open = open.take_until(async move { lifecycle.draining().await });
            return Ok(Response::new(open.boxed()));
        }
        let told = stream::unfold((self.clone(), None), |(health, before)| async move {
            let now = health.next(before).await?;
            Some((Ok(response(now)), (health, Some(now))))
        });
        Ok(Response::new(told.boxed()))
    }
}
