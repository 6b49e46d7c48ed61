//! Reading all roles and bundles.

use crate::caches::directory::{Directory, Held, bundle, role};
use crate::resources::Resources;
use coeval_catalog::identity::content::Spoken;
use coeval_catalog::identity::seen::Seen;
use coeval_catalog::kinds::OwnKind;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use std::sync::{Arc, PoisonError};

/// What can't be read gives no rights, and hides nothing else.
pub(crate) fn readable<T: serde::de::DeserializeOwned>(
    all: Vec<Spoken>,
) -> impl Iterator<Item = Held<T>> {
    all.into_iter().filter_map(|spoken| {
        let id = spoken.id;
        Held::of(spoken)
            .inspect_err(|error| tracing::error!(%id, %error, "gives no rights"))
            .ok()
    })
}

/// How many resources are read at a time.
pub(crate) const PAGE: usize = 1_000;

impl Resources {
    /// All roles and bundles as they are now.
    pub async fn directory(&self) -> Result<Arc<Directory>, EngineError> {
        let seen = self.seen().await?;
        self.directory_at(seen).await
    }

    /// As they were then, or are by now.
    pub(crate) async fn directory_at(&self, seen: Seen) -> Result<Arc<Directory>, EngineError> {
        {
            let remembered = self.identity.directory.read();
            let remembered = remembered.unwrap_or_else(PoisonError::into_inner);
            if let Some(directory) = &*remembered
                && directory.seen == seen
            {
                return Ok(Arc::clone(directory));
            }
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let (first, roles) = self.all_of(OwnKind::Role).await?;
            let (last, bundles) = self.all_of(OwnKind::Bundle).await?;
            // Roles of one moment with bundles of another could add up to rights that nobody ever
            // had.
            if first != last {
                continue;
            }
            let directory = Arc::new(Directory {
                seen: first,
                roles: readable(roles).map(role).collect(),
                bundles: readable(bundles).map(bundle).collect(),
            });
            let remembered = self.identity.directory.write();
            let mut remembered = remembered.unwrap_or_else(PoisonError::into_inner);
            *remembered = Some(Arc::clone(&directory));
            return Ok(directory);
        }
    }

    /// All resources of a kind, and the identity record that they belong to.
    pub(crate) async fn all_of(&self, kind: OwnKind) -> Result<(Seen, Vec<Spoken>), EngineError> {
        let mut attempts = Attempts::new();
        'again: loop {
            attempts.begin()?;
            let mut first = None;
            let mut after = None;
            let mut found = Vec::new();
            loop {
                let page = self.own_page(kind, after, PAGE).await?;
                if *first.get_or_insert(page.seen) != page.seen {
                    continue 'again;
                }
                found.extend(page.found);
                after = page.next;
                if after.is_none() {
                    return Ok((page.seen, found));
                }
            }
        }
    }
}
