//! Types: their definitions in the store, what this server has loaded, and how they change.

mod annotations;
pub(crate) mod called;
mod catalog;
mod check;
pub(crate) mod definition;
mod edit;
mod finding;
pub(crate) mod fit;
mod interface_behaviors;
mod interfaces;
mod notes;
pub(crate) mod packages;
pub(crate) mod phase;
mod register;
pub(crate) mod registry;
mod retire;
pub(crate) mod state;
mod stored_resources;
mod type_behaviors;
mod typed;

pub use annotations::AnnotationChange;
pub use catalog::CatalogEntry;
pub use edit::TypeEdit;
pub(crate) use edit::with_phase;
pub use finding::Finding;
pub use interfaces::Interface;
pub use register::{Policy, Registered, Registration};
pub use state::TypeState;
