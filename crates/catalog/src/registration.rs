//! How types are registered, changed, retired, listed and looked up, and the interfaces that they take over.
//!
//! A registration is judged first: which kind of change it is, whether its conversions hold, whether its
//! fields keep their numbers. What passes is one atomic write, which rewrites the type's phase record.

pub(crate) mod annotations;
pub(crate) mod behaviors;
pub mod built_in;
pub mod bundles;
pub(crate) mod called;
pub(crate) mod check;
pub mod edit;
pub(crate) mod interface_behaviors;
pub(crate) mod interfaces;
pub mod listing;
pub(crate) mod notes;
pub mod register;
pub(crate) mod retire;
pub(crate) mod stored_resources;
pub(crate) mod type_behaviors;
pub(crate) mod typed;
