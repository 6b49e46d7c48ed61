//! `coeval surface`: everything of this release that somebody outside may rely on, as files.
//!
//! What is kept in `releases/` is made by this command, and the check of a release compares what it
//! writes now with what is kept. The API documents come from the same tables as the routers, the
//! grammar from clap, the metrics from the table that gives them their help: nothing here is
//! written down twice.

mod commands;
mod files;

use clap::{Args, Command};
use coeval_cli::Failure;
use std::path::PathBuf;

/// Write what this release serves, as files to compare with those of another release.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval surface --out served

The API documents, .proto files and descriptors, type files of built-in kinds, levels of stored
formats, settings, commands, metrics and error codes.")]
pub(crate) struct SurfaceOptions {
    /// The folder to write them to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(options: &SurfaceOptions, command: &Command) -> Result<(), Failure> {
    // All of them before the first is written: a release's surface is whole or not there.
    let files = files::all(command)?;
    for (name, bytes) in &files {
        let path = options.out.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = written.and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|error| {
            let failure = Failure::internal(format!("can't write {}: {error}", path.display()));
            failure.with_advice("Check the path, the permissions and the free space.")
        })?;
    }
    eprintln!("wrote {} files to {}", files.len(), options.out.display());
    Ok(())
}
