//! Users who show a certificate instead of a token.

use crate::raw::status;
use crate::world::World;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

const SOME: &str = "/cloudapi/1.0.0/sessions/current";

/// A server with TLS, and somebody who signs for its clients.
struct Secure {
    trusted: CertificateDer<'static>,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Secure {
    fn start(world: &mut World) -> Self {
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        world.write("cert.pem", &pair.cert.pem());
        world.write("key.pem", &pair.signing_key.serialize_pem());
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        world.write("ca.pem", &authority.pem());
        world.restart_with(&[
            "--tls-cert",
            "cert.pem",
            "--tls-key",
            "key.pem",
            "--client-ca",
            "ca.pem",
        ]);
        Self {
            trusted: pair.cert.der().clone(),
            authority,
        }
    }

    /// What is answered to `CN=user, O=org`.
    fn ask(&self, world: &World, user: &str, org: Option<&str>, headers: &str) -> String {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        if let Some(org) = org {
            params
                .distinguished_name
                .push(DnType::OrganizationName, org);
        }
        params.not_after = date_time_ymd(4000, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.authority).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(self.trusted.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_client_auth_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(session, TcpStream::connect(world.address()).unwrap());
        write!(
            stream,
            "GET {SOME} HTTP/1.1\r\nhost: t\r\n{headers}connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }
}

pub(crate) fn a_certificate_names_its_user_and_a_token_wins(mut world: World) {
    let bob = world.login("bob@acme");
    let secure = Secure::start(&mut world);
    for (user, org, id) in [
        ("alice", Some("acme"), "acme"),
        ("oscar", Some("other"), "other"),
        ("administrator", None, "System"),
        ("administrator", Some("System"), "System"),
    ] {
        let answer = secure.ask(&world, user, org, "");
        assert_eq!(status(&answer), 200, "{answer}");
        assert!(answer.contains(&format!(r#""name":"{user}""#)), "{answer}");
        assert!(answer.contains(&format!(r#""name":"{id}""#)), "{answer}");
    }
    let token = format!("authorization: Bearer {bob}\r\n");
    let answer = secure.ask(&world, "alice", Some("acme"), &token);
    assert!(answer.contains(r#""name":"bob""#), "{answer}");
    let answer = secure.ask(
        &world,
        "alice",
        Some("acme"),
        "authorization: Bearer wrong\r\n",
    );
    assert_eq!(
        status(&answer),
        401,
        "a bad token is no reason to look elsewhere: {answer}"
    );
}

pub(crate) fn a_user_who_is_unknown_has_no_use_of_a_certificate(mut world: World) {
    let secure = Secure::start(&mut world);
    for (user, org) in [
        ("nobody", Some("acme")),
        ("alice", Some("nowhere")),
        ("alice", Some("other")),
        ("alice", None),
        ("acme/alice", Some("")),
        ("", Some("acme")),
    ] {
        let answer = secure.ask(&world, user, org, "");
        assert_eq!(status(&answer), 401, "{user} {org:?}: {answer}");
        assert!(answer.contains("COEVAL-8014"), "{user} {org:?}: {answer}");
    }
    let tenant =
        "x-vmware-vcloud-tenant-context: urn:vcloud:org:11111111-1111-4111-8111-111111111111\r\n";
    let answer = secure.ask(&world, "alice", Some("acme"), tenant);
    assert_eq!(status(&answer), 403, "{answer}");
}
