//! Paired or alone: who takes part in the migration.

use super::*;

fn plan(phase: Phase, standing: Standing, write: Write) -> Option<Plan> {
    let live = Live::one(phase);
    plan_write(&TABLE, live, phase, &found(standing), write, Fit::Both).ok()
}

#[test]
fn what_is_created_at_or_moved_to_the_new_major_is_at_home_there_alone() {
    for phase in Phase::ALL {
        for standing in STANDINGS {
            for write in [Write::Create(At::New), Write::Move] {
                let Some(plan) = plan(phase, standing, write) else {
                    continue;
                };
                assert_eq!((plan.new, plan.home), (Step::Write, Home::Alone));
                let old = found(standing).old.is_some();
                assert_eq!(plan.old == Step::Delete, old, "{phase}, {standing:?}");
            }
        }
    }
}

#[test]
fn a_create_at_the_old_major_takes_part_while_there_is_a_way_back() {
    for phase in Phase::ALL {
        let plan = plan(phase, Standing::Absent, Write::Create(At::Old));
        let written = plan.filter(|plan| plan.new == Step::Write);
        let home = match phase {
            Phase::Old => None,
            Phase::Cleanup => Some(Home::Alone),
            _ => Some(Home::Paired),
        };
        assert_eq!(written.map(|plan| plan.home), home, "{phase}");
    }
}

#[test]
fn a_write_keeps_the_flag_in_every_phase() {
    for phase in Phase::ALL {
        for (standing, home) in [
            (Standing::Alone, Home::Alone),
            (Standing::Fresh, Home::Paired),
            (Standing::Stale, Home::Paired),
            (Standing::OnlyNew, Home::Paired),
        ] {
            for write in [Write::Update(At::Old), Write::KeepAlive] {
                if let Some(plan) = plan(phase, standing, write) {
                    assert_eq!(plan.home, home, "{phase}, {standing:?}, {write:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_alone_is_written_and_deleted_alone_and_not_touched_in_the_background() {
    let alone = found(Standing::Alone);
    for phase in Phase::ALL {
        for (write, step) in [
            (Write::Update(At::Old), Step::Write),
            (Write::KeepAlive, Step::Touch),
            (Write::Delete, Step::Delete),
        ] {
            let plan = plan(phase, Standing::Alone, write);
            let steps = plan.map(|plan| (plan.old, plan.new));
            assert_eq!(steps, Some((Step::Leave, step)), "{phase}");
        }
    }
    assert!(!is_due(&alone));
    for fit in [Fit::Both, Fit::OnlyTruth] {
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
        assert_eq!(plan.home, Home::Alone);
        assert_eq!(plan.old == Step::Delete, found.old.is_some());
        assert_eq!(plan.new == Step::Mark, found.new.is_some());
    }
}

#[test]
fn what_expires_is_left_until_it_has() {
    let mut expiring = found(Standing::Fresh);
    expiring.old = Some(Stamp {
        expires: Some(7),
        ..stamp(1)
    });
    assert_eq!(clean_up(&expiring), None);
    assert!(is_left(&expiring));
}
