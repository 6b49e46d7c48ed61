//! `coeval diff`: what apply would change.

use crate::apply::{
    ApplyOutcome, difference, notes, plan, planned_outcome, schema_refusal, set_default_version,
};
use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::files::FileOptions;
use crate::messages;
use crate::targets;
use clap::Args;
use std::process::ExitCode;

/// Show what apply would change.
#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    after_help = "Examples:
  coeval diff -f app.yaml
  coeval diff -f apps/

Both sides are at the file's version. What somebody else has changed since the last
apply is named on stderr: apply refuses to override it without --force. So is what
does not fit the schema.

Exit codes: 0 apply would change nothing, 1 it would, 2 it can't be told."
)]
pub struct DiffOptions {
    #[command(flatten)]
    files: FileOptions,
    /// The version of resources whose file says none
    #[arg(long, value_name = "VERSION", value_parser = targets::version)]
    version: Option<String>,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: DiffOptions) -> Result<ExitCode, Failure> {
    let mut files = options.files.read()?;
    set_default_version(&mut files, options.version.as_deref());
    // Exit code 1 means a difference, so a failure must be another one.
    let session = options.server.session().map_err(Failure::into_usage)?;
    let mut drifted = false;
    let mut failed = false;
    for file in &files {
        match plan(&session, file).await {
            Ok(mut plan) => {
                let changes = planned_outcome(&plan) != ApplyOutcome::Unchanged;
                // What changes nothing is not written, so it can't be refused for its content.
                let refusal = if changes {
                    schema_refusal(&session, &mut plan).await
                } else {
                    None
                };
                drifted |= changes;
                messages::out(
                    &difference(&plan).map_err(|error| Failure::from(error).into_usage())?,
                );
                notes(&plan);
                if let Some(refusal) = plan.refusal() {
                    messages::note(&format!("conflict: {refusal}\n"));
                }
                match refusal {
                    Some(error) if error.is_misfit() => {
                        messages::note(&format!("misfit: {error}\n"));
                    }
                    Some(error) => messages::note(&format!("note: {error}\n")),
                    None => {}
                }
            }
            Err(error) => {
                failed = true;
                let _ = Failure::from(error).report();
            }
        }
    }
    Ok(ExitCode::from(match (failed, drifted) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    }))
}
