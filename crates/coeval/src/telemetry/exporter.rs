//! Sends spans, and tells in one line when that begins to fail.

use opentelemetry_otlp::SpanExporter as Otlp;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::SetOnce;

/// How long one attempt may take, with finding and greeting the collector.
const LIMIT: Duration = Duration::from_secs(10);

/// Waits for the collector on the runtime's threads, and for the exporter that knows the server's
/// name: the port that is a part of it is picked late.
#[derive(Debug)]
pub(super) struct NamedExporter {
    pub(super) to: Arc<SetOnce<Otlp>>,
    pub(super) endpoint: String,
    runtime: Handle,
    failing: AtomicBool,
}

impl NamedExporter {
    /// On the runtime of whoever calls.
    pub(super) fn new(endpoint: &str) -> Self {
        Self {
            to: Arc::default(),
            endpoint: endpoint.to_owned(),
            runtime: Handle::current(),
            failing: AtomicBool::new(false),
        }
    }

    /// A collector that is away for an hour is told of once, and once that it is back.
    fn tell(&self, outcome: &OTelSdkResult) {
        let endpoint = &self.endpoint;
        match outcome {
            Ok(()) if self.failing.swap(false, Ordering::Relaxed) => {
                tracing::info!(endpoint, "traces are sent again");
            }
            Err(error) if !self.failing.swap(true, Ordering::Relaxed) => {
                tracing::warn!(endpoint, %error, "traces can't be sent, and are dropped until they can");
            }
            _ => {}
        }
    }
}

impl SpanExporter for NamedExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let (to, spans) = (Arc::clone(&self.to), batch.len() as u64);
        // The thread that calls has no clock and no sockets.
        let sent = self.runtime.spawn(async move {
            // The time begins before the name is known: a batch that waits for it for long is lost, not kept.
            let sending = async { to.wait().await.export(batch).await };
            let sent = tokio::time::timeout(LIMIT, sending).await;
            sent.unwrap_or(Err(OTelSdkError::Timeout(LIMIT)))
        });
        let outcome = match sent.await {
            Ok(outcome) => outcome,
            // The process ends.
            Err(error) => return Err(OTelSdkError::InternalFailure(error.to_string())),
        };
        self.tell(&outcome);
        let what = if outcome.is_ok() { "sent" } else { "lost" };
        metrics::counter!("coeval_otlp_spans_total", "what" => what).increment(spans);
        outcome
    }
}
