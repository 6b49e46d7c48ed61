//! `coeval restore`: a kept revision of a resource, written again.

use crate::calls::{EarlierRevision, as_file};
use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::history::short;
use crate::merge::render;
use crate::resource_argument::NamedResource;
use crate::{messages, yaml};
use clap::Args;
use coeval_codes::Coded;
use std::process::ExitCode;

/// Write a kept revision of a resource again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval history app web
  coeval restore app web --revision 4f0c2a91
  coeval restore app web --revision 4f0c2a91 --dry-run

The beginning of a revision is enough where no other one begins so. It becomes a new
revision: nothing of the history goes. If somebody changes the resource at the same
moment nothing is written, and the exit code is 3.")]
pub struct RestoreOptions {
    #[command(flatten)]
    named: NamedResource,
    /// The revision, or how it begins
    #[arg(long, value_name = "REVISION")]
    revision: String,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Debug, thiserror::Error, Coded)]
enum RestoreError {
    #[error("no kept revision of {target} begins with {said:?}")]
    #[code(
        REVISION_NOT_KEPT,
        advice = "`coeval history` lists those that are kept."
    )]
    None { target: String, said: String },
    #[error("several revisions of {target} begin with {said:?}: {}", fitting.join(", "))]
    #[code(REVISION_NOT_KEPT, advice = "Give more of it.")]
    Several {
        target: String,
        said: String,
        fitting: Vec<String>,
    },
}

/// The one revision that begins so.
fn choose<'r>(
    revisions: &'r [EarlierRevision],
    said: &str,
    target: &str,
) -> Result<&'r EarlierRevision, RestoreError> {
    let revision = |one: &&EarlierRevision| one.resource.metadata.revision.clone();
    let fitting: Vec<_> = revisions
        .iter()
        // An empty one would fit all of them.
        .filter(|one| !said.is_empty() && revision(one).starts_with(said))
        .collect();
    let target = target.to_owned();
    let said = said.to_owned();
    match fitting.as_slice() {
        [one] => Ok(one),
        [] => Err(RestoreError::None { target, said }),
        several => {
            let fitting = several.iter().map(revision).take(5).collect();
            Err(RestoreError::Several {
                target,
                said,
                fitting,
            })
        }
    }
}

pub(crate) async fn run(options: RestoreOptions) -> Result<ExitCode, Failure> {
    let session = options.server.session()?;
    let target = options.named.target(&session)?;
    let (revisions, _) = session.earlier(&target, "").await?;
    // Revisions are long, and their beginning is enough for people.
    let then = choose(&revisions, &options.revision, &target.to_string())?;
    let Some(present) = revisions.first() else {
        return Ok(ExitCode::SUCCESS);
    };
    let text = |of: &EarlierRevision| as_file(&of.resource).map(|file| yaml::text(&file));
    let (now, again) = (&present.resource, &then.resource);
    let called = |of: &EarlierRevision| {
        let revision = short(&of.resource.metadata.revision);
        format!("{target} ({}, {revision})", of.resource.version)
    };
    let names = (called(present), called(then));
    let difference = render::unified(&text(present)?, &text(then)?, (&names.0, &names.1));
    // What would change is shown first, also without --dry-run.
    messages::note(&difference);
    // Restoring what is there already would only make another revision.
    if now.metadata.revision == again.metadata.revision || difference.is_empty() {
        messages::out(&format!("{target} unchanged ({})\n", now.version));
        return Ok(ExitCode::SUCCESS);
    }
    if options.dry_run {
        messages::out(&format!("{target} restored ({}, dry run)\n", again.version));
        return Ok(ExitCode::SUCCESS);
    }
    let revision = &again.metadata.revision;
    // On condition of the present revision: what somebody has written meanwhile is not overwritten.
    let wrote = session.write_again(&target, revision, &now.metadata.revision);
    let wrote = wrote.await?;
    messages::out(&format!("{target} restored ({})\n", wrote.resource.version));
    if !wrote.kept.is_empty() {
        messages::note(&format!("kept: {}\n", wrote.kept.join(", ")));
    }
    if let Some(warning) = wrote
        .warning
        .as_deref()
        .and_then(messages::new_write_warning)
    {
        messages::note(&format!("warning: {warning}\n"));
    }
    Ok(ExitCode::SUCCESS)
}
