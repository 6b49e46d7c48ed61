//! New histories: an incarnation drawn anew, at once or around a restore.

use crate::database::SessionPool;
use crate::error::typed;
use crate::meta::{MetaRow, meta_columns};
use coeval_storage::{AdoptionStep, Incarnation, StorageError, Token};
use deadpool_postgres::Object;

const LOCK: &str = concat!("SELECT ", meta_columns!(), " FROM meta m FOR UPDATE");
const SET: &str = "UPDATE meta SET incarnation = $1, loader = $2";

impl SessionPool {
    /// Takes one step; other handles are fenced by what it commits.
    pub(crate) async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        // Drawn once: a step that is repeated after a cut connection knows itself by it.
        let drawn = Incarnation::draw()?;
        self.with_retry(|client| self.adopt_once(client, step, drawn))
            .await
    }

    async fn adopt_once(
        &self,
        mut client: Object,
        step: AdoptionStep,
        drawn: Incarnation,
    ) -> Result<Token, StorageError> {
        let pg = |e: tokio_postgres::Error| typed(&e);
        let transaction = client.transaction().await.map_err(pg)?;
        let before = transaction.query_one(LOCK, &[]).await.map_err(pg)?;
        let before = MetaRow::of(&before)?;
        // The commit had arrived, and only its answer was lost.
        if before.drawn == drawn.as_bytes() {
            return Ok(before.bounds.token());
        }
        let loader = match step {
            AdoptionStep::Now => {
                before.check_fence(&self.handle)?;
                before.loader.as_deref()
            }
            // A restore that was cut short is taken over.
            AdoptionStep::Begin => Some(self.handle.as_slice()),
            AdoptionStep::Finish => {
                before.check_fence(&self.handle)?;
                if before.loader.is_none() {
                    return Err(StorageError::invalid_write("no restore was begun"));
                }
                None
            }
        };
        transaction
            .execute(SET, &[&drawn.as_bytes().as_slice(), &loader])
            .await
            .map_err(pg)?;
        // Read back in the same transaction: the token as every other reader gets it.
        let after = transaction.query_one(LOCK, &[]).await.map_err(pg)?;
        transaction.commit().await.map_err(pg)?;
        Ok(MetaRow::of(&after)?.bounds.token())
    }
}
