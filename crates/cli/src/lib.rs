//! The commands that talk to a server, each in a file of its own, and those that need only the files
//! of types.
//!
//! [`Command`] has those on resources and on who may use them. [`types`] and [`explain`] ask a server
//! or read files; [`convert`] only reads files.
//!
//! - `context`: which server, and who: from flags, the environment and the config folder
//! - `failure`: how a command that did not succeed ends
//! - `names`: what commands are about, and what a shell completes
//! - `output`: how things are printed, in every format
//! - `reading`: resources as commands read them
//! - `kind_columns`: what lists show of a kind, as its type declares it
//! - `columns`: text that no terminal obeys, as wide as it looks
//! - `files`: resource files, read whole before anything is sent
//! - `merge`: how contents are put together and compared
//! - `yaml`: resources as YAML that reads back as what it was
//! - `rows`: how plain rows of data are printed

mod access;
mod apply;
mod calls;
mod columns;
mod context;
pub mod convert;
mod create;
mod delete;
mod describe;
mod diff;
mod edit;
pub mod explain;
mod failure;
mod files;
mod get;
mod history;
mod kind_columns;
mod login;
mod logout;
mod members;
mod merge;
mod migrate;
mod named;
mod names;
mod org;
mod output;
mod password;
mod reading;
mod restore;
mod role;
mod rows;
mod say;
mod server;
mod task;
mod token;
mod type_access;
pub mod types;
mod upgrade;
mod user;
mod version;
mod wait;
mod watch;
mod whoami;
mod yaml;

use clap::Subcommand;
pub use context::{ContextError, forget, remember_aside};
pub use failure::Failure;
use std::process::ExitCode;

/// A command that talks to a server.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Log in to a server, and remember it
    Login(login::Options),
    /// End the session and forget it
    Logout(logout::Options),
    /// Say who you are, where, and what you may do
    Whoami(whoami::Options),
    /// Make, list and revoke API tokens for programs
    Token(token::Options),
    /// Show resources
    Get(get::Options),
    /// Show all about one resource, for people
    Describe(describe::Options),
    /// Follow what changes
    Watch(watch::Options),
    /// Wait until resources are as you want them
    Wait(wait::Options),
    /// Delete resources
    Delete(delete::Options),
    /// Create resources from files
    Create(create::Options),
    /// Create or change resources so that they are as files say
    Apply(apply::Options),
    /// Show what apply would change
    Diff(diff::Options),
    /// Edit a resource in your editor
    Edit(edit::Options),
    /// Show the kept revisions of a resource
    History(history::Options),
    /// Write a kept revision of a resource again
    Restore(restore::Options),
    /// Store resources at another version
    Upgrade(upgrade::Options),
    /// Look at tasks, wait for them, cancel them
    Task(task::Options),
    /// Move a type from one major to the next, while everybody keeps working
    Migrate(migrate::Options),
    /// Look at the servers of a store
    Server(server::Options),
    /// Show the release of this program and of the server, and what the server lacks
    Version(version::Options),
    /// Say who may do what with a resource, and why not
    Access(access::Options),
    /// Manage organizations
    Org(org::Options),
    /// Manage users
    User(user::Options),
    /// Manage roles
    Role(role::Options),
}

/// Runs it; the code to exit with.
///
/// # Errors
/// If it is refused or fails.
pub async fn run(command: Command) -> Result<ExitCode, Failure> {
    let logging_in = matches!(command, Command::Login(_));
    let ended = Box::pin(dispatch(command)).await;
    ended.map_err(|failure| {
        if logging_in {
            failure
        } else {
            failure.told_to_log_in()
        }
    })
}

async fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Login(options) => login::run(options).await,
        Command::Logout(options) => logout::run(options).await,
        Command::Whoami(options) => whoami::run(options).await,
        Command::Token(options) => token::run(options).await,
        Command::Get(options) => get::run(options).await,
        Command::Describe(options) => describe::run(options).await,
        Command::Watch(options) => watch::run(options).await,
        Command::Wait(options) => wait::run(options).await,
        Command::Delete(options) => delete::run(options).await,
        Command::Create(options) => create::run(options).await,
        Command::Apply(options) => apply::run(options).await,
        Command::Diff(options) => diff::run(options).await,
        Command::Edit(options) => edit::run(options).await,
        Command::History(options) => history::run(options).await,
        Command::Restore(options) => restore::run(options).await,
        Command::Upgrade(options) => upgrade::run(options).await,
        Command::Task(options) => task::run(options).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Server(options) => server::run(options).await,
        Command::Version(options) => version::run(options).await,
        Command::Access(options) => access::run(options).await,
        Command::Org(options) => org::run(options).await,
        Command::User(options) => user::run(options).await,
        Command::Role(options) => role::run(options).await,
    }
}
