//! TLS to the database, over rustls.

use crate::url::ConnectionSecurity;
use coeval_storage::StorageError;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{TlsConnector, client};

/// Where systems keep the authorities that they trust.
const SYSTEM: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// Makes TLS connections, or none.
#[derive(Clone)]
pub(crate) struct TlsMaker(Option<Arc<ClientConfig>>);

impl TlsMaker {
    pub(crate) fn new(security: &ConnectionSecurity) -> Result<Self, StorageError> {
        let ca = match security {
            ConnectionSecurity::Plain => return Ok(Self(None)),
            ConnectionSecurity::Tls(Some(ca)) => ca.clone(),
            ConnectionSecurity::Tls(None) => system_authorities()?,
        };
        let roots = read_authorities(&ca)?;
        // Named: if several providers are linked in, rustls has no default.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(StorageError::failed)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Some(Arc::new(config))))
    }
}

fn invalid(reason: String) -> StorageError {
    StorageError::InvalidUrl { reason }
}

fn system_authorities() -> Result<PathBuf, StorageError> {
    let found = SYSTEM.iter().map(PathBuf::from).find(|path| path.is_file());
    found.ok_or_else(|| invalid("TLS is asked for, and no authority: add ca=FILE".into()))
}

fn read_authorities(file: &Path) -> Result<RootCertStore, StorageError> {
    let unreadable = |e: &dyn std::fmt::Display| {
        invalid(format!(
            "no authorities in the file {}: {e}",
            file.display()
        ))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|e| unreadable(&e))? {
        let certificate = certificate.map_err(|e| unreadable(&e))?;
        roots.add(certificate).map_err(|e| unreadable(&e))?;
    }
    if roots.is_empty() {
        return Err(unreadable(&"it holds no certificate"));
    }
    Ok(roots)
}

impl MakeTlsConnect<Socket> for TlsMaker {
    type Stream = TlsSocket;
    type TlsConnect = TlsHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<TlsHandshake, io::Error> {
        // Called for plain connections and local sockets too, which never get to the handshake.
        Ok(TlsHandshake {
            config: self.0.clone(),
            domain: domain.to_owned(),
        })
    }
}

/// One handshake to come.
pub(crate) struct TlsHandshake {
    config: Option<Arc<ClientConfig>>,
    domain: String,
}

impl TlsConnect<Socket> for TlsHandshake {
    type Stream = TlsSocket;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<TlsSocket, io::Error>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let config = self.config.ok_or_else(|| io::Error::other("TLS is off"))?;
            let name = ServerName::try_from(self.domain).map_err(io::Error::other)?;
            let stream = TlsConnector::from(config).connect(name, socket).await?;
            Ok(TlsSocket(stream))
        })
    }
}

/// A secured connection.
pub(crate) struct TlsSocket(client::TlsStream<Socket>);

impl TlsStream for TlsSocket {
    fn channel_binding(&self) -> ChannelBinding {
        // The server is verified by its certificate; that is enough.
        ChannelBinding::none()
    }
}

impl AsyncRead for TlsSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for TlsSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
