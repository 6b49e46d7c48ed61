//! Whether the engine can do its work.

use crate::resources::Resources;
use coeval_catalog::kinds::OwnKind;
use coeval_records::error::EngineError;

impl Resources {
    /// Reads what every request needs: the kinds that users, roles and organizations are stored as.
    ///
    /// # Errors
    /// If one can't be read, or is stored by now as only newer releases know it.
    pub async fn ready(&self) -> Result<(), EngineError> {
        self.look_at_level().await?;
        for kind in OwnKind::ALL {
            self.types.current(&kind.of()).await?.part()?;
        }
        Ok(())
    }
}
