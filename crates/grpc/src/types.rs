//! Type versions and interfaces.

mod interfaces;
mod versions;

pub(crate) use interfaces::Interfaces;
pub(crate) use versions::Types;
