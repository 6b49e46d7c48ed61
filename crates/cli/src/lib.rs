//! The commands that talk to a server, each in a file of its own, and those that need only the files
//! of types.
//!
//! [`ClientCommand`] has those on resources and on who may use them. [`types`] and [`explain`] ask a server
//! or read files; [`convert`] only reads files.
//!
//! - `context`: which server, and who: from flags, the environment and the config folder
//! - `failure`: how a command that did not succeed ends
//! - `targets`: what commands are about, and what a shell completes
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
mod messages;
mod migrate;
mod org;
mod output;
mod password;
mod reading;
mod resource_argument;
mod restore;
mod role;
mod rows;
mod server;
mod targets;
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
pub use context::{ContextError, remove_context, save_context};
pub use failure::Failure;
use std::process::ExitCode;

/// A command that talks to a server.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Log in to a server, and remember it
    Login(login::LoginOptions),
    /// End the session and forget it
    Logout(logout::LogoutOptions),
    /// Say who you are, where, and what you may do
    Whoami(whoami::WhoamiOptions),
    /// Make, list and revoke API tokens for programs
    Token(token::TokenOptions),
    /// Show resources
    Get(get::GetOptions),
    /// Show all about one resource, for people
    Describe(describe::DescribeOptions),
    /// Follow what changes
    Watch(watch::WatchOptions),
    /// Wait until resources are as you want them
    Wait(wait::WaitOptions),
    /// Delete resources
    Delete(delete::DeleteOptions),
    /// Create resources from files
    Create(create::CreateOptions),
    /// Create or change resources so that they are as files say
    Apply(apply::ApplyOptions),
    /// Show what apply would change
    Diff(diff::DiffOptions),
    /// Edit a resource in your editor
    Edit(edit::EditOptions),
    /// Show the kept revisions of a resource
    History(history::HistoryOptions),
    /// Write a kept revision of a resource again
    Restore(restore::RestoreOptions),
    /// Store resources at another version
    Upgrade(upgrade::UpgradeOptions),
    /// Look at tasks, wait for them, cancel them
    Task(task::TaskOptions),
    /// Move a type from one major to the next, while everybody keeps working
    Migrate(migrate::MigrationOptions),
    /// Look at the servers of a store
    Server(server::ServerListOptions),
    /// Show the release of this program and of the server, and what the server lacks
    Version(version::VersionOptions),
    /// Say who may do what with a resource, and why not
    Access(access::AccessOptions),
    /// Manage organizations
    Org(org::OrgOptions),
    /// Manage users
    User(user::UserOptions),
    /// Manage roles
    Role(role::RoleOptions),
}

/// Runs it; the code to exit with.
///
/// # Errors
/// If it is refused or fails.
pub async fn run(command: ClientCommand) -> Result<ExitCode, Failure> {
    // `login` is how one gets to be known: being told to log in would be no help there.
    let logging_in = matches!(command, ClientCommand::Login(_));
    // Boxed: the futures of all commands are one large enum otherwise, and it would be on the
    // stack.
    let ended = Box::pin(dispatch(command)).await;
    ended.map_err(|failure| {
        if logging_in {
            failure
        } else {
            failure.with_login_advice()
        }
    })
}

async fn dispatch(command: ClientCommand) -> Result<ExitCode, Failure> {
    match command {
        ClientCommand::Login(options) => login::run(options).await,
        ClientCommand::Logout(options) => logout::run(options).await,
        ClientCommand::Whoami(options) => whoami::run(options).await,
        ClientCommand::Token(options) => token::run(options).await,
        ClientCommand::Get(options) => get::run(options).await,
        ClientCommand::Describe(options) => describe::run(options).await,
        ClientCommand::Watch(options) => watch::run(options).await,
        ClientCommand::Wait(options) => wait::run(options).await,
        ClientCommand::Delete(options) => delete::run(options).await,
        ClientCommand::Create(options) => create::run(options).await,
        ClientCommand::Apply(options) => apply::run(options).await,
        ClientCommand::Diff(options) => diff::run(options).await,
        ClientCommand::Edit(options) => edit::run(options).await,
        ClientCommand::History(options) => history::run(options).await,
        ClientCommand::Restore(options) => restore::run(options).await,
        ClientCommand::Upgrade(options) => upgrade::run(options).await,
        ClientCommand::Task(options) => task::run(options).await,
        ClientCommand::Migrate(options) => migrate::run(options).await,
        ClientCommand::Server(options) => server::run(options).await,
        ClientCommand::Version(options) => version::run(options).await,
        ClientCommand::Access(options) => access::run(options).await,
        ClientCommand::Org(options) => org::run(options).await,
        ClientCommand::User(options) => user::run(options).await,
        ClientCommand::Role(options) => role::run(options).await,
    }
}
