//! Writing resources: each write is one atomic write of the object, its indexes, its history and
//! the record of what was done.

mod acl;
mod barrier;
mod create;
mod delete;
mod edit;
mod fitting;
mod join;
mod mask;
mod metadata;
mod moving;
mod plan_update;
pub(crate) mod steps;
mod undeclared;
mod update;
mod upgrade;
mod upsert;

pub(crate) use acl::{decode as decode_acl, removal as acl_removal};
pub(crate) use barrier::barrier;
pub use create::{Checking, Create};
pub(crate) use create::{Planned, short};
pub use delete::{Delete, Deleted};
pub(crate) use join::join;
pub use mask::FieldMask;
pub use metadata::MetaEdit;
pub(crate) use moving::move_record;
pub(crate) use steps::{MOST_HISTORY, NameCount, ask_name, found_name};
pub use undeclared::Undeclared;
pub use update::{Update, Updated};
pub use upgrade::Upgrade;
