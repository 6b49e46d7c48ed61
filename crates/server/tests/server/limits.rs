use crate::support::{loopback, read_to_end, start};
use axum::Router;
use coeval_server::Readiness;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

#[tokio::test]
async fn over_the_limit_a_connection_waits_until_another_ends() {
    let mut config = loopback();
    config.limits.connections = 2;
    let server = start(config, Router::new(), Readiness::default()).await;
    let request = b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n";
    let mut buffer = [0; 512];
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut client = server.connect().await;
        client.write_all(request).await.unwrap();
        assert!(client.read(&mut buffer).await.unwrap() > 0);
        open.push(client);
    }
    let mut third = server.connect().await;
    third.write_all(request).await.unwrap();
    let early = timeout(Duration::from_millis(200), third.read(&mut buffer)).await;
    assert!(early.is_err(), "the third was served beside two others");
    open.pop();
    assert!(third.read(&mut buffer).await.unwrap() > 0);
}

#[tokio::test]
async fn headers_that_never_end_are_not_waited_for() {
    let mut config = loopback();
    config.limits.headers = Duration::from_millis(200);
    let server = start(config, Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\nhost:").await.unwrap();
    let began = Instant::now();
    let (mut reader, mut writer) = client.into_split();
    // A byte at a time keeps the socket busy, and must not keep the connection.
    let drip = tokio::spawn(async move {
        while writer.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut rest = Vec::new();
    let _ = timeout(Duration::from_secs(10), reader.read_to_end(&mut rest))
        .await
        .expect("the server closes the connection");
    assert!(began.elapsed() >= Duration::from_millis(150));
    drip.abort();
}

#[tokio::test]
async fn a_peer_that_says_nothing_or_only_a_preface_is_let_go() {
    let mut config = loopback();
    config.limits.headers = Duration::from_millis(100);
    let server = start(config, Router::new(), Readiness::default()).await;
    for opening in [&b""[..], b"PRI * HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut client = server.connect().await;
        client.write_all(opening).await.unwrap();
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(10), client.read_to_end(&mut answer))
            .await
            .expect("the server closes the connection");
    }
}

#[tokio::test]
async fn headers_that_are_too_long_are_refused() {
    let mut config = loopback();
    config.limits.header_bytes = 8192;
    let server = start(config, Router::new(), Readiness::default()).await;
    let mut client = server.connect().await;
    let long = format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", "x".repeat(9000));
    client.write_all(long.as_bytes()).await.unwrap();
    let answer = read_to_end(client).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn a_peer_that_reads_nothing_is_let_go() {
    let mut config = loopback();
    config.limits.stall = Duration::from_millis(200);
    let large = || async { vec![b'x'; 64 << 20] };
    let routes = Router::new().route("/large", axum::routing::get(large));
    let mut server = start(config, routes, Readiness::default()).await;
    let mut client = server.connect().await;
    let request = b"GET /large HTTP/1.1\r\nhost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    client.readable().await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // Were the connection still there, the drain would wait for it and cut it.
    server.stop();
    assert_eq!(server.ended().await.cut, 0);
    let mut got = Vec::new();
    let _ = client.read_to_end(&mut got).await;
    assert!(got.len() < 64 << 20, "it was sent all the same");
}

#[tokio::test]
async fn headers_somewhat_too_long_are_refused_with_a_code() {
    let mut config = loopback();
    config.limits.header_bytes = 8192;
    let server = start(config, Router::new(), Readiness::default()).await;
    let header = format!("x-long: {}\r\n", "x".repeat(8200));
    let answer = crate::support::get(server.connect().await, "/healthz", &header).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert!(answer.contains("COEVAL-8015"), "{answer}");
}
