//! `coeval type …`: what authors do with type files, and with what a server has registered.

mod annotate;
mod check;
pub(crate) mod explain;
pub(crate) mod explanation;
mod findings;
mod list;
mod proto;
mod publish;
pub(crate) mod read;
mod register;
pub(crate) mod server_types;
pub(crate) mod text;
pub(crate) mod tree;

use crate::access::GrantLevel as AccessLevel;
use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::members::MemberName;
use crate::output::OutputOptions;
use crate::type_access;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use coeval_client::ClientError;
use coeval_proto::types::v1 as pb;
use publish::PublishedTo;
use register::RegisterPolicy;
use std::path::PathBuf;
use std::process::ExitCode;

/// Work with types.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval type list
  coeval type check app-1.0.0.yaml app-1.1.0.yaml
  coeval type register app-1.1.0.yaml
  coeval type publish acme:app --org acme")]
pub struct TypeOptions {
    #[command(subcommand)]
    action: TypeCommand,
}

#[derive(Debug, Subcommand)]
enum TypeCommand {
    /// Show the types that are registered, with their versions
    #[command(after_help = "Examples:\n  coeval type list\n  coeval type list -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show the versions of a type, and what was found when they were registered
    #[command(after_help = "Examples:
  coeval type versions app
  coeval type versions acme:app -o json

A version that is not proven was registered although something stood in its way. There is no
version that is written by default: every body says its own.")]
    Versions {
        /// The type, as app or acme:app
        #[arg(value_name = "TYPE", add = ArgValueCompleter::new(crate::targets::kinds))]
        kind: String,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Register type versions
    #[command(after_help = "Examples:
  coeval type register app-1.0.0.yaml app-1.1.0.yaml
  coeval type check --registered app-2.0.0.yaml && coeval type register app-2.0.0.yaml
  coeval type register --accept-undecided - < app-2.0.0.yaml

Files are registered in the order in which they are given, and of a file with several
documents each in its order; the first that is refused ends it. What is registered already
and is the same is no error. A tenant sees a new type once it is published to it: see
coeval type publish.

Exit codes: 0 registered, or there already and the same, 1 refused, 4 undecided.")]
    Register {
        /// Type files, YAML or JSON; - is stdin
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Accept a change that can't be decided, if no stored resource fails
        #[arg(long)]
        accept_undecided: bool,
        /// Register it also if something stands in the way of its number, marked unproven
        #[arg(long)]
        warn: bool,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Delete a type version that has no resources
    #[command(after_help = "Examples:
  coeval type delete acme:app:1.1.0

If other versions are converted through it, it is retired: see coeval type retire.")]
    Delete {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Take a version that has no resources out of use, whatever descends from it
    #[command(after_help = "Examples:
  coeval type retire acme:app:1.0.0
  coeval type register app-1.0.0.yaml

A retired version is no longer listed, read or written. Others are still converted through it,
so it comes back only if exactly the same file is registered. Move its resources first:
coeval upgrade, or coeval migrate for a whole major. Tell its users before: coeval type deprecate.")]
    Retire {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Say that a version should no longer be used
    #[command(after_help = "Examples:
  coeval type deprecate acme:app:1.0.0 --sunset 2027-06-01 --message 'Use 2.0.0.'
  coeval type deprecate acme:app:1.0.0 --clear

Everything keeps working. Lists of versions show it, and whoever writes at that version is warned.
It can be changed at any time, whether or not there are resources.")]
    Deprecate {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        #[command(flatten)]
        deprecation: annotate::DeprecationOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show or set the columns of lists
    #[command(after_help = "Examples:
  coeval type columns acme:app:1.0.0
  coeval type columns acme:app:1.0.0 --set Image=/image --set Size=/size:integer
  coeval type columns acme:app:1.0.0 --clear

A path is a JSON pointer to a field of the content; a type is string, integer, number, boolean or
date. All columns are set together. coeval get shows them after its own.")]
    Columns {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        /// A column, can be said several times: NAME=PATH or NAME=PATH:TYPE
        #[arg(long, value_name = "COLUMN", value_parser = annotate::column)]
        set: Vec<pb::Column>,
        /// Have none
        #[arg(long, conflicts_with = "set")]
        clear: bool,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let organizations see and use a type
    #[command(after_help = "Examples:
  coeval type publish acme:app --org acme --org other
  coeval type publish acme:app --all

A tenant sees a type only if it is published to it. This publishes the rights bundle that
every type has to the organizations, with a grant on each version that there is by now. What
a user may then do is up to the roles: see coeval role. A version that is registered later
has the grants of the one before it. The provider's administrators do this.")]
    Publish {
        /// The type, as app or acme:app
        #[arg(value_name = "TYPE", add = ArgValueCompleter::new(crate::targets::kinds))]
        kind: String,
        #[command(flatten)]
        to: PublishTarget,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Take a type from organizations
    #[command(after_help = "Examples:
  coeval type unpublish acme:app --org other

Resources that are there stay; nobody of the organization sees them until it is published
again.")]
    Unpublish {
        /// The type, as app or acme:app
        #[arg(value_name = "TYPE", add = ArgValueCompleter::new(crate::targets::kinds))]
        kind: String,
        #[command(flatten)]
        to: PublishTarget,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show who is granted what on a type version
    #[command(after_help = "Examples:
  coeval type grants acme:app:2.0.0
  coeval type grants acme:app:2.0.0 -o json

Whoever has no grant on a version does not see it. The provider's administrators see all.")]
    Grants {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let somebody see and use a type version; a grant that exists gets this level
    #[command(after_help = "Examples:
  coeval type grant acme:app:2.0.0 org:acme read-write
  coeval type grant acme:app:2.0.0 role:Worker read-only
  coeval type grant acme:app:2.0.0 user:bob@acme read-write

What a user may then do is up to the rights of its roles: see coeval type publish.")]
    Grant {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        /// user:NAME, user:NAME@ORG, role:NAME, role:NAME@ORG, org:NAME or an id
        #[arg(value_parser = MemberName::parse)]
        member: MemberName,
        /// How much; each level includes those before it
        #[arg(value_enum)]
        level: AccessLevel,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Take a grant on a type version away
    #[command(after_help = "Examples:\n  coeval type revoke acme:app:2.0.0 org:other")]
    Revoke {
        /// The version, as acme:app:1.1.0 or app:1.1.0
        #[arg(value_name = "TYPE:VERSION", value_parser = type_and_version)]
        id: String,
        /// user:NAME, user:NAME@ORG, role:NAME, role:NAME@ORG, org:NAME or an id
        #[arg(value_parser = MemberName::parse)]
        member: MemberName,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Say what kind of change a version is, and what it breaks
    #[command(after_help = "Examples:
  coeval type check app-1.0.0.yaml app-1.1.0.yaml
  coeval type check old.schema.json new.schema.json
  coeval type check --registered app-1.1.0.yaml
  coeval type check --json app-*.yaml | jq '.findings[] | select(.kind == \"breaking\")'

The last file has the new version, the others have those before it; of a file with
several versions the highest is the new one. Files with bare JSON Schemas are
compared in the order in which they are given.

A change is identical, additive, breaking or undecided. Each finding names a rule
and, where something breaks, a document that one schema accepts and the other one
rejects. docs/compatibility.md explains the rules. Nothing is stored.

With --registered a server compares each file with the versions that it has, and with what
is stored at them: what coeval type register would answer. Otherwise nothing is sent.

Exit codes: 0 identical or additive, 1 breaking or a version number that says too
little, 2 wrong usage or a file that can't be used, 4 undecided.")]
    Check {
        /// Type files or JSON Schemas, YAML or JSON; - is stdin
        #[arg(required = true, value_name = "OLD NEW")]
        files: Vec<PathBuf>,
        /// Print a JSON object instead
        #[arg(long)]
        json: bool,
        /// Compare with what is registered at a server
        #[arg(long)]
        registered: bool,
        #[command(flatten)]
        server: ServerOptions,
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
  coeval type proto acme:app --server https://coeval.example --out protos

From files: one .proto file for each major, as a server gives it that registers
these versions in the order of their numbers and has never seen others. A server
that has seen other versions may have given other numbers: to generate clients
ask the server.

From a server: all files of the types that are named, as app or acme:app. It is asked
as whoever is logged in, or with the token in the environment variable COEVAL_TOKEN.

With --out the files are written as a tree, with coeval/header/v1/header.proto
beside them, so that the tree compiles.")]
    Proto {
        /// Type files, YAML or JSON, - is stdin; or the names of types at a server
        #[arg(required = true, value_name = "TYPE")]
        types: Vec<PathBuf>,
        /// Write them into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        server: ServerOptions,
    },
}

/// Which organizations.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PublishTarget {
    /// An organization, by its name; can be said several times
    #[arg(long = "org", value_name = "ORG")]
    orgs: Vec<String>,
    /// All organizations, also those that come later
    #[arg(long)]
    all: bool,
}

impl PublishTarget {
    fn organizations(self) -> PublishedTo {
        PublishedTo {
            named: self.orgs,
            all: self.all,
        }
    }
}

/// Runs it; the code to exit with. `matches` are those of this command: they know where each value
/// came from.
///
/// # Errors
/// If it is refused or fails.
pub async fn run(options: TypeOptions, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let ended = Box::pin(dispatch(options, matches)).await;
    ended.map_err(Failure::with_login_advice)
}

async fn dispatch(options: TypeOptions, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match options.action {
        TypeCommand::List { output, server } => {
            list::list(&server.session()?, &output.output).await?;
        }
        TypeCommand::Versions {
            kind,
            output,
            server,
        } => list::versions(&server.session()?, &kind, &output.output).await?,
        TypeCommand::Register {
            files,
            accept_undecided,
            warn,
            server,
        } => {
            let accepting = RegisterPolicy {
                warn,
                undecided: accept_undecided,
            };
            return register::register(&server.session()?, &files, accepting).await;
        }
        TypeCommand::Delete { id, server } => delete(id, &server, "deleted").await?,
        TypeCommand::Retire { id, server } => delete(id, &server, "retired").await?,
        TypeCommand::Deprecate {
            id,
            deprecation,
            server,
        } => annotate::deprecate(&server.session()?, &id, deprecation).await?,
        TypeCommand::Columns {
            id,
            set,
            clear,
            output,
            server,
        } => {
            // Neither flag: the columns are only shown.
            let columns = (clear || !set.is_empty()).then_some(set);
            annotate::columns(&server.session()?, &id, columns, &output.output).await?;
        }
        TypeCommand::Publish { kind, to, server } => {
            publish::publish(&server.session()?, &kind, to.organizations()).await?;
        }
        TypeCommand::Unpublish { kind, to, server } => {
            publish::unpublish(&server.session()?, &kind, to.organizations()).await?;
        }
        TypeCommand::Grants { id, output, server } => {
            let session = server.session()?;
            let id = server_types::full_id(&session, id).await?;
            type_access::grants(&session, &id, &output.output).await?;
        }
        TypeCommand::Grant {
            id,
            member,
            level,
            server,
        } => {
            let session = server.session()?;
            let id = server_types::full_id(&session, id).await?;
            type_access::grant(&session, &id, &member, level).await?;
        }
        TypeCommand::Revoke { id, member, server } => {
            let session = server.session()?;
            let id = server_types::full_id(&session, id).await?;
            type_access::revoke(&session, &id, &member).await?;
        }
        TypeCommand::Check {
            files,
            json,
            registered,
            server,
        } => {
            // The same flags without --registered ask the server only if it was named on purpose.
            if registered || names_a_server(matches) {
                return register::check(&server.session()?, &files, json).await;
            }
            return check::run(&files, json);
        }
        TypeCommand::Explain { files, json } => explain::run(&files, json)?,
        TypeCommand::Proto { types, out, server } => {
            // Names of types rather than of files mean that a server is asked.
            let asks = names_a_server(matches) || proto::are_types(&types);
            // Files need no session, and a server that is down must not be in their way.
            let session = asks.then(|| server.session()).transpose()?;
            proto::run(&types, out.as_deref(), session.as_ref()).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a server was named on the command line. That the environment names one says only which
/// one is asked if any is.
fn names_a_server(matches: &ArgMatches) -> bool {
    let named = |flag: &str| matches.value_source(flag) == Some(ValueSource::CommandLine);
    named("server") || named("context")
}

fn type_and_version(text: &str) -> Result<String, &'static str> {
    if text.contains(':') {
        Ok(text.to_owned())
    } else {
        Err("say which version: acme:app:1.1.0")
    }
}

async fn delete(id: String, server: &ServerOptions, told: &str) -> Result<(), Failure> {
    let session = server.session()?;
    let id = server_types::full_id(&session, id).await?;
    let request = pb::DeleteTypeVersionRequest { id: id.clone() };
    let done = session.client.types().delete_type_version(request).await;
    done.map_err(ClientError::of_write)?;
    crate::rows::say(&format!("{id} {told}"));
    Ok(())
}
