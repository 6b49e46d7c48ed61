//! Writing resources: each write is one atomic write of the object, its indexes, its history and
//! the record of what was done.

mod acl;
mod create;
mod delete;
mod mask;
mod metadata;
mod moving;
pub(crate) mod steps;
mod undeclared;
mod update;
mod upgrade;

pub(crate) use acl::{decode as decode_acl, removal as acl_removal};
pub use create::{Checking, Create};
pub(crate) use create::{Planned, short};
pub use mask::FieldMask;
pub use metadata::MetaEdit;
pub(crate) use moving::move_record;
pub(crate) use steps::{MOST_HISTORY, NameCount, ask_name, found_name};
pub use undeclared::Undeclared;
pub use update::Update;
pub(crate) use update::{barrier, is_race, join};
pub use upgrade::Upgrade;
