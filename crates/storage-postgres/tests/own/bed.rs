//! What the tests of this store share: handles, keys, a session that looks behind the store.

use coeval_storage::{Key, KeySpan, RecordPut, StorageError, Store, WatchDelivery, WatchRequest};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use coeval_storage_suite::servers::{fresh_name, shared_postgres};
use futures::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_postgres::{Client, NoTls};

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A fresh schema on a server.
pub(crate) struct Bed {
    pub(crate) server: String,
    pub(crate) schema: String,
}

impl Bed {
    pub(crate) fn shared() -> Self {
        Self::on(shared_postgres())
    }

    pub(crate) fn on(server: String) -> Self {
        Self {
            server,
            schema: fresh_name(),
        }
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        PostgresOptions::at(format!("{}?schema={}", self.server, self.schema))
    }

    pub(crate) async fn open(&self) -> Arc<PostgresStore> {
        self.open_with(self.options()).await
    }

    pub(crate) async fn open_with(&self, options: PostgresOptions) -> Arc<PostgresStore> {
        Arc::new(PostgresStore::open(options).await.expect("a store"))
    }

    /// A session behind the store's back, in its schema.
    pub(crate) async fn admin(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.server, NoTls).await.unwrap();
        tokio::spawn(connection);
        let path = format!("SET search_path = \"{}\"", self.schema);
        client.batch_execute(&path).await.unwrap();
        client
    }

    /// The sequences in the event table.
    pub(crate) async fn sequences(&self) -> Vec<u64> {
        let rows = self.admin().await;
        let rows = rows.query("SELECT seq FROM events ORDER BY seq", &[]);
        let rows = rows.await.unwrap();
        rows.iter().map(|row| row.get::<_, i64>(0) as u64).collect()
    }

    /// The store's sessions, apart from the one that asks.
    pub(crate) async fn sessions(&self, admin: &Client) -> i64 {
        let count = "SELECT count(*) FROM pg_stat_activity
                      WHERE application_name = $1 AND pid <> pg_backend_pid()";
        let row = admin.query_one(count, &[&self.schema]).await.unwrap();
        row.get(0)
    }
}

pub(crate) fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

pub(crate) fn text(body: &str) -> RecordPut {
    RecordPut::of(body.as_bytes().to_vec())
}

/// Waits for something that must come true.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The sequences that a watch of everything delivers, as they come; ends with its error.
pub(crate) async fn sequences_of(
    store: &Arc<PostgresStore>,
) -> mpsc::UnboundedReceiver<Result<u64, StorageError>> {
    let request = WatchRequest {
        span: KeySpan::everything(),
        from: None,
    };
    let mut watch = store.watch(request).await.unwrap();
    let (sender, receiver) = mpsc::unbounded_channel();
    let first = watch.next().await;
    assert!(
        matches!(first, Some(Ok(WatchDelivery::Live(_)))),
        "{first:?}"
    );
    tokio::spawn(async move {
        while let Some(delivery) = watch.next().await {
            let told = match delivery {
                Ok(WatchDelivery::Events(token, _)) => Ok(token.sequence),
                Ok(_) => continue,
                Err(error) => Err(error),
            };
            if sender.send(told).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next thing that a watch says.
pub(crate) async fn next(
    watch: &mut mpsc::UnboundedReceiver<Result<u64, StorageError>>,
) -> Result<u64, StorageError> {
    let next = tokio::time::timeout(PATIENCE, watch.recv()).await;
    next.expect("in time").expect("the watch goes on")
}
