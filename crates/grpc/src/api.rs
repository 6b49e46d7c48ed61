//! What all services share.

use crate::package::cache::PackageCache;
use coeval_api::caller::{CallerGate, RequestQuota};
use coeval_api::methods::ResourceMethods;
use coeval_releases::DeprecatedItem;
use coeval_server::{Lifecycle, Readiness};
use std::sync::Arc;

/// How this API is set up.
#[derive(Clone, Debug)]
pub struct GrpcSettings {
    /// Bytes of a message that comes in.
    pub message_bytes: usize,
    /// How many requests one user, or one address without a user, may send: the same buckets as the
    /// other APIs have.
    pub quota: Arc<RequestQuota>,
    /// The stop of the server, in which watches take part.
    pub lifecycle: Lifecycle,
    /// Everything that is deprecated in this release, in whatever API.
    pub deprecations: Arc<[DeprecatedItem]>,
    /// What has to be ready, for those who ask by gRPC.
    pub readiness: Readiness,
}

/// What all services share.
#[derive(Debug)]
pub(crate) struct GrpcState {
    pub(crate) methods: ResourceMethods,
    pub(crate) gate: CallerGate,
    pub(crate) settings: GrpcSettings,
    pub(crate) packages: PackageCache,
}
