//! A new history: at once, or around the loading of a restore.
//!
//! Every transaction compares `m/store`, so a change of it fences every handle that does not
//! know of it yet.

use crate::commit::Plan;
use crate::meta::StoreMeta;
use crate::ops;
use crate::shared::Shared;
use coeval_storage::{Adoption, Incarnation, Revision, StorageError, Token};

const ATTEMPTS: usize = 16;

impl Shared {
    /// Begins a new history.
    pub(crate) async fn adopt_history(&self, step: Adoption) -> Result<Token, StorageError> {
        self.open()?;
        for _ in 0..ATTEMPTS {
            let view = self.view(Vec::new()).await?;
            let loader = match step {
                // Also after a restore that was cut short: whoever begins again takes over.
                Adoption::Begin => Some(self.id),
                Adoption::Now | Adoption::Finish => {
                    self.admit(&view.known)?;
                    None
                }
            };
            if step == Adoption::Finish && view.known.meta.loader.is_none() {
                return Err(StorageError::invalid_write("no restore was begun"));
            }
            // Drawn at `Begin` too, which ends the watches of the history that goes.
            let meta = StoreMeta {
                incarnation: Incarnation::draw()?,
                loader,
            };
            // `commit` compares `m/store` itself: of two that adopt at the same time one loses the
            // race.
            let plan = Plan {
                compares: Vec::new(),
                actions: vec![ops::put(&self.layout.store, meta.encode())],
            };
            if self
                .commit(&view.known, plan, Revision::NEVER)
                .await?
                .is_some()
            {
                // Read back: if another adoption came right after it, this token is of no use to
                // anybody.
                let view = self.view(Vec::new()).await?;
                let mine = view.known.meta == meta;
                return if mine {
                    Ok(view.known.token(view.sequence()))
                } else {
                    self.admit(&view.known)?;
                    Err(StorageError::Compacted)
                };
            }
        }
        Err(StorageError::Busy {
            reason: "others adopt the store at the same time".into(),
        })
    }
}
