//! How types are registered, changed, retired, listed and looked up, and the interfaces that they
//! take over.
//!
//! A registration is judged first: which kind of change it is, whether its conversions hold,
//! whether its fields keep their numbers. What passes is one atomic write, which rewrites the
//! type's phase record.
//!
//! What it promises: no version is registered that was judged against other versions than those
//! that are there, no field number is given out twice, and no server works with an outdated
//! definition. All of it comes from the phase record. A registration is conditioned on the revision
//! that it was judged at, and who loses that race judges again; every read and write of a resource
//! meets the new revision, and its server loads the type first.
//!
//! A version that has no resources may be changed and deleted, safe against those who create one at
//! that moment ([`edit`]). One that others are converted through stays as a link (`retire`). What
//! is said for people only, such as a deprecation, changes at any time (`annotations`).

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
