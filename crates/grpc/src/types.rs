//! Type versions and interfaces.

mod interfaces;
mod versions;

pub(crate) use interfaces::InterfaceService;
pub(crate) use versions::TypeService;
