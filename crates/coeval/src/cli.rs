//! The commands.

use crate::completion::CompletionOptions;
use crate::dev::DevOptions;
use crate::errors::ErrorsOptions;
use crate::man::ManOptions;
use crate::serve::ServeOptions;
use crate::store_commands::StoreOptions;
use crate::surface::SurfaceOptions;
use clap::{Parser, Subcommand};
use coeval_cli::convert::ConvertOptions;
use coeval_cli::explain::ExplainOptions;
use coeval_cli::types::TypeOptions;

/// A control plane for resources whose schema never stops changing.
#[derive(Debug, Parser)]
#[command(name = "coeval", version)]
#[command(after_help = "\
Examples:
  coeval dev
  coeval get app
  coeval apply -f app.yaml
  coeval explain app.spec

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 conflict, 4 undecided.
Data goes to stdout, everything else to stderr.")]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: TopCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TopCommand {
    #[command(flatten)]
    Resources(Box<coeval_cli::ClientCommand>),
    /// Run a server
    Serve(Box<ServeOptions>),
    /// Run a server with an example in it, for trying things out
    Dev(Box<DevOptions>),
    /// Look after a store: check, backup, restore, export, import, adopt, compact
    Store(StoreOptions),
    /// Work with types: list, register, check, publish, explain
    Type(TypeOptions),
    /// Show what the fields of a kind are, and what became of them
    Explain(Box<ExplainOptions>),
    /// Convert a document from one version of its type to another, offline
    Convert(ConvertOptions),
    /// List the error codes, or explain one
    Errors(ErrorsOptions),
    /// Print what makes a shell complete commands, kinds and names
    Completion(CompletionOptions),
    /// Write the manual pages
    #[command(hide = true)]
    Man(ManOptions),
    /// Write what this release serves, as files to compare with those of another release
    #[command(hide = true)]
    Surface(SurfaceOptions),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_declared_soundly() {
        CommandLine::command().debug_assert();
    }
}
