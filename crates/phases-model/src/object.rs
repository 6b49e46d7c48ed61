//! A resource in the store: its two records, what belongs to them, and what callers were told.

use crate::belongings::Belongings;
use coeval_core::phases::{Fit, Found, Home, NewRecord, Stamp};

/// One state of a record. Content is not modelled: a revision stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The revision.
    pub revision: u8,
    /// The expiry; 0 is never.
    pub expires: u8,
}

impl Cell {
    pub(crate) fn stamp(self) -> Stamp {
        Stamp {
            revision: [self.revision; 16],
            expires: (self.expires > 0).then_some(i64::from(self.expires)),
        }
    }
}

/// A resource: its two records, and what callers were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The old key.
    pub old: Option<Cell>,
    /// The new key.
    pub new: Option<(Cell, Home)>,
    /// Whether its content converts.
    pub fit: Fit,
    /// Whether it is listed as failed.
    pub failed: bool,
    /// What the last acknowledged write left.
    pub acknowledged: Option<Cell>,
    /// What was acknowledged can't be read at the version that it was written at.
    pub unreadable: bool,
    /// Secrets and index entries, where they are in the run.
    pub own: Option<Belongings>,
}

impl Object {
    /// What the rules get to see.
    #[must_use]
    pub fn found(&self) -> Found {
        Found {
            old: self.old.map(Cell::stamp),
            new: self.new.map(|(cell, home)| NewRecord {
                stamp: cell.stamp(),
                home,
            }),
        }
    }
}
