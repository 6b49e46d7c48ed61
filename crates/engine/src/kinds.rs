//! The engine's own kinds: type versions that ship with Coeval.

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::TypeKey;
use coeval_storage::Step;

/// The vendor of the engine's own kinds.
pub const VENDOR: &str = "coeval";

impl Engine {
    /// The steps that make a type's rights bundle, part of the write of its first version.
    pub(crate) async fn bundle_steps(
        &self,
        _caller: &Caller,
        _of: &TypeKey,
    ) -> Result<Vec<Step>, EngineError> {
        Ok(Vec::new())
    }

    /// The steps that remove it, part of the write that deletes the last version.
    pub(crate) async fn bundle_removal(&self, _of: &TypeKey) -> Result<Vec<Step>, EngineError> {
        Ok(Vec::new())
    }
}
