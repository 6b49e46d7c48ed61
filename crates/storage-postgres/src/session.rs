//! One session of the database, and what it says of itself.

use crate::error::typed;
use crate::tls::TlsMaker;
use coeval_storage::StorageError;
use deadpool_postgres::Connect;
use futures::FutureExt;
use futures::future::{BoxFuture, poll_fn};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Error};

/// Prepares a session: tables are found without naming the schema, a commit is never
/// acknowledged before it is on disk, nobody holds the counter for long without working, and the
/// identity of the database is at hand in every statement.
///
/// The identity is the cluster's, the database's and the timeline's: a restored or promoted copy
/// has another one, even if nobody told Coeval.
const GREETING: &str = "
SELECT pg_backend_pid() AS pid,
       (SELECT extract(epoch FROM backend_start)::text FROM pg_stat_activity
         WHERE pid = pg_backend_pid()) AS started,
       set_config('coeval.identity', concat_ws('/',
         (SELECT system_identifier FROM pg_control_system()),
         (SELECT oid FROM pg_database WHERE datname = current_database()),
         left(pg_walfile_name(pg_current_wal_lsn()), 8)), false) AS identity,
       set_config('search_path', quote_ident($1), false),
       set_config('jit', 'off', false),
       set_config('lock_timeout', '10s', false),
       set_config('idle_in_transaction_session_timeout', '10s', false),
       set_config('synchronous_commit',
         CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
              ELSE current_setting('synchronous_commit') END, false)";

/// How long a session may take to come up.
const UP_WITHIN: Duration = Duration::from_secs(10);

/// Makes sessions.
#[derive(Clone)]
pub(crate) struct SessionConnector {
    pub(crate) config: Config,
    pub(crate) tls: TlsMaker,
    pub(crate) schema: Arc<str>,
}

/// What a session says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionFacts {
    pub(crate) pid: i32,
    /// With the process id, tells it from a later session that got the same one.
    pub(crate) started: String,
    pub(crate) identity: String,
}

/// A session outside the pool; ends when dropped.
pub(crate) struct DatabaseSession {
    pub(crate) client: Client,
    pub(crate) facts: SessionFacts,
    driver: JoinHandle<()>,
}

impl Drop for DatabaseSession {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Whom a notification wakes, unless it carries the handle's own name.
pub(crate) struct NotificationListener {
    pub(crate) wake: Arc<Notify>,
    pub(crate) own: String,
}

impl SessionConnector {
    /// A session of its own.
    pub(crate) async fn session(
        &self,
        ears: Option<NotificationListener>,
    ) -> Result<DatabaseSession, StorageError> {
        let up = async {
            let (client, driver, facts) = self.dial(ears).await.map_err(|e| typed(&e))?;
            Ok(DatabaseSession {
                client,
                facts,
                driver,
            })
        };
        tokio::time::timeout(UP_WITHIN, up)
            .await
            .unwrap_or_else(|_| Err(StorageError::unavailable("no session within 10 s")))
    }

    async fn dial(
        &self,
        ears: Option<NotificationListener>,
    ) -> Result<(Client, JoinHandle<()>, SessionFacts), Error> {
        let (client, mut connection) = self.config.connect(self.tls.clone()).await?;
        let driver = tokio::spawn(async move {
            // Polled by hand: as a plain future the connection would drop notifications.
            while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
                match (message, &ears) {
                    (Ok(AsyncMessage::Notification(heard)), Some(ears)) => {
                        // Of our own commits the bell has told already.
                        if heard.payload() != ears.own {
                            ears.wake.notify_one();
                        }
                    }
                    (Ok(_), _) => {}
                    (Err(_), _) => break,
                }
            }
            // Whoever listens must hear that it no longer does.
            if let Some(ears) = ears {
                ears.wake.notify_one();
            }
        });
        match self.greet(&client).await {
            Ok(facts) => Ok((client, driver, facts)),
            Err(error) => {
                // The caller gets no session, so nobody else would end it.
                driver.abort();
                Err(error)
            }
        }
    }

    async fn greet(&self, client: &Client) -> Result<SessionFacts, Error> {
        let row = client.query_one(GREETING, &[&&*self.schema]).await?;
        Ok(SessionFacts {
            pid: row.try_get("pid")?,
            started: row.try_get("started")?,
            identity: row.try_get("identity")?,
        })
    }
}

impl Connect for SessionConnector {
    fn connect(&self, _: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        async move {
            let (client, driver, _) = self.dial(None).await?;
            Ok((client, driver))
        }
        .boxed()
    }
}
