//! `coeval type …`: what authors do with type files. No server is needed but where one is named.

mod check;
mod columns;
mod explain;
mod explanation;
mod proto;
mod read;
mod text;
mod tree;

use clap::{Args, Subcommand};
use coeval_cli::Failure;
use std::path::PathBuf;
use std::process::ExitCode;

/// Work with type files.
#[derive(Debug, Args)]
pub(crate) struct TypeOptions {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say what kind of change a version is, and what it breaks
    #[command(after_help = "Examples:
  coeval type check app-1.0.0.yaml app-1.1.0.yaml
  coeval type check old.schema.json new.schema.json
  coeval type check --json app-*.yaml | jq '.findings[] | select(.kind == \"breaking\")'

The last file has the new version, the others have those before it; of a file with
several versions the highest is the new one. Files with bare JSON Schemas are
compared in the order in which they are given.

A change is identical, additive, breaking or undecided. Each finding names a rule
and, where something breaks, a document that one schema accepts and the other one
rejects. docs/compatibility.md explains the rules. Nothing is stored or sent.

Exit codes: 0 identical or additive, 1 breaking or a version number that says too
little, 2 wrong usage or a file that can't be used, 4 undecided.")]
    Check {
        /// Type files or JSON Schemas, YAML or JSON; - is stdin
        #[arg(required = true, value_name = "OLD NEW")]
        files: Vec<PathBuf>,
        /// Print a JSON object instead
        #[arg(long)]
        json: bool,
    },
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
    /// Print the .proto files of the typed services that types have
    #[command(after_help = "Examples:
  coeval type proto app-1.0.0.yaml app-1.1.0.yaml
  coeval type proto --out protos app.yaml
  COEVAL_TOKEN=… coeval type proto acme:app --server https://coeval.example --out protos

From files: one .proto file for each major, as a server gives it that registers
these versions in the order of their numbers and has never seen others. A server
that has seen other versions may have given other numbers: to generate clients
ask the server.

From a server: all files of the types that are named. The token of somebody who
sees them is taken from the environment variable COEVAL_TOKEN.

With --out the files are written as a tree, with coeval/header/v1/header.proto
beside them, so that the tree compiles.")]
    Proto {
        /// Type files, YAML or JSON, - is stdin; with --server the names of types
        #[arg(required = true, value_name = "TYPE")]
        types: Vec<PathBuf>,
        /// Write them into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Ask this server
        #[arg(long, value_name = "URL")]
        server: Option<String>,
    },
}

pub(crate) fn run(options: TypeOptions) -> Result<ExitCode, Failure> {
    match options.action {
        Action::Check { files, json } => check::run(&files, json),
        Action::Explain { files, json } => {
            explain::run(&files, json)?;
            Ok(ExitCode::SUCCESS)
        }
        Action::Proto { types, out, server } => {
            proto::run(&types, out.as_deref(), server.as_deref())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
