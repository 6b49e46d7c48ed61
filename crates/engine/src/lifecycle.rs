//! Behaviors that run, and the hooks that run them: what happens when a resource is asked to do
//! something, and what else happens when it is made, changed or deleted.
//!
//! A behavior is run at least once: a task stands for it, whoever works on that task asks whatever
//! executes the behavior, and a server that dies in between leaves it to the next one. What the
//! behavior means for the resource is written exactly once, in one atomic write with the task.

mod error;
mod execution;
mod executor;
mod hooked_create;
mod hooked_delete;
mod hooked_update;
mod hooks;
mod invoke;
mod saved;
mod settle;

pub use error::{BehaviorError, ExecutionError};
pub use executor::{Executor, Invocation, LONGEST_ANSWER, read_answer};
pub use hooks::Hooks;
pub use invoke::EXECUTE;

pub(crate) use hooks::{DELETE, HookWork, UPDATE, name_of};
pub(crate) use invoke::{Asked, Subject, bare};
