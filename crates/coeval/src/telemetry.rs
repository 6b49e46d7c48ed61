//! Logs to stderr, metrics in memory, spans to a collector.

mod exporter;
mod metrics;
mod requests;
mod traces;

pub(crate) use self::metrics::{deprecated_metrics, described_metrics};
pub(crate) use requests::REQUESTS;
pub(crate) use traces::{SpanSending, TraceOptions};

use clap::{Args, ValueEnum};
use coeval_cli::Failure;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::io::IsTerminal;
use traces::TracePipeline;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct LogOptions {
    /// How log lines look
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// error, warn, info, debug or trace; also by module, as info,coeval_server=debug
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level)]
    log_level: String,
}

fn level(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("use error, warn, info, debug or trace".to_owned()),
    }
}

/// Sends logs to stderr from now on, and spans to a collector if there is one. Which spans are sent
/// and which are shown in the log is said apart.
pub(crate) fn start(
    logs: &LogOptions,
    traces: &TraceOptions,
) -> Result<Option<SpanSending>, Failure> {
    let Some(traces) = TracePipeline::new(traces)? else {
        start_logs(logs);
        return Ok(None);
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match logs.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(EnvFilter::new(&logs.log_level)))
        .with(traces.layer())
        .init();
    Ok(Some(traces.sending()))
}

/// With nothing beside them: a span that nobody shows costs nothing.
fn start_logs(options: &LogOptions) {
    let logs = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&options.log_level))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match options.log_format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().flatten_event(true).init(),
    }
}

/// Metrics are counted from now on; so this comes before a store is opened.
pub(crate) fn start_metrics() -> Result<PrometheusHandle, Failure> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(|b| b.set_buckets_for_metric(Matcher::Suffix("_size".to_owned()), &SIZES))
        .and_then(PrometheusBuilder::install_recorder)
        .inspect(|_| self::metrics::describe())
        .map_err(|error| Failure::internal(format!("can't count metrics: {error}")))
}

/// From a read in memory to a request that somebody will complain about.
const SECONDS: [f64; 14] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// How many at once.
const SIZES: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
