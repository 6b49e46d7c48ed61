//! Behaviors that run, and the hooks that run them: what happens when a resource is asked to do
//! something, and what else happens when it is made, changed or deleted.
//!
//! A behavior is run at least once: a task stands for it, whoever works on that task asks whatever
//! executes the behavior, and a server that dies in between leaves it to the next one. What the
//! behavior means for the resource is written exactly once, in one atomic write with the task.
//!
//! A hook never runs inside of a client's request: what it needs waits with a task, and any server
//! may take that over.
//!
//! | hook | the request writes | the task then |
//! |---|---|---|
//! | `PostCreate` | the resource as `PRE_CREATED`, and the task | runs the hook, settles the state |
//! | `PostUpdate` | the change and the task | runs the hook |
//! | `PreDelete` of a change | the task alone, with the change | runs the hook, makes the change |
//! | `PreDelete`, `PostDelete` | the task alone | runs both, deletes |
//!
//! It relies on refusals that come before the task: what could not be written or run anyway is
//! refused to the caller, who is still there to read it. `docs/behaviors.md` describes the rest.

pub(crate) mod execution;
pub(crate) mod hooked_create;
pub(crate) mod hooked_delete;
pub(crate) mod hooked_update;
pub mod hooks;
pub mod invoke;
pub(crate) mod saved;
pub(crate) mod settle;
