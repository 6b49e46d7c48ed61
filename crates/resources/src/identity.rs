//! Organizations, users, roles, rights bundles, sessions and API tokens.
//!
//! All but sessions are resources of the engine's own kinds. Every change of one rewrites the
//! record `o/identity` in its atomic write, on condition that it is as it was when the change was
//! judged. So changes are judged on what holds, and the record's revision tells every server
//! whether what it remembers of users is still true.

pub mod bootstrap;
pub mod bundles;
pub(crate) mod directory;
pub(crate) mod failures;
pub mod login;
pub(crate) mod name_of;
pub(crate) mod named;
pub mod open;
pub mod orgs;
pub mod own;
pub(crate) mod own_page;
pub(crate) mod prefetch;
pub mod programs;
pub(crate) mod rights;
pub mod roles;
pub mod sessions;
pub(crate) mod settle;
pub(crate) mod subjects;
pub(crate) mod sync_type;
pub(crate) mod type_bundle;
pub mod users;
