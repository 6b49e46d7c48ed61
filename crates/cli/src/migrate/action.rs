//! What `coeval migrate` takes.

use super::goal::{MigrationGoal, goal};
use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::rows::OutputOptions;
use crate::targets;
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;

/// Which type, and where.
#[derive(Debug, Args)]
pub(super) struct MigratedType {
    /// The type, as acme:app
    #[arg(value_name = "TYPE", add = ArgValueCompleter::new(targets::kinds))]
    pub(super) kind: String,
    #[command(flatten)]
    server: ServerOptions,
}

impl MigratedType {
    pub(super) fn session(&self) -> Result<ClientSession, Failure> {
        self.server.session()
    }
}

/// The two majors.
#[derive(Debug, Args)]
pub(super) struct MajorPair {
    /// The major that it leaves; the lowest one that has resources, if nothing is said
    #[arg(long, value_name = "MAJOR")]
    pub(super) from: Option<u32>,
    /// The major that it goes to; the next one, if nothing is said
    #[arg(long, value_name = "MAJOR")]
    pub(super) to: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(super) enum MigrateCommand {
    /// Find out what a migration would do; nothing is written
    #[command(after_help = "Examples:
  coeval migrate plan acme:app
  coeval migrate plan acme:app --from 1 --to 2 -o json")]
    Plan {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        majors: MajorPair,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Begin one; nothing moves before it is advanced
    #[command(after_help = "Examples:
  coeval migrate start acme:app
  coeval migrate start acme:app --from 1 --to 2 --rate 500
  coeval migrate start acme:app --auto --until soak
  coeval migrate start acme:app --auto --until finished --yes")]
    Start {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        majors: MajorPair,
        /// Let it advance by itself, as far as --until says
        #[arg(long)]
        auto: bool,
        /// How far: a phase, or finished; to soak, if nothing is said
        #[arg(long, value_name = "PHASE", value_parser = goal)]
        until: Option<MigrationGoal>,
        /// Resources a second at most; 0: as those in the foreground allow
        #[arg(long, value_name = "NUMBER", default_value = "0")]
        rate: u32,
        /// A version on the way that changes what a field means, and is agreed to; can be said
        /// several times
        #[arg(long, value_name = "VERSION", value_parser = targets::version)]
        meaning_changed: Vec<String>,
        /// Don't ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Show how far it is, who is where, and why it is not moving
    #[command(after_help = "Examples:
  coeval migrate status acme:app
  coeval migrate status acme:app -w
  coeval migrate status acme:app -o jsonpath='{.why}'

With -w it is followed until it has ended; Ctrl-C ends it sooner, and changes nothing.")]
    Status {
        #[command(flatten)]
        of: MigratedType,
        /// Go on until it has ended
        #[arg(short, long)]
        watch: bool,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Go on to the next phase; after the last one, finish it
    #[command(after_help = "Examples:
  coeval migrate advance acme:app
  coeval migrate advance acme:app --wait
  coeval migrate advance acme:app --to soak --wait
  coeval migrate advance acme:app --to cutover --wait
  coeval migrate advance acme:app --fence
  coeval migrate advance acme:app --to cutover --without-access org:other

A step has two halves: the next phase is admitted, and when every server is there, the one before
is closed. With --wait both are done, and the work of the phase is waited for. Cutover and cleanup
are asked for, unless --to names them. Cutover waits for those who see a version of the old major and
not the one that resources get: coeval migrate plan lists them.")]
    Advance {
        #[command(flatten)]
        of: MigratedType,
        /// The phase to go to, or finished; with --wait it may be more than one step away
        #[arg(long, value_name = "PHASE", value_parser = goal)]
        to: Option<MigrationGoal>,
        /// Give up on servers that are behind: they refuse the type until they have moved
        #[arg(long)]
        fence: bool,
        /// Somebody without access to the new version that cutover does not wait for, and who loses
        /// access to the resources at cleanup: org:NAME, role:NAME, user:NAME@ORG or an id; can be
        /// repeated
        #[arg(long, value_name = "MEMBER")]
        without_access: Vec<String>,
        /// Wait until every server is there and the work is done
        #[arg(long)]
        wait: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Let the work in the background rest
    #[command(after_help = "Examples:\n  coeval migrate pause acme:app")]
    Pause {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Let it go on
    #[command(after_help = "Examples:\n  coeval migrate resume acme:app")]
    Resume {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Say how fast the work in the background may go
    #[command(after_help = "Examples:
  coeval migrate rate acme:app 200
  coeval migrate rate acme:app 0")]
    Rate {
        #[command(flatten)]
        of: MigratedType,
        /// Resources a second at most; 0: as those in the foreground allow
        #[arg(value_name = "NUMBER")]
        rate: u32,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Go back to the phase before
    #[command(after_help = "Examples:
  coeval migrate back acme:app
  coeval migrate back acme:app --wait --yes

What it would cost is shown first. No acknowledged write is lost.")]
    Back {
        #[command(flatten)]
        of: MigratedType,
        /// Give up on servers that are behind: they refuse the type until they have moved
        #[arg(long)]
        fence: bool,
        /// Wait until every server is there and the work is done
        #[arg(long)]
        wait: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Let it go all the way back, and end where it began
    #[command(after_help = "Examples:
  coeval migrate undo acme:app
  coeval migrate undo acme:app --wait --yes

What it would cost is shown first. It goes back by itself, phase by phase.")]
    Undo {
        #[command(flatten)]
        of: MigratedType,
        /// Wait until it is undone
        #[arg(long)]
        wait: bool,
        /// Don't ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Compare the old record of every resource with the new one
    #[command(after_help = "Examples:
  coeval migrate verify acme:app

Exit codes: 0 all say the same, 1 some don't, or have no mirror yet.")]
    Verify {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Show all migrations, those under way first
    #[command(after_help = "Examples:\n  coeval migrate list\n  coeval migrate list -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show the resources that can't be converted
    #[command(after_help = "Examples:
  coeval migrate failed acme:app
  coeval migrate failed acme:app -o name")]
    Failed {
        #[command(flatten)]
        of: MigratedType,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Try again to convert those that could not be
    #[command(after_help = "Examples:
  coeval migrate retry acme:app
  coeval migrate retry acme:app web

A resource that is written is tried by the write itself.")]
    Retry {
        #[command(flatten)]
        of: MigratedType,
        /// Their names or ids; all of them, if none is given
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}
