//! The gate of every API: who sends a request, and whether too often.
//!
//! Whoever is known takes a request out of their own bucket, whoever is not out of their address's, so that
//! guessing tokens costs as much as using them. All APIs share one quota: a second door would double it.
//!
//! A token in the request counts before the certificate of its connection. Headers are read
//! before anything is looked up, so that one that can't be read costs no read of the store. A
//! request that fails is paid for by its address, whatever it has shown.

use crate::caller::certificate::{CertificateError, CertificateUser};
use crate::caller::credentials::SentCredentials;
use crate::caller::error::{CallerError, CallerRefusal};
use crate::caller::quota::RequestQuota;
use crate::caller::request::CallerRequest;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_engine::{Caller, Engine};
use coeval_server::Peer;
use std::sync::Arc;

/// Lets callers in, by token or by certificate.
#[derive(Clone, Debug)]
pub struct CallerGate {
    engine: Arc<Engine>,
    quota: Arc<RequestQuota>,
}

impl CallerGate {
    /// To an engine.
    #[must_use]
    pub const fn new(engine: Arc<Engine>, quota: Arc<RequestQuota>) -> Self {
        Self { engine, quota }
    }

    /// The caller of a request, with all that its headers say of versions and of what it has seen.
    ///
    /// # Errors
    /// If nobody is known by these credentials, a header can't be read, or too many come.
    pub async fn enter(&self, request: &CallerRequest<'_>) -> Result<Caller, CallerError> {
        let caller = self.identify(request).await?;
        self.admit(&caller)?;
        Ok(caller)
    }

    /// The first half of [`CallerGate::enter`], for who tells of a caller even if it comes too often.
    ///
    /// # Errors
    /// As there; of too many requests only for an address.
    pub async fn identify(&self, request: &CallerRequest<'_>) -> Result<Caller, CallerError> {
        let found = self.find(request).await;
        // Whoever fails pays as an address. That refusal, if it comes to one, replaces the other.
        if found.is_err() {
            self.admit_unknown(request.peer)?;
        }
        found
    }

    /// Takes a request out of a caller's bucket.
    ///
    /// # Errors
    /// If too many come.
    pub fn admit(&self, caller: &Caller) -> Result<(), CallerRefusal> {
        self.take(caller.user())
    }

    /// Takes a request of nobody known out of its address's bucket.
    ///
    /// # Errors
    /// If too many come.
    pub fn admit_unknown(&self, peer: Option<&Peer>) -> Result<(), CallerRefusal> {
        self.take(&RequestQuota::of_address(peer.map(|peer| peer.source)))
    }

    fn take(&self, who: &str) -> Result<(), CallerRefusal> {
        let taken = self.quota.take(who);
        taken.map_err(|retry_after| CallerRefusal::TooManyRequests { retry_after })
    }

    async fn find(&self, request: &CallerRequest<'_>) -> Result<Caller, CallerError> {
        let headers = request.headers;
        let credentials = match &request.credentials {
            Some(shown) => Some(shown.clone()),
            None => SentCredentials::of(headers)?,
        };
        // Headers that can't be read are refused before a token is looked up.
        let tenant = headers.first(request.tenant_headers)?;
        let (wanted, at_least) = (headers.wanted()?, headers.at_least()?);
        let certificate = request.peer.and_then(|peer| peer.certificate.as_ref());
        let engine = &self.engine;
        // Who sends a token means it, whatever certificate the connection was made with.
        let mut caller = match (&credentials, certificate) {
            (Some(SentCredentials::Bearer(token)), _) => match &request.resource {
                Some((of, id)) => {
                    let found = engine.caller_for(token, tenant, wanted, at_least, (of, *id));
                    found.await?
                }
                None => engine.caller(token, tenant, wanted).await?,
            },
            (None, Some(certificate)) => {
                let named = CertificateUser::of(certificate).map_err(CallerRefusal::from)?;
                let org = named.org.as_deref().unwrap_or(SYSTEM_ORGANIZATION);
                let found = engine.caller_named(org, &named.user, tenant, wanted);
                let unknown = || CallerRefusal::from(CertificateError::unknown_user());
                found.await?.ok_or_else(unknown)?
            }
            // Also Basic: a password is exchanged for a token, and never calls by itself.
            _ => return Err(CallerRefusal::CredentialsMissing.into()),
        };
        caller.at_least = at_least;
        Ok(caller)
    }
}
