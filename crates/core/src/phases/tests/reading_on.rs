//! Servers that can't load the new major, and who may see a pair.

use super::moves::at;
use super::*;
use crate::decide::ViewedRecord;
use coeval_codes::Coded;

fn with(low: Phase, high: Phase, back_done: bool) -> PhaseRecord {
    let mut record = at(low, high);
    if let Some(migration) = &mut record.migration {
        migration.back_done = back_done;
    }
    record
}

#[test]
fn a_server_without_the_new_major_reads_up_to_soak_while_the_old_records_are_fresh() {
    let mut lives: Vec<_> = Phase::ALL.map(|phase| (phase, phase)).into();
    lives.extend(Phase::ALL.windows(2).map(|pair| (pair[0], pair[1])));
    for (low, high) in lives {
        for back_done in [true, false] {
            let allowed = reads_on(&TABLE, &with(low, high, back_done));
            let expected = high <= Phase::Soak && back_done;
            assert_eq!(allowed.is_ok(), expected, "{low}, {high}, {back_done}");
            if let Ok(reads) = allowed {
                assert_eq!(reads.marked, high == Phase::Soak, "{low}, {high}");
            }
        }
    }
    let none = reads_on(&TABLE, &PhaseRecord::first());
    assert_eq!(none, Err(PhaseRefusal::NoMigration));
}

#[test]
fn it_reads_the_old_record_repairs_nothing_and_takes_nothing_for_absent() {
    for (standing, expected) in [
        (PairStanding::Absent, None),
        (PairStanding::Alone, Some(ViewedRecord::Only)),
        (PairStanding::OnlyOld, Some(ViewedRecord::Old)),
        (PairStanding::OnlyNew, None),
        (PairStanding::Fresh, Some(ViewedRecord::Old)),
        (PairStanding::Stale, Some(ViewedRecord::Old)),
    ] {
        let reading = plan_read_on(&found(standing));
        assert_eq!(reading.from, expected, "{standing:?}");
        assert!(!reading.repair && !reading.compare, "{standing:?}");
    }
}

#[test]
fn its_refusal_says_to_upgrade_it() {
    let refused = reads_on(&TABLE, &at(Phase::Soak, Phase::Cutover)).unwrap_err();
    assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE);
    let said = "this server can't load major 2; servers work at soak and cutover, so it can't serve the type";
    assert_eq!(refused.to_string(), said);
    let advice = "Upgrade this server, or use one that knows major 2.";
    assert_eq!(refused.advice(), advice);
}

#[test]
fn a_body_of_the_new_major_is_put_onto_the_truth_or_refused_where_it_could_not_be_read_back() {
    let plan = |phase, write, fit| {
        let live = LivePhases::one(phase);
        plan_write(&TABLE, live, phase, &found(PairStanding::Fresh), write, fit)
    };
    for phase in Phase::ALL {
        let new = PhaseWrite::Update(WriteMajor::New);
        let old = PhaseWrite::Update(WriteMajor::Old);
        let fits = plan(phase, new, MirrorFit::Both);
        assert_eq!(fits, plan(phase, old, MirrorFit::Both), "{phase}");
        let unfit = plan(phase, new, MirrorFit::OnlyTruth);
        match TABLE.row(phase).truth {
            SourceOfTruth::Old => assert_eq!(unfit, Err(PhaseRefusal::NotReadBack), "{phase}"),
            SourceOfTruth::New => {
                assert_eq!(unfit, plan(phase, old, MirrorFit::OnlyTruth), "{phase}");
            }
        }
    }
}

#[test]
fn what_takes_part_is_at_both_majors_and_what_is_alone_at_one() {
    let migration = at(Phase::Soak, Phase::Soak).migration.unwrap();
    for home in [RecordHome::Paired, RecordHome::Alone] {
        assert_eq!(migration.counterpart(1, home), Some(2));
        assert_eq!(migration.counterpart(3, home), None);
    }
    assert_eq!(migration.counterpart(2, RecordHome::Paired), Some(1));
    assert_eq!(migration.counterpart(2, RecordHome::Alone), None);
}
