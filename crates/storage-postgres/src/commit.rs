//! One attempt to commit a batch.
//!
//! The order of the statements is what makes it correct. The counter's row is locked by a
//! statement of its own; the next one, which looks at the keys, has a newer snapshot and so sees
//! everything that was committed before the lock was given. (A statement that locks and looks at
//! once looks at the snapshot from before the lock.)

use crate::doubt::DoubtfulCommit;
use crate::error::{is_lost, typed};
use crate::meta::{HandleId, MetaRow, get, meta_columns, signed};
use crate::writer::{MemberAnswer, WriteJob, WriterSession};
use bytes::Bytes;
use coeval_storage::event::encode_group;
use coeval_storage::judge::{BatchOverlay, KeyState, StateLookup};
use coeval_storage::record::RecordHead;
use coeval_storage::{CommittedWrite, Key, Revision, StorageError, Token, UnixMillis, WriteAction};
use futures::future::{join3, join5};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

const LOCK: &str = concat!("SELECT ", meta_columns!(), " FROM meta m FOR UPDATE");
/// What stands under the keys: heads, and whole records where asked for. The moment is taken
/// here, when the lock is held.
const STANDING: &str = "
SELECT t.now, r.key, r.head, r.whole
  FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) t
  LEFT JOIN (SELECT key, substring(value FROM 1 FOR 32) AS head,
                    CASE WHEN key = ANY($2) THEN value END AS whole
               FROM records WHERE key = ANY($1)) r ON true";
const UPSERT: &str = "
INSERT INTO records (key, expires, indexed, value)
SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::boolean[], $4::bytea[])
ON CONFLICT (key) DO UPDATE
   SET expires = excluded.expires, indexed = excluded.indexed, value = excluded.value";
const DELETE: &str = "DELETE FROM records WHERE key = ANY($1)";
const EVENTS: &str = "
INSERT INTO events (seq, total, body, at, batch)
SELECT e.seq, e.total, e.body, $4, $5
  FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS e (seq, total, body)";
const ADVANCE: &str = "UPDATE meta SET head = $1, total = $2";

/// How long a part of an attempt may take before the session counts as lost.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);

/// The writer's statements, prepared.
pub(crate) struct WriterStatements {
    pub(crate) lock: Statement,
    standing: Statement,
    upsert: Statement,
    delete: Statement,
    events: Statement,
    advance: Statement,
}

impl WriterStatements {
    pub(crate) async fn prepare(client: &Client) -> Result<Self, StorageError> {
        let prepare = async |sql| client.prepare(sql).await.map_err(|e| typed(&e));
        Ok(Self {
            lock: prepare(LOCK).await?,
            standing: prepare(STANDING).await?,
            upsert: prepare(UPSERT).await?,
            delete: prepare(DELETE).await?,
            events: prepare(EVENTS).await?,
            advance: prepare(ADVANCE).await?,
        })
    }
}

/// What came of an attempt.
pub(crate) enum CommitAttempt {
    /// Committed (or there was nothing to commit).
    Done {
        answers: Vec<MemberAnswer>,
        changed: bool,
    },
    /// The database refused a statement: nothing happened.
    Refused(StorageError),
    /// The session was lost before anything was written: nothing happened.
    Lost(StorageError),
    /// The session was lost when the commit was under way.
    Unclear(DoubtfulCommit),
}

/// The batch, judged: what each member gets and what is written.
struct JudgedJobs {
    meta: MetaRow,
    now: i64,
    batch: BatchOverlay,
    answers: Vec<MemberAnswer>,
    sequences: Vec<i64>,
    totals: Vec<i64>,
    bodies: Vec<Bytes>,
}

/// Tries to commit a batch.
pub(crate) async fn attempt(
    desk: &WriterSession,
    handle: &HandleId,
    jobs: &[WriteJob],
) -> CommitAttempt {
    let client = &desk.session.client;
    let (locked, standing) = match lock_and_load(desk, jobs).await {
        Ok(rows) => rows,
        Err(attempt) => return attempt,
    };
    let judged = match judge(&locked, &standing, handle, jobs) {
        Ok(judged) => judged,
        Err(error) => return CommitAttempt::Refused(error),
    };
    if judged.sequences.is_empty() {
        // The answers rest on what was durable before the lock was given: nothing is left to sync.
        return match client.batch_execute("ROLLBACK").await {
            Ok(()) => CommitAttempt::Done {
                answers: judged.answers,
                changed: false,
            },
            Err(error) => failed(&error),
        };
    }
    // Names the batch in the event table, which is how a commit without an answer is found
    // (`doubt`).
    let name = match Revision::draw() {
        Ok(name) => *name.as_bytes(),
        Err(error) => return CommitAttempt::Refused(error),
    };
    let written = tokio::time::timeout(ANSWERED_WITHIN, write(desk, &judged, &name)).await;
    let reason = match written {
        Ok(Ok(())) => {
            return CommitAttempt::Done {
                answers: judged.answers,
                changed: true,
            };
        }
        // The session works, so the refusal is the database's last word on the transaction.
        Ok(Err(error)) if !is_lost(&error) => return CommitAttempt::Refused(typed(&error)),
        Ok(Err(error)) => typed(&error).to_string(),
        Err(_) => "no answer within 30 s".to_owned(),
    };
    CommitAttempt::Unclear(DoubtfulCommit {
        sequence: judged.meta.bounds.head + 1,
        batch: name,
        answers: judged.answers,
        session: desk.session.facts.clone(),
        reason,
    })
}

fn failed(error: &Error) -> CommitAttempt {
    if is_lost(error) {
        CommitAttempt::Lost(typed(error))
    } else {
        CommitAttempt::Refused(typed(error))
    }
}

/// Begins, locks, looks: three statements in one round trip (joined futures are polled, and so
/// sent, in order). They run one after another, so the last one's snapshot is newer than the lock.
async fn lock_and_load(
    desk: &WriterSession,
    jobs: &[WriteJob],
) -> Result<(Row, Vec<Row>), CommitAttempt> {
    let (client, statements) = (&desk.session.client, &desk.statements);
    // Each key once and in order: neighbours are close to each other in the index.
    let mut keys: BTreeSet<&[u8]> = BTreeSet::new();
    let mut whole: BTreeSet<&[u8]> = BTreeSet::new();
    for step in jobs.iter().flat_map(|job| &job.write.steps) {
        keys.insert(step.key.as_bytes());
        if matches!(step.action, WriteAction::KeepAlive(_)) {
            whole.insert(step.key.as_bytes());
        }
    }
    let keys: Vec<&[u8]> = keys.into_iter().collect();
    let whole: Vec<&[u8]> = whole.into_iter().collect();
    let named: [&(dyn ToSql + Sync); 2] = [&keys, &whole];
    let looked = join3(
        client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
        client.query_one(&statements.lock, &[]),
        client.query(&statements.standing, &named),
    );
    let looked = tokio::time::timeout(ANSWERED_WITHIN, looked).await;
    let (begun, locked, standing) = looked
        .map_err(|_| CommitAttempt::Lost(StorageError::unavailable("no answer within 30 s")))?;
    begun.map_err(|e| failed(&e))?;
    let locked = locked.map_err(|e| failed(&e))?;
    Ok((locked, standing.map_err(|e| failed(&e))?))
}

/// What was found under the keys of a batch.
struct FetchedRecords(HashMap<Vec<u8>, (Vec<u8>, Option<Bytes>)>);

impl StateLookup for FetchedRecords {
    fn standing(&mut self, key: &Key, whole: bool) -> Result<KeyState, StorageError> {
        Ok(match self.0.get(key.as_bytes()) {
            Some((_, Some(raw))) if whole => KeyState::Whole(raw.clone()),
            found => KeyState::head_of(found.map(|(head, _)| head.as_slice())),
        })
    }
}

fn judge(
    locked: &Row,
    standing: &[Row],
    handle: &HandleId,
    jobs: &[WriteJob],
) -> Result<JudgedJobs, StorageError> {
    let meta = MetaRow::of(locked)?;
    meta.check_fence(handle)?;
    // There is always a first row: the moment comes along even if nothing stands under the keys.
    let now = standing.first().map_or(Ok(0), |row| get(row, "now"))?;
    let mut found = FetchedRecords(HashMap::with_capacity(standing.len()));
    for row in standing {
        if let Some(key) = get::<Option<Vec<u8>>>(row, "key")? {
            let whole = get::<Option<Vec<u8>>>(row, "whole")?.map(Bytes::from);
            found.0.insert(key, (get(row, "head")?, whole));
        }
    }
    let mut judged = JudgedJobs {
        now,
        batch: BatchOverlay::default(),
        answers: Vec::with_capacity(jobs.len()),
        sequences: Vec::new(),
        totals: Vec::new(),
        bodies: Vec::new(),
        meta,
    };
    let (mut sequence, mut total) = (judged.meta.bounds.head, judged.meta.total);
    for job in jobs {
        let verdict = judged
            .batch
            .judge(&job.write, job.revision, UnixMillis(now), &mut found)?;
        judged.answers.push(verdict.map(|changes| {
            // A write that changes nothing has no event: it stands where the one before it does.
            if !changes.is_empty() {
                let body = encode_group(&changes);
                sequence += 1;
                total = total.saturating_add(i64::try_from(body.len()).unwrap_or(i64::MAX));
                judged.sequences.push(signed(sequence));
                judged.totals.push(total);
                judged.bodies.push(body);
            }
            CommittedWrite {
                token: Token {
                    incarnation: judged.meta.bounds.incarnation,
                    sequence,
                },
                revision: job.revision,
            }
        }));
    }
    Ok(judged)
}

/// Writes and commits, in one round trip. If a statement fails, the commit that was sent behind
/// it is a rollback; it succeeded only if all of them did.
async fn write(desk: &WriterSession, judged: &JudgedJobs, name: &[u8; 16]) -> Result<(), Error> {
    let (client, statements) = (&desk.session.client, &desk.statements);
    let (mut keys, mut expires, mut indexed, mut values) = (vec![], vec![], vec![], vec![]);
    let mut deleted: Vec<&[u8]> = vec![];
    for (key, raw) in judged.batch.outcome() {
        let Some(raw) = raw else {
            deleted.push(key.as_bytes());
            continue;
        };
        let head = RecordHead::read(raw);
        keys.push(key.as_bytes());
        expires.push(head.and_then(|head| head.expires).map(|at| at.0));
        indexed.push(head.is_some_and(|head| head.indexed));
        values.push(raw.as_ref());
    }
    let bodies: Vec<&[u8]> = judged.bodies.iter().map(Bytes::as_ref).collect();
    let (sequences, totals) = (&judged.sequences, &judged.totals);
    let (head, total) = (
        sequences.last().copied().unwrap_or_default(),
        totals.last().copied().unwrap_or_default(),
    );
    let name = name.as_slice();
    let upsert = async {
        if keys.is_empty() {
            return Ok(0);
        }
        client
            .execute(&statements.upsert, &[&keys, &expires, &indexed, &values])
            .await
    };
    // Most batches delete nothing, and a statement that is not sent costs nothing.
    let delete = async {
        if deleted.is_empty() {
            return Ok(0);
        }
        client.execute(&statements.delete, &[&deleted]).await
    };
    let events: [&(dyn ToSql + Sync); 5] = [sequences, totals, &bodies, &judged.now, &name];
    let place: [&(dyn ToSql + Sync); 2] = [&head, &total];
    // Polled in this order and so sent in this order: the commit last.
    let (upserted, deleted, logged, advanced, committed) = join5(
        upsert,
        delete,
        client.execute(&statements.events, &events),
        client.execute(&statements.advance, &place),
        client.batch_execute("COMMIT"),
    )
    .await;
    // The first error decides: behind a refused statement the commit was a rollback, whatever
    // became of the session afterwards.
    let results = [
        upserted.map(|_| ()),
        deleted.map(|_| ()),
        logged.map(|_| ()),
        advanced.map(|_| ()),
        committed,
    ];
    let mut errors = results.into_iter().filter_map(Result::err);
    errors.next().map_or(Ok(()), Err)
}
