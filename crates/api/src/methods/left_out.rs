//! What a view does not show of a resource.

use crate::methods::ResourceMethods;
use crate::methods::error::MethodError;
use coeval_engine::{Caller, Resource};

impl ResourceMethods {
    /// Pointers to what the view can't show. One that shows all that there is costs nothing here.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn left_out(
        &self,
        caller: &Caller,
        shown: &Resource,
    ) -> Result<Vec<String>, MethodError> {
        Ok(self.engine.left_out(caller, shown).await?)
    }
}
