//! Collectors that are not there, or not as they should be.

use crate::collector::Collector;
use crate::support::{Server, serve};
use coeval_server::ListenerTlsFiles;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// More than what is waited for the collector, for a machine that is busy.
const IN_TIME: Duration = Duration::from_secs(6);

fn traced(folder: &TempDir, url: &str, more: &[&str]) -> Server {
    let mut command = serve(folder.path());
    command.args(["--otlp-endpoint", url]).args(more);
    Server::start(command)
}

/// It stops in time; the log.
fn stops(server: Server) -> String {
    let began = Instant::now();
    let (code, _, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(began.elapsed() < IN_TIME, "{:?}", began.elapsed());
    log
}

/// Asks until spans are lost.
fn loses_spans(server: &Server) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let began = Instant::now();
        server.get("/v1/webapi/session");
        assert!(began.elapsed() < Duration::from_secs(5), "it is slow");
        let metrics = server.get("/metrics");
        if metrics.contains(r#"coeval_otlp_spans_total{what="lost"}"#) {
            return;
        }
        assert!(Instant::now() < deadline, "{metrics}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_collector_that_is_not_there_is_told_of_once_and_found_again() {
    let folder = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let server = traced(&folder, &format!("http://{address}"), &[]);
    loses_spans(&server);
    // Some more that are lost.
    for _ in 0..3 {
        server.get("/v1/webapi/session");
        std::thread::sleep(Duration::from_millis(1_100));
    }
    let collector = Collector::at(&address);
    let deadline = Instant::now() + Duration::from_secs(30);
    while collector.spans().is_empty() {
        assert!(Instant::now() < deadline, "it is not found again");
        server.get("/v1/webapi/session");
        std::thread::sleep(Duration::from_millis(100));
    }
    let log = stops(server);
    let told = log.matches("traces can't be sent").count();
    assert_eq!(told, 1, "{log}");
    assert_eq!(log.matches("traces are sent again").count(), 1, "{log}");
}

#[test]
fn it_stops_in_time_without_a_collector() {
    let folder = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let server = traced(&folder, &url, &[]);
    loses_spans(&server);
    let log = stops(server);
    assert_eq!(log.matches("traces can't be sent").count(), 1, "{log}");
}

#[test]
fn it_stops_in_time_with_a_collector_that_never_answers() {
    let folder = TempDir::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((stream, _)) = silent.accept() {
            open.push(stream);
        }
    });
    let server = traced(&folder, &url, &[]);
    for _ in 0..20 {
        let began = Instant::now();
        server.get("/v1/webapi/session");
        assert!(began.elapsed() < Duration::from_secs(5), "it is slow");
        std::thread::sleep(Duration::from_millis(100));
    }
    stops(server);
}

#[test]
fn a_collector_with_tls_is_trusted_by_its_authority_alone() {
    let folder = TempDir::new().unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap();
    let issuer = Issuer::from_params(&params, &key);
    let own = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&own, &issuer).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let chain = file("collector.pem", certificate.pem());
    let tls = ListenerTlsFiles::new(chain, file("collector.key", own.serialize_pem()));
    let collector = Collector::with(Some(tls), "127.0.0.1:0");

    let stranger = traced(&folder, &collector.url, &[]);
    loses_spans(&stranger);
    stops(stranger);
    assert!(collector.spans().is_empty());

    file("ca.pem", authority.pem());
    let server = traced(&folder, &collector.url, &["--otlp-ca", "ca.pem"]);
    server.get("/v1/webapi/session");
    collector.wait("span", |spans| !spans.is_empty());
    stops(server);

    let mut command = serve(folder.path());
    command.args(["--otlp-endpoint", &collector.url, "--otlp-ca", "none.pem"]);
    let refused = command.output().unwrap();
    let said = crate::support::stderr(&refused);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("none.pem") && said.contains("--otlp-ca"),
        "{said}"
    );
}
