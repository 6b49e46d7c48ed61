//! What going back would cost, found out before it is done.

use crate::background::Background;
use crate::migrations::plan::Refused;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::part::PHASES;
use coeval_core::phases::{Phase, PhaseRefusal, ReturnGate, SourceOfTruth};
use coeval_records::attempts::is_race;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_resources::pairs::mirror::Unfit;
use coeval_storage::{ReadRange, StoredValue as Kept};

/// How many examples are shown.
const EXAMPLES: usize = 20;

/// What going back would cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossReport {
    /// Where the migration is.
    pub phase: Phase,
    /// Whether there is a way back at all.
    pub possible: bool,
    /// Whether what was written since cutover has still to be copied back.
    pub copy_back: bool,
    /// Resources whose new content can't be said at the old major: they hold the way back until they
    /// are changed.
    pub refused: u64,
    /// Some of those.
    pub examples: Vec<Refused>,
    /// Resources with something that clients of the old major will not see; it is kept beside them.
    pub kept: u64,
    /// Acknowledged writes that would be lost: none, by the protocol.
    pub lost: u64,
}

impl Background {
    /// What it would cost to go back from where a migration is.
    ///
    /// # Errors
    /// If the type is not in migration, or the store fails.
    pub async fn loss_report(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<LossReport, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let state = self.types.current(of).await?;
        let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
        let phase = migration.live.high;
        let row = PHASES.row(phase);
        let mut report = LossReport {
            phase,
            possible: phase == Phase::Old || row.leave != ReturnGate::Never,
            copy_back: !migration.back_done,
            refused: 0,
            examples: Vec::new(),
            kept: 0,
            lost: 0,
        };
        // Up to backfill the old records are the source of truth: there is nothing to convert.
        if row.truth == SourceOfTruth::Old || !report.possible {
            return Ok(report);
        }
        let known = state.known_versions().map(|one| one.id.version);
        let newest = known.filter(|one| one.major == migration.from).max();
        let Some(newest) = newest else {
            return Ok(report);
        };
        let mut range = ReadRange::of(keys::records_of_major(of, migration.to)?);
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some((_, _, id)) = keys::read_record(&entry.key) else {
                    continue;
                };
                let Kept::Record(record) = &entry.stored else {
                    continue;
                };
                let Ok(stored) = Stored::decode(id, record) else {
                    continue;
                };
                // What is at home at the new major stays there.
                if !stored.paired {
                    continue;
                }
                match self.tried(&state, &stored, newest).await {
                    Ok(true) => report.kept += 1,
                    Ok(false) => {}
                    // Somebody writes it just now: a count of all is a matter of the moment anyway.
                    Err(EngineError::Storage(error)) if is_race(&error) => {}
                    Err(EngineError::Storage(error)) => return Err(error.into()),
                    Err(error) => {
                        report.refused += 1;
                        if report.examples.len() < EXAMPLES {
                            let unfit = Unfit::of(&error);
                            report.examples.push(Refused {
                                id,
                                name: stored.header.name.clone(),
                                code: unfit.code.to_string(),
                                reason: unfit.reason,
                            });
                        }
                    }
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(report),
            }
        }
    }
}
