//! TLS with a certificate, and authorities of clients' certificates, that can be replaced while the
//! server runs.

use crate::config::ListenerTlsFiles;
use crate::error::ServerError;
use arc_swap::ArcSwap;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// The bytes of the files: compared whole, because a file can change within its time stamp's
/// resolution, and a few small files a second cost nothing.
#[derive(Clone, PartialEq, Eq)]
struct TlsContents {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// What handshakes are made with now.
#[derive(Clone)]
pub(crate) struct CurrentAcceptor(Arc<ArcSwap<ServerConfig>>);

impl CurrentAcceptor {
    pub(crate) fn now(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.0.load_full())
    }
}

/// What is in use, and the files that it came from.
pub(crate) struct ReloadingTls {
    files: ListenerTlsFiles,
    provider: Arc<CryptoProvider>,
    loaded: TlsContents,
    current: CurrentAcceptor,
}

impl ReloadingTls {
    pub(crate) async fn load(files: ListenerTlsFiles) -> Result<Self, ServerError> {
        let provider = Arc::new(ring::default_provider());
        let loaded = read_all(&files).await?;
        let config = configured(&files, &loaded, &provider)?;
        Ok(Self {
            files,
            provider,
            loaded,
            current: CurrentAcceptor(Arc::new(ArcSwap::from_pointee(config))),
        })
    }

    pub(crate) fn acceptor(&self) -> CurrentAcceptor {
        self.current.clone()
    }

    /// Looks at the files for ever. What can't be used leaves the old in place and is reported
    /// once, not every second.
    pub(crate) async fn keep_fresh(mut self) {
        let mut last_trouble = String::new();
        loop {
            tokio::time::sleep(self.files.look_every).await;
            match self.reload().await {
                Ok(changed) => {
                    last_trouble.clear();
                    if changed {
                        metrics::counter!("coeval_tls_reloads_total", "result" => "ok")
                            .increment(1);
                        tracing::info!(certificate = %self.files.certificate.display(), "the new certificate is in use");
                    }
                }
                Err(error) => {
                    let trouble = error.to_string();
                    // A pair that is replaced file by file does not fit together for a moment: the next look finds it whole.
                    if trouble != last_trouble {
                        metrics::counter!("coeval_tls_reloads_total", "result" => "failed")
                            .increment(1);
                        tracing::error!(
                            code = %coeval_codes::Coded::code(&error),
                            "the new certificate can't be used, the old one stays: {trouble}"
                        );
                        last_trouble = trouble;
                    }
                }
            }
        }
    }

    /// A new configuration has new sessions too: nobody resumes one that other authorities began.
    async fn reload(&mut self) -> Result<bool, ServerError> {
        let found = read_all(&self.files).await?;
        if found == self.loaded {
            return Ok(false);
        }
        let config = configured(&self.files, &found, &self.provider)?;
        self.current.0.store(Arc::new(config));
        self.loaded = found;
        Ok(true)
    }
}

async fn read_all(files: &ListenerTlsFiles) -> Result<TlsContents, ServerError> {
    Ok(TlsContents {
        certificate: read(&files.certificate).await?,
        key: read(&files.key).await?,
        client_ca: match &files.client_ca {
            Some(path) => Some(read(path).await?),
            None => None,
        },
    })
}

async fn read(path: &Path) -> Result<Vec<u8>, ServerError> {
    tokio::fs::read(path)
        .await
        .map_err(|source| ServerError::TlsFile {
            path: path.to_owned(),
            source,
        })
}

fn configured(
    files: &ListenerTlsFiles,
    contents: &TlsContents,
    provider: &Arc<CryptoProvider>,
) -> Result<ServerConfig, ServerError> {
    let key = certified(files, contents, provider)?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(&files.certificate, error))?;
    let builder = match (&files.client_ca, &contents.client_ca) {
        (Some(path), Some(pem)) => {
            let roots = authorities(pem).map_err(|reason| bad_ca(path, reason))?;
            // Who shows none is asked for a token by the APIs.
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
                    .allow_unauthenticated()
                    .build()
                    .map_err(|error| bad_ca(path, error))?;
            builder.with_client_cert_verifier(verifier)
        }
        _ => builder.with_no_client_auth(),
    };
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn authorities(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() {
        Err("it has no PEM certificate".to_owned())
    } else {
        Ok(roots)
    }
}

fn certified(
    files: &ListenerTlsFiles,
    contents: &TlsContents,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, ServerError> {
    let chain = CertificateDer::pem_slice_iter(&contents.certificate)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| bad(&files.certificate, error))?;
    if chain.is_empty() {
        return Err(bad(&files.certificate, "it has no PEM certificate"));
    }
    let key =
        PrivateKeyDer::from_pem_slice(&contents.key).map_err(|error| bad(&files.key, error))?;
    CertifiedKey::from_der(chain, key, provider).map_err(|error| bad(&files.key, error))
}

fn bad(path: &Path, reason: impl std::fmt::Display) -> ServerError {
    ServerError::TlsPair {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

fn bad_ca(path: &Path, reason: impl std::fmt::Display) -> ServerError {
    ServerError::ClientCa {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
