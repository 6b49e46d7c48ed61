//! Every metric, in one table: its kind, its labels, what it tells, and whether it is to go.

use coeval_releases::{DeprecatedItem, ReleaseDeprecation};
use metrics::Unit;
use serde_json::{Map, Value, json};

/// What kind of series a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricEntry {
    pub(crate) name: &'static str,
    pub(crate) kind: MetricKind,
    pub(crate) labels: &'static [&'static str],
    pub(crate) help: &'static str,
    pub(crate) deprecated: Option<ReleaseDeprecation>,
}

const fn metric(
    name: &'static str,
    kind: MetricKind,
    labels: &'static [&'static str],
    help: &'static str,
) -> MetricEntry {
    MetricEntry {
        name,
        kind,
        labels,
        help,
        deprecated: None,
    }
}

use MetricKind::{Counter, Gauge, Histogram};

/// All metrics, by name.
pub(crate) const METRICS: &[MetricEntry] = &[
    metric(
        "coeval_behaviors_total",
        Counter,
        &["type", "outcome"],
        "Behaviors that were executed, by kind and outcome",
    ),
    metric(
        "coeval_conversions_total",
        Counter,
        &["how"],
        "Views that were computed instead of taken from the cache",
    ),
    metric(
        "coeval_http_connection_limit_reached_total",
        Counter,
        &[],
        "Times that a new connection had to wait for --max-connections",
    ),
    metric("coeval_http_connections", Gauge, &[], "Open connections"),
    metric(
        "coeval_http_connections_aged_total",
        Counter,
        &[],
        "Connections that were given up because of --max-connection-age-seconds",
    ),
    metric(
        "coeval_http_request_seconds",
        Histogram,
        &["method", "route"],
        "Time from a request's headers to the beginning of its answer",
    ),
    metric(
        "coeval_http_requests_total",
        Counter,
        &["method", "route", "status"],
        "Requests that were answered",
    ),
    metric(
        "coeval_http_stalled_total",
        Counter,
        &[],
        "Connections that were cut because the client stopped reading",
    ),
    metric(
        "coeval_migration_resources_total",
        Counter,
        &["work", "what"],
        "Resources that background workers of migrations visited, copied or could not convert",
    ),
    metric(
        "coeval_migrations",
        Gauge,
        &["type", "what"],
        "Phase, state, copied and failed resources and seconds of each migration",
    ),
    metric(
        "coeval_otlp_spans_total",
        Counter,
        &["what"],
        "Spans that were sent to the collector, or lost",
    ),
    metric(
        "coeval_quarantined_total",
        Counter,
        &["code"],
        "Stored objects that a watch could not show, by code",
    ),
    metric(
        "coeval_storage_batch_size",
        Histogram,
        &[],
        "Writes that shared one durable commit",
    ),
    metric(
        "coeval_storage_events_delivered_total",
        Counter,
        &[],
        "Events that watchers received from the store",
    ),
    metric(
        "coeval_storage_failures_total",
        Counter,
        &["operation", "kind"],
        "Store operations that failed, by operation and kind of failure",
    ),
    metric(
        "coeval_storage_operation_seconds",
        Histogram,
        &["operation"],
        "Time that store operations took",
    ),
    metric(
        "coeval_storage_operations_total",
        Counter,
        &["operation"],
        "Store operations",
    ),
    metric(
        "coeval_storage_sequence",
        Gauge,
        &[],
        "Sequence of the newest write that this server knows of",
    ),
    metric(
        "coeval_storage_watches",
        Gauge,
        &[],
        "Open watches on the store",
    ),
    metric(
        "coeval_tls_handshakes_failed_total",
        Counter,
        &[],
        "TLS handshakes that failed",
    ),
    metric(
        "coeval_tls_reloads_total",
        Counter,
        &["result"],
        "Times that a changed certificate was read again",
    ),
];

/// Gives every metric its help, for all who scrape.
pub(super) fn describe() {
    for one in METRICS {
        let help = match one.deprecated {
            None => one.help.to_owned(),
            Some(deprecated) => format!("{}. {}", one.help, deprecated.sentence()),
        };
        let unit = if one.name.ends_with("_seconds") {
            Unit::Seconds
        } else {
            Unit::Count
        };
        match one.kind {
            Counter => metrics::describe_counter!(one.name, unit, help),
            Gauge => metrics::describe_gauge!(one.name, unit, help),
            Histogram => metrics::describe_histogram!(one.name, unit, help),
        }
    }
}

/// The metrics that are to go.
pub(crate) fn deprecated_metrics() -> Vec<DeprecatedItem> {
    let deprecated = METRICS.iter().filter_map(|one| {
        Some(DeprecatedItem {
            what: "metric",
            name: one.name.to_owned(),
            deprecation: one.deprecated?,
        })
    });
    deprecated.collect()
}

/// The table as a document.
pub(crate) fn described_metrics() -> Value {
    let described = |one: &MetricEntry| {
        let kind = match one.kind {
            Counter => "counter",
            Gauge => "gauge",
            Histogram => "histogram",
        };
        let mut told = json!({ "kind": kind, "labels": one.labels, "help": one.help });
        if let (Some(deprecated), Some(map)) = (one.deprecated, told.as_object_mut()) {
            map.insert("x-deprecated".into(), deprecated.document());
        }
        (one.name.to_owned(), told)
    };
    Value::Object(METRICS.iter().map(described).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_say_their_unit() {
        assert!(METRICS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for one in METRICS {
            assert!(one.name.starts_with("coeval_"), "{}", one.name);
            assert_eq!(
                one.kind == Counter,
                one.name.ends_with("_total"),
                "{}",
                one.name
            );
            assert!(
                !one.help.ends_with('.'),
                "{}: no full stop, HELP adds none",
                one.name
            );
        }
    }

    /// The names in one source file: as the macros take them, or as constants for them.
    fn names_in(source: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (at, _) in source.match_indices("\"coeval_") {
            let before = source[..at].trim_end();
            let is_name = ["counter!(", "gauge!(", "histogram!(", ": &str ="]
                .iter()
                .any(|begin| before.ends_with(begin));
            let name = source[at + 1..].split('"').next().unwrap();
            if is_name {
                found.push(name.to_owned());
            }
        }
        found
    }

    #[test]
    fn every_metric_that_the_sources_count_is_in_the_table_and_no_other() {
        let crates = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut todo = vec![crates.canonicalize().unwrap()];
        let mut counted = std::collections::BTreeSet::new();
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                let inner = std::fs::read_dir(&path).unwrap();
                todo.extend(inner.map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|kind| kind == "rs")
                && path.components().any(|part| part.as_os_str() == "src")
                && !path.ends_with("telemetry/metrics.rs")
            {
                counted.extend(names_in(&std::fs::read_to_string(&path).unwrap()));
            }
        }
        let table: std::collections::BTreeSet<String> =
            METRICS.iter().map(|one| one.name.to_owned()).collect();
        assert_eq!(counted, table);
    }
}
