//! What WebHooks may do, and whom they trust.

use coeval_codes::Coded;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::path::PathBuf;
use std::sync::Arc;

/// What WebHooks may do.
#[derive(Clone, Debug, Default)]
pub struct WebHookSettings {
    /// Whether they may call this machine and private networks.
    pub allow_private: bool,
    /// Whether they may call without TLS.
    pub allow_http: bool,
    /// Certificates in PEM that are trusted beside those that browsers trust.
    pub ca_file: Option<PathBuf>,
}

/// Why WebHooks can't be set up.
#[derive(Debug, thiserror::Error, Coded)]
#[code(
    CONFIG_INVALID,
    advice = "Give --webhooks-ca a file of PEM certificates that the server may read."
)]
pub enum SetupError {
    /// The file of certificates can't be used.
    #[error("{}: {reason}", path.display())]
    Certificates {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// TLS itself refuses.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] rustls::Error),
}

impl WebHookSettings {
    /// How servers prove who they are.
    pub(crate) fn tls(&self) -> Result<ClientConfig, SetupError> {
        let mut roots = RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        };
        if let Some(path) = &self.ca_file {
            let refuse = |reason: String| SetupError::Certificates {
                path: path.clone(),
                reason,
            };
            let text = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
            let mut found = 0;
            for certificate in CertificateDer::pem_slice_iter(&text) {
                let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
                let added = roots.add(certificate);
                added.map_err(|error| refuse(error.to_string()))?;
                found += 1;
            }
            if found == 0 {
                return Err(refuse("it has no PEM certificate".to_owned()));
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let mut config = config
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}
