//! Whether the engine can do its work.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::kinds::OwnKind;

impl Engine {
    /// Reads what every request needs: the kinds that users, roles and organizations are stored as.
    ///
    /// # Errors
    /// If one can't be read.
    pub async fn ready(&self) -> Result<(), EngineError> {
        for kind in OwnKind::ALL {
            self.types.current(&kind.of()).await?;
        }
        Ok(())
    }
}
