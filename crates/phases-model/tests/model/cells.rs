//! Every cell of the table, changed to every other value: caught, or harmless for a reason.

use crate::{SMALL, at_once};
use coeval_phases_model::{INVARIANTS, Protocol, cells, check};

/// Changes that break no invariant, and why.
const HARMLESS: &[(&[&str], &str)] = &[
    (
        &[
            "old: writes = Both",
            "old: deletes = Both",
            "old: reads = FreshNew",
        ],
        "safe, but a server that can't load the new major can only be at old",
    ),
    (
        &[
            "old: unfit = Refuse",
            "cutover: unfit = Refuse",
            "cleanup: unfit = Refuse",
        ],
        "the phase writes no mirror, so nobody asks",
    ),
    (
        &[
            "mirror: unfit = Refuse",
            "read-new: unfit = Refuse",
            "backfill: unfit = Refuse",
        ],
        "refuses writes that could succeed; nothing is lost by it",
    ),
    (
        &[
            "old: background = CopyBack",
            "mirror: background = CopyBack",
            "read-new: background = CopyBack",
        ],
        "back_done holds since the beginning, so it is never due",
    ),
    (
        &[
            "cutover: background = CopyBack",
            "cleanup: background = CopyBack",
        ],
        "never due while a live phase leaves old behind",
    ),
    (
        &[
            "cutover: background = Backfill",
            "cleanup: background = Backfill",
        ],
        "forward_done holds since soak, so it is never due; cleanup then waits at its end, as with Nothing",
    ),
    (
        &["read-new: background = Backfill"],
        "the same work, begun earlier",
    ),
    (
        &["cutover: background = CleanUp"],
        "what is cleaned up is at home alone and served in every phase; but old clients would lose the way back",
    ),
    (
        &["cleanup: background = Nothing"],
        "old records stay; the end of a migration, not in the model, is held by them",
    ),
    (
        &["old: entry = ForwardDone", "old: entry = ByName"],
        "old is never entered forwards",
    ),
    (
        &[
            "mirror: entry = ByName",
            "read-new: entry = ByName",
            "backfill: entry = ByName",
            "cutover: entry = Free",
            "cleanup: entry = Free",
        ],
        "who asks is not in the model, its operator is a person; the tests of the core check it",
    ),
    (
        &[
            "cutover: entry = ForwardDone",
            "cleanup: entry = ForwardDone",
        ],
        "it holds since soak",
    ),
    (
        &["old: leave = Free", "old: leave = BackDone"],
        "there is nothing before old",
    ),
    (
        &[
            "mirror: leave = BackDone",
            "read-new: leave = BackDone",
            "backfill: leave = BackDone",
        ],
        "it holds there: the way from soak demanded it",
    ),
    (
        &["cutover: leave = BackDone", "cutover: leave = Never"],
        "I5 ends at soak; undo from cutover is an offer, and the tests of the core check it",
    ),
    (
        &[
            "cleanup: leave = Free",
            "cleanup: leave = BackDone",
            "cleanup: previous = soak",
        ],
        "what is cleaned up is at home alone and served in every phase; going back would only be half a way",
    ),
    (
        &["old: clears = Nothing"],
        "mirror, which is admitted first on the way back, has cleared it",
    ),
    (
        &["mirror: clears = Nothing"],
        "mirror writes both; if one goes on to old, that clears it",
    ),
    (
        &[
            "old: clears = Back",
            "mirror: clears = Back",
            "read-new: clears = Back",
            "backfill: clears = Back",
        ],
        "one more copy back at soak, that finds nothing to do",
    ),
    (
        &[
            "read-new: clears = Forward",
            "backfill: clears = Forward",
            "soak: clears = Forward",
        ],
        "one more backfill, that finds nothing to do",
    ),
    (
        &["cleanup: clears = Nothing", "cleanup: clears = Forward"],
        "cutover has cleared it, and there is no way back",
    ),
    (
        &["mirror: reads = FreshNew"],
        "a fresh mirror says what old says; it only begins earlier",
    ),
    (
        &["read-new: reads = Old", "backfill: reads = Old"],
        "old is the source of truth; new is read to try it before soak",
    ),
    (
        &["cutover: writes = Both", "cleanup: writes = Both"],
        "safe; it pays for two records for longer, and cleanup has more to do",
    ),
    (
        &["cutover: deletes = New", "cleanup: deletes = New"],
        "the copy back and cleanup remove an old record without a new one; until then it lies about for nothing",
    ),
];

#[test]
fn no_cell_can_be_changed_unnoticed() {
    let mut surprises = Vec::new();
    let (mut caught, mut harmless) = (0, 0);
    for changed in cells::all() {
        let protocol = Protocol {
            table: changed.table,
            ..at_once(SMALL)
        };
        let broken = check(&protocol, &INVARIANTS, 2).broken;
        let reason = HARMLESS
            .iter()
            .find(|(names, _)| names.contains(&changed.name.as_str()));
        let said = broken.as_ref().map(|(invariant, _)| *invariant);
        println!(
            "{}: {}",
            changed.name,
            said.or(reason.map(|r| r.1)).unwrap_or("?")
        );
        match (broken, reason) {
            (Some(_), None) => caught += 1,
            (None, Some(_)) => harmless += 1,
            (Some(_), Some(_)) => surprises.push(format!("{} is not harmless", changed.name)),
            (None, None) => surprises.push(format!("{} is not caught", changed.name)),
        }
    }
    println!("{caught} caught, {harmless} harmless");
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    let reasons: usize = HARMLESS.iter().map(|(names, _)| names.len()).sum();
    assert_eq!(harmless, reasons, "a reason is for no cell");
}
