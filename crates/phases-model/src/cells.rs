//! Every change of one cell of the table to another value.

use coeval_core::phases::{
    Background, Clears, Entry, Keys, Leave, Phase, Reads, Row, TABLE, Table, Truth, Unfit,
};
use std::fmt;

/// A table with one cell changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The row.
    pub phase: Phase,
    /// The cell.
    pub cell: &'static str,
    /// Its new value.
    pub value: String,
    /// The table.
    pub table: Table,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.phase, self.cell, self.value)
    }
}

/// All of them.
#[must_use]
pub fn all() -> Vec<Changed> {
    Phase::ALL.into_iter().flat_map(of).collect()
}

fn of(phase: Phase) -> Vec<Changed> {
    let row = *TABLE.row(phase);
    let mut rows: Vec<(&'static str, String, Row)> = Vec::new();
    macro_rules! cell {
        ($field:ident: $($value:expr),*) => {
            for value in [$($value),*] {
                if value != row.$field {
                    rows.push((stringify!($field), format!("{value:?}"), Row { $field: value, ..row }));
                }
            }
        };
    }
    cell!(writes: Keys::Old, Keys::Both, Keys::New);
    cell!(deletes: Keys::Old, Keys::Both, Keys::New);
    cell!(reads: Reads::Old, Reads::FreshNew, Reads::NewElseOld, Reads::New);
    cell!(truth: Truth::Old, Truth::New);
    cell!(unfit: Unfit::DropMirror, Unfit::Refuse);
    cell!(background: Background::Nothing, Background::Backfill, Background::CopyBack, Background::CleanUp);
    cell!(entry: Entry::Free, Entry::ForwardDone, Entry::ByName);
    cell!(leave: Leave::Free, Leave::BackDone, Leave::Never);
    cell!(clears: Clears::Nothing, Clears::Forward, Clears::Back);
    let after = Phase::ALL
        .into_iter()
        .find(|next| *next as u8 == phase as u8 + 2);
    if let Some(skip) = after {
        rows.push((
            "next",
            skip.to_string(),
            Row {
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
            Row {
                previous: Some(skip),
                ..row
            },
        ));
    }
    let changed = rows.into_iter().map(|(cell, value, row)| {
        let mut table = TABLE;
        *table.row_mut(phase) = row;
        Changed {
            phase,
            cell,
            value,
            table,
        }
    });
    changed.collect()
}
