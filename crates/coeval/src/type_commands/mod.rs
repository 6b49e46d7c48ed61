//! `coeval type …`: what authors do with type files. No server is needed.

mod columns;
mod explain;
mod explanation;
mod read;
mod text;
mod tree;

use crate::failure::Failure;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Work with type files.
#[derive(Debug, Args)]
pub(crate) struct TypeOptions {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what type versions are: their settings, and their fields as a tree
    #[command(after_help = "Examples:
  coeval type explain app.yaml
  coeval type explain app-1.0.0.yaml app-1.1.0.yaml
  coeval type explain --json app.yaml | jq '.[].fields[].path'

In the tree * is every item of a list and every value of a map. Inside of
(any content) everything is declared; (repeats) is a schema that is shown
further up. `since` is the version that a field came with. Where no file says it
and older versions of the type are given, it is the first of them that declares
the field, marked (derived). A terminal cuts descriptions; --json does not.")]
    Explain {
        /// YAML or JSON, one or more type versions in each; - is stdin
        #[arg(required = true, value_name = "TYPE.yaml")]
        files: Vec<PathBuf>,
        /// Print a JSON list of type versions instead
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(options: TypeOptions) -> Result<(), Failure> {
    match options.action {
        Action::Explain { files, json } => explain::run(&files, json),
    }
}
