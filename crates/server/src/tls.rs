//! TLS with a certificate that can be replaced while the server runs.

use crate::config::TlsFiles;
use crate::error::ServerError;
use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// The bytes of both files: compared whole, because a file can change within its time stamp's
/// resolution, and two small files a second cost nothing.
#[derive(Clone, PartialEq, Eq)]
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The certificate in use, and the files that it came from.
pub(crate) struct Tls {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    loaded: Pair,
    current: Arc<Current>,
    config: Arc<ServerConfig>,
}

#[derive(Debug)]
struct Current(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl Tls {
    pub(crate) async fn load(files: TlsFiles) -> Result<Self, ServerError> {
        let provider = Arc::new(ring::default_provider());
        let loaded = read_pair(&files).await?;
        let key = certified(&files, &loaded, &provider)?;
        let current = Arc::new(Current(ArcSwap::from_pointee(key)));
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| bad(&files.certificate, error))?;
        let mut config = config
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            files,
            provider,
            loaded,
            current,
            config: Arc::new(config),
        })
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }

    /// Looks at the files for ever. A pair that can't be used leaves the old one in place and is
    /// reported once, not every second.
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

    async fn reload(&mut self) -> Result<bool, ServerError> {
        let found = read_pair(&self.files).await?;
        if found == self.loaded {
            return Ok(false);
        }
        let key = certified(&self.files, &found, &self.provider)?;
        self.current.0.store(Arc::new(key));
        self.loaded = found;
        Ok(true)
    }
}

async fn read_pair(files: &TlsFiles) -> Result<Pair, ServerError> {
    Ok(Pair {
        certificate: read(&files.certificate).await?,
        key: read(&files.key).await?,
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

fn certified(
    files: &TlsFiles,
    pair: &Pair,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, ServerError> {
    let chain = CertificateDer::pem_slice_iter(&pair.certificate)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| bad(&files.certificate, error))?;
    if chain.is_empty() {
        return Err(bad(&files.certificate, "it has no PEM certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(&pair.key).map_err(|error| bad(&files.key, error))?;
    CertifiedKey::from_der(chain, key, provider).map_err(|error| bad(&files.key, error))
}

fn bad(path: &Path, reason: impl std::fmt::Display) -> ServerError {
    ServerError::TlsPair {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
