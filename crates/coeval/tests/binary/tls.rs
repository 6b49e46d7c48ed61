use crate::support::{Server, serve, stderr};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use tempfile::TempDir;

#[test]
fn with_a_certificate_it_serves_https() {
    let folder = TempDir::new().unwrap();
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.path().join("c.pem"), pair.cert.pem()).unwrap();
    std::fs::write(
        folder.path().join("k.pem"),
        pair.signing_key.serialize_pem(),
    )
    .unwrap();
    let mut command = serve(folder.path());
    command.args(["--tls-cert", "c.pem", "--tls-key", "k.pem"]);
    let server = Server::start(command);
    assert!(
        server.ready_line.contains("https://127.0.0.1:"),
        "{}",
        server.ready_line
    );

    let mut roots = RootCertStore::empty();
    roots.add(pair.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(session, TcpStream::connect(server.address()).unwrap());
    write!(
        stream,
        "GET /readyz HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    assert_eq!(server.stop().0, Some(0));
}

#[test]
fn a_certificate_that_is_none_is_an_error_with_a_code() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("c.pem"), "nothing").unwrap();
    std::fs::write(folder.path().join("k.pem"), "nothing").unwrap();
    let output = serve(folder.path())
        .args(["--tls-cert", "c.pem", "--tls-key", "k.pem"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("COEVAL-9003"),
        "{}",
        stderr(&output)
    );
}
