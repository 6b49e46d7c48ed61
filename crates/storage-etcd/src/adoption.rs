//! A new history: at once, or around the loading of a restore.
//!
//! Every transaction compares `m/store`, so a change of it fences every handle that does not
//! know of it yet.

use crate::commit::TxnPlan;
use crate::meta::StoreMeta;
use crate::ops;
use crate::shared::EtcdHandle;
use coeval_storage::races::retry_races;
use coeval_storage::{AdoptionStep, Incarnation, Revision, StorageError, Token};

const ATTEMPTS: u32 = 16;

impl EtcdHandle {
    /// Begins a new history.
    pub(crate) async fn adopt_history(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.check_open()?;
        let busy = || StorageError::Busy {
            reason: "others adopt the store at the same time".into(),
        };
        retry_races(ATTEMPTS, |_| self.try_to_adopt(step), busy).await
    }

    /// `None`: another adoption came in between.
    async fn try_to_adopt(&self, step: AdoptionStep) -> Result<Option<Token>, StorageError> {
        let view = self.view(Vec::new()).await?;
        let loader = match step {
            // Also after a restore that was cut short: whoever begins again takes over.
            AdoptionStep::Begin => Some(self.id),
            AdoptionStep::Now | AdoptionStep::Finish => {
                self.admit(&view.known)?;
                None
            }
        };
        if step == AdoptionStep::Finish && view.known.meta.loader.is_none() {
            return Err(StorageError::invalid_write("no restore was begun"));
        }
        // Drawn at `Begin` too, which ends the watches of the history that goes.
        let meta = StoreMeta {
            incarnation: Incarnation::draw()?,
            loader,
        };
        // `commit` compares `m/store` itself: of two that adopt at the same time one loses the
        // race.
        let plan = TxnPlan {
            compares: Vec::new(),
            actions: vec![ops::put(&self.layout.store, meta.encode())],
        };
        let committed = self.commit(&view.known, plan, Revision::NEVER).await?;
        if committed.is_none() {
            return Ok(None);
        }
        // Read back: if another adoption came right after it, this token is of no use to anybody.
        let view = self.view(Vec::new()).await?;
        if view.known.meta == meta {
            return Ok(Some(view.known.token(view.sequence())));
        }
        self.admit(&view.known)?;
        Err(StorageError::Compacted)
    }
}
