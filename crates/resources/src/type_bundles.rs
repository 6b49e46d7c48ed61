//! Registering, changing and deleting types together with their rights bundles.

use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_catalog::registration::register::{Registered, Registration};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;

impl Resources {
    /// Registers a type version. If it is there and differs in nothing but its annotations, those are
    /// taken over. With the first version of a type comes the bundle of its rights.
    ///
    /// # Errors
    /// With the findings, if it is refused.
    pub async fn register(
        &self,
        caller: &Caller,
        registration: Registration,
    ) -> Result<Registered, EngineError> {
        self.catalog.register(caller, registration, self).await
    }

    /// Registers a type version that is not there; one that is stays as it is.
    ///
    /// # Errors
    /// As [`Resources::register`], and if it exists.
    pub async fn register_absent(
        &self,
        caller: &Caller,
        registration: Registration,
    ) -> Result<Registered, EngineError> {
        self.catalog
            .register_absent(caller, registration, self)
            .await
    }

    /// Changes a type version that has no resources.
    ///
    /// # Errors
    /// If it has resources, or the new definition is refused.
    pub async fn edit_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        registration: Registration,
    ) -> Result<Registered, EngineError> {
        let edited = self
            .catalog
            .edit_type(caller, of, version, registration, self);
        edited.await
    }

    /// Deletes a type version that has no resources; with the last one the type's rights and
    /// bundle go. If others are converted through it, it is retired: nobody sees it, and its
    /// definition stays as a link.
    ///
    /// # Errors
    /// If it has resources; or if others are converted through it, and a server is alive that knows
    /// no retired versions.
    pub async fn delete_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<(), EngineError> {
        self.catalog.delete_type(caller, of, version, self).await
    }
}
