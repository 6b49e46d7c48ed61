//! The one writer of a handle: takes what is queued, commits it together, answers.

use crate::commit::{CommitAttempt, WriterStatements, attempt};
use crate::doubt::{DoubtResolution, DoubtfulCommit, resolve};
use crate::meta::HandleId;
use crate::session::{DatabaseSession, SessionConnector};
use crate::tailer::CommitSignal;
use coeval_storage::layers::metered::BATCH_SIZE;
use coeval_storage::{AtomicWrite, CommittedWrite, Revision, StorageError, WriteAction};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Members of one commit, at most.
const MEMBERS: usize = 256;
/// Bytes of one commit's values, about.
const BYTES: usize = 4 * 1024 * 1024;
/// What a keep_alive counts as: the record that it loads is not known before.
const KEEP_ALIVE: usize = 32 * 1024;

/// What a member gets.
pub(crate) type MemberAnswer = Result<CommittedWrite, StorageError>;

/// A write in the queue.
pub(crate) struct WriteJob {
    pub(crate) write: AtomicWrite,
    /// For its fresh puts; [`Revision::NEVER`] if it has none.
    pub(crate) revision: Revision,
    pub(crate) reply: oneshot::Sender<MemberAnswer>,
}

impl WriteJob {
    fn size(&self) -> usize {
        let steps = self.write.steps.iter();
        steps
            .map(|step| match &step.action {
                WriteAction::Put(put) => put.content.stored_size(),
                WriteAction::KeepAlive(_) => KEEP_ALIVE,
                WriteAction::Delete | WriteAction::Nop => 0,
            })
            .sum()
    }
}

/// The writer's session and the statements that it prepared.
pub(crate) struct WriterSession {
    pub(crate) session: DatabaseSession,
    pub(crate) statements: WriterStatements,
}

/// The writer.
pub(crate) struct BatchWriter {
    pub(crate) connector: SessionConnector,
    pub(crate) handle: HandleId,
    pub(crate) signal: CommitSignal,
    pub(crate) patience: Duration,
    pub(crate) session: Option<WriterSession>,
    /// Whether the last commit could not be made: then nobody waits for the next one long.
    pub(crate) failing: bool,
}

impl BatchWriter {
    /// Runs until every sender is gone and the queue is answered.
    pub(crate) async fn run(mut self, mut queue: mpsc::Receiver<WriteJob>) {
        while let Some(first) = queue.recv().await {
            let mut size = first.size();
            let mut jobs = vec![first];
            // Whatever is queued by now, without waiting for more: under load the last commit took
            // long enough to collect a batch.
            while jobs.len() < MEMBERS && size < BYTES {
                let Ok(next) = queue.try_recv() else { break };
                size += next.size();
                jobs.push(next);
            }
            #[allow(clippy::cast_precision_loss)]
            metrics::histogram!(BATCH_SIZE).record(jobs.len() as f64);
            self.commit(jobs).await;
        }
    }

    async fn commit(&mut self, jobs: Vec<WriteJob>) {
        let answers = match self.answers(&jobs).await {
            Ok(answers) => answers,
            // A statement failed, and perhaps because of one member only: each is given its own
            // chance. (What is about the store, a fence or a lock, is the same for all.)
            Err(StorageError::Failed { .. } | StorageError::Full { .. }) if jobs.len() > 1 => {
                for job in jobs {
                    let alone = std::slice::from_ref(&job);
                    let answer = match self.answers(alone).await {
                        Ok(mut answers) => answers.pop(),
                        Err(error) => Some(Err(error)),
                    };
                    reply(job, answer);
                }
                return;
            }
            Err(error) => jobs.iter().map(|_| Err(error.clone())).collect(),
        };
        let mut answers = answers.into_iter();
        for job in jobs {
            reply(job, answers.next());
        }
    }

    /// The members' answers, after the commit; an error if the database refused the batch.
    async fn answers(&mut self, jobs: &[WriteJob]) -> Result<Vec<MemberAnswer>, StorageError> {
        // After a failure one attempt only: whoever is queued behind this batch would wait as long
        // again.
        let patience = if self.failing {
            Duration::ZERO
        } else {
            self.patience
        };
        let until = Instant::now() + patience;
        let mut pause = Duration::from_millis(20);
        loop {
            let error = match self.try_once(jobs, until).await {
                BatchAttempt::Done(answers) => {
                    self.failing = false;
                    return Ok(answers);
                }
                BatchAttempt::Refused(error) => return Err(error),
                BatchAttempt::NotDone(error) => error,
            };
            if Instant::now() + pause > until {
                self.failing = true;
                return Ok(jobs.iter().map(|_| Err(error.clone())).collect());
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    async fn try_once(&mut self, jobs: &[WriteJob], until: Instant) -> BatchAttempt {
        let desk = match self.open_session().await {
            Ok(desk) => desk,
            Err(error) => return BatchAttempt::NotDone(error),
        };
        match attempt(&desk, &self.handle, jobs).await {
            CommitAttempt::Done { answers, changed } => {
                self.session = Some(desk);
                if changed {
                    self.signal.notify();
                }
                BatchAttempt::Done(answers)
            }
            CommitAttempt::Refused(error) => {
                // The session is used again only if it is certainly out of the transaction.
                let back = desk.session.client.batch_execute("ROLLBACK").await;
                self.session = back.is_ok().then_some(desk);
                BatchAttempt::Refused(error)
            }
            CommitAttempt::Lost(error) => BatchAttempt::NotDone(error),
            CommitAttempt::Unclear(doubt) => {
                // The old session is closed first: what it was sent, it has by now.
                drop(desk);
                self.resolve_doubt(doubt, jobs, until).await
            }
        }
    }

    /// Finds out what became of a commit that was sent and not answered.
    async fn resolve_doubt(
        &mut self,
        doubt: DoubtfulCommit,
        jobs: &[WriteJob],
        until: Instant,
    ) -> BatchAttempt {
        // There is always time for a look: an unknown outcome costs the caller more.
        let until = until.max(Instant::now() + self.patience);
        let mut pause = Duration::from_millis(20);
        let reason = loop {
            let seen = match self.open_session().await {
                Ok(desk) => {
                    let seen = resolve(&desk, &doubt).await;
                    if seen.is_ok() {
                        self.session = Some(desk);
                    }
                    seen
                }
                Err(error) => Err(error),
            };
            match seen {
                Ok(DoubtResolution::Happened) => {
                    self.signal.notify();
                    return BatchAttempt::Done(doubt.answers);
                }
                Ok(DoubtResolution::DidNotHappen) => {
                    return BatchAttempt::NotDone(StorageError::unavailable(doubt.reason));
                }
                Ok(DoubtResolution::Unknown(reason)) => break reason,
                Err(error) if Instant::now() + pause > until => break error.to_string(),
                Err(_) => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        };
        // It may have happened, so the watchers' side looks.
        self.signal.notify();
        let reason = format!("{}; {reason}", doubt.reason);
        let unknown = jobs.iter().map(|job| {
            Err(StorageError::UnknownOutcome {
                revision: job.revision,
                reason: reason.clone(),
            })
        });
        BatchAttempt::Done(unknown.collect())
    }

    /// The session that is open, or a new one.
    async fn open_session(&mut self) -> Result<WriterSession, StorageError> {
        if let Some(desk) = self.session.take()
            && !desk.session.client.is_closed()
        {
            return Ok(desk);
        }
        let session = self.connector.session(None).await?;
        let statements = WriterStatements::prepare(&session.client).await?;
        Ok(WriterSession {
            session,
            statements,
        })
    }
}

enum BatchAttempt {
    Done(Vec<MemberAnswer>),
    /// By the database, as a whole; the transaction is gone.
    Refused(StorageError),
    /// Certainly not: it may be tried again.
    NotDone(StorageError),
}

fn reply(job: WriteJob, answer: Option<MemberAnswer>) {
    let answer = answer.unwrap_or_else(|| Err(StorageError::failed("a member got no answer")));
    // Whoever asked may have gone.
    let _ = job.reply.send(answer);
}
