//! `coeval delete`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::get::report_all_but_last;
use crate::output::check_written;
use crate::output::notes::{self, Spinner};
use crate::targets::{NamedTarget, TargetArguments};
use crate::task::follow_to_end;
use clap::Args;
use coeval_client::ClientErrorKind;
use coeval_proto::tasks::v1::TaskStatus;
use std::io::Write as _;
use std::process::ExitCode;

/// Delete resources.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval delete app web
  coeval delete app/web app/api
  coeval delete app web --revision \"$(coeval get app web -o jsonpath='{.metadata.revision}')\"
  coeval delete app web --ignore-not-found

Nothing is asked. Where the type has a hook that runs before, a task goes on with
it, and its end is waited for.")]
pub struct DeleteOptions {
    #[command(flatten)]
    targets: TargetArguments,
    /// Only if it has this revision; exit code 3 if it has another one
    #[arg(
        long,
        value_name = "REVISION",
        default_value = "",
        hide_default_value = true
    )]
    revision: String,
    /// Do not wait for the task that goes on with it
    #[arg(long)]
    no_wait: bool,
    /// What is not there is as good as deleted
    #[arg(long)]
    ignore_not_found: bool,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: DeleteOptions) -> Result<ExitCode, Failure> {
    let targets = options.targets.required()?;
    if targets.len() > 1 && !options.revision.is_empty() {
        return Err(Failure::usage(
            "--revision is that of one resource",
            "Delete one at a time.",
        ));
    }
    let session = options.server.session()?;
    let mut failures = Vec::new();
    // All are tried: that one can't be deleted says nothing of the others.
    for target in &targets {
        if let Err(failure) = one(&session, target, &options).await {
            failures.push(failure);
        }
    }
    report_all_but_last(failures)
}

async fn one(
    session: &ClientSession,
    target: &NamedTarget,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let resources = session.client.resources(&target.kind);
    let resources = resources.within(&session.namespace);
    let task = match resources.delete(&target.name, &options.revision).await {
        Err(error) if options.ignore_not_found && error.kind() == ClientErrorKind::NotFound => {
            notes::note(&format!("{target} is not there."));
            return Ok(());
        }
        deleted => deleted?,
    };
    let Some(task) = task else {
        return check_written(writeln!(std::io::stdout(), "{target} deleted"));
    };
    if options.no_wait {
        notes::note(&format!("The task {task} goes on with it."));
        return check_written(writeln!(std::io::stdout(), "{target} is being deleted"));
    }
    // With a hook, the delete is done only when its task is.
    wait_for_end(session, target, &task).await?;
    check_written(writeln!(std::io::stdout(), "{target} deleted"))
}

/// Waits until the task has done it.
async fn wait_for_end(
    session: &ClientSession,
    target: &NamedTarget,
    id: &str,
) -> Result<(), Failure> {
    // Removed from the screen before the outcome is printed.
    let spinner = Spinner::new(&format!("deleting {target}"));
    let last = follow_to_end(session, id, |task| {
        if !task.message.is_empty() {
            spinner.tell(&format!("deleting {target}: {}", task.message));
        }
    });
    let last = last.await?;
    drop(spinner);
    if last.status() == TaskStatus::Success {
        return Ok(());
    }
    // The failure has the reason; older tasks have only a message.
    let failure = last.failure.clone().unwrap_or_default();
    let why = match (failure.message.as_str(), last.message.as_str()) {
        ("", "") => "its task did not succeed",
        ("", message) => message,
        (failure, _) => failure,
    };
    let message = format!("{target} is not deleted: {why}");
    Err(Failure::refused(
        message,
        format!("Look at its task {id} with `coeval task`."),
    ))
}
