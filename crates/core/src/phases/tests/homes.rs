//! Paired or alone: who takes part in the migration.

use super::*;

fn plan(phase: Phase, standing: PairStanding, write: PhaseWrite) -> Option<PhasePlan> {
    let live = LivePhases::one(phase);
    plan_write(
        &TABLE,
        live,
        phase,
        &found(standing),
        write,
        MirrorFit::Both,
    )
    .ok()
}

#[test]
fn what_is_created_at_or_moved_to_the_new_major_is_at_home_there_alone() {
    for phase in Phase::ALL {
        for standing in STANDINGS {
            for write in [PhaseWrite::Create(WriteMajor::New), PhaseWrite::Move] {
                let Some(plan) = plan(phase, standing, write) else {
                    continue;
                };
                assert_eq!((plan.new, plan.home), (KeyStep::Write, RecordHome::Alone));
                let old = found(standing).old.is_some();
                assert_eq!(plan.old == KeyStep::Delete, old, "{phase}, {standing:?}");
            }
        }
    }
}

#[test]
fn a_create_at_the_old_major_takes_part_while_there_is_a_way_back() {
    for phase in Phase::ALL {
        let plan = plan(
            phase,
            PairStanding::Absent,
            PhaseWrite::Create(WriteMajor::Old),
        );
        let written = plan.filter(|plan| plan.new == KeyStep::Write);
        let home = match phase {
            Phase::Old => None,
            Phase::Cleanup => Some(RecordHome::Alone),
            _ => Some(RecordHome::Paired),
        };
        assert_eq!(written.map(|plan| plan.home), home, "{phase}");
    }
}

#[test]
fn a_write_keeps_the_flag_in_every_phase() {
    for phase in Phase::ALL {
        for (standing, home) in [
            (PairStanding::Alone, RecordHome::Alone),
            (PairStanding::Fresh, RecordHome::Paired),
            (PairStanding::Stale, RecordHome::Paired),
            (PairStanding::OnlyNew, RecordHome::Paired),
        ] {
            for write in [PhaseWrite::Update(WriteMajor::Old), PhaseWrite::KeepAlive] {
                if let Some(plan) = plan(phase, standing, write) {
                    assert_eq!(plan.home, home, "{phase}, {standing:?}, {write:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_alone_is_written_and_deleted_alone_and_not_touched_in_the_background() {
    let alone = found(PairStanding::Alone);
    for phase in Phase::ALL {
        for (write, step) in [
            (PhaseWrite::Update(WriteMajor::Old), KeyStep::Write),
            (PhaseWrite::KeepAlive, KeyStep::Touch),
            (PhaseWrite::Delete, KeyStep::Delete),
        ] {
            let plan = plan(phase, PairStanding::Alone, write);
            let steps = plan.map(|plan| (plan.old, plan.new));
            assert_eq!(steps, Some((KeyStep::Leave, step)), "{phase}");
        }
    }
    assert!(!is_due(&alone));
    for fit in [MirrorFit::Both, MirrorFit::OnlyTruth] {
        assert_eq!(backfill(&alone, fit), None);
        assert_eq!(copy_back(&alone, fit), None);
    }
    assert_eq!(clean_up(&alone), None);
}

#[test]
fn cleanup_takes_every_resource_out_of_the_migration() {
    for standing in STANDINGS {
        let found = found(standing);
        let plan = clean_up(&found);
        assert_eq!(plan.is_some(), is_left(&found), "{standing:?}");
        let Some(plan) = plan else { continue };
        assert_eq!(plan.home, RecordHome::Alone);
        assert_eq!(plan.old == KeyStep::Delete, found.old.is_some());
        assert_eq!(plan.new == KeyStep::Mark, found.new.is_some());
    }
}

#[test]
fn what_expires_is_left_until_it_has() {
    let mut expiring = found(PairStanding::Fresh);
    expiring.old = Some(RecordStamp {
        expires: Some(7),
        ..stamp(1)
    });
    assert_eq!(clean_up(&expiring), None);
    assert!(is_left(&expiring));
}
