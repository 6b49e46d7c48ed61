use crate::support::{get, get_h2, loopback, start};
use axum::Router;
use axum::routing::get as on_get;
use coeval_server::Readiness;

#[tokio::test]
async fn it_is_healthy_and_ready_when_nothing_is_asked_of_it() {
    let server = start(loopback(), Router::new(), Readiness::default()).await;
    let health = server.get("/healthz").await;
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    assert!(health.ends_with("\r\n\r\nok\n"), "{health}");
    let ready = server.get("/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(ready.contains(r#""ready":true"#), "{ready}");
}

#[tokio::test]
async fn a_part_that_is_not_ready_is_named_with_its_reason_and_the_process_is_still_alive() {
    let readiness = Readiness::default()
        .with("store", || async { Err("can't be reached".to_owned()) })
        .with("clock", || async { Ok(()) });
    let server = start(loopback(), Router::new(), readiness).await;
    let ready = server.get("/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
    assert!(ready.contains(r#""store":"can't be reached""#), "{ready}");
    assert!(ready.contains(r#""clock":"ready""#), "{ready}");
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn metrics_count_requests() {
    let server = start(loopback(), Router::new(), Readiness::default()).await;
    server.get("/healthz").await;
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains("text/plain; version=0.0.4"), "{metrics}");
    assert!(
        metrics
            .contains(r#"coeval_http_requests_total{method="GET",route="/healthz",status="200"}"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn an_unknown_path_and_a_wrong_method_answer_in_json_with_advice() {
    let routes = Router::new().route("/thing", axum::routing::post(|| async {}));
    let server = start(loopback(), routes, Readiness::default()).await;
    let missing = server.get("/nothing/here").await;
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    assert!(missing.contains("application/json"), "{missing}");
    assert!(missing.contains("nothing at /nothing/here"), "{missing}");
    assert!(missing.contains("COEVAL-8001"), "{missing}");
    assert!(missing.contains(r#""advice":"#), "{missing}");
    let wrong = server.get("/thing").await;
    assert!(wrong.starts_with("HTTP/1.1 405"), "{wrong}");
    assert!(wrong.contains(r#""advice":"#), "{wrong}");
}

#[tokio::test]
async fn a_request_keeps_its_callers_id_or_gets_one() {
    let routes = Router::new().route(
        "/echo",
        on_get(|headers: axum::http::HeaderMap| async move {
            let id = headers.get("x-request-id");
            id.map_or("none", |id| id.to_str().unwrap()).to_owned()
        }),
    );
    let server = start(loopback(), routes, Readiness::default()).await;
    let kept = get(server.connect().await, "/echo", "x-request-id: mine-7\r\n").await;
    assert!(kept.contains("x-request-id: mine-7"), "{kept}");
    assert!(kept.ends_with("mine-7"), "{kept}");
    let drawn = server.get("/echo").await;
    let id = drawn.rsplit("\r\n\r\n").next().unwrap();
    assert_eq!(id.len(), 32, "{drawn}");
    assert!(drawn.contains(&format!("x-request-id: {id}")), "{drawn}");
}

#[tokio::test]
async fn the_same_port_speaks_http_2_without_tls() {
    let server = start(loopback(), Router::new(), Readiness::default()).await;
    let uri = format!("http://{}/healthz", server.address);
    let (status, body) = get_h2(server.connect().await, &uri).await;
    assert_eq!((status, body.as_str()), (200, "ok\n"));
}

/// One request of any method on a connection of its own.
async fn send(server: &crate::support::Running, method: &str, path: &str) -> String {
    use tokio::io::AsyncWriteExt;
    let mut io = server.connect().await;
    let request = format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
    io.write_all(request.as_bytes()).await.unwrap();
    crate::support::read_to_end(io).await
}

fn thing() -> Router {
    let methods = on_get(|| async { "a thing" }).delete(|| async {});
    Router::new().route("/thing/{id}", methods)
}

#[tokio::test]
async fn every_answer_tells_the_release() {
    let server = start(loopback(), thing(), Readiness::default()).await;
    let release = format!("coeval-release: {}", env!("CARGO_PKG_VERSION"));
    for path in ["/thing/1", "/nothing", "/a//b", "/healthz"] {
        let answer = server.get(path).await;
        assert!(answer.contains(&release), "{answer}");
    }
}

#[tokio::test]
async fn head_options_and_wrong_methods_are_answered_with_what_the_path_takes() {
    let server = start(loopback(), thing(), Readiness::default()).await;
    let head = send(&server, "HEAD", "/thing/1").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("content-length: 7"), "{head}");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    let options = send(&server, "OPTIONS", "/thing/1").await;
    assert!(options.starts_with("HTTP/1.1 204"), "{options}");
    for method in ["OPTIONS", "PUT", "TRACE", "BREW"] {
        let answer = send(&server, method, "/thing/1").await;
        for allowed in ["GET", "HEAD", "DELETE"] {
            let allow = answer.lines().find(|line| line.starts_with("allow:"));
            let allow = allow.unwrap_or_else(|| panic!("no Allow: {answer}"));
            assert!(allow.contains(allowed), "{method}: {answer}");
        }
    }
    let wrong = send(&server, "PUT", "/thing/1").await;
    assert!(wrong.starts_with("HTTP/1.1 405"), "{wrong}");
    assert!(wrong.contains("COEVAL-8002"), "{wrong}");
    assert!(
        send(&server, "OPTIONS", "*")
            .await
            .starts_with("HTTP/1.1 204")
    );
    let nowhere = send(&server, "OPTIONS", "/nothing").await;
    assert!(nowhere.starts_with("HTTP/1.1 404"), "{nowhere}");
}

#[tokio::test]
async fn a_path_that_can_be_read_in_two_ways_reaches_no_handler() {
    let server = start(loopback(), thing(), Readiness::default()).await;
    for path in [
        "/thing//1",
        "/thing/%2e%2e",
        "/x/../thing/1",
        "/thing/a%2fb",
        "/thing/%00",
        "/thing/%ff",
    ] {
        let answer = server.get(path).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
        assert!(answer.contains("COEVAL-8013"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_request_is_counted_by_the_pattern_of_its_route() {
    let server = start(loopback(), thing(), Readiness::default()).await;
    for id in ["one", "two"] {
        server.get(&format!("/thing/{id}")).await;
        server.get(&format!("/unknown/{id}")).await;
    }
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains(r#"route="/thing/{id}""#), "{metrics}");
    assert!(metrics.contains(r#"route="none""#), "{metrics}");
    assert!(!metrics.contains("/thing/one"), "{metrics}");
    assert!(!metrics.contains("/unknown"), "{metrics}");
}

#[tokio::test]
async fn the_source_is_the_peer_unless_a_proxy_is_trusted() {
    let tell = |peer: axum::Extension<coeval_server::Peer>| async move { peer.source.to_string() };
    for (trusted, expected) in [(false, "127.0.0.1"), (true, "10.1.2.3")] {
        let mut config = loopback();
        config.trust_forwarded_for = trusted;
        let routes = Router::new().route("/source", on_get(tell));
        let server = start(config, routes, Readiness::default()).await;
        let header = "x-forwarded-for: 6.6.6.6, 10.1.2.3\r\n";
        let answer = get(server.connect().await, "/source", header).await;
        assert!(answer.ends_with(&format!("\r\n\r\n{expected}")), "{answer}");
    }
}
