//! Requests that are answered before their bodies were read.

use crate::support::{Running, loopback, start};
use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use coeval_server::Readiness;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// A server that refuses by the headers alone.
async fn refusing() -> Running {
    let routes = Router::new().route("/refuse", post(|| async { StatusCode::FORBIDDEN }));
    start(loopback(), routes, Readiness::default()).await
}

fn head(headers: &str) -> String {
    format!("POST /refuse HTTP/1.1\r\nhost: test\r\n{headers}\r\n")
}

/// The head of the next answer, which has no body.
async fn answer(client: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let ended = async {
        while !read.ends_with(b"\r\n\r\n") {
            let byte = client.read_u8().await;
            read.push(byte.expect("the connection ends without an answer"));
        }
    };
    timeout(Duration::from_secs(10), ended)
        .await
        .expect("there is an answer");
    String::from_utf8(read).unwrap().to_lowercase()
}

#[tokio::test]
async fn the_next_request_on_a_connection_is_answered_though_a_body_came_late() {
    let server = refusing().await;
    let mut client = server.connect().await;
    for round in 0..5 {
        let head = head("content-length: 5\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        // The refusal is there by now, and the body is not.
        sleep(Duration::from_millis(30)).await;
        client.write_all(b"hello").await.unwrap();
        let answer = answer(&mut client).await;
        assert!(answer.starts_with("http/1.1 403"), "{round}: {answer}");
        assert!(!answer.contains("connection: close"), "{round}: {answer}");
    }
}

#[tokio::test]
async fn where_the_body_can_t_be_read_the_answer_says_that_the_connection_ends() {
    let server = refusing().await;
    let never_sent = "content-length: 5\r\n";
    let too_large = "content-length: 10000000\r\n";
    let waits_for_the_word = "content-length: 5\r\nexpect: 100-continue\r\n";
    for headers in [never_sent, too_large, waits_for_the_word] {
        let mut client = server.connect().await;
        let began = Instant::now();
        client.write_all(head(headers).as_bytes()).await.unwrap();
        let answer = answer(&mut client).await;
        assert!(answer.starts_with("http/1.1 403"), "{headers}: {answer}");
        assert!(answer.contains("connection: close"), "{headers}: {answer}");
        assert!(began.elapsed() < Duration::from_secs(5), "{headers}");
    }
}

#[tokio::test]
async fn an_endless_body_is_not_read_for_ever() {
    let server = refusing().await;
    let client = server.connect().await;
    let (mut reader, mut writer) = client.into_split();
    let head = head("transfer-encoding: chunked\r\n");
    writer.write_all(head.as_bytes()).await.unwrap();
    let endless = tokio::spawn(async move {
        let chunk = [b"1000\r\n".as_slice(), &[b'x'; 0x1000], b"\r\n"].concat();
        while writer.write_all(&chunk).await.is_ok() {}
    });
    let mut rest = Vec::new();
    let _ = timeout(Duration::from_secs(10), reader.read_to_end(&mut rest))
        .await
        .expect("the server ends the connection");
    timeout(Duration::from_secs(10), endless)
        .await
        .unwrap()
        .unwrap();
}
