//! How far a migration is, who is where, and why it is not moving.

use crate::background::Background;
use crate::migrations::access::{LosingAccess, LosingMember};
use crate::migrations::content::{Course, MigrationContent};
use crate::migrations::look::Looked;
use crate::migrations::rate::{expected, per_second};
use crate::migrations::shard::{Counts, Shard};
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::read as read_content;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::part::PHASES;
use coeval_core::phases::{
    BackgroundWork, Migration, MoveInitiator, Phase, PhaseRefusal, finish, forward, work,
};
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::error::migrations::MigrationError;
use coeval_records::header::Time;
use coeval_records::keys::{self, TypeKey};
use coeval_records::servers::ServerSeen;
use coeval_resources::pairs::failed::decode as decode_failed;
use coeval_storage::{ReadRange, ReadRequest};

/// Where a migration stands as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is under way.
    Running,
    /// It is on its way back to where it began.
    Undoing,
    /// The type is at the new major.
    Finished,
    /// The type is where it was.
    Undone,
}

impl State {
    /// As people read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Undoing => "undoing",
            Self::Finished => "finished",
            Self::Undone => "undone",
        }
    }
}

/// Work in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Working {
    /// Every mirror at the new major is made fresh.
    Backfill,
    /// Every mirror at the old major is made fresh.
    CopyBack,
    /// What is left at the old major is removed.
    CleanUp,
    /// Mirrors are removed, because the migration ends where it began.
    Discard,
}

impl Working {
    /// As people read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backfill => "backfill",
            Self::CopyBack => "copy back",
            Self::CleanUp => "cleanup",
            Self::Discard => "removal of mirrors",
        }
    }

    const fn of(work: BackgroundWork) -> Self {
        match work {
            BackgroundWork::Backfill => Self::Backfill,
            BackgroundWork::CopyBack => Self::CopyBack,
            BackgroundWork::CleanUp => Self::CleanUp,
            BackgroundWork::Discard => Self::Discard,
        }
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Which.
    pub working: Working,
    /// Resources that were looked at.
    pub visited: u64,
    /// Of so many.
    pub total: u64,
    /// Mirrors that were missing.
    pub copied: u64,
    /// Mirrors that were behind.
    pub stale: u64,
    /// Mirrors of nothing, or old records, that were removed.
    pub orphaned: u64,
    /// Resources that can't be converted.
    pub failed: u64,
    /// Resources a second.
    pub per_second: f64,
    /// Seconds that are left: the soonest, the likely and the latest.
    pub left: Option<(f64, f64, f64)>,
    /// Whether all was visited.
    pub done: bool,
}

/// How far a migration is.
#[derive(Clone, Debug, PartialEq)]
pub struct MigrationStatus {
    /// The name of its resource.
    pub name: String,
    /// The type.
    pub of: TypeKey,
    /// The major that it leaves.
    pub from: u32,
    /// The major that it goes to.
    pub to: u32,
    /// As a whole.
    pub state: State,
    /// The phases that servers may work at, while it is under way.
    pub live: Option<(Phase, Phase)>,
    /// Every mirror at the new major is fresh.
    pub forward_done: bool,
    /// Every mirror at the old major is fresh.
    pub back_done: bool,
    /// Whether it advances by itself, and how far.
    pub auto: bool,
    /// How far.
    pub until: String,
    /// Whether the background rests.
    pub paused: bool,
    /// Resources a second at most.
    pub rate: u32,
    /// When it began.
    pub began: Time,
    /// When its phase changed last.
    pub moved: Time,
    /// Resources at the old major, and at the new one.
    pub resources: (u64, u64),
    /// How many resources can't be converted.
    pub failed: u64,
    /// The work in the background that is due.
    pub progress: Option<Progress>,
    /// At soak: some of those who see the old major and not the version that resources get. Cutover
    /// waits for them, unless they are named.
    pub without_access: Vec<LosingMember>,
    /// Every server that is alive.
    pub servers: Vec<ServerSeen>,
    /// In one sentence: why it is not moving, or what comes next.
    pub why: String,
}

/// A resource that can't be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedResource {
    /// Its id.
    pub id: Uuid,
    /// Its name, if it can be read.
    pub name: Option<String>,
    /// Why, as a code.
    pub code: String,
    /// Why, as a sentence.
    pub reason: String,
}

/// Whether a type and the resource of one of its migrations are of the same moment: every move
/// writes both.
fn agree(looked: &Looked, content: &MigrationContent) -> bool {
    let migration = looked.state.phase.migration;
    let own = migration.filter(|one| (one.from, one.to) == (content.from, content.to));
    let observed = &content.observed;
    match own {
        None => content.has_ended().is_some(),
        Some(Migration { live, .. }) => {
            content.has_ended().is_none()
                && observed.low.as_deref() == Some(live.low.name())
                && observed.high.as_deref() == Some(live.high.name())
        }
    }
}

impl Background {
    /// How far the migration of a type is: of the one that is under way, or else of the last one.
    ///
    /// # Errors
    /// If there is and was none.
    pub async fn migration_status(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let looked = self.look_at_type(of).await?;
            let content = match looked.state.phase.migration {
                Some(migration) => self.declaration(of, migration).await?.1,
                None => {
                    let all = self.declarations().await?;
                    let own = all
                        .into_iter()
                        .filter(|content| content.of == of.to_string());
                    let last = own.max_by_key(|content| content.observed.moved);
                    let what = of.to_string();
                    last.ok_or(MigrationError::Unknown { what })?
                }
            };
            // It may have moved between the two looks.
            if agree(&looked, &content) || attempts.is_last() {
                return self.status_of(looked, content).await;
            }
        }
    }

    /// All migrations, those under way first.
    ///
    /// # Errors
    /// If the caller may not know of them.
    pub async fn migrations(&self, caller: &Caller) -> Result<Vec<MigrationStatus>, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut all = Vec::new();
        for mut content in self.declarations().await? {
            let of = content.key()?;
            let mut attempts = Attempts::new();
            while attempts.begin().is_ok() {
                let looked = match self.look_at_type(&of).await {
                    // The type is gone, and its migration is history.
                    Err(EngineError::TypeUnknown { .. }) => break,
                    other => other?,
                };
                if agree(&looked, &content) || attempts.is_last() {
                    all.push(self.status_of(looked, content).await?);
                    break;
                }
                // It moved between the two looks.
                match self.declared(&of, content.from, content.to).await? {
                    Some((_, again)) => content = again,
                    None => break,
                }
            }
        }
        all.sort_by(|one, other| {
            let key = |status: &MigrationStatus| (status.live.is_none(), status.name.clone());
            key(one).cmp(&key(other))
        });
        Ok(all)
    }

    /// What every resource of this kind says.
    async fn declarations(&self) -> Result<Vec<MigrationContent>, EngineError> {
        const PAGE: usize = 200;
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = self.own_page(OwnKind::Migration, after, PAGE).await?;
            for spoken in &page.found {
                all.push(read_content::<MigrationContent>(spoken)?);
            }
            after = page.next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    async fn status_of(
        &self,
        looked: Looked,
        content: MigrationContent,
    ) -> Result<MigrationStatus, EngineError> {
        let of = looked.state.key.clone();
        let migration = looked.state.phase.migration;
        let running = migration.filter(|one| one.from == content.from && one.to == content.to);
        // Nothing is decided by these: a count of a moment ago is good enough.
        let old = self.tally(&looked.state, content.from).await?;
        let new = self.tally(&looked.state, content.to).await?;
        let (_, servers) = self.store.range(ReadRange::of(keys::servers()?)).await?;
        let servers = servers
            .entries
            .iter()
            .filter_map(|entry| serde_json::from_slice(&entry.stored.record()?.content.body).ok());
        let progress = match running {
            None => None,
            Some(migration) => {
                self.progress(&looked, migration, &content, (old, new))
                    .await?
            }
        };
        let losing = match running {
            None => None,
            Some(migration) => self.held_by_access(&looked.state, migration).await?,
        };
        let why = self
            .why(
                &looked,
                running,
                &content,
                (progress.as_ref(), losing.as_ref()),
            )
            .await?;
        Ok(MigrationStatus {
            name: content.name(),
            from: content.from,
            to: content.to,
            state: match content.observed.state {
                Course::Running => State::Running,
                Course::Undoing => State::Undoing,
                Course::Finished => State::Finished,
                Course::Undone => State::Undone,
            },
            live: running.map(|one| (one.live.low, one.live.high)),
            forward_done: running.is_some_and(|one| one.forward_done),
            back_done: running.is_some_and(|one| one.back_done),
            auto: content.auto,
            until: content.until,
            paused: content.paused,
            rate: content.rate,
            began: content.observed.began,
            moved: content.observed.moved,
            resources: (old, new),
            failed: looked.failed,
            progress,
            without_access: losing.map(|losing| losing.members).unwrap_or_default(),
            servers: servers.collect(),
            why,
            of,
        })
    }

    async fn progress(
        &self,
        looked: &Looked,
        migration: Migration,
        content: &MigrationContent,
        (old, new): (u64, u64),
    ) -> Result<Option<Progress>, EngineError> {
        let (state, live) = (&looked.state, migration.live);
        let discards = content.observed.state == Course::Undoing
            && live == coeval_core::phases::LivePhases::one(Phase::Old);
        let due = if discards {
            Some(BackgroundWork::Discard)
        } else {
            // The highest phase that servers work at is the one that has work.
            work(&PHASES, &state.phase, live.high)
        };
        let ran = match (due, live.high) {
            (Some(due), _) => due,
            (None, Phase::Backfill) => BackgroundWork::Backfill,
            (None, Phase::Soak) if migration.back_done && migration.forward_done => {
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let parts = self
            .parts_of_run(&state.key, ran, state.phase.epoch)
            .await?;
        let all = parts.done_since(content.observed.began);
        let count = parts.of_run.len();
        let of_run = parts.of_run.into_iter();
        let shards: Vec<Shard> = of_run.filter_map(|part| part.kept).collect();
        let mut counts = Counts::default();
        shards.iter().for_each(|shard| counts.add(shard.counts));
        let total = match ran {
            BackgroundWork::Backfill => old,
            BackgroundWork::CopyBack | BackgroundWork::Discard => new,
            BackgroundWork::CleanUp => new.max(old),
        };
        let total = total.max(counts.visited);
        // What was done in an earlier epoch is done, and its parts are forgotten.
        if due.is_none() {
            counts.visited = total;
        }
        let done = due.is_none() || (shards.len() == count && shards.iter().all(|one| one.done));
        let left = if done {
            None
        } else {
            expected(&shards, total - counts.visited)
                .map(|left| (left.soonest, left.likely, left.latest))
        };
        Ok(Some(Progress {
            working: Working::of(ran),
            visited: counts.visited,
            total,
            copied: all.copied,
            stale: all.stale,
            orphaned: all.removed,
            failed: counts.failed,
            per_second: per_second(&shards),
            left,
            done,
        }))
    }

    /// One sentence for why it is not moving, or what comes next.
    async fn why(
        &self,
        looked: &Looked,
        running: Option<Migration>,
        content: &MigrationContent,
        (progress, losing): (Option<&Progress>, Option<&LosingAccess>),
    ) -> Result<String, EngineError> {
        let Some(migration) = running else {
            return Ok(match content.has_ended() {
                Some(how) => format!("{}.", capital(how)),
                None => "It is not under way.".to_owned(),
            });
        };
        let working = progress.filter(|progress| !progress.done);
        // What a person decided comes first, then what the rules refuse, then what is possible.
        if content.paused
            && let Some(progress) = working
        {
            return Ok(format!("The {} is paused.", progress.working.name()));
        }
        let live = migration.live;
        let record = &looked.state.phase;
        if content.observed.state == Course::Undoing {
            let facts = looked.facts(MoveInitiator::Operator, false, 0);
            let back = coeval_core::phases::back(&PHASES, record, &facts);
            return Ok(match (working, back) {
                (Some(progress), _) => {
                    format!("It is undone: the {} is on.", progress.working.name())
                }
                (None, Err(refusal)) => format!("It is undone: {refusal}."),
                (None, Ok(_)) => "It is undone, phase by phase.".to_owned(),
            });
        }
        let last = live.low == live.high && PHASES.row(live.high).next.is_none();
        let left = if last {
            self.left_over(&looked.state.key, migration.from, migration.to)
                .await?
        } else {
            0
        };
        // As an operator's move: what refuses a person refuses an automatic move too.
        let facts = looked.facts(MoveInitiator::Operator, false, left);
        let next = if last {
            finish(&PHASES, record, &facts)
        } else {
            forward(&PHASES, record, &facts)
        };
        if let (Ok(_), Some(losing)) = (&next, losing) {
            return Ok(losing.why());
        }
        Ok(match next {
            Err(PhaseRefusal::BackfillNotDone) if progress.is_some_and(|one| one.done) => {
                "Every resource was visited; that is noted in a moment.".to_owned()
            }
            Err(refusal) => format!("{}.", capital(&refusal.to_string())),
            Ok(_) if last => "All is done; it can be finished.".to_owned(),
            Ok(_) if live.low == live.high => {
                let next = PHASES.row(live.high).next;
                let next = next.map_or("the end", Phase::name);
                let copies = working.is_some_and(|one| one.working == Working::CopyBack);
                if copies {
                    format!("It can advance to {next}; for the way back the copy back is on.")
                } else {
                    format!("It can advance to {next}.")
                }
            }
            Ok(_) => format!("Every server is at {}; it can advance.", live.high),
        })
    }

    /// The resources that can't be converted, a page of them.
    ///
    /// # Errors
    /// If the caller may not know of them.
    pub async fn failed_resources(
        &self,
        caller: &Caller,
        of: &TypeKey,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<FailedResource>, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut span = keys::all_failed(of)?;
        if let Some(after) = after {
            span = span.after(&keys::failed(of, after)?);
        }
        let (_, page) = self.store.range(ReadRange::of(span).limit(limit)).await?;
        let mut all = Vec::new();
        for (id, listed) in page.entries.iter().filter_map(decode_failed) {
            let fetched = self.fetch(of, id, ReadRequest::default()).await;
            // One that can't be read is listed by its id alone.
            let stored = fetched.ok().and_then(|fetched| fetched.stored);
            all.push(FailedResource {
                id,
                name: stored.map(|stored| stored.header.name),
                code: listed.code,
                reason: listed.reason,
            });
        }
        Ok(all)
    }

    /// Tries again to give a resource that could not be converted its mirror. Whether it has one
    /// by now.
    ///
    /// # Errors
    /// If the caller may not, or the store fails.
    pub async fn retry_failed(
        &self,
        caller: &Caller,
        of: &TypeKey,
        id: Uuid,
    ) -> Result<bool, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        self.mend(of, id).await?;
        let request = ReadRequest::keys([keys::failed(of, id)?]);
        let snapshot = self.store.read(request).await?;
        Ok(snapshot.keys.into_iter().flatten().next().is_none())
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        None => String::new(),
        Some(first) => first.to_uppercase().chain(letters).collect(),
    }
}
