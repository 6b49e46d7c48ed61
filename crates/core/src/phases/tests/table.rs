//! The table as the documentation prints it.

use super::*;

/// One line for each phase, as in `docs/phases.md`.
const PRINTED: &str = "\
old|Old|Old|Old|Old|DropMirror|Nothing|Free|Never|Forward
mirror|Both|Both|Old|Old|DropMirror|Nothing|Free|Free|Forward
read-new|Both|Both|FreshNew|Old|DropMirror|Nothing|Free|Free|Nothing
backfill|Both|Both|FreshNew|Old|DropMirror|Backfill|Free|Free|Nothing
soak|Both|Both|New|New|Refuse|CopyBack|ForwardDone|BackDone|Nothing
cutover|New|Both|New|New|DropMirror|Nothing|ByName|Free|Back
cleanup|New|Both|New|New|DropMirror|CleanUp|ByName|Never|Back
";

#[test]
fn every_cell_is_as_it_is_printed() {
    let mut printed = String::new();
    for phase in Phase::ALL {
        let row = TABLE.row(phase);
        printed += &format!(
            "{phase}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}\n",
            row.writes,
            row.deletes,
            row.reads,
            row.truth,
            row.unfit,
            row.background,
            row.entry,
            row.leave,
            row.clears
        );
    }
    assert_eq!(printed, PRINTED);
}

#[test]
fn phases_follow_each_other_in_both_directions() {
    for pair in Phase::ALL.windows(2) {
        assert_eq!(TABLE.row(pair[0]).next, Some(pair[1]));
        assert_eq!(TABLE.row(pair[1]).previous, Some(pair[0]));
    }
    assert_eq!(TABLE.old.previous, None);
    assert_eq!(TABLE.cleanup.next, None);
}

#[test]
fn a_phase_is_read_back_from_its_name() {
    for phase in Phase::ALL {
        assert_eq!(phase.to_string().parse(), Ok(phase));
    }
    let refused = "Mirror".parse::<Phase>();
    assert_eq!(refused, Err(UnknownPhase("Mirror".to_owned())));
}
