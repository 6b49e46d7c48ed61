//! The engine: all layers on one store.

use coeval_background::background::Background;
use coeval_background::settings::Settings;
use coeval_catalog::caller::Caller;
use coeval_records::error::EngineError;
use coeval_resources::watch::query::{WatchQuery, WatchStream};
use coeval_storage::DynStore;
use std::ops::Deref;
use std::sync::Arc;

/// The engine. What its layers offer can be called on it.
#[derive(Debug)]
pub struct Engine {
    background: Arc<Background>,
}

impl Deref for Engine {
    type Target = Background;

    fn deref(&self) -> &Background {
        &self.background
    }
}

impl Engine {
    /// On a store.
    #[must_use]
    pub fn new(store: DynStore, settings: Settings) -> Self {
        Self {
            background: Arc::new(Background::new(store, settings)),
        }
    }

    /// On a store, with all that ships with Coeval in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(store: DynStore, settings: Settings) -> Result<Self, EngineError> {
        Ok(Self {
            background: Arc::new(Background::open(store, settings).await?),
        })
    }

    /// What jobs and migrations are started with: it lives as long as the last of them.
    #[must_use]
    pub const fn background(&self) -> &Arc<Background> {
        &self.background
    }

    /// Watches resources of a type.
    ///
    /// # Errors
    /// If the type is unknown, the credentials don't hold, or the point to begin from is not in the
    /// history.
    pub async fn watch(
        &self,
        caller: &Caller,
        query: WatchQuery,
    ) -> Result<WatchStream, EngineError> {
        self.resources().watch(caller, query).await
    }
}
