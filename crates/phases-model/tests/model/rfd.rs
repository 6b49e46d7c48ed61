//! RFD 126's table as written. The traces are kept, as short as they can be.

use crate::page;
use coeval_core::phases::Phase;
use coeval_phases_model::{I3, I4, I5, rfd, shortest};

fn shows(start: Phase, invariant: &'static str, file: &str) {
    let found = shortest(&rfd::from(start), invariant).expect("the fault is found");
    let path = format!("{}/tests/traces/{file}", env!("CARGO_MANIFEST_DIR"));
    if page::writes() {
        std::fs::write(&path, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, kept, "{path}");
}

#[test]
fn i3_breaks_because_a_server_before_phase_1_leaves_a_stale_copy() {
    shows(Phase::Old, I3, "rfd-stale-copy.txt");
}

#[test]
fn i4_breaks_because_phase_3_falls_back_to_what_phase_4_deleted() {
    shows(Phase::Backfill, I4, "rfd-undone-delete.txt");
}

#[test]
fn i5_breaks_because_going_back_from_phase_4_loses_what_was_written_there() {
    shows(Phase::Cutover, I5, "rfd-lost-on-the-way-back.txt");
}
