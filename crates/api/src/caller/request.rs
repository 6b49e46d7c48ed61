//! A request, as far as it tells who sends it.

use crate::caller::credentials::SentCredentials;
use crate::negotiation::RequestHeaders;
use coeval_core::version::Uuid;
use coeval_engine::TypeKey;
use coeval_server::Peer;
use http::HeaderMap;

/// What the gate looks at: the headers, the connection, and what an API adds to them.
#[derive(Clone, Debug)]
pub struct CallerRequest<'r> {
    pub(super) headers: RequestHeaders<'r>,
    pub(super) peer: Option<&'r Peer>,
    pub(super) credentials: Option<SentCredentials>,
    pub(super) tenant_headers: &'static [&'static str],
    pub(super) resource: Option<(TypeKey, Uuid)>,
}

impl<'r> CallerRequest<'r> {
    /// With these headers, on this connection.
    #[must_use]
    pub const fn new(headers: &'r HeaderMap, peer: Option<&'r Peer>) -> Self {
        Self {
            headers: RequestHeaders(headers),
            peer,
            credentials: None,
            tenant_headers: &[],
            resource: None,
        }
    }

    /// With credentials that came another way than in a header, such as in a cookie; they count instead.
    #[must_use]
    pub fn with_credentials(mut self, credentials: SentCredentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// The headers that may name the tenant that a provider acts for; the first that says one counts.
    #[must_use]
    pub const fn with_tenant_headers(mut self, names: &'static [&'static str]) -> Self {
        self.tenant_headers = names;
        self
    }

    /// The resource that the request is about, if it is known by now: it is read in the snapshot that
    /// tells who sends the request, which saves a read.
    #[must_use]
    pub fn about(mut self, resource: Option<(TypeKey, Uuid)>) -> Self {
        self.resource = resource;
        self
    }
}
