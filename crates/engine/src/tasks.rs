//! Tasks: long-running jobs that whoever is permitted can look at, wait for and cancel. A task is
//! a record of the store, so it survives every server.

pub(crate) mod by;
mod calls;
mod creation;
mod error;
pub(crate) mod record;
mod task;

pub(crate) use calls::{NewTask, id_of};
pub use calls::{TaskPage, TaskQuery};
pub use creation::CREATE;
pub use error::{TargetFlaw, TaskError};
pub use task::{About, Claim, Progress, Status, Task, TaskFailure};
