//! What else is written with the first version of a type and with the deletion of its last one.
//!
//! The rights bundle of a type is a resource, and resources are a layer above types. So whoever
//! registers or deletes says who makes the bundle: these steps join the atomic write of the type, which
//! is why a type never is without its bundle, and no bundle outlives its type.

use crate::caller::Caller;
use async_trait::async_trait;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_storage::WriteStep;

/// Makes and removes the rights bundles of types.
#[async_trait]
pub trait TypeBundles: Send + Sync {
    /// The steps that make a type's rights bundle.
    async fn bundle_steps(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<WriteStep>, EngineError>;

    /// The steps that remove it.
    async fn bundle_removal(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<WriteStep>, EngineError>;
}
