//! The standard methods on resources: create, get, list, update, upsert, delete, watch, and what a
//! request says in the words of these methods: kind, namespace, name, version, revision.
//!
//! gRPC (the generic service and the typed ones) and webapi have them alike, so they are here once;
//! the APIs only read and write their own forms. No rule about versions, access or storage is here:
//! those are the engine's.

mod body;
mod details;
mod error;
mod kinds;
mod left_out;
mod listing;
mod mask;
mod members;
mod selector;
mod watching;
mod writing;

pub use body::{ResourceBody, ResourceMeta, parse_revision, parse_version};
pub use details::ErrorDetails;
pub use error::MethodError;
pub use listing::ListParams;
pub use mask::UpdateMask;
pub use members::parse_member;
pub use selector::{ResourceSelector, filter_field};
pub use watching::{OpenedWatch, WatchParams};
pub use writing::{DeleteOutcome, UpgradeParams, WriteOutcome};

use coeval_engine::Engine;
use std::sync::Arc;

/// The methods, on an engine.
#[derive(Clone, Debug)]
pub struct ResourceMethods {
    engine: Arc<Engine>,
}

impl ResourceMethods {
    /// On an engine.
    #[must_use]
    pub const fn new(engine: Arc<Engine>) -> Self {
        Self { engine }
    }

    /// The engine below.
    #[must_use]
    pub const fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }
}
