use crate::support::{Server, serve, stderr};
use tempfile::TempDir;

#[test]
fn it_says_where_it_is_ready_in_one_line_and_answers_there() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    let line = server.ready_line.clone();
    assert!(
        line.starts_with("coeval ready on http://127.0.0.1:"),
        "{line}"
    );
    assert!(!line.ends_with(":0\n"), "{line}");
    assert!(server.get("/healthz").ends_with("ok\n"));
    let ready = server.get("/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(ready.contains(r#""store":"ready""#), "{ready}");
    let metrics = server.get("/metrics");
    assert!(metrics.contains("coeval_http_requests_total"), "{metrics}");
    assert!(metrics.contains("coeval_storage_"), "{metrics}");
    let (code, more, _) = server.stop();
    assert_eq!(code, Some(0));
    assert_eq!(more, "", "one line is all that goes to stdout");
}

#[test]
fn the_data_is_in_the_folder_that_was_named_and_is_found_again() {
    let folder = TempDir::new().unwrap();
    for _ in 0..2 {
        let mut command = serve(folder.path());
        command.args(["--data", "deep/er"]);
        let (code, _, log) = Server::start(command).stop();
        assert_eq!(code, Some(0), "{log}");
        assert!(folder.path().join("deep/er/coeval.db").is_file());
    }
}

#[test]
fn a_second_server_on_the_same_folder_is_told_who_owns_it() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    let second = serve(folder.path()).output().unwrap();
    let said = stderr(&second);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("code:  COEVAL-4013"), "{said}");
    assert!(said.contains("next:  Stop the other process"), "{said}");
    assert!(second.stdout.is_empty());
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_port_that_is_taken_is_an_error_with_a_code() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(serve(folder.path()));
    let other = TempDir::new().unwrap();
    let mut command = crate::support::coeval(other.path());
    let second = command
        .args(["serve", "--listen", server.address()])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(
        stderr(&second).contains("COEVAL-9002"),
        "{}",
        stderr(&second)
    );
}

#[test]
fn logs_can_be_json_and_go_to_stderr() {
    let folder = TempDir::new().unwrap();
    let mut command = serve(folder.path());
    command.args(["--log-format", "json", "--log-level", "debug"]);
    let server = Server::start(command);
    server.get("/healthz");
    let (_, _, log) = server.stop();
    assert!(log.lines().count() > 2, "{log}");
    for line in log.lines() {
        assert!(line.starts_with('{') && line.ends_with('}'), "{line}");
    }
    assert!(log.contains(r#""message":"answered""#), "{log}");
}
