//! How this server takes part in the migration of a type.

use coeval_core::phases::{
    EnvironmentRequest, Migration, Phase, PhaseRecord, PhaseRefusal, PhaseRow, PhaseTable, ReadsOn,
    SourceOfTruth, TABLE, admit, ask, reads_on,
};
use coeval_core::version::Version;

/// The phases, at an address of their own.
pub static PHASES: PhaseTable = TABLE;

/// A migration, as a server at one of its phases sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub migration: Migration,
    /// Where this server works; `old`, for want of another, where it works at none.
    pub phase: Phase,
    /// It works at no phase, because it can't load the new major, and only reads.
    pub reads_on: Option<ReadsOn>,
    /// The newest version of the old major that this server knows.
    pub old: Option<Version>,
    /// The newest of the new one.
    pub new: Option<Version>,
}

impl Part {
    /// Nothing without a migration. `asked`: the phase that the server's environment wants.
    pub fn of(
        record: &PhaseRecord,
        asked: Option<Phase>,
        newest: impl Fn(u32) -> Option<Version>,
    ) -> Option<Result<Self, PhaseRefusal>> {
        let migration = record.migration?;
        let (old, new) = (newest(migration.from), newest(migration.to));
        // Where servers head for, as far as this one can follow.
        let best = migration.place(new.is_some());
        // What the environment asks for holds only if the record allows it; else the type is
        // refused.
        let wanted = asked.map(|phase| match ask(&PHASES, record, phase, &[])? {
            EnvironmentRequest::Work => Ok(Some(phase)),
            // It is on its way there, and works until then.
            EnvironmentRequest::Forward | EnvironmentRequest::Back => Ok(best),
        });
        let phase = match wanted.unwrap_or(Ok(best)) {
            Err(refusal) => return Some(Err(refusal)),
            // A server that can't load the new major can only be at old.
            Ok(Some(phase)) if phase == Phase::Old || new.is_some() => phase,
            Ok(_) => Phase::Old,
        };
        let part = |reads_on| Self {
            migration,
            phase,
            reads_on,
            old,
            new,
        };
        Some(match admit(record, phase) {
            Ok(_) => Ok(part(None)),
            // What it may still read is the old record, while that is what was acknowledged
            // (docs/decisions/0006-servers-without-the-new-major.md).
            Err(_) if new.is_none() => reads_on(&PHASES, record).map(|reads| part(Some(reads))),
            Err(refusal) => Err(refusal),
        })
    }

    /// Whether this server may write.
    pub(crate) fn may_write(&self) -> Result<(), PhaseRefusal> {
        match self.reads_on {
            None => Ok(()),
            Some(_) => Err(PhaseRefusal::MajorNotLoaded {
                to: self.migration.to,
                live: self.migration.live,
                reads: true,
            }),
        }
    }

    /// Whether what this server shows of a version is a copy of what it can't load.
    pub fn is_copy(&self, version: Version) -> bool {
        let marked = self.reads_on.is_some_and(|reads| reads.marked);
        marked && version.major == self.migration.from
    }

    /// What the phase does.
    pub fn row(&self) -> &'static PhaseRow {
        PHASES.row(self.phase)
    }

    /// The major of the source of truth, and the other.
    pub fn majors(&self) -> (u32, u32) {
        let Migration { from, to, .. } = self.migration;
        match self.row().truth {
            SourceOfTruth::Old => (from, to),
            SourceOfTruth::New => (to, from),
        }
    }

    /// The newest version of a major of the two.
    pub fn newest(&self, major: u32) -> Option<Version> {
        if major == self.migration.from {
            self.old
        } else {
            self.new
        }
    }

    /// Whether a major is one of the two.
    pub const fn concerns(&self, major: u32) -> bool {
        major == self.migration.from || major == self.migration.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::phases::{Epoch, LivePhases, PhaseDirection};

    fn record(low: Phase, high: Phase) -> PhaseRecord {
        PhaseRecord {
            epoch: Epoch(3),
            migration: Some(Migration {
                from: 1,
                to: 2,
                live: LivePhases { low, high },
                heading: PhaseDirection::Forward,
                forward_done: false,
                back_done: true,
            }),
            closed: [].into(),
        }
    }

    fn knows(newest: u32) -> impl Fn(u32) -> Option<Version> {
        move |major| (major <= newest).then(|| Version::new(major, 0, 0))
    }

    fn phase(
        record: &PhaseRecord,
        asked: Option<Phase>,
        newest: u32,
    ) -> Result<Phase, PhaseRefusal> {
        let part = Part::of(record, asked, knows(newest)).unwrap();
        part.map(|part| part.phase)
    }

    #[test]
    fn a_server_works_at_the_highest_phase_that_it_can() {
        let between = record(Phase::Old, Phase::Mirror);
        assert_eq!(phase(&between, None, 2), Ok(Phase::Mirror));
        assert_eq!(phase(&between, None, 1), Ok(Phase::Old));
        assert_eq!(phase(&between, Some(Phase::Old), 2), Ok(Phase::Old));
        assert!(Part::of(&PhaseRecord::first(), None, knows(2)).is_none());
    }

    #[test]
    fn a_server_that_can_not_be_where_the_others_are_does_not_serve() {
        let mirror = record(Phase::Mirror, Phase::Mirror);
        // Two steps away: it runs and refuses the type.
        let asked = phase(&mirror, Some(Phase::Soak), 2);
        assert!(matches!(asked, Err(PhaseRefusal::OutOfReach { .. })));
        // One step away: it works on until it gets there.
        assert_eq!(phase(&mirror, Some(Phase::ReadNew), 2), Ok(Phase::Mirror));
    }

    #[test]
    fn a_server_without_the_new_major_only_reads_once_old_is_closed_and_nothing_from_cutover_on() {
        let part = |low, high| Part::of(&record(low, high), None, knows(1)).unwrap();
        let works = part(Phase::Old, Phase::Mirror).unwrap();
        assert_eq!((works.reads_on, works.may_write()), (None, Ok(())));
        for phase in [Phase::Mirror, Phase::ReadNew, Phase::Backfill, Phase::Soak] {
            let reads = part(phase, phase).unwrap();
            let refused = reads.may_write();
            assert!(matches!(
                refused,
                Err(PhaseRefusal::MajorNotLoaded { reads: true, .. })
            ));
            let marked = reads.is_copy(Version::new(1, 0, 0));
            assert_eq!(marked, phase == Phase::Soak, "{phase}");
            assert!(!reads.is_copy(Version::new(2, 0, 0)));
        }
        for (low, high) in [
            (Phase::Soak, Phase::Cutover),
            (Phase::Cutover, Phase::Cutover),
            (Phase::Cleanup, Phase::Cleanup),
        ] {
            let refused = part(low, high).unwrap_err();
            assert!(matches!(
                refused,
                PhaseRefusal::MajorNotLoaded { reads: false, .. }
            ));
        }
    }
}
