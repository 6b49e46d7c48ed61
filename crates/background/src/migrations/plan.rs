//! What a migration would do, found out before it is begun.

use crate::background::Background;
use crate::jobs::migrate::changes_of_meaning;
use crate::migrations::access::LosingMember;
use crate::migrations::start::newest_of;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::begin;
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_resources::pairs::mirror::Unfit;
use coeval_resources::write::moving::move_record;
use coeval_storage::{ReadRange, StoredValue as Kept};
use std::time::{Duration, Instant};

/// For how long resources are tried; the rest is estimated.
const LOOKS: Duration = Duration::from_secs(20);
/// How many examples are shown.
const EXAMPLES: usize = 10;
/// What writing a mirror costs beside converting it, in one batch with others: seconds for each.
const WRITTEN: f64 = 0.0004;

/// Resources at a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Which.
    pub version: Version,
    /// How many.
    pub count: u64,
}

/// A resource that can't be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Why, as a code.
    pub code: String,
    /// Why, as a sentence.
    pub reason: String,
}

/// What a migration would do.
#[derive(Clone, Debug, PartialEq)]
pub struct MigrationPlan {
    /// The type.
    pub of: TypeKey,
    /// The major that it leaves.
    pub from: u32,
    /// The version that resources get.
    pub to: Version,
    /// Resources by version.
    pub versions: Vec<Counted>,
    /// How many of them were tried.
    pub tried: u64,
    /// Converted there and back without anything being kept aside.
    pub exact: u64,
    /// Something is kept beside the new record, for the way back.
    pub keeps: u64,
    /// Can't be converted.
    pub refused: u64,
    /// Some of those.
    pub examples: Vec<Refused>,
    /// Seconds that the backfill may take, at full speed.
    pub seconds: f64,
    /// Versions on the way that change what a field means; they must be named.
    pub meaning_changed: Vec<Version>,
    /// Those who see a version of the old major and not `to`: cutover waits for them, unless they are
    /// named.
    pub without_access: Vec<LosingMember>,
    /// Why it can't be begun, if it can't.
    pub held: Option<String>,
}

impl MigrationPlan {
    /// How many resources there are.
    #[must_use]
    pub fn resources(&self) -> u64 {
        self.versions.iter().map(|one| one.count).sum()
    }
}

impl Background {
    /// Tries the migration of a type without writing anything.
    ///
    /// # Errors
    /// If a major is not there, or the caller may not.
    pub async fn plan_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        from: Option<u32>,
        to: Option<u32>,
    ) -> Result<MigrationPlan, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let state = self.types.current(of).await?;
        let (from, to) = self.majors_of(&state, from, to).await?;
        let (newest, target) = (newest_of(&state, from)?, newest_of(&state, to)?);
        let mut plan = MigrationPlan {
            of: of.clone(),
            from,
            to: target,
            versions: Vec::new(),
            tried: 0,
            exact: 0,
            keeps: 0,
            refused: 0,
            examples: Vec::new(),
            seconds: 0.0,
            meaning_changed: changes_of_meaning(&state, newest, target),
            without_access: {
                let losing = self.losing_access(&state, (from, to), usize::MAX).await?;
                losing.members
            },
            held: begin(&state.phase, from, to)
                .err()
                .map(|one| one.to_string()),
        };
        for version in state.registered_versions().filter(|one| one.major == from) {
            let (_, count) = self.store.count(keys::at_version(of, version)?).await?;
            if count > 0 {
                plan.versions.push(Counted { version, count });
            }
        }
        self.try_all(&state, &mut plan).await?;
        Ok(plan)
    }

    async fn try_all(
        &self,
        state: &TypeState,
        plan: &mut MigrationPlan,
    ) -> Result<(), EngineError> {
        let began = Instant::now();
        let mut range = ReadRange::of(keys::records_of_major(&plan.of, plan.from)?);
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some((_, _, id)) = keys::read_record(&entry.key) else {
                    continue;
                };
                let stored = match &entry.stored {
                    Kept::Record(record) => Stored::decode(id, record),
                    Kept::Damaged { damage, .. } => Err(EngineError::Unreadable {
                        id,
                        reason: damage.to_string(),
                    }),
                };
                plan.tried += 1;
                let name = match &stored {
                    Ok(stored) => stored.header.name.clone(),
                    Err(_) => String::new(),
                };
                let tried = match stored {
                    Ok(stored) => self.tried(state, &stored, plan.to).await,
                    Err(error) => Err(error),
                };
                match tried {
                    Ok(true) => plan.keeps += 1,
                    Ok(false) => plan.exact += 1,
                    Err(error) => {
                        plan.refused += 1;
                        if plan.examples.len() < EXAMPLES {
                            let unfit = Unfit::of(&error);
                            plan.examples.push(Refused {
                                id,
                                name,
                                code: unfit.code.to_string(),
                                reason: unfit.reason,
                            });
                        }
                    }
                }
            }
            // Bounded in time: of a large type only the first are tried, and the plan says how
            // many.
            match range.following(&page) {
                Some(next) if began.elapsed() < LOOKS => range = next,
                _ => break,
            }
        }
        let each = match plan.tried {
            0 => 0.0,
            tried => began.elapsed().as_secs_f64() / tried as f64,
        };
        plan.seconds = (each + WRITTEN) * plan.resources() as f64;
        Ok(())
    }

    /// Whether something is kept beside a resource that is converted; an error if it can't be.
    pub async fn tried(
        &self,
        state: &TypeState,
        stored: &Stored,
        to: Version,
    ) -> Result<bool, EngineError> {
        let opened = self.open_record(state, stored).await?;
        let record = opened.record;
        let moved = move_record(state, record.clone(), to, None)?;
        // As the backfill would make it: what converts may still be no mirror.
        if let Some(unfit) = self
            .mirror_of(state, stored.id, &stored.header, record, to, None)
            .err()
        {
            let reason = unfit.reason;
            return Err(EngineError::MirrorUnfit { reason });
        }
        Ok(!moved.record.kept.is_empty())
    }
}
