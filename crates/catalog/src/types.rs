//! Types: their definitions in the store, what this server has loaded, and how they change.

pub mod annotations;
pub mod bundles;
pub(crate) mod called;
pub mod catalog;
pub(crate) mod check;
pub mod definition;
pub mod edit;
pub(crate) mod fit;
pub(crate) mod interface_behaviors;
pub mod interfaces;
pub(crate) mod notes;
pub(crate) mod packages;
pub mod pair;
pub mod part;
pub mod phase;
pub mod register;
pub(crate) mod registry;
pub(crate) mod retire;
pub mod state;
pub(crate) mod stored_resources;
pub(crate) mod type_behaviors;
pub(crate) mod typed;
