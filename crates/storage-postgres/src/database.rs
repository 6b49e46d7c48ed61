//! The pool of sessions for everything but the writer.

use crate::error::typed;
use crate::meta::{HandleId, MetaRow, get, meta_columns, unsigned};
use crate::session::SessionConnector;
use coeval_storage::{StorageError, StoreStatus};
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

const META: &str = concat!("SELECT ", meta_columns!(), " FROM meta m");
const STATUS: &str = concat!(
    "SELECT ",
    meta_columns!(),
    ", pg_total_relation_size('records') + pg_total_relation_size('events')
       + pg_total_relation_size('meta') AS bytes FROM meta m"
);

/// How long a reader waits for a session that is free.
const FREE_WITHIN: Duration = Duration::from_secs(10);
/// How long a read is tried again on new sessions.
const TRIED_FOR: Duration = Duration::from_secs(3);

/// The pool, and which handle uses it.
pub(crate) struct SessionPool {
    pool: Pool,
    pub(crate) handle: HandleId,
}

impl SessionPool {
    pub(crate) fn new(
        connector: &SessionConnector,
        readers: usize,
        handle: HandleId,
    ) -> Result<Self, StorageError> {
        // Fast: a session in the pool is never inside a transaction, even if its user was
        // cancelled, because transactions end themselves when dropped.
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_connect(connector.config.clone(), connector.clone(), config);
        let pool = Pool::builder(manager)
            .max_size(readers.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(FREE_WITHIN))
            .create_timeout(Some(FREE_WITHIN))
            .build()
            .map_err(StorageError::failed)?;
        Ok(Self { pool, handle })
    }

    /// Runs work that may be repeated, on new sessions if one is lost.
    pub(crate) async fn with_retry<T, F, Fut>(&self, work: F) -> Result<T, StorageError>
    where
        F: Fn(Object) -> Fut,
        Fut: Future<Output = Result<T, StorageError>>,
    {
        let until = Instant::now() + TRIED_FOR;
        let mut pause = Duration::from_millis(20);
        loop {
            let result = match self.client().await {
                Ok(client) => work(client).await,
                Err(error) => Err(error),
            };
            match result {
                Err(StorageError::Unavailable { .. }) if Instant::now() + pause < until => {
                    tokio::time::sleep(pause).await;
                    // Longer each time: a database that is coming up must not meet all callers at
                    // once.
                    pause = (pause * 2).min(Duration::from_millis(500));
                }
                result => return result,
            }
        }
    }

    async fn client(&self) -> Result<Object, StorageError> {
        self.pool.get().await.map_err(|error| match error {
            // Busy, not unavailable: the database is there, and every session to it is in use.
            PoolError::Timeout(TimeoutType::Wait) => StorageError::Busy {
                reason: "no connection became free within 10 s".into(),
            },
            PoolError::Backend(error) => typed(&error),
            PoolError::Closed => StorageError::Closed,
            other => StorageError::unavailable(other),
        })
    }

    /// The bounds of the history, unless this handle is fenced off.
    pub(crate) async fn meta(&self) -> Result<MetaRow, StorageError> {
        let meta = self.with_retry(|client| async move {
            let rows = query(&client, META, &[]).await?;
            MetaRow::of(one(&rows)?)
        });
        let meta = meta.await?;
        meta.check_fence(&self.handle)?;
        Ok(meta)
    }

    /// What the store is and where it stands, fenced off or not.
    pub(crate) async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.with_retry(|client| async move {
            let rows = query(&client, STATUS, &[]).await?;
            let row = one(&rows)?;
            let bounds = MetaRow::of(row)?.bounds;
            Ok(StoreStatus {
                kind: "postgres",
                incarnation: bounds.incarnation,
                floor: bounds.floor,
                head: bounds.head,
                bytes: Some(unsigned(get(row, "bytes")?)),
            })
        })
        .await
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// One statement, prepared once for each session.
pub(crate) async fn query(
    client: &Object,
    sql: &'static str,
    params: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, StorageError> {
    let statement = client.prepare_cached(sql).await.map_err(|e| typed(&e))?;
    client
        .query(&statement, params)
        .await
        .map_err(|e| typed(&e))
}

/// The first row, of a statement that always has one.
pub(crate) fn one(rows: &[Row]) -> Result<&Row, StorageError> {
    rows.first()
        .ok_or_else(|| StorageError::failed("the store's own row is gone from the database"))
}
