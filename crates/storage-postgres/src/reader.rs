//! Reads: every answer is of one snapshot, and says which.

use crate::database::{SessionPool, one, query};
use crate::error::typed;
use crate::meta::{HandleId, MetaRow, get, meta_columns, now, unsigned};
use coeval_storage::record::HEADER;
use coeval_storage::{
    Key, KeySpan, RangePage, ReadOrder, ReadRange, ReadRequest, ReadSnapshot, StorageError,
    StoreLimits, StoredEntry, StoredValue, Token,
};
use deadpool_postgres::Object;
use futures::future::{join, join_all};
use std::collections::HashMap;
use tokio_postgres::{Client, IsolationLevel, Row, Statement};

const KEYS: &str = concat!(
    "SELECT ",
    meta_columns!(),
    ", r.key, r.value FROM meta m LEFT JOIN records r
       ON r.key = ANY($1) AND (r.expires IS NULL OR r.expires > ",
    now!(),
    ")"
);

/// One page. The innermost part finds one item more than asked for, so that `found` tells whether
/// the range goes on; sizes are summed before any value is fetched.
macro_rules! page {
    ($from:expr, $order:expr) => {
        page!($from, $order, "value", "value")
    };
    ($from:expr, $order:expr, $value:expr, $sized:expr) => {
        concat!(
            "SELECT ",
            meta_columns!(),
            ", p.found, p.key, p.value FROM meta m LEFT JOIN (
               SELECT * FROM (
                 SELECT key, value, count(*) OVER () AS found, row_number() OVER w AS n,
                        sum(octet_length(",
            $sized,
            ")) OVER w AS size
                   FROM (SELECT expires, key, ",
            $value,
            " AS value FROM records WHERE ",
            $from,
            " ORDER BY ",
            $order,
            " LIMIT $1) live WINDOW w AS (ORDER BY ",
            $order,
            " ROWS UNBOUNDED PRECEDING)
               ) sized WHERE n < $1 AND (n = 1 OR size <= $2)
             ) p ON true ORDER BY p.n"
        )
    };
}
macro_rules! live_between {
    () => {
        concat!(
            "key >= $3 AND key < $4 AND (expires IS NULL OR expires > ",
            now!(),
            ")"
        )
    };
}

const ASCENDING: &str = page!(live_between!(), "key");
const DESCENDING: &str = page!(live_between!(), "key DESC");
/// Of a value that is stored apart, only the piece with the head is fetched.
macro_rules! keys {
    ($order:expr) => {
        page!(
            live_between!(),
            $order,
            "substring(value FROM 1 FOR 32)",
            "key"
        )
    };
}
const _: () = assert!(HEADER == 32);
const KEYS_ASCENDING: &str = keys!("key");
const KEYS_DESCENDING: &str = keys!("key DESC");
const COUNT: &str = concat!(
    "SELECT ",
    meta_columns!(),
    ", (SELECT count(*) FROM records WHERE key >= $1 AND key < $2
          AND (expires IS NULL OR expires > ",
    now!(),
    ")) AS found FROM meta m"
);
const EXPIRED: &str = page!(concat!("indexed AND expires <= ", now!()), "expires, key");

/// Bytes that one look for expired records returns.
const EXPIRED_BYTES: i64 = 32 * 1024 * 1024;

impl SessionPool {
    /// Any number of keys and ranges in one snapshot.
    pub(crate) async fn read(
        &self,
        request: &ReadRequest,
        limits: &StoreLimits,
    ) -> Result<ReadSnapshot, StorageError> {
        let handle = &self.handle;
        self.with_retry(|client| read_once(client, request, limits, handle))
            .await
    }

    /// How many live records a span has.
    pub(crate) async fn count(&self, span: &KeySpan) -> Result<(Token, u64), StorageError> {
        self.with_retry(|client| async move {
            let rows = query(&client, COUNT, &[&span.start.as_ref(), &span.end.as_ref()]).await?;
            let row = one(&rows)?;
            let meta = MetaRow::of(row)?;
            meta.check_fence(&self.handle)?;
            Ok((meta.bounds.token(), unsigned(get(row, "found")?)))
        })
        .await
    }

    /// What the sweep removes.
    pub(crate) async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        let limit = page_size(limit);
        self.with_retry(|client| async move {
            let rows = query(&client, EXPIRED, &[&limit, &EXPIRED_BYTES]).await?;
            MetaRow::of(one(&rows)?)?.check_fence(&self.handle)?;
            rows.iter()
                .filter_map(|row| entry(row, false).transpose())
                .collect()
        })
        .await
    }
}

/// The `LIMIT` that finds one more than asked for.
fn page_size(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

async fn read_once(
    mut client: Object,
    request: &ReadRequest,
    limits: &StoreLimits,
    handle: &HandleId,
) -> Result<ReadSnapshot, StorageError> {
    // Prepared before the transaction begins, which is then a single burst of statements.
    let mut statements = Vec::with_capacity(request.ranges.len());
    for range in &request.ranges {
        let sql = match (range.order, range.keys_only) {
            (ReadOrder::Ascending, false) => ASCENDING,
            (ReadOrder::Descending, false) => DESCENDING,
            (ReadOrder::Ascending, true) => KEYS_ASCENDING,
            (ReadOrder::Descending, true) => KEYS_DESCENDING,
        };
        statements.push(client.prepare_cached(sql).await.map_err(|e| typed(&e))?);
    }
    let keyed = client.prepare_cached(KEYS).await.map_err(|e| typed(&e))?;
    // A single statement has one snapshot anyway, and one round trip.
    if request.ranges.is_empty() {
        let rows = keys(&client, &keyed, request).await?;
        return snapshot(Some(&rows), &[], request, handle);
    }
    if let ([only], true) = (request.ranges.as_slice(), request.keys.is_empty()) {
        let rows = join_all(statements.iter().map(|s| range(&client, s, only, limits))).await;
        let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        return snapshot(None, &rows, request, handle);
    }
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await
        .map_err(|e| typed(&e))?;
    // Sent at once, answered one after another.
    let on = transaction.client();
    let pages = request.ranges.iter().zip(&statements);
    let pages = join_all(pages.map(|(asked, statement)| range(on, statement, asked, limits)));
    let (found, pages) = join(keys(on, &keyed, request), pages).await;
    let (found, pages) = (found?, pages.into_iter().collect::<Result<Vec<_>, _>>()?);
    transaction.commit().await.map_err(|e| typed(&e))?;
    snapshot(Some(&found), &pages, request, handle)
}

async fn keys(
    client: &Client,
    statement: &Statement,
    request: &ReadRequest,
) -> Result<Vec<Row>, StorageError> {
    let keys: Vec<&[u8]> = request.keys.iter().map(Key::as_bytes).collect();
    let rows = client.query(statement, &[&keys]).await;
    rows.map_err(|e| typed(&e))
}

async fn range(
    client: &Client,
    statement: &Statement,
    range: &ReadRange,
    limits: &StoreLimits,
) -> Result<Vec<Row>, StorageError> {
    // Of a page without items only `more` matters, and that takes one item to know.
    let limit = page_size(range.page_items(limits).max(1));
    let bytes = i64::try_from(limits.page_bytes).unwrap_or(i64::MAX);
    let (start, end) = (range.span.start.as_ref(), range.span.end.as_ref());
    let rows = client
        .query(statement, &[&limit, &bytes, &start, &end])
        .await;
    rows.map_err(|e| typed(&e))
}

fn snapshot(
    keys: Option<&[Row]>,
    ranges: &[Vec<Row>],
    request: &ReadRequest,
    handle: &HandleId,
) -> Result<ReadSnapshot, StorageError> {
    // Every row carries the bounds, and every statement has at least one row.
    let first = keys.or(ranges.first().map(Vec::as_slice));
    let meta = MetaRow::of(one(first.unwrap_or_default())?)?;
    meta.check_fence(handle)?;
    if let Some(token) = request.at_least {
        meta.check_shows(token)?;
    }
    let mut found = HashMap::new();
    for row in keys.unwrap_or_default() {
        if let Some(entry) = entry(row, false)? {
            found.insert(entry.key.clone(), entry);
        }
    }
    let pages = request.ranges.iter().zip(ranges);
    Ok(ReadSnapshot {
        token: meta.bounds.token(),
        keys: request.keys.iter().map(|k| found.get(k).cloned()).collect(),
        pages: pages
            .map(|(range, rows)| page(range, rows))
            .collect::<Result<_, _>>()?,
    })
}

fn page(range: &ReadRange, rows: &[Row]) -> Result<RangePage, StorageError> {
    let entries = rows
        .iter()
        .filter_map(|row| entry(row, range.keys_only).transpose());
    let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
    if range.limit == 0 {
        // The one item was fetched only to find out whether there is more.
        entries.clear();
    }
    let found: Option<i64> = get(one(rows)?, "found")?;
    let more = found.unwrap_or(0) > i64::try_from(entries.len()).unwrap_or(i64::MAX);
    Ok(RangePage { entries, more })
}

/// A row's record, unless it is the row that says that there is none.
fn entry(row: &Row, head_only: bool) -> Result<Option<StoredEntry>, StorageError> {
    let Some(key) = get::<Option<Vec<u8>>>(row, "key")? else {
        return Ok(None);
    };
    let key = Key::unchecked(key.into());
    let value: Vec<u8> = get(row, "value")?;
    let stored = if head_only {
        StoredValue::of_head(&value)
    } else {
        StoredValue::decode(&key, value.into())
    };
    Ok(Some(StoredEntry { key, stored }))
}
