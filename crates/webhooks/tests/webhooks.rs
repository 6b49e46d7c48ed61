//! WebHooks against real servers on this machine: good ones, slow ones, and some that mean no good.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use coeval_codes::{Code, Coded};
use coeval_core::version::Uuid;
use coeval_engine::lifecycle::{ExecutionError, Executor, Invocation};
use coeval_webhooks::{WebHookSettings, WebHooks, sign, signed_text};
use rustls::ServerConfig;
use rustls_pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

/// What a server does with a request.
#[derive(Clone)]
enum Does {
    Answers(Vec<u8>),
    /// Says nothing for ever.
    Hangs,
    /// A byte now and then, for ever.
    Drips,
    /// More than anybody wants.
    Floods,
    Closes,
}

struct Server {
    port: u16,
    requests: mpsc::UnboundedReceiver<String>,
    connections: Arc<AtomicUsize>,
}

async fn serve(does: Does, tls: Option<TlsAcceptor>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, requests) = mpsc::unbounded_channel();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let (does, told, tls) = (does.clone(), told.clone(), tls.clone());
            tokio::spawn(async move {
                match tls {
                    None => answer(stream, does, told).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            answer(stream, does, told).await;
                        }
                    }
                }
            });
        }
    });
    Server {
        port,
        requests,
        connections,
    }
}

async fn answer(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    does: Does,
    told: mpsc::UnboundedSender<String>,
) {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let Ok(read) = stream.read(&mut part).await else {
            return;
        };
        bytes.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header(head, "content-length").parse::<usize>().unwrap();
            if body.len() >= length {
                break;
            }
        }
        if read == 0 {
            return;
        }
    }
    let _ = told.send(String::from_utf8(bytes).unwrap());
    match does {
        Does::Answers(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        Does::Hangs => tokio::time::sleep(Duration::from_secs(600)).await,
        Does::Drips => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(b"x").await.is_ok() {
                let _ = stream.flush().await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        Does::Floods => {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
            let _ = stream.write_all(head.as_bytes()).await;
            let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
            while stream.write_all(chunk.as_bytes()).await.is_ok() {}
        }
        Does::Closes => {}
    }
    let _ = stream.shutdown().await;
}

fn header(head: &str, name: &str) -> String {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map_or_else(String::new, |(_, value)| value.to_owned())
}

fn response(status: &str, kind: &str, body: &str) -> Does {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    Does::Answers(text.into_bytes())
}

fn invocation(href: &str, seconds: u64) -> Invocation {
    Invocation {
        task: Uuid(0x1234),
        attempt: 2,
        behavior: "urn:vcloud:behavior-interface:call:acme:doing:1.0.0".into(),
        execution: json!({
            "type": "WebHook", "id": "mine", "href": href, "_internal_key": "a shared key",
            "execution_properties": {"invocation_timeout": seconds, "_secure_token": "hush", "color": "red"},
        }),
        hook: Some("PreDelete"),
        entity_id: Some("urn:vcloud:entity:acme:app:1".into()),
        type_id: Some("urn:vcloud:type:acme:app:1.0.0".into()),
        arguments: json!({"x": 7}),
        metadata: json!({"y": 6}),
        entity: json!({"image": "web"}),
    }
}

fn lenient() -> WebHookSettings {
    WebHookSettings {
        allow_private: true,
        allow_http: true,
        ca_file: None,
    }
}

async fn call(server: &Server, seconds: u64) -> Result<Value, ExecutionError> {
    let href = format!("http://127.0.0.1:{}/hooks/one?token=t", server.port);
    let hooks = WebHooks::new(lenient()).unwrap();
    hooks.execute(&invocation(&href, seconds)).await
}

#[tokio::test]
async fn a_request_is_signed_and_says_what_was_asked() {
    let mut server = serve(response("200 OK", "application/json", r#"{"a":1}"#), None).await;
    assert_eq!(call(&server, 5).await, Ok(json!({"a": 1})));
    let request = server.requests.recv().await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /hooks/one?token=t HTTP/1.1\r\n"),
        "{head}"
    );
    let task = Uuid(0x1234).to_string();
    assert_eq!(header(head, "idempotency-key"), task);
    assert_eq!(header(head, "coeval-attempt"), "2");
    assert_eq!(header(head, "host"), format!("127.0.0.1:{}", server.port));
    // As a server would check it that knows the key.
    let digest = ring::digest::digest(&ring::digest::SHA512, body.as_bytes());
    use base64::Engine as _;
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    let digest = format!("SHA-512={digest}");
    assert_eq!(header(head, "x-vcloud-digest"), digest);
    let text = signed_text("127.0.0.1", &header(head, "date"), "/hooks/one", &digest);
    let expected = format!(
        "algorithm=\"hmac-sha512\",headers=\"host date (request-target) digest\",signature=\"{}\"",
        sign("a shared key", &text)
    );
    assert_eq!(header(head, "x-vcloud-signature"), expected);
    let sent: Value = serde_json::from_str(body).unwrap();
    assert_eq!(sent["entityId"], "urn:vcloud:entity:acme:app:1");
    assert_eq!(sent["typeId"], "urn:vcloud:type:acme:app:1.0.0");
    assert_eq!(sent["arguments"], json!({"x": 7}));
    assert_eq!(sent["entity"], json!({"image": "web"}));
    let metadata = &sent["_metadata"];
    for (key, value) in [
        ("taskId", task.as_str()),
        ("requestId", &task),
        ("executionId", "mine"),
        ("executionType", "WebHook"),
        ("hook", "PreDelete"),
        (
            "behaviorId",
            "urn:vcloud:behavior-interface:call:acme:doing:1.0.0",
        ),
    ] {
        assert_eq!(metadata[key], value, "{key}");
    }
    assert_eq!(metadata["invocation"], json!({"y": 6}));
    assert_eq!(sent["_execution_properties"]["color"], "red");
    for secret in ["a shared key", "hush"] {
        assert!(!request.contains(secret), "{secret} was sent");
    }
}

#[tokio::test]
async fn whatever_a_server_does_ends_in_time_with_a_code() {
    let large = "x".repeat(400 * 1024);
    let moved = Does::Answers(
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
            .to_vec(),
    );
    let packed = Does::Answers(
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx".to_vec(),
    );
    let invalid = coeval_codes::WEBHOOK_ANSWER_INVALID;
    let table: Vec<(&str, Does, Code)> = vec![
        ("hangs", Does::Hangs, coeval_codes::WEBHOOK_TIMED_OUT),
        ("drips", Does::Drips, coeval_codes::WEBHOOK_TIMED_OUT),
        ("floods", Does::Floods, invalid),
        ("closes", Does::Closes, coeval_codes::WEBHOOK_UNREACHABLE),
        ("large", response("200 OK", "text/plain", &large), invalid),
        ("redirect", moved, invalid),
        ("compressed", packed, invalid),
        (
            "bad JSON",
            response("200 OK", "application/json", "{\"a\":1,}"),
            invalid,
        ),
        (
            "no HTTP",
            Does::Answers(b"hello\r\n\r\n".to_vec()),
            coeval_codes::WEBHOOK_UNREACHABLE,
        ),
        (
            "refuses",
            response("503 Busy", "text/plain", "later"),
            coeval_codes::WEBHOOK_REFUSED,
        ),
    ];
    for (name, does, code) in table {
        let server = serve(does, None).await;
        let since = Instant::now();
        let refused = call(&server, 1).await.unwrap_err();
        assert_eq!(refused.code(), code, "{name}: {refused}");
        assert!(since.elapsed() < Duration::from_secs(10), "{name}");
        assert_eq!(
            server.connections.load(Ordering::SeqCst),
            1,
            "{name}: asked twice"
        );
        let told = format!("{refused} {refused:?} {}", refused.advice());
        assert!(!told.contains("a shared key"), "{told}");
    }
}

#[tokio::test]
async fn a_private_address_is_refused_before_anything_is_sent() {
    let server = serve(response("200 OK", "text/plain", "ok"), None).await;
    let settings = WebHookSettings {
        allow_http: true,
        ..WebHookSettings::default()
    };
    let hooks = WebHooks::new(settings).unwrap();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
    ] {
        let href = format!("http://{host}:{}/", server.port);
        let refused = hooks.execute(&invocation(&href, 5)).await.unwrap_err();
        let code = coeval_codes::WEBHOOK_ADDRESS_REFUSED;
        assert_eq!(refused.code(), code, "{host}: {refused}");
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 0);
    // And without TLS nothing is sent at all, unless that is allowed.
    let strict = WebHooks::new(WebHookSettings::default()).unwrap();
    let refused = strict.check(&invocation("http://example.com/", 5).execution);
    assert_eq!(refused.unwrap_err().code(), coeval_codes::WEBHOOK_INVALID);
}

/// A certificate for `localhost` that nobody else knows.
fn certificate(folder: &Path) -> TlsAcceptor {
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("ca.pem"), pair.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(pair.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

#[tokio::test]
async fn a_certificate_must_be_trusted_and_name_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let tls = certificate(folder.path());
    let server = serve(response("200 OK", "text/plain", "ok"), Some(tls)).await;
    let trusting = |ca_file| WebHookSettings {
        allow_private: true,
        allow_http: false,
        ca_file,
    };
    let ca = folder.path().join("ca.pem");
    let unreachable = Err(coeval_codes::WEBHOOK_UNREACHABLE);
    for (ca_file, host, expected) in [
        (Some(ca.clone()), "localhost", Ok(json!("ok"))),
        (Some(ca.clone()), "127.0.0.1", unreachable.clone()),
        (None, "localhost", unreachable),
    ] {
        let hooks = WebHooks::new(trusting(ca_file)).unwrap();
        let href = format!("https://{host}:{}/", server.port);
        let done = hooks.execute(&invocation(&href, 5)).await;
        assert_eq!(done.map_err(|error| error.code()), expected, "{host}");
    }
    std::fs::write(&ca, "no certificate").unwrap();
    for file in [ca, folder.path().join("absent.pem")] {
        let refused = WebHooks::new(trusting(Some(file))).unwrap_err();
        assert_eq!(refused.code(), coeval_codes::CONFIG_INVALID);
    }
}
