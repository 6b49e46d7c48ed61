use crate::support::{Running, eventually, get, loopback, start};
use axum::{Extension, Router};
use coeval_codes::Coded;
use coeval_server::{Listener, ListenerConfig, ListenerTlsFiles, Peer, Readiness};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Somebody who signs certificates.
type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A client's certificate, good until a year's begin.
struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

fn identity(by: &Authority, ends: i32) -> Identity {
    let mut params = CertificateParams::default();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(ends, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, by).unwrap();
    Identity {
        certificate: certificate.der().clone(),
        key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
    }
}

/// A server's own pair, in the folder.
fn write_pair(folder: &Path) -> CertificateDer<'static> {
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("key.pem"), pair.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("cert.pem"), pair.cert.pem()).unwrap();
    pair.cert.der().clone()
}

fn config(folder: &Path) -> ListenerConfig {
    let mut files = ListenerTlsFiles::new(folder.join("cert.pem"), folder.join("key.pem"));
    files.client_ca = Some(folder.join("ca.pem"));
    files.look_every = Duration::from_millis(50);
    let mut config = loopback();
    config.tls = Some(files);
    config
}

/// Says whether the request came with a certificate.
fn shown() -> Router {
    let tell = |Extension(peer): Extension<Peer>| async move {
        match peer.certificate {
            Some(der) => format!("certificate of {} bytes", der.len()),
            None => "no certificate".to_owned(),
        }
    };
    Router::new().route("/shown", axum::routing::get(tell))
}

/// What the server says to somebody who shows this; nothing if it does not talk to them.
async fn ask(
    server: &Running,
    trusted: &CertificateDer<'static>,
    who: Option<&Identity>,
) -> Option<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match who {
        Some(who) => builder
            .with_client_auth_cert(vec![who.certificate.clone()], who.key.clone_key())
            .unwrap(),
        None => builder.with_no_client_auth(),
    };
    let stream = TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    // In TLS 1.3 a client learns only from the first answer that its certificate was refused.
    let stream = connector.connect(name, stream).await.ok()?;
    let answer = get(stream, "/shown", "").await;
    answer
        .rsplit_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned())
}

#[tokio::test]
async fn a_certificate_is_handed_to_the_request_and_may_be_left_out() {
    let folder = TempDir::new().unwrap();
    let trusted = write_pair(folder.path());
    let ours = authority();
    std::fs::write(folder.path().join("ca.pem"), ours.pem()).unwrap();
    let server = start(config(folder.path()), shown(), Readiness::default()).await;
    assert_eq!(
        ask(&server, &trusted, None).await.as_deref(),
        Some("no certificate")
    );
    let good = identity(&ours, 4000);
    let said = ask(&server, &trusted, Some(&good)).await.unwrap();
    assert_eq!(
        said,
        format!("certificate of {} bytes", good.certificate.len())
    );
}

#[tokio::test]
async fn a_certificate_of_somebody_else_or_of_the_past_ends_the_handshake() {
    let folder = TempDir::new().unwrap();
    let trusted = write_pair(folder.path());
    let (ours, theirs) = (authority(), authority());
    std::fs::write(folder.path().join("ca.pem"), ours.pem()).unwrap();
    let server = start(config(folder.path()), shown(), Readiness::default()).await;
    for refused in [identity(&theirs, 4000), identity(&ours, 2021)] {
        assert_eq!(ask(&server, &trusted, Some(&refused)).await, None);
    }
}

#[tokio::test]
async fn other_authorities_count_without_a_restart_and_a_broken_file_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let trusted = write_pair(folder.path());
    let (first, second) = (authority(), authority());
    let (old, new) = (identity(&first, 4000), identity(&second, 4000));
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, first.pem()).unwrap();
    let server = start(config(folder.path()), shown(), Readiness::default()).await;
    std::fs::write(&ca, "not a certificate").unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(
        ask(&server, &trusted, Some(&old)).await.is_some(),
        "the old file counts"
    );
    std::fs::write(&ca, second.pem()).unwrap();
    eventually("the new authority counts", || async {
        ask(&server, &trusted, Some(&new)).await.is_some()
    })
    .await;
    assert_eq!(ask(&server, &trusted, Some(&old)).await, None);
}

#[tokio::test]
async fn a_file_without_authorities_is_refused_with_a_code() {
    let folder = TempDir::new().unwrap();
    write_pair(folder.path());
    std::fs::write(folder.path().join("ca.pem"), "").unwrap();
    let error = Listener::bind(config(folder.path())).await.unwrap_err();
    assert_eq!(error.code(), coeval_codes::CLIENT_CA_INVALID);
    assert!(error.to_string().contains("ca.pem"), "{error}");
}
