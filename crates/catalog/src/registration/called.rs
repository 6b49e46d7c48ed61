//! Types by their nss alone, as kinds name them.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::kinds::{OwnKind, VENDOR};
use crate::types::names::ByNss;
use crate::visible_versions::sees_any;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use std::sync::Arc;

impl Catalog {
    /// The types with this nss that the caller sees; the engine's own kinds are not among them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn types_called(
        &self,
        caller: &Caller,
        nss: &str,
    ) -> Result<Vec<TypeKey>, EngineError> {
        // A moment old at most: what is missing there is looked up before it is unknown.
        let remembered = self.names.get();
        let mut names = match remembered {
            Some(names) => names,
            None => self.read_names().await?,
        };
        if !names.contains_key(nss) {
            // Looked up before it is called unknown.
            names = self.read_names().await?;
        }
        let found = names.get(nss).cloned().unwrap_or_default();
        let mut seen = Vec::new();
        for of in found {
            match self.sees_type(caller, &of).await {
                Ok(true) => seen.push(of),
                // Deleted meanwhile.
                Ok(false) | Err(EngineError::TypeUnknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(seen)
    }

    /// Whether a type is one of the engine's own.
    #[must_use]
    pub fn is_own_kind(&self, of: &TypeKey) -> bool {
        OwnKind::ALL.iter().any(|kind| kind.of() == *of)
    }

    async fn read_names(&self) -> Result<Arc<ByNss>, EngineError> {
        let mut names = ByNss::new();
        for of in self.types.names().await? {
            if &*of.vendor != VENDOR {
                names.entry(of.nss.to_string()).or_default().push(of);
            }
        }
        let names = Arc::new(names);
        self.names.set(Arc::clone(&names));
        Ok(names)
    }
}

impl Catalog {
    /// Whether the caller sees any version of a type. No read, unless it seems that it does not.
    ///
    /// # Errors
    /// If there is no such type, or the store fails.
    pub async fn sees_type(&self, caller: &Caller, of: &TypeKey) -> Result<bool, EngineError> {
        // What was loaded may be outdated: nobody is refused by that.
        let loaded = self.types.get(of).await?;
        if sees_any(&loaded, &caller.subject) {
            return Ok(true);
        }
        let state = self.types.current(of).await?;
        Ok(sees_any(&state, &caller.subject))
    }
}
