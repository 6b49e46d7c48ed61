//! Every cell of the table, changed to every other value: caught, or harmless for a reason.

use crate::{SMALL, at_once, page};
use coeval_phases_model::cells::{self, ChangedTable};
use coeval_phases_model::{INVARIANTS, ModelBounds, Protocol, check};

/// Changes that break no invariant, and why.
const HARMLESS: &[(&[&str], &str)] = &[
    (
        &["old: deletes = Both"],
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
            "old: background = CopyBack",
            "mirror: background = CopyBack",
            "read-new: background = CopyBack",
        ],
        "back_done holds since the beginning, so it is never due",
    ),
    (
        &["cutover: background = CopyBack"],
        "never due while a live phase leaves old behind",
    ),
    (
        &["cutover: background = Backfill"],
        "forward_done holds since soak, so it is never due",
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
    (&["cutover: entry = ForwardDone"], "it holds since soak"),
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

/// The invariant that a change breaks, if any.
type Judged = (ChangedTable, Option<&'static str>);

/// Two halves at once, each change on one thread: so it is always the same invariant that is named.
fn judge_all() -> Vec<Judged> {
    let all = cells::all();
    let breaks = |changed: &ChangedTable, protocol: Protocol| {
        let protocol = Protocol {
            table: changed.table,
            nameless: true,
            ..protocol
        };
        let broken = check(&protocol, &INVARIANTS, 1).broken;
        broken.map(|(invariant, _)| invariant)
    };
    let judge = |changed: &ChangedTable| {
        let one_write = ModelBounds { writes: 1, ..SMALL };
        let broken =
            breaks(changed, at_once(SMALL)).or_else(|| breaks(changed, Protocol::ours(one_write)));
        (changed.clone(), broken)
    };
    std::thread::scope(|scope| {
        let halves = all.chunks(all.len().div_ceil(2));
        let running: Vec<_> = halves
            .map(|half| scope.spawn(move || half.iter().map(judge).collect::<Vec<_>>()))
            .collect();
        let judged = running.into_iter().flat_map(|half| half.join().unwrap());
        judged.collect()
    })
}

/// The reason why a change is harmless.
fn reason(changed: &ChangedTable) -> Option<&'static str> {
    let name = changed.to_string();
    let mut reasons = HARMLESS.iter();
    let found = reasons.find(|(names, _)| names.contains(&name.as_str()));
    found.map(|(_, reason)| *reason)
}

/// One line for each cell that can't be changed at will.
fn caught(judged: &[Judged]) -> String {
    let mut lines = vec![
        "| phase | cell | changed to, and what breaks |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    let mut last = None;
    for (changed, broken) in judged {
        let Some(number) = broken.and_then(|name| name.split(' ').next()) else {
            continue;
        };
        let (cell, value) = ((changed.phase, changed.cell), &changed.value);
        if last == Some(cell) {
            let line = lines.pop().unwrap();
            lines.push(line.trim_end_matches(" |").to_owned() + &format!(", {value} ({number}) |"));
        } else {
            let (phase, name) = cell;
            lines.push(format!("| {phase} | {name} | {value} ({number}) |"));
        }
        last = Some(cell);
    }
    lines.join("\n")
}

fn harmless() -> String {
    let mut lines = "| change | why it breaks nothing |\n|---|---|".to_owned();
    for (names, reason) in HARMLESS {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        lines += &format!("\n| {} | {reason} |", names.join(" · "));
    }
    lines
}

#[test]
fn no_cell_can_be_changed_unnoticed() {
    let judged = judge_all();
    let broken = judged.iter().filter(|(_, broken)| broken.is_some()).count();
    let surprises = judged
        .iter()
        .filter_map(|(changed, broken)| match (broken, reason(changed)) {
            (Some(invariant), Some(_)) => Some(format!("{changed} is not harmless: {invariant}")),
            (None, None) => Some(format!("{changed} is not caught")),
            _ => None,
        });
    let surprises: Vec<_> = surprises.collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    let reasons: usize = HARMLESS.iter().map(|(names, _)| names.len()).sum();
    assert_eq!(judged.len() - broken, reasons, "a reason is for no cell");
    let count = format!("{broken} changes are caught, {reasons} break nothing.");
    page::says("count of cells", &count);
    page::says("cells that are caught", &caught(&judged));
    page::says("cells that are harmless", &harmless());
}
