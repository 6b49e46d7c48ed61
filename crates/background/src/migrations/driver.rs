//! What a server does about migrations: it announces itself, goes where the phases ask it to, works
//! in the background, mends mirrors that reads found behind, and moves on what moves by itself.
//!
//! One loop per server looks at all types in migration: whenever a phase record changes, whenever a
//! part of a run is done, and at each poll. A look announces the server, moves the phases as far as
//! the environment and the declaration say, and sees to it that work that is due has workers.
//!
//! Every server does the same, and none of them leads. That is safe because nothing rests on who is
//! alive or on whose clock is right: a move is conditioned on the phase record that it was decided
//! on, a batch on that record and on the claim of its part. Of two servers that want the same move
//! one writes it, and the other finds it done. What a server announces decides only how long the
//! others wait for it (docs/phases.md).
//!
//! A migration that is blocked is no error here: the move is refused at every look until nothing
//! blocks it, and the status says what does.

use crate::background::Background;
use crate::migrations::content::{Course, MigrationContent, Until};
use crate::migrations::gauges::Gauges;
use crate::migrations::moves::{Asked, Move};
use crate::migrations::spans;
use crate::migrations::start::by_name;
use crate::migrations::work::Run;
use crate::migrations::worker::{Watched, Worker};
use coeval_catalog::types::part::PHASES;
use coeval_catalog::types::phase;
use coeval_catalog::types::state::TypeState;
use coeval_codes::Coded;
use coeval_core::phases::{
    BackgroundWork, Epoch, LivePhases, Migration, MoveInitiator, Phase, PhaseRefusal, ask, work,
};
use coeval_records::attempts::unless_raced;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::servers::ServerSeen;
use coeval_resources::identity::open::system_caller;
use coeval_storage::{AtomicWrite, ReadRange, WatchDelivery, WatchRequest};
use futures::StreamExt;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tracing::Instrument as _;

/// How a server takes part in migrations.
#[derive(Clone, Debug)]
pub struct MigrationSettings {
    /// While a type is in migration: a server that said nothing for so long is not alive.
    pub lease: Duration,
    /// The same while there is no migration. Idle servers write next to nothing.
    pub idle_lease: Duration,
    /// How often it looks, should no event reach it.
    pub poll: Duration,
    /// A part of a run whose record does not change for so long is taken over.
    pub abandoned_after: Duration,
    /// How many parts of a run it works on at a time.
    pub at_once: usize,
}

impl Default for MigrationSettings {
    fn default() -> Self {
        Self {
            lease: coeval_records::servers::LEASE,
            idle_lease: Duration::from_secs(300),
            poll: Duration::from_secs(1),
            abandoned_after: Duration::from_secs(10),
            at_once: 2,
        }
    }
}

/// Works until it is dropped.
#[derive(Debug)]
pub struct MigrationDriver {
    stop: watch::Sender<bool>,
    looked: watch::Receiver<bool>,
    going: Option<JoinHandle<()>>,
    mending: JoinHandle<()>,
}

impl MigrationDriver {
    /// Starts. No two servers may have the same name.
    #[must_use]
    pub fn start(
        background: Arc<Background>,
        name: &str,
        release: &str,
        settings: MigrationSettings,
    ) -> Self {
        let (stop, stopping) = watch::channel(false);
        let mending = tokio::spawn(mend(Arc::clone(&background)));
        let driving = Driving::new(background, name, release, settings, false);
        let (looks, looked) = watch::channel(false);
        Self {
            stop,
            looked,
            going: Some(tokio::spawn(driving.go(stopping, looks))),
            mending,
        }
    }

    /// One look at every migration, with all the work that is due, and nothing in the background:
    /// for those who want to decide when. No other server may have the same name.
    ///
    /// # Errors
    /// If the store fails; what holds a migration is told by its status.
    pub async fn once(
        background: &Arc<Background>,
        name: &str,
        release: &str,
    ) -> Result<(), EngineError> {
        let settings = MigrationSettings::default();
        let background = Arc::clone(background);
        let mut driving = Driving::new(background, name, release, settings, true);
        driving.look().await
    }

    /// Until this server has looked at migrations once, and announced itself.
    pub async fn settled(&self) {
        let mut looked = self.looked.clone();
        // An error is its own end: then there is nothing to wait for.
        let _ = looked.wait_for(|looked| *looked).await;
    }

    /// Stops after the batches that are under way, and says that this server is gone.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Some(going) = self.going.take() {
            // An error here is its own end, which is what is wanted.
            let _ = going.await;
        }
    }
}

impl Drop for MigrationDriver {
    fn drop(&mut self) {
        self.mending.abort();
        if let Some(going) = &self.going {
            going.abort();
        }
    }
}

/// Mends mirrors that reads found behind, one after the other.
async fn mend(background: Arc<Background>) {
    loop {
        let (of, id) = background.repairs.next().await;
        // Nobody waits for it: until the mirror is fresh, reads are answered from the old record.
        if let Err(error) = background.mend(&of, id).await {
            tracing::debug!(%of, %id, %error, "a mirror is left to the backfill");
        }
    }
}

struct Driving {
    background: Arc<Background>,
    settings: MigrationSettings,
    seen: ServerSeen,
    announced: Option<(ServerSeen, Instant)>,
    /// The run of each type that this server works on.
    runs: HashMap<TypeKey, (BackgroundWork, u64, JoinSet<()>)>,
    watched: Watched,
    gauges: Gauges,
    /// Work is done at once, not in the background.
    inline: bool,
    /// A part of a run is done.
    done: Arc<Notify>,
    /// How many workers there are, on all servers.
    workers: Arc<AtomicU32>,
}

impl Driving {
    fn new(
        background: Arc<Background>,
        name: &str,
        release: &str,
        settings: MigrationSettings,
        inline: bool,
    ) -> Self {
        let mut seen = ServerSeen {
            name: name.to_owned(),
            release: release.to_owned(),
            started: background.now(),
            phases: BTreeMap::new(),
            known: BTreeMap::new(),
            refused: BTreeMap::new(),
            own: BTreeMap::new(),
            level: 1,
            knows_links: true,
        };
        background.note_own(&mut seen);
        Self {
            background,
            settings,
            seen,
            announced: None,
            runs: HashMap::new(),
            watched: Arc::default(),
            gauges: Gauges::default(),
            inline,
            done: Arc::default(),
            workers: Arc::new(AtomicU32::new(1)),
        }
    }

    async fn go(mut self, mut stopping: watch::Receiver<bool>, looks: watch::Sender<bool>) {
        let mut events = None;
        loop {
            if *stopping.borrow() {
                self.stop().await;
                return;
            }
            // Opened before the look, so that no change falls between the two. One that broke is
            // opened anew; until then the poll stands in for it.
            if events.is_none() {
                events = self.watch().await;
            }
            if let Err(error) = self.look().await {
                tracing::warn!(%error, "migrations can't be looked at");
            }
            // Also after a look that failed: whoever waits for the first one must not hang on the
            // store.
            looks.send_replace(true);
            tokio::select! {
                () = tokio::time::sleep(self.settings.poll) => {}
                _ = stopping.changed() => {}
                () = news(&mut events) => {}
                () = self.done.notified() => {}
            }
        }
    }

    async fn stop(mut self) {
        // A batch that is cut off was written whole, with its checkpoint, or not at all.
        for (_, (_, _, mut running)) in self.runs.drain() {
            running.abort_all();
            while running.join_next().await.is_some() {}
        }
        // After its workers: nobody waits for a server that has departed, so it should not work on.
        if let Err(error) = self.background.depart(&self.seen.name).await {
            tracing::warn!(%error, "this server's record stays until its lease ends");
        }
    }

    async fn watch(&self) -> Option<coeval_storage::DeliveryStream> {
        let span = keys::all_phases().ok()?;
        let request = WatchRequest { span, from: None };
        self.background.store.watch(request).await.ok()
    }

    /// One look at every type in migration.
    async fn look(&mut self) -> Result<(), EngineError> {
        let migrating = self.migrating().await?;
        // Collected anew: what was announced of a type whose migration has ended is of no use.
        self.seen.phases.clear();
        self.seen.known.clear();
        self.seen.refused.clear();
        let mut states = Vec::new();
        for of in migrating {
            let state = match self.background.types.current(&of).await {
                // Deleted since its phase record was read.
                Err(EngineError::TypeUnknown { .. }) => continue,
                other => other?,
            };
            self.note(&state);
            states.push(state);
        }
        // Before anything is moved: a move waits for servers by what they announced, this one too.
        self.announce().await?;
        // No reason to stop: until it succeeds, records are written as every server reads them.
        if let Err(error) = self.background.open_further().await {
            tracing::warn!(code = %error.code(), %error, "what may be stored is left as it is");
        }
        let still: Vec<TypeKey> = states.iter().map(|state| state.key.clone()).collect();
        // What is dropped here aborts its workers.
        self.runs.retain(|of, _| still.contains(of));
        self.gauges.end(&self.background, &still).await?;
        let span = spans::look(states.len());
        self.drive_all(states).instrument(span).await;
        Ok(())
    }

    async fn drive_all(&mut self, states: Vec<Arc<TypeState>>) {
        for state in states {
            let Some(migration) = state.phase.migration else {
                continue;
            };
            let span = spans::looked_at(&state, migration);
            let driven = self.drive(&state, migration);
            if let Err(error) = driven.instrument(span.clone()).await {
                span.record("code", tracing::field::display(error.code()));
                // What holds it is told by its status.
                tracing::debug!(of = %state.key, code = %error.code(), %error, "not moved");
            }
        }
    }

    /// The types whose phase record has a migration.
    async fn migrating(&self) -> Result<Vec<TypeKey>, EngineError> {
        let mut range = ReadRange::of(keys::all_phases()?);
        let mut found = Vec::new();
        loop {
            let (_, page) = self.background.store.range(range.clone()).await?;
            for entry in &page.entries {
                let record = entry.stored.record();
                let record = record.and_then(|record| phase::decode(&record.content.body));
                if record.is_some_and(|(record, _)| record.migration.is_some()) {
                    found.extend(keys::type_of_phase(&entry.key));
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(found),
            }
        }
    }

    fn note(&mut self, state: &TypeState) {
        let of = state.key.to_string();
        let newest = state.known_versions().map(|one| one.id.version).max();
        if let Some(newest) = newest {
            self.seen.known.insert(of.clone(), newest.to_string());
        }
        match state.part() {
            Ok(Some(part)) => {
                // This is the acknowledgement: a phase is closed once all live servers announced
                // the other one.
                self.seen.phases.insert(of, part.phase.name().to_owned());
            }
            Ok(None) => {}
            Err(error) => {
                self.seen.refused.insert(of, error.to_string());
            }
        }
    }

    async fn announce(&mut self) -> Result<(), EngineError> {
        let now = Instant::now();
        // During a migration others have to find out soon who is gone; idle servers write little.
        let lease = if self.seen.known.is_empty() {
            self.settings.idle_lease
        } else {
            self.settings.lease
        };
        let fresh = self
            .announced
            .as_ref()
            // Long before the lease ends: one write that fails must not make this server look dead.
            .is_some_and(|(seen, at)| *seen == self.seen && now.duration_since(*at) < lease / 3);
        if !fresh {
            self.background.announce_server(&self.seen, lease).await?;
            self.announced = Some((self.seen.clone(), now));
        }
        Ok(())
    }

    /// Moves a type on, as far as its environment, its declaration and its work say.
    async fn drive(
        &mut self,
        state: &Arc<TypeState>,
        migration: Migration,
    ) -> Result<(), EngineError> {
        let of = &state.key;
        // The environment first: a person set it for this very server. After a move all that was
        // read is outdated, so the next look goes on.
        if let Some(asked) = self.background.phases.get(of)
            && let Some(what) = wanted_by_environment(state, *asked)
        {
            let caller = system_caller();
            let asked = Asked::by(MoveInitiator::Environment, what, state.phase.epoch);
            self.background.move_phase(&caller, of, asked, &[]).await?;
            return Ok(());
        }
        let declared = self
            .background
            .declared(of, migration.from, migration.to)
            .await?;
        // It was read after the phase record: the migration may have ended in between.
        let Some((own, content)) = declared else {
            return Ok(());
        };
        let Some(part) = state.part()? else {
            return Ok(());
        };
        // The rules of the phases have no duty at old. That the mirrors are to go, because the
        // migration ends here, is known from the declaration alone.
        let due = if discards(&content, migration.live) {
            Some(BackgroundWork::Discard)
        } else {
            work(&PHASES, &state.phase, part.phase)
        };
        self.measure(of, &content, part.phase, due).await?;
        match due {
            None => {
                self.runs.remove(of);
            }
            Some(due) => {
                let run = Run {
                    of: of.clone(),
                    work: due,
                    epoch: state.phase.epoch,
                    declared: own.stored.id,
                    since: content.observed.began,
                    server: self.seen.name.clone(),
                    workers: Arc::clone(&self.workers),
                };
                self.work(state, run).await?;
            }
        }
        // After the work: a run whose end was noted just now may open the next half step.
        self.advance(state, migration, &content).await
    }

    /// Counts the workers of all servers, and shows in `/metrics` how far it is.
    async fn measure(
        &mut self,
        of: &TypeKey,
        content: &MigrationContent,
        phase: Phase,
        due: Option<BackgroundWork>,
    ) -> Result<(), EngineError> {
        let looked = self.background.look_at_type(of).await?;
        let each = if self.inline {
            1
        } else {
            self.settings.at_once.max(1)
        };
        // Other servers are taken to have as many workers as this one: a rate is shared by an
        // estimate.
        let workers = looked.servers.len().max(1) * each;
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        self.workers.store(workers, Ordering::Relaxed);
        let far = (phase, looked.state.phase.epoch, due, looked.failed);
        self.gauges.show(&self.background, of, content, far).await
    }

    /// Lets a migration that goes by itself take its next half step.
    async fn advance(
        &self,
        state: &TypeState,
        migration: Migration,
        content: &MigrationContent,
    ) -> Result<(), EngineError> {
        let epoch = state.phase.epoch;
        // An undo was asked for by a person, so its steps are an operator's: the gates for
        // automatic moves are not asked. It fences nobody.
        let asked = match content.observed.state {
            Course::Undoing if migration.live == LivePhases::one(Phase::Old) => {
                Asked::by(MoveInitiator::Operator, Move::Abandon, epoch)
            }
            Course::Undoing => Asked::by(MoveInitiator::Operator, Move::Back, epoch),
            Course::Running if content.auto && !content.paused => {
                match automatic(migration.live, content.until()?, epoch) {
                    Some(asked) => asked,
                    None => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        let caller = system_caller();
        self.background
            .move_phase(&caller, &state.key, asked, &[])
            .await?;
        Ok(())
    }

    /// Sees to it that this server works on a run, and notes its end.
    async fn work(&mut self, state: &Arc<TypeState>, run: Run) -> Result<(), EngineError> {
        let (of, due, epoch) = (run.of.clone(), run.work, run.epoch);
        let worker = Worker {
            background: Arc::clone(&self.background),
            run,
            watched: Arc::clone(&self.watched),
            settings: self.settings.clone(),
            alone: self.inline,
            done: Arc::clone(&self.done),
        };
        if self.inline {
            while let Some(mut held) = worker.claim().await? {
                worker.run.visit(&worker.background, &mut held).await?;
            }
            return self.note_done(state, due).await;
        }
        // With another kind of work or in another epoch the workers of the run before are aborted.
        // The store refuses what they may still write.
        let same = self
            .runs
            .get(&of)
            .is_some_and(|(work, at, _)| *work == due && *at == epoch.0);
        if !same {
            let mut workers = JoinSet::new();
            for _ in 0..self.settings.at_once.max(1) {
                workers.spawn(worker.clone().go());
            }
            self.runs.insert(of, (due, epoch.0, workers));
        }
        self.note_done(state, due).await
    }

    /// Notes that every part of a run is done, on condition that each is as it was read.
    async fn note_done(&self, state: &TypeState, due: BackgroundWork) -> Result<(), EngineError> {
        // No note is needed: the move that ends the migration counts the mirrors that are left.
        if due == BackgroundWork::Discard {
            return Ok(());
        }
        let epoch = state.phase.epoch;
        let mut conditions = Vec::new();
        let parts = self.background.parts_of_run(&state.key, due, epoch).await?;
        // All parts were read in one snapshot, and these conditions hold until the note is written.
        for part in parts.of_run {
            if !part.kept.is_some_and(|kept| kept.done) {
                return Ok(());
            }
            conditions.push(crate::migrations::look::unchanged(part.key, part.revision));
        }
        if due == BackgroundWork::CleanUp {
            return self.clean_again(state, conditions).await;
        }
        let caller = system_caller();
        let asked = Asked::by(MoveInitiator::Operator, Move::Claim(due), epoch);
        self.background
            .move_phase(&caller, &state.key, asked, &conditions)
            .await?;
        Ok(())
    }

    /// Cleanup is repeated until nothing is left: what expires was passed over.
    async fn clean_again(
        &self,
        state: &TypeState,
        mut parts: Vec<coeval_storage::WriteStep>,
    ) -> Result<(), EngineError> {
        let Some(migration) = state.phase.migration else {
            return Ok(());
        };
        let (from, to) = (migration.from, migration.to);
        if self.background.left_over(&state.key, from, to).await? == 0 {
            return Ok(());
        }
        // Without their records all parts are visited again. One that was claimed since is kept by
        // its condition, and nothing is removed then.
        for part in &mut parts {
            part.action = coeval_storage::WriteAction::Delete;
        }
        let write = AtomicWrite { steps: parts };
        unless_raced(self.background.store.atomic_write(write).await)?;
        Ok(())
    }
}

/// Whether the mirrors are to go, because the migration ends where it began.
fn discards(content: &MigrationContent, live: LivePhases) -> bool {
    content.observed.state == Course::Undoing && live == LivePhases::one(Phase::Old)
}

/// The move that a server's environment asks for.
fn wanted_by_environment(state: &TypeState, asked: Phase) -> Option<Move> {
    use coeval_core::phases::EnvironmentRequest;
    // The servers would only be named in a refusal, which nobody sees here.
    match ask(&PHASES, &state.phase, asked, &[]) {
        Ok(EnvironmentRequest::Forward) => Some(Move::Forward),
        Ok(EnvironmentRequest::Back) => Some(Move::Back),
        Ok(EnvironmentRequest::Work) | Err(PhaseRefusal::OutOfReach { .. }) | Err(_) => None,
    }
}

/// The half step that a migration takes by itself, if it goes that far.
fn automatic(live: LivePhases, until: Until, epoch: Epoch) -> Option<Asked<'static>> {
    let half = live.low != live.high;
    let next = if half {
        Some(live.high)
    } else {
        PHASES.row(live.high).next
    };
    let Some(next) = next else {
        let finish = Asked::by(MoveInitiator::AutomaticByName, Move::Finish, epoch);
        return (until == Until::Finished).then_some(finish);
    };
    // What is moved by name only was asked for by name: nothing less gets here.
    let who = if by_name(next) {
        MoveInitiator::AutomaticByName
    } else {
        MoveInitiator::Automatic
    };
    let far = Until::Phase(next) <= until;
    far.then(|| Asked::by(who, Move::Forward, epoch))
}

/// Until a phase record changes.
async fn news(events: &mut Option<coeval_storage::DeliveryStream>) {
    loop {
        let Some(watch) = events else {
            // Without a watch the poll wakes the loop.
            return std::future::pending().await;
        };
        match watch.next().await {
            Some(Ok(WatchDelivery::Events(..))) => return,
            Some(Ok(WatchDelivery::Live(_) | WatchDelivery::Bookmark(_))) => {}
            Some(Err(_)) | None => *events = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_by_itself_as_far_as_was_said() {
        let one = LivePhases::one;
        let half = |low, high| LivePhases { low, high };
        let soak = Until::Phase(Phase::Soak);
        for (live, until, goes) in [
            (one(Phase::Old), soak, true),
            (half(Phase::Backfill, Phase::Soak), soak, true),
            (one(Phase::Soak), soak, false),
            (one(Phase::Soak), Until::Phase(Phase::Cutover), true),
            (one(Phase::Cutover), Until::Phase(Phase::Cutover), false),
            (one(Phase::Cleanup), Until::Phase(Phase::Cleanup), false),
            (one(Phase::Cleanup), Until::Finished, true),
        ] {
            let goes_on = automatic(live, until, Epoch(1)).is_some();
            assert_eq!(goes_on, goes, "{live:?} {until:?}");
        }
        let cutover = automatic(one(Phase::Soak), Until::Finished, Epoch(1)).unwrap();
        assert_eq!(cutover.who, MoveInitiator::AutomaticByName);
    }
}
