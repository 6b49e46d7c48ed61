//! What a server remembers, each within a bound: views and their encodings, names, sorted lists, ACLs, users.
//!
//! Nothing here decides anything by itself: each entry says what it depends on (a revision, a sequence,
//! the identity record), and whoever takes it knows that this is still so.

pub(crate) mod acls;
pub mod directory;
pub(crate) mod encodings;
pub(crate) mod hints;
pub mod identity;
pub(crate) mod lists;
pub(crate) mod numbered;
pub(crate) mod place;
pub(crate) mod pulse;
pub(crate) mod repairs;
pub(crate) mod subjects;
pub(crate) mod views;
