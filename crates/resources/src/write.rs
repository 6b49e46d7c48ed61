//! Writing resources: each write is one atomic write of the object, its indexes, its history and
//! the record of what was done.

pub(crate) mod acl;
pub mod barrier;
pub(crate) mod create;
pub mod delete;
pub(crate) mod edit;
pub(crate) mod fitting;
pub mod join;
pub mod mask;
pub(crate) mod metadata;
pub mod moving;
pub(crate) mod plan_update;
pub mod request;
pub mod steps;
pub mod undeclared;
pub(crate) mod update;
pub mod upgrade;
