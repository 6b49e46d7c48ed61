//! What a read or a write at some version means.
//!
//! [`decide_read`], [`decide_write`] and [`decide_delete`] are pure: what is stored, what this
//! server knows and what the caller said go in; a decision or a [`VersionRefusal`] comes out. The caller
//! of these functions then converts, stores and answers as the decision says, and has no rules of
//! its own. `docs/versions.md` has the two tables that they implement.
//!
//! Three things are relied upon: access has been checked (only *full control* matters here), the
//! known versions of a type can be converted into each other, and whether a content fits is found
//! out by converting it.

mod delete;
mod read;
mod refusal;
mod stored;
#[cfg(test)]
mod tests;
mod versioned_write;
mod wanted;
mod write;

pub use delete::decide_delete;
pub use read::{VersionedRead, ViewDecision, ViewRendering, decide_read};
pub use refusal::VersionRefusal;
pub use stored::{LeadingRecord, StoredVersions, VersionPair, ViewedRecord, WrittenRecords};
pub use versioned_write::{
    CallerControl, CarryObstacle, EditCarry, Force, RevisionCheck, SkewRule, StoreAt,
    VersionedWrite,
};
pub use wanted::WantedVersion;
pub use write::{ContentChange, WriteDecision, decide_write};
