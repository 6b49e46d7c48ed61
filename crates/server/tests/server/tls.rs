use crate::support::{eventually, get, get_h2, loopback, start};
use axum::Router;
use coeval_codes::Coded;
use coeval_server::{Listener, ListenerConfig, ListenerTlsFiles, Readiness, ServerError};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A new self-signed pair in the folder.
fn write_pair(folder: &Path) -> CertificateDer<'static> {
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("key.pem"), pair.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("cert.pem"), pair.cert.pem()).unwrap();
    pair.cert.der().clone()
}

fn tls_config(folder: &Path) -> ListenerConfig {
    let mut files = ListenerTlsFiles::new(folder.join("cert.pem"), folder.join("key.pem"));
    files.look_every = Duration::from_millis(50);
    let mut config = loopback();
    config.tls = Some(files);
    config
}

async fn connect(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
    protocol: &[u8],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

#[tokio::test]
async fn both_protocols_are_spoken_over_tls() {
    let folder = TempDir::new().unwrap();
    let certificate = write_pair(folder.path());
    let server = start(
        tls_config(folder.path()),
        Router::new(),
        Readiness::default(),
    )
    .await;
    let stream = connect(server.address, &certificate, b"http/1.1")
        .await
        .unwrap();
    assert!(get(stream, "/healthz", "").await.ends_with("ok\n"));
    let stream = connect(server.address, &certificate, b"h2").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (status, _) = get_h2(stream, "https://localhost/healthz").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_new_certificate_is_used_without_a_restart_and_a_bad_one_is_not() {
    let folder = TempDir::new().unwrap();
    let first = write_pair(folder.path());
    let server = start(
        tls_config(folder.path()),
        Router::new(),
        Readiness::default(),
    )
    .await;
    let address = server.address;
    connect(address, &first, b"h2").await.unwrap();

    std::fs::write(folder.path().join("key.pem"), "not a key").unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    connect(address, &first, b"h2")
        .await
        .expect("the old pair stays");

    let second = write_pair(folder.path());
    let trusted = &second;
    eventually("the new certificate is shown", || async move {
        connect(address, trusted, b"h2").await.is_ok()
    })
    .await;
    assert!(connect(address, &first, b"h2").await.is_err());
}

#[tokio::test]
async fn a_handshake_that_is_never_begun_times_out() {
    let folder = TempDir::new().unwrap();
    write_pair(folder.path());
    let mut config = tls_config(folder.path());
    config.limits.handshake = Duration::from_millis(100);
    let server = start(config, Router::new(), Readiness::default()).await;
    let mut idle = server.connect().await;
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_secs(10), idle.read_to_end(&mut answer))
        .await
        .expect("the server closes the connection");
}

#[tokio::test]
async fn files_that_are_no_pair_are_refused_with_a_code_and_the_file() {
    let folder = TempDir::new().unwrap();
    let missing = Listener::bind(tls_config(folder.path())).await.unwrap_err();
    assert!(matches!(missing, ServerError::TlsFile { .. }), "{missing}");
    assert_eq!(missing.code(), coeval_codes::TLS_INVALID);

    write_pair(folder.path());
    let other = TempDir::new().unwrap();
    write_pair(other.path());
    std::fs::copy(other.path().join("key.pem"), folder.path().join("key.pem")).unwrap();
    let mixed = Listener::bind(tls_config(folder.path())).await.unwrap_err();
    assert!(matches!(mixed, ServerError::TlsPair { .. }), "{mixed}");
    assert!(mixed.to_string().contains("key.pem"), "{mixed}");

    std::fs::write(folder.path().join("cert.pem"), "").unwrap();
    let empty = Listener::bind(tls_config(folder.path())).await.unwrap_err();
    assert!(empty.to_string().contains("no PEM certificate"), "{empty}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_named_with_what_to_do() {
    let first = Listener::bind(loopback()).await.unwrap();
    let error = Listener::bind(ListenerConfig::at(first.address()))
        .await
        .unwrap_err();
    assert_eq!(error.code(), coeval_codes::LISTEN_FAILED);
    assert!(error.to_string().contains(&first.address().to_string()));
    assert!(error.advice().contains("--listen"));
}
