use crate::support::{eventually, loopback, read_to_end, start};
use axum::Router;
use axum::routing::get;
use coeval_server::Readiness;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// A route that answers when it is let go, and says when it has begun.
fn held(begun: &Arc<Notify>, go: &Arc<Notify>) -> Router {
    let (begun, go) = (Arc::clone(begun), Arc::clone(go));
    let handler = move || async move {
        begun.notify_one();
        go.notified().await;
        "done"
    };
    Router::new().route("/held", get(handler))
}

const HELD: &[u8] = b"GET /held HTTP/1.1\r\nhost: test\r\n\r\n";

#[tokio::test]
async fn a_running_request_ends_before_the_server_does_and_no_new_one_begins() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut server = start(loopback(), held(&begun, &go), Readiness::default()).await;
    let mut client = server.connect().await;
    client.write_all(HELD).await.unwrap();
    begun.notified().await;

    server.stop();
    let address = server.address;
    eventually("new connections are refused", || async move {
        TcpStream::connect(address).await.is_err()
    })
    .await;
    go.notify_one();
    let answer = read_to_end(client).await;
    assert!(answer.ends_with("done"), "{answer}");
    assert_eq!(server.ended().await.cut, 0);
}

#[tokio::test]
async fn it_is_not_ready_before_it_stops_accepting() {
    let mut config = loopback();
    config.drain.delay = Duration::from_secs(5);
    let mut server = start(config, Router::new(), Readiness::default()).await;
    server.stop();
    let lifecycle = server.lifecycle.clone();
    eventually("draining", || async { lifecycle.is_draining() }).await;
    let ready = server.get("/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
    assert!(ready.contains(r#""draining":true"#), "{ready}");
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_and_counted() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut config = loopback();
    config.drain.limit = Duration::from_millis(50);
    let mut server = start(config, held(&begun, &go), Readiness::default()).await;
    let mut client = server.connect().await;
    client.write_all(HELD).await.unwrap();
    begun.notified().await;
    server.stop();
    assert_eq!(server.ended().await.cut, 1);
    assert_eq!(read_to_end(client).await, "");
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_stop() {
    let mut server = start(loopback(), Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    let request = b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    client.readable().await.unwrap();
    let silent = server.connect().await;
    server.stop();
    assert_eq!(server.ended().await.cut, 0);
    drop(silent);
}

#[tokio::test]
async fn a_running_http_2_request_ends_before_the_server_does() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut server = start(loopback(), held(&begun, &go), Readiness::default()).await;
    let (stream, uri) = (
        server.connect().await,
        format!("http://{}/held", server.address),
    );
    let asking = tokio::spawn(async move { crate::support::get_h2(stream, &uri).await });
    begun.notified().await;
    server.stop();
    let address = server.address;
    eventually("new connections are refused", || async move {
        TcpStream::connect(address).await.is_err()
    })
    .await;
    go.notify_one();
    assert_eq!(asking.await.unwrap(), (200, "done".to_owned()));
    assert_eq!(server.ended().await.cut, 0);
}

#[tokio::test]
async fn a_kept_alive_connection_is_told_to_close_with_the_last_answer() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut server = start(loopback(), held(&begun, &go), Readiness::default()).await;
    let mut client = server.connect().await;
    for last in [false, true] {
        client.write_all(HELD).await.unwrap();
        begun.notified().await;
        if last {
            server.stop();
            server.lifecycle.draining().await;
        }
        go.notify_one();
        if !last {
            let mut buffer = [0; 1024];
            let read = tokio::io::AsyncReadExt::read(&mut client, &mut buffer).await;
            let answer = String::from_utf8_lossy(&buffer[..read.unwrap()]).into_owned();
            assert!(answer.ends_with("done"), "{answer}");
            assert!(!answer.contains("connection: close"), "{answer}");
        }
    }
    let answer = read_to_end(client).await;
    assert!(answer.contains("connection: close"), "{answer}");
    assert!(answer.ends_with("done"), "{answer}");
    assert_eq!(server.ended().await.cut, 0);
}

#[tokio::test]
async fn a_busy_keep_alive_connection_is_moved_away_before_the_port_is_closed() {
    let mut config = loopback();
    config.drain.delay = Duration::from_secs(5);
    let mut server = start(config, Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    server.stop();
    let lifecycle = server.lifecycle.clone();
    eventually("draining", || async { lifecycle.is_draining() }).await;
    // Within the delay: closing it only at its end could cross with a request.
    let request = b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    let answer = read_to_end(client).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
}
