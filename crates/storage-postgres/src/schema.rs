//! The tables.
//!
//! - `meta`: one row; whoever writes locks it first, which makes the order of sequences the order
//!   of commits.
//! - `records`: the present state. `value` is the whole encoded record; `expires` and `indexed`
//!   repeat what its header says, for the database to filter by.
//! - `events`: one row for each atomic write. `batch` tells, after a cut connection, whose commit
//!   it was; `total` counts bytes since the beginning, so that sizes are differences.

use crate::error::typed;
use crate::meta::{MetaRow, meta_columns};
use coeval_storage::{Incarnation, StorageError};
use sha2::{Digest, Sha256};
use tokio_postgres::Client;

/// The level of the tables that this release knows.
pub const LEVEL: i32 = 1;

// The counter row is rewritten by every batch: room for its versions on one page, and vacuum
// that does not wait for a fifth of the table to change.
const TABLES: &str = "
CREATE TABLE meta (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  level integer NOT NULL,
  incarnation bytea NOT NULL,
  loader bytea,
  head bigint NOT NULL DEFAULT 0,
  floor bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);
CREATE TABLE records (
  key bytea PRIMARY KEY,
  expires bigint,
  indexed boolean NOT NULL,
  value bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE records ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE INDEX records_expiry ON records (expires, key) WHERE indexed;
CREATE TABLE events (
  seq bigint PRIMARY KEY,
  at bigint NOT NULL,
  total bigint NOT NULL,
  batch bytea NOT NULL,
  body bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;";

const SURVEY: &str = "
SELECT to_regclass(quote_ident($1) || '.meta') IS NOT NULL AS complete,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS named,
       current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS pages";

const META: &str = concat!("SELECT ", meta_columns!(), ", m.level FROM meta m");

/// Creates what is missing, reads what is there.
pub(crate) async fn prepare(client: &Client, schema: &str) -> Result<MetaRow, StorageError> {
    let pg = |e: tokio_postgres::Error| typed(&e);
    client
        .batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        .await
        .map_err(pg)?;
    // Many servers may start at once.
    let lock = "SELECT pg_advisory_xact_lock($1)";
    client
        .execute(lock, &[&lock_key(schema, "create")])
        .await
        .map_err(pg)?;
    let survey = client.query_one(SURVEY, &[&schema]).await.map_err(pg)?;
    let on = |column| survey.try_get::<_, &str>(column).is_ok_and(|v| v == "on");
    // A warning only: databases of tests are set up like this on purpose.
    if !on("fsync") || !on("pages") {
        tracing::warn!(
            "fsync or full_page_writes is off on the PostgreSQL server: a power cut may lose \
             acknowledged writes"
        );
    }
    if !survey.try_get::<_, bool>("complete").map_err(pg)? {
        // An administrator may have created it empty, for a user without the right to.
        if !survey.try_get::<_, bool>("named").map_err(pg)? {
            let create = format!("CREATE SCHEMA \"{schema}\"");
            client.batch_execute(&create).await.map_err(pg)?;
        }
        client.batch_execute(TABLES).await.map_err(pg)?;
        let incarnation = Incarnation::draw()?;
        let insert = "INSERT INTO meta (level, incarnation) VALUES ($1, $2)";
        client
            .execute(insert, &[&LEVEL, &incarnation.as_bytes().as_slice()])
            .await
            .map_err(pg)?;
    }
    let row = client.query_one(META, &[]).await.map_err(pg)?;
    client.batch_execute("COMMIT").await.map_err(pg)?;
    let level: i32 = row.try_get("level").map_err(pg)?;
    if level > LEVEL {
        return Err(StorageError::UnknownLevel {
            found: level.unsigned_abs(),
            known: LEVEL.unsigned_abs(),
        });
    }
    MetaRow::of(&row)
}

/// The advisory lock of one purpose in one schema.
pub(crate) fn lock_key(schema: &str, purpose: &str) -> i64 {
    let hash = Sha256::digest(format!("coeval/{purpose}/{schema}"));
    hash.first_chunk::<8>()
        .map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

/// The channel on which the servers of one schema wake each other.
pub(crate) fn channel(schema: &str) -> String {
    format!("coeval_{:016x}", lock_key(schema, "channel"))
}
