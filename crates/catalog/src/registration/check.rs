//! Judging a type version that is not there yet, for registering it or only for looking.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::register::{Judged, Registered, Registration, parse, refusal};
use crate::types::state::TypeState;
use coeval_access::GeneralRight;
use coeval_core::types::TypeVersion;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use std::sync::Arc;

impl Catalog {
    /// Judges a type version as [`Catalog::register`] would, and writes nothing.
    ///
    /// # Errors
    /// As [`Catalog::register`].
    pub async fn check_type(
        &self,
        caller: &Caller,
        registration: &Registration,
    ) -> Result<Registered, EngineError> {
        let (version, of) = self.registrable(caller, registration)?;
        // As a registration would do: an equal definition brings the link back.
        if let Ok(state) = self.types.load(&of).await
            && let Some(judged) = Self::judge_retired(&state, registration, &version)?
        {
            let retired = state.retired.get(&version.id.version);
            return Ok(Registered {
                id: version.id.clone(),
                parent: judged.parent,
                unproven: retired.is_some_and(|one| one.meta.unproven),
                findings: judged.findings,
                inherits: None,
            });
        }
        let (_, judged) = self.judge_new(&version, &of).await?;
        Ok(Registered {
            id: version.id.clone(),
            parent: judged.parent,
            unproven: refusal(&judged, registration, &version.id)?,
            findings: judged.findings,
            inherits: None,
        })
    }

    /// What is to be registered, if the caller may and the vendor is not ours.
    pub(crate) fn registrable(
        &self,
        caller: &Caller,
        registration: &Registration,
    ) -> Result<(Arc<TypeVersion>, TypeKey), EngineError> {
        self.allow_general(caller, GeneralRight::CreateDefinitions, None)?;
        let version = parse(registration)?;
        let of = TypeKey::new(&version.id.vendor, &version.id.nss);
        if &*of.vendor == crate::kinds::VENDOR {
            Err(EngineError::BuiltIn {
                what: format!("the vendor {}", of.vendor),
            })
        } else {
            Ok((Arc::new(version), of))
        }
    }

    /// A version that is not there yet, judged against those that are.
    pub(crate) async fn judge_new(
        &self,
        version: &Arc<TypeVersion>,
        of: &TypeKey,
    ) -> Result<(Option<Arc<TypeState>>, Judged), EngineError> {
        let state = match self.types.load(of).await {
            Ok(state) => Some(state),
            Err(EngineError::TypeUnknown { .. }) => None,
            Err(error) => return Err(error),
        };
        let there = state.as_deref();
        if there.is_some_and(|state| state.definitions.contains_key(&version.id.version)) {
            return Err(EngineError::TypeExists {
                id: version.id.clone(),
            });
        }
        // Before the proofs, because it costs less.
        self.check_hooks(version).await?;
        let judged = self.judge_version(there, version, None).await?;
        Ok((state, judged))
    }
}
