//! The task that follows the event table, and tells the other servers when it has grown.

use crate::error::typed;
use crate::history::EventHistory;
use crate::schema::channel;
use crate::session::{DatabaseSession, NotificationListener, SessionConnector};
use coeval_storage::StorageError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// What the writer says after a commit.
#[derive(Clone, Default)]
pub(crate) struct CommitSignal {
    wake: Arc<Notify>,
    committed: Arc<AtomicBool>,
}

impl CommitSignal {
    /// Something was committed here.
    pub(crate) fn notify(&self) {
        self.committed.store(true, Ordering::Release);
        self.wake.notify_one();
    }
}

/// Follows the event table.
pub(crate) struct EventTailer {
    pub(crate) connector: SessionConnector,
    pub(crate) history: Arc<EventHistory>,
    pub(crate) signal: CommitSignal,
    pub(crate) poll: Duration,
    pub(crate) announce: bool,
}

impl EventTailer {
    /// Runs until it is aborted. A wake-up that is lost (a server may die between its commit and
    /// its notification) is made good by the poll.
    pub(crate) async fn run(self) {
        let mut session = None;
        let mut failing = false;
        loop {
            let result = self.poll_once(&mut session).await;
            match &result {
                Ok(()) => failing = false,
                Err(StorageError::Closed) => return,
                // Logged once for each outage, not for each round.
                Err(error) if !failing => {
                    failing = true;
                    tracing::warn!(%error, "the event table can't be followed; trying on");
                }
                Err(_) => {}
            }
            // Sooner than the poll after a failure: watchers are late until it works.
            let wait = match result {
                Ok(()) => self.poll,
                Err(_) => self.poll.min(Duration::from_millis(250)),
            };
            let _ = tokio::time::timeout(wait, self.signal.wake.notified()).await;
        }
    }

    async fn poll_once(&self, session: &mut Option<DatabaseSession>) -> Result<(), StorageError> {
        // Listens before it reads, so that nothing falls in between.
        let listening = match session.take() {
            Some(open) if !open.client.is_closed() => Ok(open),
            _ => self.listen().await,
        };
        let followed = self.history.catch_up();
        match listening {
            Ok(open) => {
                let (followed, announced) =
                    futures::future::join(followed, self.announce(&open)).await;
                // A session that could not announce is not used again.
                *session = announced.is_ok().then_some(open);
                followed.and(announced)
            }
            // Readers may still get through (too many connections, say).
            Err(error) => followed.await.and(Err(error)),
        }
    }

    async fn listen(&self) -> Result<DatabaseSession, StorageError> {
        let ears = NotificationListener {
            wake: Arc::clone(&self.signal.wake),
            own: self.name(),
        };
        let session = self.connector.session(Some(ears)).await?;
        // A notification is not worth a sync: it only wakes.
        let listen = format!(
            "SET synchronous_commit = off; LISTEN \"{}\"",
            channel(&self.connector.schema)
        );
        let listening = session.client.batch_execute(&listen).await;
        listening.map_err(|e| typed(&e))?;
        Ok(session)
    }

    /// Wakes the others, once for all that was committed since the last time.
    async fn announce(&self, session: &DatabaseSession) -> Result<(), StorageError> {
        // Taken before it is sent: a commit in between rings once more.
        if !self.signal.committed.swap(false, Ordering::AcqRel) || !self.announce {
            return Ok(());
        }
        let notify = format!(
            "NOTIFY \"{}\", '{}'",
            channel(&self.connector.schema),
            self.name()
        );
        let told = session.client.batch_execute(&notify).await;
        told.map_err(|e| {
            // To be made good on the next session.
            self.signal.committed.store(true, Ordering::Release);
            typed(&e)
        })
    }

    fn name(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.history.database.handle))
    }
}
