//! Who comes in: by token or by certificate, and not too often.

use crate::error::MethodError;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_callers::{CertificateError, CertificateUser, Credentials, Headers, Peer, Quota};
use coeval_engine::{Caller, Engine};
use http::HeaderMap;
use std::sync::Arc;

/// The door of an API. What it lets in is the same everywhere, so the quota is shared too.
#[derive(Clone, Debug)]
pub struct Door {
    engine: Arc<Engine>,
    quota: Arc<Quota>,
}

impl Door {
    /// To an engine.
    #[must_use]
    pub const fn new(engine: Arc<Engine>, quota: Arc<Quota>) -> Self {
        Self { engine, quota }
    }

    /// The caller of a request, with all that its headers say of versions and of what it has seen.
    ///
    /// # Errors
    /// If nobody is known by these credentials, a header can't be read, or too many come.
    pub async fn enter(
        &self,
        headers: &HeaderMap,
        peer: Option<&Peer>,
    ) -> Result<Caller, MethodError> {
        let found = self.find(Headers(headers), peer).await;
        match found {
            Ok(caller) => {
                self.take(caller.user())?;
                Ok(caller)
            }
            Err(error) => {
                self.take(&Quota::of_address(peer.map(|peer| peer.source)))?;
                Err(error)
            }
        }
    }

    /// Takes a request of nobody known out of its address's bucket.
    ///
    /// # Errors
    /// If too many come.
    pub fn knock(&self, peer: Option<&Peer>) -> Result<(), MethodError> {
        self.take(&Quota::of_address(peer.map(|peer| peer.source)))
    }

    fn take(&self, who: &str) -> Result<(), MethodError> {
        let taken = self.quota.take(who);
        taken.map_err(|retry_after| MethodError::TooManyRequests { retry_after })
    }

    async fn find(&self, headers: Headers<'_>, peer: Option<&Peer>) -> Result<Caller, MethodError> {
        let credentials = Credentials::of(headers)?;
        let (wanted, at_least) = (headers.wanted()?, headers.at_least()?);
        let certificate = peer.and_then(|peer| peer.certificate.as_ref());
        // Who sends a token means it, whatever certificate the connection was made with.
        let mut caller = match (&credentials, certificate) {
            (Some(Credentials::Bearer(token)), _) => {
                self.engine.caller(token, None, wanted).await?
            }
            (None, Some(certificate)) => {
                let named = CertificateUser::of(certificate)?;
                let org = named.org.as_deref().unwrap_or(SYSTEM_ORGANIZATION);
                let found = self.engine.caller_named(org, &named.user, None, wanted);
                found.await?.ok_or_else(CertificateError::unknown_user)?
            }
            _ => return Err(MethodError::CredentialsMissing),
        };
        caller.at_least = at_least;
        Ok(caller)
    }
}
