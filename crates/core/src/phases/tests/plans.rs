//! What is written, read and repaired: every phase with every standing.

use super::*;
use crate::decide::ViewedRecord;

/// `L`eave, `W`rite, `C`opy, `T`ouch, `M`ark, `D`elete for old and new, then the list of failed:
/// `-`, `+` listed, `=` cleared. `x` is a refusal.
fn short(plan: Result<PhasePlan, PhaseRefusal>) -> String {
    let letter = |step: KeyStep| format!("{step:?}").chars().next();
    let Ok(plan) = plan else {
        return "x".to_owned();
    };
    let failing = match plan.failing {
        FailedListChange::Unchanged => '-',
        FailedListChange::Listed => '+',
        FailedListChange::Cleared => '=',
    };
    [letter(plan.old), letter(plan.new), Some(failing)]
        .into_iter()
        .flatten()
        .collect()
}

/// The plans of one write in every phase, over the standings in their order.
fn every(write: PhaseWrite, fit: MirrorFit) -> Vec<String> {
    let lines = Phase::ALL.into_iter().map(|phase| {
        let cells = STANDINGS.map(|standing| {
            let live = LivePhases::one(phase);
            short(plan_write(
                &TABLE,
                live,
                phase,
                &found(standing),
                write,
                fit,
            ))
        });
        cells.join(" ")
    });
    lines.collect()
}

#[test]
fn an_update_writes_what_the_phase_says_and_what_is_alone_alone() {
    let both = "x LW- WW= x WW= WW=";
    let new = "x LW- x LW- LW- LW-";
    assert_eq!(
        every(PhaseWrite::Update(WriteMajor::Old), MirrorFit::Both),
        [
            "x LW- WL- x WL- WL-",
            both,
            both,
            both,
            "x LW- x WW= WW= WW=",
            new,
            new
        ]
    );
}

#[test]
fn an_update_that_does_not_convert_drops_the_mirror_or_is_refused_in_soak() {
    let dropped = "x LW- WL+ x WD+ WD+";
    let new = "x LW- x LW- LW- LW-";
    assert_eq!(
        every(PhaseWrite::Update(WriteMajor::Old), MirrorFit::OnlyTruth),
        [
            "x LW- WL- x WL- WL-",
            dropped,
            dropped,
            dropped,
            "x LW- x x x x",
            new,
            new
        ]
    );
}

#[test]
fn soak_protects_itself_from_servers_that_are_still_at_backfill() {
    let live = LivePhases {
        low: Phase::Backfill,
        high: Phase::Soak,
    };
    let fresh = found(PairStanding::Fresh);
    let plan = |fit| {
        plan_write(
            &TABLE,
            live,
            Phase::Backfill,
            &fresh,
            PhaseWrite::Update(WriteMajor::Old),
            fit,
        )
    };
    assert_eq!(plan(MirrorFit::OnlyTruth), Err(PhaseRefusal::Unfit));
    assert!(plan(MirrorFit::Both).is_ok());
}

#[test]
fn a_keep_alive_brings_the_mirror_with_it() {
    let both = "x LT- TC= x TT- TC=";
    let new = "x LT- x LT- LT- LT-";
    assert_eq!(
        every(PhaseWrite::KeepAlive, MirrorFit::Both),
        [
            "x LT- TL- x TL- TL-",
            both,
            both,
            both,
            "x LT- x CT= TT- CT=",
            new,
            new
        ]
    );
}

#[test]
fn a_keep_alive_of_what_does_not_convert_succeeds() {
    let both = "x LT- TL+ x TT- TD+";
    let new = "x LT- x LT- LT- LT-";
    assert_eq!(
        every(PhaseWrite::KeepAlive, MirrorFit::OnlyTruth),
        [
            "x LT- TL- x TL- TL-",
            both,
            both,
            both,
            "x LT- x LT+ TT- DT+",
            new,
            new
        ]
    );
}

#[test]
fn a_delete_removes_both_from_mirror_on() {
    let both = "x LD= DL= x DD= DD=";
    let new = "x LD= x LD= DD= DD=";
    assert_eq!(
        every(PhaseWrite::Delete, MirrorFit::Both),
        ["x LD= DL= x DL= DL=", both, both, both, new, new, new]
    );
}

#[test]
fn a_create_at_the_old_major_meets_what_is_left() {
    let both = "WW= x x WW= x x";
    let new = "LW- x LW- x x x";
    assert_eq!(
        every(PhaseWrite::Create(WriteMajor::Old), MirrorFit::Both),
        [
            "WL- x x WL- x x",
            both,
            both,
            both,
            "WW= x WW= x x x",
            new,
            "LW= x DW= x x x"
        ]
    );
}

#[test]
fn a_create_that_does_not_convert_is_as_an_update_that_does_not() {
    let dropped = "WL+ x x WD+ x x";
    let new = "LW- x LW- x x x";
    assert_eq!(
        every(PhaseWrite::Create(WriteMajor::Old), MirrorFit::OnlyTruth),
        [
            "WL- x x WL- x x",
            dropped,
            dropped,
            dropped,
            "x x x x x x",
            new,
            "LW= x DW= x x x"
        ]
    );
}

#[test]
fn a_read_answers_from_the_record_that_the_phase_reads() {
    let (none, only, old, new) = (
        None,
        Some(ViewedRecord::Only),
        Some(ViewedRecord::Old),
        Some(ViewedRecord::New),
    );
    let reads_old = [none, only, old, none, old, old];
    let fresh = [none, only, old, none, new, old];
    let reads_new = [none, only, none, new, new, new];
    let expected = [
        reads_old, reads_old, fresh, fresh, reads_new, reads_new, reads_new,
    ];
    for (phase, expected) in Phase::ALL.into_iter().zip(expected) {
        let row = TABLE.row(phase);
        let read = STANDINGS.map(|standing| plan_read(row, &found(standing)).from);
        assert_eq!(read, expected, "{phase}");
        let repairs = STANDINGS.map(|standing| plan_read(row, &found(standing)).repair);
        let repairing = row.reads == ReadSource::FreshNew;
        let due = [false, false, true, true, false, true];
        assert_eq!(repairs, due.map(|due| due && repairing), "{phase}");
    }
}

#[test]
fn only_soak_compares_and_only_records_of_one_revision() {
    for phase in Phase::ALL {
        for standing in STANDINGS {
            let compare = plan_read(TABLE.row(phase), &found(standing)).compare;
            let expected = phase == Phase::Soak && standing == PairStanding::Fresh;
            assert_eq!(compare, expected, "{phase}, {standing:?}");
        }
    }
}

#[test]
fn a_mirror_that_expires_at_another_time_is_stale() {
    let mut late = found(PairStanding::Fresh);
    late.old = late.old.map(|stamp| RecordStamp {
        expires: Some(9),
        ..stamp
    });
    assert_eq!(late.standing(), PairStanding::Stale);
    assert!(is_due(&late));
    let reading = plan_read(TABLE.row(Phase::ReadNew), &late);
    assert_eq!(
        (reading.from, reading.repair),
        (Some(ViewedRecord::Old), true)
    );
    let plan = backfill(&late, MirrorFit::Both);
    assert_eq!(plan.map(|plan| plan.new), Some(KeyStep::Copy));
    let live = LivePhases::one(Phase::Mirror);
    let kept = plan_write(
        &TABLE,
        live,
        Phase::Mirror,
        &late,
        PhaseWrite::KeepAlive,
        MirrorFit::Both,
    );
    assert_eq!(short(kept), "TC=");
}

#[test]
fn the_background_makes_every_standing_right() {
    let run = |step: &dyn Fn(&FoundRecords) -> Option<PhasePlan>| {
        STANDINGS.map(|standing| {
            let plan = step(&found(standing));
            plan.map_or("nothing".to_owned(), |plan| short(Ok(plan)))
        })
    };
    let fits = |fit| move |found: &FoundRecords| backfill(found, fit);
    let none = "nothing";
    assert_eq!(
        run(&fits(MirrorFit::Both)),
        [none, none, "LC=", "LD-", none, "LC="]
    );
    assert_eq!(
        run(&fits(MirrorFit::OnlyTruth)),
        [none, none, "LL+", "LD-", none, "LD+"]
    );
    let fits = |fit| move |found: &FoundRecords| copy_back(found, fit);
    assert_eq!(
        run(&fits(MirrorFit::Both)),
        [none, none, "DL-", "CL=", none, "CL="]
    );
    assert_eq!(
        run(&fits(MirrorFit::OnlyTruth)),
        [none, none, "DL-", "LL+", none, "DL+"]
    );
    assert_eq!(run(&clean_up), [none, none, "DL=", "LM=", "DM=", "DM="]);
}

#[test]
fn cleanup_leaves_what_expires_by_itself() {
    let mut expiring = found(PairStanding::Fresh);
    expiring.old = Some(RecordStamp {
        expires: Some(7),
        ..stamp(1)
    });
    assert_eq!(clean_up(&expiring), None);
    assert_eq!(
        expiring.standing(),
        PairStanding::Stale,
        "by its expiry alone"
    );
}

#[test]
fn the_old_record_is_a_copy_once_new_is_the_source_of_truth() {
    for phase in Phase::ALL {
        let marked = found(PairStanding::Fresh).is_old_downgraded(TABLE.row(phase).truth);
        assert_eq!(marked, phase >= Phase::Soak, "{phase}");
    }
}
