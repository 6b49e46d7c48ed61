//! TLS with certificates on both sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use coeval_storage::{Key, RecordPut, StorageError, Store};
use coeval_storage_etcd::{EtcdOptions, EtcdStore};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// `ca.pem`, and a certificate with its key for each name.
fn certificates(home: &Path, names: &[&str]) {
    let key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority.self_signed(&key).unwrap();
    std::fs::write(home.join("ca.pem"), certificate.pem()).unwrap();
    let issuer = Issuer::new(authority, key);
    for name in names {
        let key = KeyPair::generate().unwrap();
        let hosts = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let params = CertificateParams::new(hosts).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        std::fs::write(home.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(home.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}

fn start(home: &Path, client: u16, peer: u16) -> Running {
    let file = |name: &str| home.join(name).display().to_string();
    let (client, peer) = (
        format!("https://127.0.0.1:{client}"),
        format!("http://127.0.0.1:{peer}"),
    );
    let child = Command::new("etcd")
        .arg("--name=m0")
        .arg(format!("--data-dir={}", file("data")))
        .arg(format!("--listen-client-urls={client}"))
        .arg(format!("--advertise-client-urls={client}"))
        .arg(format!("--listen-peer-urls={peer}"))
        .arg(format!("--initial-advertise-peer-urls={peer}"))
        .arg(format!("--initial-cluster=m0={peer}"))
        .arg(format!("--cert-file={}", file("server.pem")))
        .arg(format!("--key-file={}", file("server.key")))
        .arg(format!("--trusted-ca-file={}", file("ca.pem")))
        .arg("--client-cert-auth")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("etcd starts");
    Running(child)
}

#[tokio::test]
async fn certificates_on_both_sides_are_checked() {
    let (ours, strangers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    certificates(ours.path(), &["server", "client"]);
    certificates(strangers.path(), &["client"]);
    let client = port();
    let _running = start(ours.path(), client, port());
    let url = |ca: &Path, identity: Option<&Path>| {
        let identity = identity.map_or_else(String::new, |home| {
            let home = home.display();
            format!("&cert={home}/client.pem&key={home}/client.key")
        });
        let ca = ca.display();
        EtcdOptions::at(format!(
            "etcd://127.0.0.1:{client}?ca={ca}/ca.pem{identity}"
        ))
    };
    let begun = Instant::now();
    let store = loop {
        match EtcdStore::open(url(ours.path(), Some(ours.path()))).await {
            Ok(store) => break store,
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(30), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let key = Key::try_from("k").unwrap();
    store.put(&key, RecordPut::of(b"v".to_vec())).await.unwrap();
    assert_eq!(store.get(&key).await.unwrap().content.body, "v");

    let no_certificate = url(ours.path(), None);
    let strangers_certificate = url(ours.path(), Some(strangers.path()));
    let unknown_server = url(strangers.path(), Some(ours.path()));
    let plain = EtcdOptions::at(format!("etcd://127.0.0.1:{client}"));
    for refused in [no_certificate, strangers_certificate, unknown_server, plain] {
        let error = EtcdStore::open(refused).await.err();
        assert!(
            matches!(error, Some(StorageError::Unavailable { .. })),
            "{error:?}"
        );
    }
    let missing = EtcdStore::open(url(Path::new("/nowhere"), None)).await;
    assert!(matches!(
        missing.err(),
        Some(StorageError::InvalidUrl { .. })
    ));
}
