use crate::collector::Collector;
use crate::support::{Server, coeval, serve, stderr};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use tempfile::TempDir;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

/// SERVER of the OTLP's kinds.
const SERVER: i32 = 2;

fn traced(folder: &TempDir, collector: &Collector, more: &[&str]) -> Server {
    let mut command = serve(folder.path());
    command.args(["--otlp-endpoint", &collector.url]).args(more);
    Server::start(command)
}

/// GET with one more header; the answer.
fn get(server: &Server, path: &str, header: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: t\r\nconnection: close\r\n{header}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_request_goes_on_with_its_callers_trace() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let server = traced(&folder, &collector, &[]);
    let id = "x-request-id: mine";
    let header = format!("traceparent: 00-{TRACE}-{SPAN}-01\r\n{id}");
    get(&server, "/v1/webapi/resources/app?secret=1", &header);
    let span = collector.wait_for("request", |span| span.value("id") == "mine");
    assert_eq!((span.trace.as_str(), span.parent.as_str()), (TRACE, SPAN));
    assert_eq!(span.kind, SERVER);
    assert_eq!(span.name, "GET /v1/webapi/resources/{kind}", "{span:?}");
    assert_eq!(span.value("http.route"), "/v1/webapi/resources/{kind}");
    assert_eq!(span.value("http.response.status_code"), "401");
    assert_eq!(span.value("path"), "/v1/webapi/resources/app");
    assert_eq!(span.value("method"), "GET");
    assert!(!span.failed, "{span:?}");
    assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    let said = |key: &str| span.resource[key].clone();
    assert_eq!(said("service.name"), "coeval");
    assert_eq!(said("service.version"), env!("CARGO_PKG_VERSION"));
    let name = said("service.instance.id");
    assert!(
        name.starts_with(&format!("{}-", server.address())),
        "{name}"
    );
}

#[test]
fn a_call_over_grpc_goes_on_with_its_callers_trace() {
    use coeval_proto::resources::v1 as pb;
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let server = traced(&folder, &collector, &[]);
    let url = format!("http://{}", server.address());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let channel = tonic::transport::Channel::from_shared(url).unwrap();
        let channel = channel.connect().await.unwrap();
        let mut client = pb::resource_service_client::ResourceServiceClient::new(channel);
        let mut request = tonic::Request::new(pb::GetResourceRequest::default());
        let parent = format!("00-{TRACE}-{SPAN}-01").parse().unwrap();
        request.metadata_mut().insert("traceparent", parent);
        // Nobody is logged in.
        client.get_resource(request).await.unwrap_err();
    });
    let span = collector.wait_for("call", |span| span.trace == TRACE);
    assert_eq!(span.parent, SPAN);
    assert_eq!(span.kind, SERVER);
    assert!(span.name.contains("ResourceService"), "{span:?}");
}

#[test]
fn a_trace_that_is_malformed_or_not_wanted_is_left_alone() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let server = traced(&folder, &collector, &[]);
    let unsampled = format!("traceparent: 00-{TRACE}-{SPAN}-00\r\nx-request-id: not-wanted");
    get(&server, "/v1/webapi/session", &unsampled);
    let malformed = format!("traceparent: 00-{TRACE}-{SPAN}\r\nx-request-id: malformed");
    get(&server, "/v1/webapi/session", &malformed);
    let span = collector.wait_for("request", |span| span.value("id") == "malformed");
    assert_ne!(span.trace, TRACE);
    assert_eq!(span.parent, "");
    let (code, _, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    let spans = collector.spans();
    assert!(spans.iter().all(|span| span.trace != TRACE), "{spans:#?}");
}

#[test]
fn sigterm_sends_what_is_left() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let server = traced(&folder, &collector, &[]);
    get(&server, "/v1/webapi/session", "x-request-id: last");
    let (code, _, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    // It has ended: nothing can come any more.
    let spans = collector.spans();
    let last = |span: &crate::collector::Got| span.value("id") == "last";
    assert!(spans.iter().any(last), "{spans:#?}");
}

#[test]
fn the_log_and_the_collector_are_told_apart() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let levels = ["--log-level", "info", "--otlp-level", "trace"];
    let server = traced(&folder, &collector, &levels);
    get(&server, "/v1/webapi/session", "x-request-id: mine");
    get(&server, "/healthz", "x-request-id: probe");
    let read = |spans: &[crate::collector::Got]| {
        let mine = spans.iter().find(|span| span.value("id") == "mine");
        mine.is_some() && spans.iter().any(|span| span.name == "storage.read")
    };
    collector.wait("span of the store", read);
    // Had its own connection been traced, each batch would have brought the next one.
    std::thread::sleep(Duration::from_secs(2));
    for span in collector.spans() {
        let ours = span.name.starts_with("storage.") || span.kind == SERVER;
        assert!(ours, "{span:?}");
        assert_ne!(span.value("id"), "probe");
    }
    let metrics = server.get("/metrics");
    assert!(
        metrics.contains(r#"coeval_otlp_spans_total{what="sent"}"#),
        "{metrics}"
    );
    let (_, _, log) = server.stop();
    for line in log.lines() {
        assert!(!line.contains("DEBUG") && !line.contains("TRACE"), "{line}");
        assert!(!line.contains("otel"), "{line}");
    }
    assert!(log.contains("INFO access: answered"), "{log}");
}

#[test]
fn a_quiet_log_takes_nothing_from_the_collector() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let levels = ["--log-level", "error", "--log-format", "json"];
    let server = traced(&folder, &collector, &levels);
    get(&server, "/v1/webapi/session", "x-request-id: mine");
    collector.wait_for("request", |span| span.value("id") == "mine");
    let (_, _, log) = server.stop();
    assert_eq!(log, "");
}

#[test]
fn the_usual_variables_say_the_rest() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let started = |variables: &[(&str, &str)]| {
        let mut command = serve(folder.path());
        command.args(["--otlp-endpoint", &collector.url]);
        Server::start({
            command.envs(variables.iter().copied());
            command
        })
    };
    let server = started(&[("OTEL_TRACES_SAMPLER", "always_off")]);
    get(&server, "/v1/webapi/session", "x-request-id: not-sampled");
    server.stop();
    assert!(collector.spans().is_empty());
    let server = started(&[
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=trial",
        ),
    ]);
    get(&server, "/v1/webapi/session", "x-request-id: mine");
    let span = collector.wait_for("request", |span| span.value("id") == "mine");
    assert_eq!(span.token, "Bearer abc");
    assert_eq!(span.resource["deployment.environment.name"], "trial");
    assert_eq!(span.resource["service.name"], "coeval");
    let (_, _, log) = server.stop();
    assert!(!log.contains("abc"), "{log}");
}

#[test]
fn without_a_collector_nothing_is_sent() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    get(&server, "/v1/webapi/session", "x-request-id: mine");
    assert!(!server.get("/metrics").contains("otlp"));
    let (code, _, _) = server.stop();
    assert_eq!(code, Some(0));
}

#[test]
fn a_malformed_endpoint_is_refused_wherever_it_comes_from() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("coeval.toml"), "otlp-endpoint = \"x\"\n").unwrap();
    let mut by_flag = coeval(folder.path());
    by_flag.args(["serve", "--otlp-endpoint", "127.0.0.1:4317"]);
    let mut by_variable = coeval(folder.path());
    by_variable.arg("serve");
    by_variable.env("COEVAL_OTLP_ENDPOINT", "http://127.0.0.1:4318/v1/traces");
    let mut by_file = coeval(folder.path());
    by_file.args(["serve", "--config", "coeval.toml"]);
    for (mut command, part) in [
        (by_flag, "http://127.0.0.1:4317"),
        (by_variable, "over gRPC"),
        (by_file, "http://127.0.0.1:4317"),
    ] {
        let refused = command.output().unwrap();
        let said = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("otlp-endpoint"), "{said}");
        assert!(said.contains(part), "{said}");
    }
}
