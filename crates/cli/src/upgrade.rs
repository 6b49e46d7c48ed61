//! `coeval upgrade`: resources, stored at another version.

mod matching;

use crate::apply::{ResultFormat, show};
use crate::calls::unmarked;
use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::get::report_all_but_last;
use crate::output::check_written;
use crate::output::notes;
use crate::targets::{self, NamedTarget, TargetArguments};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use indicatif::ProgressBar;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// Store resources at another version.
#[derive(Debug, Args)]
#[command(disable_version_flag = true)] // --version is a resource's here
#[command(after_help = "Examples:
  coeval upgrade app web
  coeval upgrade app web api --to 2.0.0
  coeval upgrade app web --to 2.0.0 --dry-run
  coeval upgrade app web --to 2.0.0 --dry-run -o yaml
  coeval upgrade app --filter 'labels.env==test' --to 2.0

A save never does this to another major: it is put onto the version that is stored.
An upgrade needs full control. What the version can't hold is kept, so the way back
(--to the version before) is exact. A version that changes what a field means has to
be named.

With --filter the server does it, as a task: `coeval task` shows, waits for and cancels
it, and it survives a restart. Those that you have no full control of are neither
touched nor counted, and hooks don't run. The exit code is 1 if some were refused.

All resources of a type, with servers and clients of both majors at work: `coeval migrate`.")]
pub struct UpgradeOptions {
    #[command(flatten)]
    targets: TargetArguments,
    /// The version to store them at; default: the newest that you can see
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    to: String,
    /// All that a filter matches, in place of names; name==* for all
    #[arg(long, value_name = "FILTER", conflicts_with = "names")]
    filter: Option<String>,
    /// The filter is about what this version shows: 1.0; default: the stored one
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true,
        requires = "filter",
        conflicts_with = "names"
    )]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    version: String,
    /// Don't wait for the task of a filter
    #[arg(long, requires = "filter", conflicts_with = "names")]
    no_wait: bool,
    /// Change nothing; show what would be
    #[arg(long)]
    dry_run: bool,
    /// Print the results so; of a filter, `coeval task get -o json` does
    #[arg(short, long, value_name = "FORM", conflicts_with = "filter")]
    output: Option<ResultFormat>,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: UpgradeOptions) -> Result<ExitCode, Failure> {
    let session = options.server.session()?;
    // A filter is one task of the server; names are upgraded one by one.
    if let Some(filter) = &options.filter {
        return matching::run(&session, &options, filter).await;
    }
    let targets = options.targets.required().map_err(|failure| {
        let advice = "Give KIND and NAME, or KIND/NAME; or --filter for all that it matches.";
        failure.with_advice(advice)
    })?;
    let bar = if targets.len() > 10 && std::io::stderr().is_terminal() {
        ProgressBar::new(targets.len() as u64)
    } else {
        ProgressBar::hidden()
    };
    let mut failures = Vec::new();
    for target in &targets {
        if let Err(failure) = one(&session, target, &options).await {
            failures.push(failure);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    report_all_but_last(failures)
}

async fn one(
    session: &ClientSession,
    target: &NamedTarget,
    options: &UpgradeOptions,
) -> Result<(), Failure> {
    let resources = session.client.resources(&target.kind);
    let resources = resources.within(&session.namespace);
    // Read first, only to say what it was upgraded from.
    let before = resources.get(&target.name).await?;
    // Without a condition on the revision: at its version already, it stays as it is.
    let written = resources
        .upgrade(&target.name, &options.to, "", options.dry_run)
        .await?;
    // A mark tells that something is kept, which no upgrade changes.
    let [from, to] = [&before.version, &written.resource.version].map(|one| unmarked(one));
    let dry = if options.dry_run { ", dry run" } else { "" };
    let line = if from == to {
        format!("{target} unchanged ({to})")
    } else {
        format!("{target} upgraded ({from} to {to}{dry})")
    };
    match options.output {
        Some(form) => show(form, &written.resource)?,
        None => check_written(writeln!(std::io::stdout(), "{line}"))?,
    }
    if !written.kept.is_empty() {
        notes::note(&format!("kept: {}", written.kept.join(", ")));
    }
    if let Some(task) = &written.task {
        notes::note(&format!("The task {task} goes on with it."));
    }
    Ok(())
}
