//! A commit that was sent and not answered: did it happen?
//!
//! The session that sent it held the lock on the counter's row from before the commit until its
//! transaction ended. So whoever gets that lock on the same server knows that the transaction has
//! ended, one way or the other, and the event table tells which.

use crate::error::typed;
use crate::meta::MetaRow;
use crate::session::SessionFacts;
use crate::writer::{MemberAnswer, WriterSession};
use coeval_storage::StorageError;
use std::time::Duration;

/// What has to be found out, and what to answer if it happened.
pub(crate) struct DoubtfulCommit {
    /// Of the batch's first event.
    pub(crate) sequence: u64,
    /// The batch's own name.
    pub(crate) batch: [u8; 16],
    pub(crate) answers: Vec<MemberAnswer>,
    /// The session that sent it.
    pub(crate) session: SessionFacts,
    /// What was seen of its end.
    pub(crate) reason: String,
}

/// What was found out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DoubtResolution {
    Happened,
    /// And never will.
    DidNotHappen,
    Unknown(String),
}

/// Ends the old session if it still runs: it may wait for a client that is long gone, and holds
/// the lock as long.
const END: &str = "
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE pid = $1 AND extract(epoch FROM backend_start)::text = $2";
const LOOK: &str = "SELECT batch = $2 AS ours FROM events WHERE seq = $1";

/// Looks on a new session.
///
/// # Errors
/// If it could not look: it may be tried again.
pub(crate) async fn resolve(
    desk: &WriterSession,
    doubt: &DoubtfulCommit,
) -> Result<DoubtResolution, StorageError> {
    let client = &desk.session.client;
    let look = async {
        // Not being allowed to end it only makes the lock below take longer.
        let _ = client
            .query(END, &[&doubt.session.pid, &doubt.session.started])
            .await;
        client
            .batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            .await?;
        // Waits until the old transaction has ended, one way or the other.
        let locked = client.query_one(&desk.statements.lock, &[]).await?;
        let sequence = crate::meta::signed(doubt.sequence);
        let found = client
            .query_opt(LOOK, &[&sequence, &doubt.batch.as_slice()])
            .await?;
        let ours = found.map(|row| row.try_get("ours")).transpose()?;
        client.batch_execute("COMMIT").await?;
        Ok::<(_, Option<bool>), tokio_postgres::Error>((locked, ours))
    };
    let (locked, ours) = tokio::time::timeout(Duration::from_secs(20), look)
        .await
        .map_err(|_| StorageError::unavailable("no answer within 20 s"))?
        .map_err(|e| typed(&e))?;
    let same_server = desk.session.facts.identity == doubt.session.identity;
    Ok(verdict(
        &MetaRow::of(&locked)?,
        ours,
        doubt.sequence,
        same_server,
    ))
}

fn verdict(
    meta: &MetaRow,
    ours: Option<bool>,
    sequence: u64,
    same_server: bool,
) -> DoubtResolution {
    match ours {
        Some(true) => DoubtResolution::Happened,
        // Another server's lock proves nothing about the old one's transaction.
        _ if !same_server => DoubtResolution::Unknown("another server answers by now".into()),
        Some(false) => DoubtResolution::DidNotHappen,
        None if meta.bounds.floor >= sequence => {
            DoubtResolution::Unknown("its event would be compacted by now".into())
        }
        // The lock was ours, and the event is not there: it was rolled back.
        None => DoubtResolution::DidNotHappen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::{HistoryBounds, Incarnation};

    #[test]
    fn only_the_table_of_the_same_server_says_no() {
        let meta = |floor| MetaRow {
            bounds: HistoryBounds {
                incarnation: Incarnation::from_bytes([1; 16]),
                floor,
                head: 20,
            },
            total: 0,
            drawn: vec![],
            loader: None,
        };
        let unknown = |resolved| matches!(resolved, DoubtResolution::Unknown(_));
        assert_eq!(
            verdict(&meta(0), Some(true), 7, true),
            DoubtResolution::Happened
        );
        assert_eq!(
            verdict(&meta(0), Some(true), 7, false),
            DoubtResolution::Happened
        );
        assert_eq!(
            verdict(&meta(0), Some(false), 7, true),
            DoubtResolution::DidNotHappen
        );
        assert_eq!(
            verdict(&meta(6), None, 7, true),
            DoubtResolution::DidNotHappen
        );
        assert!(unknown(verdict(&meta(7), None, 7, true)));
        assert!(unknown(verdict(&meta(0), None, 7, false)));
        assert!(unknown(verdict(&meta(0), Some(false), 7, false)));
    }
}
