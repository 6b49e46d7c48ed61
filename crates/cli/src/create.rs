//! `coeval create`: new resources from files.

use crate::apply::{ApplyError, ResultFormat, set_default_version, show, target};
use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::files::FileOptions;
use crate::messages;
use crate::targets;
use clap::Args;
use coeval_client::ClientErrorKind;
use std::process::ExitCode;

/// Create resources from files.
#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    after_help = "Examples:
  coeval create -f app.yaml
  coeval create -f - < apps.yaml
  coeval create -f app.yaml -o yaml

A resource that exists already is an error, and left as it is; `coeval apply` changes
it. What create makes is not declared by a file: a later apply takes nothing back
that create has said."
)]
pub struct CreateOptions {
    #[command(flatten)]
    files: FileOptions,
    /// The version of resources whose file says none
    #[arg(long, value_name = "VERSION", value_parser = targets::version)]
    version: Option<String>,
    /// Refuse fields that no version of the type declares (default: store them and warn)
    #[arg(long)]
    strict: bool,
    /// Print the results so
    #[arg(short, long, value_name = "FORM")]
    output: Option<ResultFormat>,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: CreateOptions) -> Result<ExitCode, Failure> {
    let mut files = options.files.read()?;
    set_default_version(&mut files, options.version.as_deref());
    let mut session = options.server.session()?;
    session.strict = options.strict;
    // The exit code is the worst of all files.
    let mut worst = 0;
    for file in &files {
        // The target says the organization, which a file may leave out.
        let mut new = file.to_resource();
        let target = target(&session, file);
        new.metadata.namespace.clone_from(&target.namespace);
        // Without declared paths: what is created so belongs to no file.
        let error = match session.make(&new, None).await {
            Ok(made) => {
                match options.output {
                    Some(form) => show(form, &made.resource)?,
                    None => {
                        messages::out(&format!("{target} created ({})\n", made.resource.version));
                    }
                }
                // A create with hooks goes on as a task.
                if !made.task.is_empty() {
                    messages::note(&format!("task: {}\n", made.task));
                }
                if let Some(warning) = made
                    .warning
                    .as_deref()
                    .and_then(messages::new_write_warning)
                {
                    messages::note(&format!("warning: {target}: {warning}\n"));
                }
                continue;
            }
            Err(error) => error,
        };
        let hopeless = matches!(
            error.kind(),
            // The next file would meet the same.
            ClientErrorKind::Unavailable | ClientErrorKind::Unauthenticated
        );
        let name = target.to_string();
        let failure = Failure::from(match error.kind() {
            // The kind of error alone does not name the resource; these do.
            ClientErrorKind::Exists => ApplyError::Exists { name },
            ClientErrorKind::Invalid if new.version.is_empty() => ApplyError::NoVersion { name },
            _ => ApplyError::Client { name, error },
        });
        worst = worst.max(failure.exit());
        let _ = failure.report();
        if hopeless {
            break;
        }
    }
    Ok(ExitCode::from(worst))
}
