//! The work in the background: every resource of a part is visited, and what its mirror needs is
//! written, some of them in one atomic write with the checkpoint.
//!
//! What it promises: a run that is done has visited every resource of both majors within one epoch,
//! and left each of them fresh, cleaned up, or listed as failed; cleanup leaves an old record that
//! has an expiry to end by itself. What callers write is never undone, and what a run wrote is not
//! written again after a crash or when another server takes over.
//!
//! How it gets there: a page is read in one snapshot with the phase record and the claim of the
//! part. What each resource needs is planned by the rules (`backfill`, `copy_back`, `clean_up`,
//! `discard`). A batch is written together with its checkpoint, on condition that the phase record,
//! the claim and all records are as they were read. One that met a caller's write is read again,
//! the first of its resources by itself.
//!
//! Callers go first: a batch is small, conversions yield, and the pause between two batches follows
//! the latency that callers have (`caches::pulse`).

use crate::background::Background;
use crate::migrations::content::MigrationContent;
use crate::migrations::shard::{self, Counts, Shard};
use crate::migrations::spans;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::part::PHASES;
use coeval_catalog::types::state::TypeState;
use coeval_codes::Coded as _;
use coeval_core::phases::{
    BackgroundWork, Epoch, FailedListChange, KeyStep, MirrorFit, PairStanding, PhasePlan, backfill,
    clean_up, copy_back, discard, work,
};
use coeval_core::version::{Uuid, Version};
use coeval_records::attempts::{Attempts, is_race, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::header::Time;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_resources::expiry::silent;
use coeval_resources::pairs::failed::Listed;
use coeval_resources::pairs::mirror::Unfit;
use coeval_resources::resources::Resources;
use coeval_resources::secure::Sealed;
use coeval_resources::write::steps::{arrives, fenced};
use coeval_storage::{
    AtomicWrite, ReadRange, ReadRequest, Revision, StorageError, StoreLimits, StoredEntry,
    WriteCondition,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tracing::Instrument as _;

/// The most resources of a batch: callers wait for commits, and one with twenty resources takes little
/// more than one with a single resource.
const LARGEST: usize = 20;

/// Milliseconds after which a part that rests is claimed anew, so that nobody takes it over.
const SILENT: i64 = 2_000;

/// How a part of a run ended on this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All of it is visited.
    Done,
    /// Another server has it, or the run is over.
    Lost,
}

/// A run of one kind of work on one type, in one epoch.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub of: TypeKey,
    pub work: BackgroundWork,
    pub epoch: Epoch,
    /// The migration's resource, which says whether to rest.
    pub declared: Uuid,
    /// When the migration began.
    pub since: Time,
    pub server: String,
    /// How many workers there are, on all servers: they share the rate.
    pub workers: Arc<AtomicU32>,
}

/// A part that this server has claimed.
#[derive(Debug)]
pub(crate) struct Held {
    pub shard: u8,
    pub kept: Shard,
    pub revision: Revision,
}

/// What was read for the next batch.
struct Seen {
    pairs: Vec<(Uuid, Result<Pair, Unfit>)>,
    /// The last id that was read, and whether it was the last one of the part.
    reached: Option<Uuid>,
    end: bool,
    paused: bool,
    rate: u32,
}

/// What one resource needs.
struct Due {
    plan: PhasePlan,
    mirror: Option<Sealed>,
    unfit: Option<Unfit>,
    counts: Counts,
}

impl Run {
    /// Visits the rest of a part.
    pub(crate) async fn visit(
        &self,
        background: &Background,
        held: &mut Held,
    ) -> Result<Ended, EngineError> {
        let state = background.types.current(&self.of).await?;
        let span = spans::part(&state, self.work, held);
        let before = held.kept.counts;
        let visited = self
            .visit_rest(background, held)
            .instrument(span.clone())
            .await;
        spans::record(&span, held.kept.counts.since(before));
        if let Err(error) = &visited {
            span.record("code", tracing::field::display(error.code()));
        }
        visited
    }

    async fn visit_rest(
        &self,
        background: &Background,
        held: &mut Held,
    ) -> Result<Ended, EngineError> {
        let mut alone = false;
        let mut rate = 0;
        loop {
            // For each batch anew: a run of a passed epoch ends here, before it plans anything.
            let state = background.types.current(&self.of).await?;
            if !self.goes_on(&state)? {
                return Ok(Ended::Lost);
            }
            let share = usize::try_from(rate).unwrap_or(usize::MAX);
            // A batch is no larger than what the rate allows in one second.
            let most = match (alone, share) {
                (true, _) => 1,
                (false, 0) => LARGEST,
                (false, share) => LARGEST.min(share),
            };
            let Some(seen) = self.read(background, &state, held, most).await? else {
                return Ok(Ended::Lost);
            };
            if seen.paused {
                // Short, so that a resume is soon noticed.
                tokio::time::sleep(Duration::from_millis(200)).await;
                // A claim that does not change looks abandoned to others, so it is written while it
                // pauses.
                let silent = background.now() - held.kept.at > SILENT;
                if silent && !self.beat(background, held).await? {
                    return Ok(Ended::Lost);
                }
                continue;
            }
            let since = Instant::now();
            let done = seen.end;
            let visited = seen.pairs.len();
            rate = seen.rate;
            let span = spans::batch(&self.of, self.work, held);
            let before = held.kept.counts;
            let written = self
                .write(background, &state, held, seen)
                .instrument(span.clone())
                .await;
            spans::record(&span, held.kept.counts.since(before));
            match written? {
                Some(true) => alone = false,
                // Somebody wrote one of them: it is looked at again, for itself.
                Some(false) => {
                    alone = true;
                    continue;
                }
                None => return Ok(Ended::Lost),
            }
            if done {
                return Ok(Ended::Done);
            }
            self.rest(background, since.elapsed(), visited, rate).await;
        }
    }

    /// What is wanted of the migration by now.
    async fn wanted(
        &self,
        background: &Background,
    ) -> Result<Option<MigrationContent>, EngineError> {
        let own = background.own(OwnKind::Migration, self.declared).await?;
        Ok(own.and_then(|own| background.read_own(&own).ok()))
    }

    /// What one worker may do of a rate; 0 is no limit.
    fn share(&self, rate: u32) -> u32 {
        match rate {
            0 => 0,
            // At least one a second: 0 would mean that there is no limit.
            rate => (rate / self.workers.load(Ordering::Relaxed).max(1)).max(1),
        }
    }

    /// Whether the type is still where this run began.
    fn goes_on(&self, state: &TypeState) -> Result<bool, EngineError> {
        let Some(part) = state.part()? else {
            return Ok(false);
        };
        let due = match self.work {
            // No phase has this duty; the driver began it by the declaration, and the epoch ends
            // it.
            BackgroundWork::Discard => true,
            due => work(&PHASES, &state.phase, part.phase) == Some(due),
        };
        Ok(due && state.phase.epoch == self.epoch)
    }

    async fn rest(&self, background: &Background, took: Duration, visited: usize, rate: u32) {
        tokio::time::sleep(background.pulse.after_batch(took)).await;
        if rate > 0 {
            // What the batch took is part of the time that the rate gives it.
            let wanted = Duration::from_secs_f64(visited as f64 / f64::from(rate));
            tokio::time::sleep(wanted.saturating_sub(took)).await;
        }
    }

    /// Lets others know that this server is alive; whether the part is still its own.
    async fn beat(&self, background: &Background, held: &mut Held) -> Result<bool, EngineError> {
        let mut kept = held.kept.clone();
        kept.at = background.now();
        let key = shard::key(&self.of, self.work, held.shard)?;
        let steps = vec![kept.step(&key, Some(held.revision))?];
        let Some(written) = unless_raced(background.commit(&key, AtomicWrite { steps }).await)?
        else {
            return Ok(false);
        };
        (held.kept, held.revision) = (kept, written.revision);
        Ok(true)
    }

    /// The next resources of the part, both records of each, in one snapshot with the phase record
    /// and the claim. Nothing, if the part is not this server's any more.
    async fn read(
        &self,
        background: &Background,
        state: &Arc<TypeState>,
        held: &Held,
        most: usize,
    ) -> Result<Option<Seen>, EngineError> {
        let Some(part) = state.part()? else {
            return Ok(None);
        };
        let (from, to) = (part.migration.from, part.migration.to);
        let content = self.wanted(background).await?;
        let shard_key = shard::key(&self.of, self.work, held.shard)?;
        // The claim is read in the same snapshot: a part that was taken over is left before any
        // work.
        let mut request = ReadRequest::keys([state.phase_key.clone(), shard_key]);
        for major in [from, to] {
            let part = (held.shard, held.kept.parts);
            let span = shard::span(&self.of, major, part, held.kept.after())?;
            request = request.and_range(ReadRange::of(span).limit(most));
        }
        let snapshot = background.store.read(request).await?;
        let mut found = snapshot.keys.into_iter();
        let revision =
            |entry: &Option<StoredEntry>| entry.as_ref().and_then(|one| one.stored.revision());
        let phase = found.next().flatten();
        if revision(&phase) != Some(state.phase_revision) {
            // Nothing was read that counts; the next look finds the type as it is.
            return Ok(Some(Seen::nothing()));
        }
        let claim = found.next().flatten();
        if revision(&claim) != Some(held.revision) {
            return Ok(None);
        }
        let mut pages = snapshot.pages.into_iter();
        let old = pages.next().unwrap_or_default();
        let new = pages.next().unwrap_or_default();
        let last = |page: &coeval_storage::RangePage| {
            let last = page.entries.last().filter(|_| page.more);
            last.and_then(|entry| keys::read_record(&entry.key))
                .map(|(_, _, id)| id)
        };
        // Up to where both were read.
        let reached = match (last(&old), last(&new)) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let mut pairs: BTreeMap<Uuid, Result<Pair, Unfit>> = BTreeMap::new();
        for entry in old.entries.into_iter().chain(new.entries) {
            let Some((_, major, id)) = keys::read_record(&entry.key) else {
                continue;
            };
            if reached.is_some_and(|reached| id > reached) {
                continue;
            }
            let record = entry.into_record().map_err(EngineError::from);
            let stored = record.and_then(|record| Stored::decode(id, &record));
            let pair = pairs.entry(id).or_insert_with(|| Ok(Pair::absent(*part)));
            match (stored, pair.as_mut()) {
                (Ok(stored), Ok(pair)) if major == from => pair.old = Some(stored),
                (Ok(stored), Ok(pair)) => pair.new = Some(stored),
                // One that can't be read holds nobody up but itself.
                (Err(error), _) => *pair = Err(Unfit::of(&error)),
                (Ok(_), Err(_)) => {}
            }
        }
        let mut pairs: Vec<(Uuid, Result<Pair, Unfit>)> = pairs.into_iter().collect();
        // Where old and new have different ids there are up to twice as many: the rest is read
        // again.
        let cut = pairs.len() > most;
        pairs.truncate(most);
        let end = reached.is_none() && !cut;
        Ok(Some(Seen {
            reached: pairs.last().map(|(id, _)| *id).or(reached),
            pairs,
            end,
            paused: content.as_ref().is_some_and(|one| one.paused),
            rate: content.map_or(0, |one| self.share(one.rate)),
        }))
    }

    /// Writes what the resources need, as many as fit at a time. True: all of them; false: somebody
    /// else was faster at one; nothing: the part is lost.
    async fn write(
        &self,
        background: &Background,
        state: &Arc<TypeState>,
        held: &mut Held,
        seen: Seen,
    ) -> Result<Option<bool>, EngineError> {
        let mut batch = Batch::default();
        let (reached, end) = (seen.reached, seen.end);
        for (id, pair) in &seen.pairs {
            let pair = match pair {
                Ok(pair) => pair,
                Err(unfit) => {
                    let steps = self.unreadable(*id, unfit)?;
                    let counts = Counts {
                        visited: 1,
                        failed: u64::from(!steps.is_empty()),
                        ..Counts::default()
                    };
                    batch.add(*id, steps, None, counts);
                    continue;
                }
            };
            // A conversion takes its time: callers on this thread go first.
            tokio::task::yield_now().await;
            let due = self.due(background, state, *id, pair).await?;
            let steps = match &due {
                None => Vec::new(),
                Some(due) => {
                    let write = AtomicWrite::new();
                    let (plan, mirror) = (due.plan, due.mirror.clone());
                    let unfit = due.unfit.as_ref();
                    let write =
                        Resources::add_background(write, state, *id, pair, plan, mirror, unfit)?;
                    write.steps
                }
            };
            let at = due.as_ref().and_then(|due| {
                let mirror = due.mirror.as_ref()?;
                Some(mirror.store.header.version)
            });
            let counts = Counts {
                visited: 1,
                ..due.map_or(Counts::default(), |due| due.counts)
            };
            // A store takes only so many steps at once: what is full is written, with its own
            // checkpoint.
            if !batch.fits(&steps) {
                match self
                    .put(background, state, held, std::mem::take(&mut batch))
                    .await?
                {
                    Some(true) => {}
                    other => return Ok(other),
                }
            }
            batch.add(*id, steps, at, counts);
        }
        // Of an empty page: the checkpoint moves to where the page ended.
        if batch.last.is_none() {
            batch.last = reached;
        }
        batch.end = end;
        self.put(background, state, held, batch).await
    }

    /// A resource that can't be read has no mirror, and that is told.
    fn unreadable(
        &self,
        id: Uuid,
        unfit: &Unfit,
    ) -> Result<Vec<coeval_storage::WriteStep>, EngineError> {
        match self.work {
            BackgroundWork::Backfill | BackgroundWork::CopyBack => {
                Listed::of(unfit).steps(&self.of, id, None)
            }
            BackgroundWork::CleanUp | BackgroundWork::Discard => {
                tracing::error!(of = %self.of, %id, reason = unfit.reason, "left where it is");
                Ok(Vec::new())
            }
        }
    }

    async fn put(
        &self,
        background: &Background,
        state: &TypeState,
        held: &mut Held,
        batch: Batch,
    ) -> Result<Option<bool>, EngineError> {
        if batch.last.is_none() && !batch.end {
            return Ok(Some(true));
        }
        let mut kept = held.kept.clone();
        kept.after = batch.last.map(|id| id.to_string()).or(kept.after);
        kept.done = batch.end;
        kept.at = background.now();
        kept.counts.add(batch.counts);
        let key = shard::key(&self.of, self.work, held.shard)?;
        // Conditioned on the phase record, the versions that mirrors arrive at, the claim and the
        // records.
        let mut write = fenced(state);
        for version in batch.versions {
            let arrived = arrives(write, state, version);
            // If such a version is being edited, that is waited for, and the batch is planned anew.
            let Some(arrived) = background.unless_edited(state, arrived).await? else {
                return Ok(Some(false));
            };
            write = arrived;
        }
        write.steps.push(kept.step(&key, Some(held.revision))?);
        write.steps.extend(batch.steps);
        let mut seen = std::collections::HashSet::new();
        // The record that tells of failures is touched once.
        write.steps.retain(|step| seen.insert(step.key.clone()));
        match background.commit(&key, write).await {
            Ok(written) => {
                (held.kept, held.revision) = (kept, written.revision);
                count(self.work, batch.counts);
                Ok(Some(true))
            }
            // Only if its own record differs is the claim lost; all else is a race for one
            // resource.
            Err(StorageError::Conflict { key: at, .. } | StorageError::NotFound { key: at })
                if at == key =>
            {
                Ok(None)
            }
            Err(error) if is_race(&error) => Ok(Some(false)),
            Err(error) => Err(error.into()),
        }
    }

    /// What a resource needs, if anything.
    async fn due(
        &self,
        background: &Background,
        state: &Arc<TypeState>,
        id: Uuid,
        pair: &Pair,
    ) -> Result<Option<Due>, EngineError> {
        let found = pair.found();
        let mut counts = Counts::default();
        match (self.work, pair.standing()) {
            (BackgroundWork::CleanUp, _) => {
                counts.removed = 1;
                let own = pair.new.as_ref();
                // Its content stays; what changes is the flag, from paired to alone.
                let mirror = own.map(|own| Sealed::unchanged(own, own.header.clone()));
                return Ok(clean_up(&found).map(|plan| Due {
                    plan,
                    mirror,
                    unfit: None,
                    counts,
                }));
            }
            (BackgroundWork::Discard, _) => {
                counts.removed = 1;
                return Ok(discard(&found).map(|plan| Due {
                    plan,
                    mirror: None,
                    unfit: None,
                    counts,
                }));
            }
            (_, PairStanding::OnlyOld | PairStanding::OnlyNew) => counts.copied = 1,
            (_, PairStanding::Stale) => counts.stale = 1,
            _ => {}
        }
        // Before the plan, because whether it converts decides what is planned.
        let made = background.make_mirror(state, id, pair).await?;
        let fit = match &made {
            Some(Err(_)) => MirrorFit::OnlyTruth,
            _ => MirrorFit::Both,
        };
        let plan = match self.work {
            BackgroundWork::Backfill => backfill(&found, fit),
            _ => copy_back(&found, fit),
        };
        let Some(plan) = plan else {
            return Ok(None);
        };
        let copies = plan.old == KeyStep::Copy || plan.new == KeyStep::Copy;
        // Nothing is copied: it does not convert and is listed, or an orphan is removed.
        if !copies {
            (counts.copied, counts.stale) = (0, 0);
            match plan.failing {
                FailedListChange::Listed => counts.failed = 1,
                _ => counts.removed = 1,
            }
        }
        let (mirror, unfit) = match made {
            None => (None, None),
            Some(Ok(mirror)) => (copies.then_some(mirror), None),
            Some(Err(unfit)) => (None, Some(unfit)),
        };
        Ok(Some(Due {
            plan,
            mirror,
            unfit,
            counts,
        }))
    }
}

impl Background {
    /// What the mirror of a resource should be, made of its source of truth; nothing if it needs
    /// none.
    async fn make_mirror(
        &self,
        state: &Arc<TypeState>,
        id: Uuid,
        pair: &Pair,
    ) -> Result<Option<Result<Sealed, Unfit>>, EngineError> {
        let standing = pair.standing();
        if matches!(
            standing,
            PairStanding::Absent | PairStanding::Alone | PairStanding::Fresh
        ) {
            return Ok(None);
        }
        let (Some(truth), Some(at)) = (pair.truth(), pair.mirror_at(state)) else {
            return Ok(None);
        };
        let record = match self.open_record(state, truth).await {
            Ok(opened) => opened.record,
            // A failing store says nothing of the resource. Any other error does: it is listed as
            // failed.
            Err(EngineError::Storage(error)) => return Err(error.into()),
            Err(error) => return Ok(Some(Err(Unfit::of(&error)))),
        };
        let replaced = truth.replaced.clone();
        let (background, header) = (self, truth.header.clone());
        Ok(Some(
            background.mirror_of(state, id, &header, record, at, replaced),
        ))
    }

    /// Makes the mirror of one resource fresh, as the backfill does.
    pub async fn mend(&self, of: &TypeKey, id: Uuid) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let fetched = self.fetch(of, id, ReadRequest::default()).await?;
            let Some(pair) = &fetched.pair else {
                return Ok(());
            };
            let state = &fetched.state;
            // Only before soak: from there on the new record is the source of truth, not a copy.
            let reads_mend = pair.part.row().reads == coeval_core::phases::ReadSource::FreshNew;
            if !reads_mend {
                return Ok(());
            }
            let Some(made) = unless_raced(self.make_mirror(state, id, pair).await)? else {
                continue;
            };
            let fit = match &made {
                Some(Err(_)) => MirrorFit::OnlyTruth,
                _ => MirrorFit::Both,
            };
            let Some(plan) = backfill(&pair.found(), fit) else {
                return Ok(());
            };
            let (mirror, unfit) = match made {
                None => (None, None),
                Some(Ok(mirror)) => (Some(mirror), None),
                Some(Err(unfit)) => (None, Some(unfit)),
            };
            let mut write = fenced(state);
            if let Some(mirror) = &mirror {
                write = arrives(write, state, mirror.store.header.version)?;
            }
            // Watchers pass over a write that touches this record: a repair changes nothing that
            // they see.
            write.steps.push(silent(of)?);
            let unfit = unfit.as_ref();
            let write = Resources::add_background(write, state, id, pair, plan, mirror, unfit)?;
            if unless_raced(self.store.atomic_write(write).await)?.is_some() {
                return Ok(());
            }
        }
    }
}

/// What is written together.
#[derive(Default)]
struct Batch {
    steps: Vec<coeval_storage::WriteStep>,
    versions: std::collections::BTreeSet<Version>,
    counts: Counts,
    last: Option<Uuid>,
    end: bool,
}

impl Batch {
    /// Whether these steps fit too, with what else is written.
    fn fits(&self, steps: &[coeval_storage::WriteStep]) -> bool {
        // The limits that all stores share: what fits here fits into each of them.
        let limits = StoreLimits::default();
        let all = || self.steps.iter().chain(steps);
        let conditions = all().filter(|step| step.condition != WriteCondition::Whatever);
        let actions = all().filter(|step| step.action != coeval_storage::WriteAction::Nop);
        let keys: usize = all().map(|step| step.key.as_bytes().len()).sum();
        let values: usize = all()
            .map(|step| match &step.action {
                coeval_storage::WriteAction::Put(put) => put.content.stored_size(),
                _ => 0,
            })
            .sum();
        // The phase record, the claim, and a few versions.
        // A single resource is tried whatever its size: nothing smaller can be written.
        self.steps.is_empty()
            || (conditions.count() + 8 <= limits.conditions
                && actions.count() + 4 <= limits.actions
                && keys + 2_048 <= limits.keys
                && values + 8_192 <= limits.values)
    }

    fn add(
        &mut self,
        id: Uuid,
        steps: Vec<coeval_storage::WriteStep>,
        at: Option<Version>,
        counts: Counts,
    ) {
        self.steps.extend(steps);
        self.versions.extend(at);
        self.counts.add(counts);
        self.last = Some(id);
    }
}

impl Seen {
    const fn nothing() -> Self {
        Self {
            pairs: Vec::new(),
            reached: None,
            end: false,
            paused: false,
            rate: 0,
        }
    }
}

fn count(work: BackgroundWork, counts: Counts) {
    let name = shard::name(work);
    for (what, number) in [
        ("visited", counts.visited),
        ("copied", counts.copied),
        ("stale", counts.stale),
        ("removed", counts.removed),
        ("failed", counts.failed),
    ] {
        if number > 0 {
            metrics::counter!("coeval_migration_resources_total", "work" => name, "what" => what)
                .increment(number);
        }
    }
}
