//! One worker of a run: it claims parts that nobody works on, and visits them.

use crate::background::Background;
use crate::migrations::driver::MigrationSettings;
use crate::migrations::shard::{self, Shard};
use crate::migrations::work::{Ended, Held, Run};
use coeval_catalog::types::state::TypeState;
use coeval_records::attempts::unless_raced;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, Revision};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

/// Claims of others: the revision of a part and since when it has it.
pub(crate) type Watched = Arc<Mutex<HashMap<(TypeKey, u8), (Revision, Instant)>>>;

/// One worker of a run: claims parts that nobody works on, until all are done.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub background: Arc<Background>,
    pub run: Run,
    pub watched: Watched,
    pub settings: MigrationSettings,
    /// Nobody else works under the same name.
    pub alone: bool,
    /// Who is told of a part that is done.
    pub done: Arc<Notify>,
}

impl Worker {
    pub(crate) async fn go(self) {
        loop {
            let claimed = self.claim().await;
            let rest = match claimed {
                Ok(Some(mut held)) => match self.run.visit(&self.background, &mut held).await {
                    Ok(Ended::Done) => {
                        self.done.notify_one();
                        continue;
                    }
                    // Claims again: once the run is over there is nothing to claim, and the loop
                    // waits to be dropped.
                    Ok(Ended::Lost) => continue,
                    Err(error) => {
                        tracing::warn!(of = %self.run.of, %error, "the background rests");
                        Duration::from_millis(500)
                    }
                },
                Ok(None) => self.settings.poll.min(Duration::from_millis(500)),
                Err(error) => {
                    tracing::warn!(of = %self.run.of, %error, "no part can be claimed");
                    Duration::from_millis(500)
                }
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// A part that is not done and that nobody works on.
    pub(crate) async fn claim(&self) -> Result<Option<Held>, EngineError> {
        let Run {
            of, work, epoch, ..
        } = &self.run;
        // The epoch is the one that the claim is for: who comes late claims nothing.
        let state = self.background.types.current(of).await?;
        if state.phase.epoch != *epoch {
            return Ok(None);
        }
        let all = self
            .background
            .parts_of_run(of, *work, *epoch)
            .await?
            .of_run;
        // Before a run begins only its first part is looked at: who claims it says how many there
        // are, and so all servers divide the ids alike.
        let said = all.first().and_then(|part| part.kept.as_ref());
        let parts = match said {
            Some(kept) => kept.parts,
            None => shard::parts_of(self.resources(&state).await?),
        };
        for part in all {
            if let Some(kept) = &part.kept
                && (kept.done || !self.is_free(kept, part.number, part.revision).await)
            {
                continue;
            }
            let now = self.background.now();
            let mut kept = match part.kept {
                Some(kept) => kept,
                // Counts of an earlier epoch are kept for the report; those of an earlier migration
                // are not.
                None => match part.earlier {
                    Some(earlier) if earlier.began >= self.run.since => {
                        earlier.anew(*epoch, parts, now)
                    }
                    _ => Shard::new(*epoch, parts, now),
                },
            };
            kept.server.clone_from(&self.run.server);
            kept.claims += 1;
            kept.at = now;
            // Fenced, so that no part of a passed epoch is claimed between the look and the write.
            let mut steps = coeval_resources::write::steps::fenced(&state).steps;
            steps.push(kept.step(&part.key, part.revision)?);
            let written = self
                .background
                .commit(&part.key, AtomicWrite { steps })
                .await;
            if let Some(written) = unless_raced(written)? {
                self.mine(part.number, written.revision).await;
                return Ok(Some(Held {
                    shard: part.number,
                    kept,
                    revision: written.revision,
                }));
            }
        }
        Ok(None)
    }

    /// How many resources a run visits, about.
    async fn resources(&self, state: &TypeState) -> Result<u64, EngineError> {
        let Some(migration) = state.phase.migration else {
            return Ok(0);
        };
        // A resource may have a record at each major: the sum would count it twice.
        let mut most = 0;
        for major in [migration.from, migration.to] {
            let span = keys::records_of_major(&state.key, major)?;
            most = most.max(self.background.store.count(span).await?.1);
        }
        Ok(most)
    }

    async fn mine(&self, number: u8, revision: Revision) {
        let mut watched = self.watched.lock().await;
        watched.insert((self.run.of.clone(), number), (revision, Instant::now()));
    }

    /// Whether nobody works on a part: its record has not changed for a while. No clocks are
    /// compared, and a wrong guess does no harm: whose claim is overwritten is fenced.
    async fn is_free(&self, kept: &Shard, number: u8, revision: Option<Revision>) -> bool {
        let Some(revision) = revision else {
            return true;
        };
        // One that works alone has nobody of the same name beside it.
        if kept.server.is_empty() || (self.alone && kept.server == self.run.server) {
            return true;
        }
        let now = Instant::now();
        let mut watched = self.watched.lock().await;
        let key = (self.run.of.clone(), number);
        // Met for the first time, the wait begins now, by this server's clock alone.
        let (seen, since) = watched.entry(key).or_insert((revision, now));
        if *seen != revision {
            (*seen, *since) = (revision, now);
        }
        now.duration_since(*since) >= self.settings.abandoned_after
    }
}
