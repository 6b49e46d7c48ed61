//! What registering a type version would lead to: the same checks, and nothing is written.

use super::register::{Registered, Registration, parse, refusal};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::TypeKey;
use coeval_access::GeneralRight;
use std::sync::Arc;

impl Engine {
    /// Checks a type version as [`Engine::register`] does.
    ///
    /// # Errors
    /// As registering it would now.
    pub async fn check_type(
        &self,
        caller: &Caller,
        registration: &Registration,
    ) -> Result<Registered, EngineError> {
        self.allow_general(caller, GeneralRight::CreateDefinitions, None)?;
        let version = Arc::new(parse(registration)?);
        let of = TypeKey::new(&version.id.vendor, &version.id.nss);
        if &*of.vendor == crate::kinds::VENDOR {
            return Err(EngineError::BuiltIn {
                what: format!("the vendor {}", of.vendor),
            });
        }
        let state = match self.types.load(&of).await {
            Ok(state) => Some(state),
            Err(EngineError::TypeUnknown { .. }) => None,
            Err(error) => return Err(error),
        };
        let state = state.as_deref();
        let id = version.id.clone();
        if state.is_some_and(|state| state.definitions.contains_key(&id.version)) {
            return Err(EngineError::TypeExists { id });
        }
        self.check_hooks(&version).await?;
        let judged = self.judge_version(state, &version, None).await?;
        let unproven = refusal(&judged, registration, &id)?;
        Ok(Registered {
            id,
            parent: judged.parent,
            unproven,
            findings: judged.findings,
            inherits: None,
        })
    }
}
