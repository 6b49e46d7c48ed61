//! Spans for an OTLP collector, if one is named.

use super::exporter::NamedExporter;
use super::level;
use clap::Args;
use coeval_cli::Failure;
use opentelemetry::trace::{SpanBuilder, SpanKind, Tracer, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::tonic_types::transport::{Certificate, ClientTlsConfig};
use opentelemetry_otlp::{SpanExporter as Otlp, WithExportConfig as _, WithTonicConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SdkTracer, SdkTracerProvider, SpanExporter as _,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::SetOnce;
use tracing::Subscriber;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer};

/// How many spans may wait; more are dropped.
const WAITING: usize = 8_192;
/// How long a span waits for others.
const GATHER: Duration = Duration::from_secs(1);
/// How long a server that stops waits for the collector.
const LAST: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Args)]
pub(crate) struct TraceOptions {
    /// Send traces to the OTLP collector there, over gRPC, as http://127.0.0.1:4317
    #[arg(long, value_name = "URL", value_parser = endpoint)]
    otlp_endpoint: Option<String>,
    /// Which spans are sent, in the same words as --log-level
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level)]
    otlp_level: String,
    /// PEM certificates that are trusted for the collector beside the public ones
    #[arg(long, value_name = "FILE")]
    otlp_ca: Option<PathBuf>,
}

/// A scheme and a host; gRPC has paths of its own.
fn endpoint(text: &str) -> Result<String, String> {
    let (uri, kept) = crate::url::place(text, "http://127.0.0.1:4317")?;
    match uri.path() {
        "/" => Ok(kept),
        _ => Err("traces are sent over gRPC, mostly to port 4317: no path".to_owned()),
    }
}

/// What sends spans. They wait until it knows the server's name.
pub(crate) struct TracePipeline {
    provider: SdkTracerProvider,
    exporter: Otlp,
    named: Arc<SetOnce<Otlp>>,
    level: String,
}

/// Where to say which server it is.
pub(crate) struct SpanSending {
    provider: SdkTracerProvider,
    unnamed: Option<Otlp>,
    named: Arc<SetOnce<Otlp>>,
}

impl TracePipeline {
    /// Nothing at all, if no collector is named.
    pub(super) fn new(options: &TraceOptions) -> Result<Option<Self>, Failure> {
        let Some(endpoint) = &options.otlp_endpoint else {
            return Ok(None);
        };
        let mut exporter = Otlp::builder().with_tonic().with_endpoint(endpoint);
        if endpoint.starts_with("https:") {
            exporter = exporter.with_tls_config(options.tls()?);
        }
        let exporter = exporter.build().map_err(|error| {
            Failure::config(
                error.to_string(),
                "Correct --otlp-endpoint, or the OTEL_ variables.",
            )
        })?;
        let told = NamedExporter::new(endpoint);
        let named = Arc::clone(&told.to);
        // Bounded: a collector that is away costs spans, never memory.
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(WAITING)
            .with_scheduled_delay(GATHER)
            .build();
        let processor = BatchSpanProcessor::builder(told).with_batch_config(config);
        let provider = SdkTracerProvider::builder().with_span_processor(processor.build());
        Ok(Some(Self {
            provider: provider.build(),
            exporter,
            named,
            level: options.otlp_level.clone(),
        }))
    }

    /// Our own spans of this level and no others: those of the connection to the collector would
    /// never end. What is logged within a span stays in the log.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
    {
        let ours = filter_fn(|one| one.is_span() && one.target().starts_with("coeval"));
        tracing_opentelemetry::layer()
            .with_tracer(SpanTracer(self.provider.tracer("coeval")))
            // What every span would carry and nobody asks for is left out.
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
            .with_filter(ours.and(EnvFilter::new(&self.level)))
    }

    pub(super) fn sending(self) -> SpanSending {
        SpanSending {
            provider: self.provider,
            unnamed: Some(self.exporter),
            named: self.named,
        }
    }
}

impl TraceOptions {
    /// Whether spans are sent at all.
    pub(crate) const fn has_collector(&self) -> bool {
        self.otlp_endpoint.is_some()
    }

    fn tls(&self) -> Result<ClientTlsConfig, Failure> {
        let tls = ClientTlsConfig::new().with_enabled_roots();
        let Some(file) = &self.otlp_ca else {
            return Ok(tls);
        };
        let pem = std::fs::read(file).map_err(|error| {
            Failure::config(
                format!("can't read {}: {error}", file.display()),
                "Correct --otlp-ca.",
            )
        })?;
        Ok(tls.ca_certificate(Certificate::from_pem(pem)))
    }
}

impl SpanSending {
    /// Says which server it is: from now on spans leave.
    pub(crate) fn named(&mut self, server: &str) {
        let Some(mut exporter) = self.unnamed.take() else {
            return;
        };
        let resource = Resource::builder()
            .with_service_name("coeval")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new("service.instance.id", server.to_owned()))
            .build();
        exporter.set_resource(&resource);
        // It is taken once.
        let _ = self.named.set(exporter);
    }

    /// Sends what is left, if the collector takes it in time.
    pub(crate) async fn stop(self) {
        // It blocks while it sends, which a thread of the runtime must not.
        let stopping = move || self.provider.shutdown_with_timeout(LAST);
        // Whoever reads the traces sees what is missing; the server has nobody else to tell.
        let _ = tokio::task::spawn_blocking(stopping).await;
    }
}

/// Requests are what a server does for others; everything else is its own.
struct SpanTracer(SdkTracer);

impl Tracer for SpanTracer {
    type Span = opentelemetry_sdk::trace::Span;

    fn build_with_context(&self, mut builder: SpanBuilder, parent: &Context) -> Self::Span {
        if builder.name == "request" {
            builder.span_kind = Some(SpanKind::Server);
        }
        self.0.build_with_context(builder, parent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_a_place_without_a_path() {
        for (text, kept) in [
            ("http://127.0.0.1:4317", "http://127.0.0.1:4317"),
            ("https://otel.example.com/", "https://otel.example.com"),
            ("http://[::1]:4317", "http://[::1]:4317"),
        ] {
            assert_eq!(endpoint(text).as_deref(), Ok(kept));
        }
        for bad in [
            "",
            "127.0.0.1:4317",
            "grpc://127.0.0.1:4317",
            "http://",
            "http://127.0.0.1:4318/v1/traces",
            "http://127.0.0.1:4317?x=1",
            "http://me:secret@127.0.0.1:4317",
            "http://127.0.0.1:port",
            "http://127.0.0.1:70000",
            "http://127.0.0.1:",
        ] {
            assert!(endpoint(bad).is_err(), "{bad}");
        }
    }
}
