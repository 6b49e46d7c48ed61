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
        metrics.contains(r#"coeval_http_requests_total{method="GET",status="200"}"#),
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
