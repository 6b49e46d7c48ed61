//! A collector on a free port, which keeps what it gets.

use coeval_server::{Listener, ListenerConfig, ListenerTlsFiles, Readiness};
use metrics_exporter_prometheus::PrometheusBuilder;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1::Span;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// A span, with what is easier to compare.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) trace: String,
    pub(crate) links: Vec<String>,
    pub(crate) kind: i32,
    pub(crate) failed: bool,
    pub(crate) values: BTreeMap<String, String>,
    /// What it says of the server.
    pub(crate) resource: BTreeMap<String, String>,
    /// The token that it came with.
    pub(crate) token: String,
}

impl Got {
    /// An attribute; empty if it is not there.
    pub(crate) fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, key: &str) -> u64 {
        self.value(key).parse().unwrap_or_default()
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Got>>>);

#[tonic::async_trait]
impl TraceService for Kept {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut kept = self.0.lock().unwrap();
        let token = request.metadata().get("authorization");
        let token = token.map_or("", |token| token.to_str().unwrap()).to_owned();
        for one in request.into_inner().resource_spans {
            let resource = values(one.resource.unwrap_or_default().attributes);
            let spans = one.scope_spans.into_iter().flat_map(|scope| scope.spans);
            kept.extend(spans.map(|span| got(span, &resource, &token)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn got(span: Span, resource: &BTreeMap<String, String>, token: &str) -> Got {
    assert!(span.events.is_empty(), "what is logged stays in the log");
    Got {
        name: span.name,
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        trace: hex(&span.trace_id),
        links: span.links.iter().map(|link| hex(&link.span_id)).collect(),
        kind: span.kind,
        failed: span.status.is_some_and(|status| status.code == 2),
        values: values(span.attributes),
        resource: resource.clone(),
        token: token.to_owned(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn values(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |value: Value| match value {
        Value::StringValue(text) => text,
        Value::IntValue(number) => number.to_string(),
        Value::BoolValue(is) => is.to_string(),
        other => format!("{other:?}"),
    };
    let pairs = attributes.into_iter().map(|one| {
        let value = one.value.and_then(|value| value.value);
        (one.key, value.map_or_else(String::new, text))
    });
    pairs.collect()
}

pub(crate) struct Collector {
    pub(crate) url: String,
    kept: Kept,
    _runtime: Runtime,
}

impl Collector {
    pub(crate) fn start() -> Self {
        Self::with(None, "127.0.0.1:0")
    }

    pub(crate) fn at(address: &str) -> Self {
        Self::with(None, address)
    }

    pub(crate) fn with(tls: Option<ListenerTlsFiles>, address: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let kept = Kept::default();
        let config = ListenerConfig {
            tls,
            ..ListenerConfig::at(address.parse().unwrap())
        };
        let listener = runtime.block_on(Listener::bind(config)).unwrap();
        let url = listener.url();
        let routes = Routes::new(TraceServiceServer::new(kept.clone())).into_axum_router();
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let stop = std::future::pending();
        runtime.spawn(listener.serve(routes, Readiness::default(), metrics, stop));
        Self {
            url,
            kept,
            _runtime: runtime,
        }
    }

    /// All spans until now.
    pub(crate) fn spans(&self) -> Vec<Got> {
        self.kept.0.lock().unwrap().clone()
    }

    /// All spans as soon as they are what somebody waits for.
    pub(crate) fn wait(&self, what: &str, found: impl Fn(&[Got]) -> bool) -> Vec<Got> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let spans = self.spans();
            if found(&spans) {
                return spans;
            }
            assert!(Instant::now() < deadline, "no {what} in {spans:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The span that somebody waits for.
    pub(crate) fn wait_for(&self, what: &str, found: impl Fn(&Got) -> bool) -> Got {
        let spans = self.wait(what, |spans| spans.iter().any(&found));
        spans.into_iter().find(|span| found(span)).unwrap()
    }
}
