use crate::support::{Server, serve};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[test]
fn sigterm_makes_it_not_ready_before_it_stops() {
    let folder = TempDir::new().unwrap();
    let mut command = crate::support::coeval(folder.path());
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--drain-delay-seconds",
        "2",
    ]);
    let server = Server::start(command);
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    server.signal("TERM");
    let deadline = Instant::now() + Duration::from_secs(2);
    let not_ready = loop {
        let answer = server.get("/readyz");
        if answer.starts_with("HTTP/1.1 503") {
            break answer;
        }
        assert!(Instant::now() < deadline, "still ready: {answer}");
    };
    assert!(not_ready.contains(r#""draining":true"#), "{not_ready}");
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    let (code, _, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn sigint_stops_it_as_well() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    server.signal("INT");
    let (code, _, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("stopped"), "{log}");
}

#[test]
fn a_second_signal_cuts_the_drain_short() {
    let folder = TempDir::new().unwrap();
    let mut command = crate::support::coeval(folder.path());
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--drain-delay-seconds",
        "60",
    ]);
    let server = Server::start(command);
    server.signal("TERM");
    // Two signals at the same instant are one: the first must have been noticed.
    while server.get("/readyz").starts_with("HTTP/1.1 200") {}
    server.signal("TERM");
    let (code, _, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("told to stop twice"), "{log}");
}
