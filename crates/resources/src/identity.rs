//! Organizations, users, roles, rights bundles, sessions and API tokens.
//!
//! All but sessions are resources of the engine's own kinds. Every change of one rewrites the
//! record `o/identity` in its atomic write, on condition that it is as it was when the change was
//! judged. So changes are judged on what holds, and the record's revision tells every server
//! whether what it remembers of users is still true.
//!
//! # How a change goes
//!
//! Read the identity record (`seen`), then all that bears on the change; judge it; write with
//! [`own`], which adds the identity record on condition that it is as it was seen. If anything about
//! identity changed in between, the write fails as a lost race and all is judged anew. So nobody is
//! given a role that is just being deleted, and no organization is deleted while it gets a user.
//!
//! # What it relies on
//!
//! - Changes of identity are rare and reads of it are not: one record that all changes contend for
//!   makes every cache as simple as one comparison.
//! - The record is read in the same snapshot as a session, so a request after a change sees it.
//! - Sessions don't rewrite it. They hold an epoch of their user's: raising that ends all of them at
//!   once, and the records are swept away later.
//! - Publishing may concern more type versions than one write can have; see `settle`.

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
