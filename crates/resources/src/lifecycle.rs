//! Behaviors that run, and the hooks that run them: what happens when a resource is asked to do
//! something, and what else happens when it is made, changed or deleted.
//!
//! A behavior is run at least once: a task stands for it, whoever works on that task asks whatever
//! executes the behavior, and a server that dies in between leaves it to the next one. What the
//! behavior means for the resource is written exactly once, in one atomic write with the task.

pub(crate) mod execution;
pub(crate) mod hooked_create;
pub(crate) mod hooked_delete;
pub(crate) mod hooked_update;
pub mod hooks;
pub mod invoke;
pub(crate) mod saved;
pub(crate) mod settle;
