//! Every change of one cell of the table to another value.

use coeval_core::phases::{
    BackgroundDuty, EntryGate, Phase, PhaseRow, PhaseTable, ReadSource, ReturnGate, SourceOfTruth,
    StaleCopies, TABLE, TouchedKeys, UnfitPolicy,
};
use std::fmt;

/// A table with one cell changed.
#[derive(Clone, Debug)]
pub struct ChangedTable {
    /// The row.
    pub phase: Phase,
    /// The cell.
    pub cell: &'static str,
    /// Its new value.
    pub value: String,
    /// The table.
    pub table: PhaseTable,
}

impl fmt::Display for ChangedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.phase, self.cell, self.value)
    }
}

/// All of them.
#[must_use]
pub fn all() -> Vec<ChangedTable> {
    Phase::ALL.into_iter().flat_map(of).collect()
}

fn of(phase: Phase) -> Vec<ChangedTable> {
    let row = *TABLE.row(phase);
    let mut rows: Vec<(&'static str, String, PhaseRow)> = Vec::new();
    macro_rules! cell {
        ($field:ident: $($value:expr),*) => {
            for value in [$($value),*] {
                if value != row.$field {
                    // The value that the cell has already is no change.
                    rows.push((stringify!($field), format!("{value:?}"), PhaseRow { $field: value, ..row }));
                }
            }
        };
    }
    cell!(writes: TouchedKeys::Old, TouchedKeys::Both, TouchedKeys::New);
    cell!(deletes: TouchedKeys::Old, TouchedKeys::Both, TouchedKeys::New);
    cell!(reads: ReadSource::Old, ReadSource::FreshNew, ReadSource::NewElseOld, ReadSource::New);
    cell!(truth: SourceOfTruth::Old, SourceOfTruth::New);
    cell!(unfit: UnfitPolicy::DropMirror, UnfitPolicy::Refuse);
    cell!(background: BackgroundDuty::Nothing, BackgroundDuty::Backfill, BackgroundDuty::CopyBack, BackgroundDuty::CleanUp);
    cell!(entry: EntryGate::Free, EntryGate::ForwardDone, EntryGate::ByName);
    cell!(leave: ReturnGate::Free, ReturnGate::BackDone, ReturnGate::Never);
    cell!(clears: StaleCopies::Nothing, StaleCopies::Forward, StaleCopies::Back);
    // A phase further on and one further back: the order of the phases is a part of the table too.
    let after = Phase::ALL
        .into_iter()
        .find(|next| *next as u8 == phase as u8 + 2);
    if let Some(skip) = after {
        rows.push((
            "next",
            skip.to_string(),
            PhaseRow {
                next: Some(skip),
                ..row
            },
        ));
    }
    let before = Phase::ALL
        .into_iter()
        .find(|back| *back as u8 + 2 == phase as u8);
    if let Some(skip) = before {
        rows.push((
            "previous",
            skip.to_string(),
            PhaseRow {
                previous: Some(skip),
                ..row
            },
        ));
    }
    let changed = rows.into_iter().map(|(cell, value, row)| {
        // One cell at a time: with two, one could hide the other.
        let mut table = TABLE;
        *table.row_mut(phase) = row;
        ChangedTable {
            phase,
            cell,
            value,
            table,
        }
    });
    changed.collect()
}
