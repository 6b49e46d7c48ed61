//! Types: their definitions in the store, what this server has loaded, and how they change.

pub mod annotations;
pub mod definition;
pub(crate) mod fit;
pub mod interface;
pub(crate) mod names;
pub(crate) mod packages;
pub mod pair;
pub mod part;
pub mod phase;
pub(crate) mod registry;
pub mod state;
pub(crate) mod typed;
