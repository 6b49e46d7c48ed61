//! A resource in the store: its two records, what belongs to them, and what callers were told.

use coeval_core::phases::{FoundRecords, MirrorFit, NewRecord, RecordHome, RecordStamp};

/// One state of a record. Content is not modelled: a revision stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordCell {
    /// The revision.
    pub revision: u8,
    /// The expiry; 0 is never.
    pub expires: u8,
}

impl RecordCell {
    pub(crate) fn stamp(self) -> RecordStamp {
        RecordStamp {
            revision: [self.revision; 16],
            expires: (self.expires > 0).then_some(i64::from(self.expires)),
        }
    }
}

/// A resource: its two records, and what callers were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelObject {
    /// The old key.
    pub old: Option<RecordCell>,
    /// The new key.
    pub new: Option<(RecordCell, RecordHome)>,
    /// Whether its content converts.
    pub fit: MirrorFit,
    /// Whether it is listed as failed.
    pub failed: bool,
    /// What the last acknowledged write left.
    pub acknowledged: Option<RecordCell>,
    /// What was acknowledged can't be read at the version that it was written at.
    pub unreadable: bool,
    /// Secrets and index entries, where they are in the run.
    pub own: Option<ModelBelongings>,
}

impl ModelObject {
    /// What the rules get to see.
    #[must_use]
    pub fn found(&self) -> FoundRecords {
        FoundRecords {
            old: self.old.map(RecordCell::stamp),
            new: self.new.map(|(cell, home)| NewRecord {
                stamp: cell.stamp(),
                home,
            }),
        }
    }
}

/// The values of records by which an index finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexValues {
    /// Another one for each revision, and at each major.
    Apart,
    /// Another one for each revision, the same at both majors.
    Alike,
    /// Always the same, as a name is.
    Same,
}

/// Revisions that can be told apart.
pub(crate) const REVISIONS: usize = 5;

/// Secrets and entries. Each has an expiry of its own, 0 is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelBelongings {
    /// Of the old record and of the new one: of which revision, and until when.
    pub secrets: [Option<RecordCell>; 2],
    /// For each value until when.
    pub entries: [Option<u8>; 2 * REVISIONS],
    /// What is kept once for a resource: it stands for its ACL, and for its one in the count of its
    /// name.
    pub count: i8,
}
