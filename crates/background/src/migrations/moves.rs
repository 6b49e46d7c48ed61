//! Moves of a type's phase: half a step forward or back, the end, and notes of work that is done.
//! Each is one atomic write of the phase record and of the migration's resource.
//!
//! A move is decided by the rules of `coeval_core::phases` on what `look_at_type` read, and written
//! on condition that the phase record, the list of what failed and the declaration are as they were
//! read. Whoever asks names the epoch that the move was decided in: half a step that was meant in
//! an earlier epoch would be another step by now, so it is refused.
//!
//! The phase record decides what servers may do; the declaration says what is wanted, and shows how
//! far it is. Both are in one write, so neither of them tells of a step that did not happen. Losing
//! a race within the same epoch is no refusal: all is read again, and the gates are asked again.

use crate::background::Background;
use crate::migrations::access::admits_cutover;
use crate::migrations::content::{Course, MigrationContent};
use crate::migrations::look::Looked;
use crate::migrations::spans;
use crate::migrations::status::MigrationStatus;
use coeval_access::{AccessLevel, GeneralRight};
use coeval_catalog::caller::Caller;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::part::PHASES;
use coeval_catalog::types::phase;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{
    BackgroundWork, Epoch, Migration, MoveInitiator, Phase, PhaseRecord, PhaseRefusal, abandon,
    back, claim, finish, forward,
};
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::encode::encode_value;
use coeval_records::error::EngineError;
use coeval_records::error::migrations::MigrationError;
use coeval_records::keys::{self, TypeKey};
use coeval_resources::identity::own::Own;
use coeval_resources::read::Found;
use coeval_resources::write::request::Update;
use coeval_resources::write::steps::fenced;
use coeval_storage::{ReadRange, RecordPut, WriteAction, WriteCondition, WriteStep};
use tracing::Instrument as _;

/// How a migration is moved on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// The phase that is to be entered: if another one is next, nothing is done.
    pub to: Option<Phase>,
    /// Servers that are behind are given up: they refuse the type until they have moved.
    pub fence: bool,
    /// Those without access to the new version that cutover does not wait for, by name or id; an
    /// organization stands for all that is part of it.
    pub without_access: Vec<String>,
}

/// What a move does to the phase record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Forward,
    Back,
    Finish,
    Abandon,
    /// All was visited by a run of this work.
    Claim(BackgroundWork),
}

impl Move {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Finish => "finish",
            Self::Abandon => "abandon",
            Self::Claim(_) => "claim",
        }
    }
}

/// A move, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub what: Move,
    pub who: MoveInitiator,
    pub fence: bool,
    /// Members that cutover does not wait for. Only a person can say so, with the step itself.
    pub without_access: &'a [String],
    /// The epoch that it was decided in. In a later one it would mean another step.
    pub at: Epoch,
}

impl Asked<'_> {
    pub const fn by(who: MoveInitiator, what: Move, at: Epoch) -> Self {
        Self {
            what,
            who,
            fence: false,
            without_access: &[],
            at,
        }
    }
}

impl Background {
    /// Moves a migration half a step forward: a new phase is admitted, or the one before it is
    /// closed. At the last one it is finished.
    ///
    /// # Errors
    /// A refusal says what holds it: servers that are behind, work that is not done, resources that
    /// can't be converted.
    pub async fn advance_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        advance: Advance,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.current(of).await?;
            let asked = self.next_step(&state, &advance).await?;
            match self.move_phase(caller, of, asked, &[]).await {
                // Somebody was faster. Where it is to go was said, so it is seen whether that is next.
                Err(EngineError::Phase(PhaseRefusal::EpochPassed { .. }))
                    if advance.to.is_some() => {}
                Err(error) => return Err(error),
                Ok(_) => return self.migration_status(caller, of).await,
            }
        }
    }

    /// The half step that somebody asks for, as the phases are.
    async fn next_step<'a>(
        &self,
        state: &TypeState,
        advance: &'a Advance,
    ) -> Result<Asked<'a>, EngineError> {
        let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
        let (_, content) = self.declaration(&state.key, migration).await?;
        if content.observed.state == Course::Undoing {
            let name = content.name();
            return Err(MigrationError::Undoing { name }.into());
        }
        let live = migration.live;
        let last = live.low == live.high && PHASES.row(live.high).next.is_none();
        let next = if live.low == live.high {
            PHASES.row(live.high).next
        } else {
            // Both are live: the half step that is left closes the lower one.
            Some(live.high)
        };
        if let Some(wanted) = advance.to
            && next != Some(wanted)
        {
            let held_by = Vec::new();
            return Err(PhaseRefusal::OutOfReach {
                phase: wanted,
                live,
                held_by,
            }
            .into());
        }
        Ok(Asked {
            what: if last { Move::Finish } else { Move::Forward },
            who: MoveInitiator::Operator,
            fence: advance.fence,
            without_access: &advance.without_access,
            at: state.phase.epoch,
        })
    }

    /// Moves a migration half a step back.
    ///
    /// # Errors
    /// There is no way back from cleanup; out of soak it waits for the copy back.
    pub async fn back_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        fence: bool,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        // The epoch is read first: if the phases move before the write, nothing is done.
        let asked = Asked {
            fence,
            ..Asked::by(
                MoveInitiator::Operator,
                Move::Back,
                self.types.current(of).await?.phase.epoch,
            )
        };
        self.move_phase(caller, of, asked, &[]).await?;
        self.migration_status(caller, of).await
    }

    /// Lets a migration go all the way back, and end where it began. It goes by itself from here.
    ///
    /// # Errors
    /// There is no way back from cleanup.
    pub async fn undo_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.current(of).await?;
            let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
            // By the higher one: once cleanup is admitted, old records may be gone.
            let phase = migration.live.high;
            if PHASES.row(phase).next.is_none() {
                return Err(PhaseRefusal::NoWayBack { phase }.into());
            }
            let (own, mut content) = self.declaration(of, migration).await?;
            if content.observed.state == Course::Undoing {
                return self.migration_status(caller, of).await;
            }
            // Only noted: the driver of any server takes the steps, so it goes on if this server
            // stops.
            content.observed.state = Course::Undoing;
            if self.declare(caller, own, &content, Vec::new()).await? {
                return self.migration_status(caller, of).await;
            }
        }
    }

    /// The resource of the migration that is under way.
    pub(crate) async fn declaration(
        &self,
        of: &TypeKey,
        migration: Migration,
    ) -> Result<(Own, MigrationContent), EngineError> {
        let declared = self.declared(of, migration.from, migration.to).await?;
        let what =
            crate::migrations::content::name_of(&of.to_string(), migration.from, migration.to);
        declared.ok_or_else(|| MigrationError::Unknown { what }.into())
    }

    /// Writes the resource of a migration, with whatever else; whether nobody was faster.
    pub async fn declare(
        &self,
        caller: &Caller,
        own: Own,
        content: &MigrationContent,
        more: Vec<WriteStep>,
    ) -> Result<bool, EngineError> {
        let found = Found {
            fetched: own.fetched,
            stored: own.stored,
            level: AccessLevel::FullControl,
        };
        let body = encode_value("a migration", content)?;
        let at = self.types.own().speaks(&OwnKind::Migration.of());
        let update = Update::new(at, body);
        let changed = unless_raced(self.attempt(caller, found, &update, more).await)?;
        Ok(changed.is_some())
    }

    /// One move of the phase record, on condition that all that it depends on is as it was read.
    /// `more` are further conditions.
    pub(crate) async fn move_phase(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: Asked<'_>,
        more: &[WriteStep],
    ) -> Result<PhaseRecord, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let looked = self.look_at_type(of).await?;
            let state = &looked.state;
            let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
            // In a later epoch the same words mean another step: refused, not tried again.
            state.phase.fence(asked.at)?;
            let (own, mut content) = self.declaration(of, migration).await?;
            let forward = matches!(asked.what, Move::Forward | Move::Finish);
            if forward && content.observed.state == Course::Undoing {
                // Decided before somebody wanted it back.
                let name = content.name();
                return Err(MigrationError::Undoing { name }.into());
            }
            let next = self.moved(&looked, migration, asked, &content).await?;
            if next == state.phase {
                return Ok(next);
            }
            content.observe(&next, self.now());
            if next.migration.is_none() {
                content.observed.state = match asked.what {
                    Move::Abandon => Course::Undone,
                    _ => Course::Finished,
                };
            }
            // A resource that is listed as failed meanwhile makes this write fail, and the gates
            // see it.
            let mut steps = vec![looked.unlisted.clone()];
            steps.extend(more.iter().cloned());
            steps.extend(self.phase_steps(caller, state, &next)?);
            let span = spans::moving(of, migration, (asked.what, &next));
            let declaring = self.declare(caller, own, &content, steps);
            let written = declaring.instrument(span.clone()).await?;
            span.record("written", written);
            drop(span);
            if written {
                let state = self.types.load(of).await?;
                if next.migration.is_none() {
                    // Checkpoints are of no use to anybody any more.
                    // Not in the write that ended it: there may be too many. A server that dies
                    // here leaves nothing that counts, since parts have times and the list is
                    // emptied before the next migration begins.
                    self.store.delete_range(keys::all_background(of)?).await?;
                    self.clear_failed(&state).await?;
                }
                return Ok(next);
            }
        }
    }

    /// Empties the list of what failed while there is no migration; whether nobody began one meanwhile.
    pub(crate) async fn clear_failed(&self, state: &TypeState) -> Result<bool, EngineError> {
        const AT_ONCE: usize = 50;
        while state.phase.migration.is_none() {
            let range = ReadRange::of(keys::all_failed(&state.key)?).keys_only();
            let (_, page) = self.store.range(range.limit(AT_ONCE)).await?;
            if page.entries.is_empty() {
                return Ok(true);
            }
            // Fenced: what a migration that began meanwhile lists must stay.
            let mut write = fenced(state);
            for entry in &page.entries {
                write = write.delete(&entry.key);
            }
            if unless_raced(self.store.atomic_write(write).await)?.is_none() {
                return Ok(false);
            }
        }
        Ok(false)
    }

    async fn moved(
        &self,
        looked: &Looked,
        migration: Migration,
        asked: Asked<'_>,
        content: &MigrationContent,
    ) -> Result<PhaseRecord, EngineError> {
        let record = &looked.state.phase;
        let of = &looked.state.key;
        // Outside of the snapshot, and safe: in these phases no old record and no mirror comes into
        // being, and the write is conditioned on the phase.
        let left = match asked.what {
            Move::Finish => self.left_over(of, migration.from, migration.to).await?,
            Move::Abandon => self.mirrors(of, migration.to).await?,
            _ => 0,
        };
        let mut facts = looked.facts(asked.who, asked.fence, left);
        facts.meaning_changed = !content.meaning_changed.is_empty();
        let next = match asked.what {
            Move::Forward => forward(&PHASES, record, &facts)?,
            Move::Back => back(&PHASES, record, &facts)?,
            Move::Finish => finish(&PHASES, record, &facts)?,
            Move::Abandon => abandon(&PHASES, record, &facts)?,
            Move::Claim(work) => claim(record, work, asked.at, looked.failed)?,
        };
        // After the rules: what they refuse is refused for their reason
        // (docs/decisions/0010-cutover-waits-for-access.md).
        if asked.what == Move::Forward && admits_cutover(record, &next) {
            let majors = (migration.from, migration.to);
            let losing = self.losing_access(&looked.state, majors, usize::MAX);
            losing.await?.check(asked.without_access)?;
        }
        Ok(next)
    }

    /// The steps that write a phase record over the one that was read, and tell of it.
    pub(crate) fn phase_steps(
        &self,
        caller: &Caller,
        state: &TypeState,
        next: &PhaseRecord,
    ) -> Result<Vec<WriteStep>, EngineError> {
        let put = WriteStep {
            key: state.phase_key.clone(),
            condition: WriteCondition::RevisionIs(state.phase_revision),
            action: WriteAction::Put(RecordPut::of(phase::encode(next, state.open)?)),
        };
        let mut deed = Deed::other(What::MovePhase, &state.key.to_string());
        deed.note = Some(match next.migration {
            None => "the migration has ended".to_owned(),
            Some(migration) => {
                let (low, high) = (migration.live.low, migration.live.high);
                format!(
                    "from {} to {}: {low}{}",
                    migration.from,
                    migration.to,
                    if low == high {
                        String::new()
                    } else {
                        format!(" and {high}")
                    }
                )
            }
        });
        Ok(vec![put, self.audit_step(caller, &deed)?])
    }
}
