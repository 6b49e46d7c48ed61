//! What goes on without a caller that waits, on top of the resources of a store.

use crate::migrations::tally::Tallies;
use crate::settings::Settings;
use coeval_catalog::catalog::Catalog;
use coeval_records::error::EngineError;
use coeval_records::records::Records;
use coeval_resources::resources::Resources;
use coeval_storage::DynStore;
use std::ops::Deref;
use std::sync::Arc;

/// What goes on in the background, on top of resources.
#[derive(Debug)]
pub struct Background {
    resources: Arc<Resources>,
    /// How many records types had lately, for those who look on.
    pub tallies: Tallies,
}

impl Deref for Background {
    type Target = Resources;

    fn deref(&self) -> &Resources {
        &self.resources
    }
}

impl Background {
    /// On a store, with all layers below.
    #[must_use]
    pub fn new(store: DynStore, settings: Settings) -> Self {
        let (records, catalog, resources) = settings.layers();
        let catalog = Catalog::new(Records::new(store, records), catalog);
        Self {
            resources: Arc::new(Resources::new(catalog, resources)),
            tallies: Tallies::default(),
        }
    }

    /// On a store, with all that ships with Coeval in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(store: DynStore, settings: Settings) -> Result<Self, EngineError> {
        let background = Self::new(store, settings);
        background.install().await?;
        // A store that a newer release writes to is not opened by an older one.
        background.ready().await?;
        background.settle_others().await;
        Ok(background)
    }

    /// The resources below, for what outlives a call.
    #[must_use]
    pub const fn resources(&self) -> &Arc<Resources> {
        &self.resources
    }
}
